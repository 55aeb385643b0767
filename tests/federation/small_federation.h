#pragma once

#include <string>

namespace gtvmin {

/// Three sites in a row, north – middle – south, the first with two nodes; `south` cannot be dialled.
inline const std::string kSmallFederation =
    "format = 1\n"                        // 1
    "name = \"trial\"\n"                  // 2
    "\n"                                  // 3
    "# source, target, weight\n"          // 4
    "edges = [\n"                         // 5
    "  [\"a\", \"b\", 2],\n"              // 6
    "  [\"b\", \"c\", 0.1],\n"            // 7
    "  [\"c\", \"d\", 1],\n"              // 8
    "]\n"                                 // 9
    "\n"                                  // 10
    "[solve]\n"                           // 11
    "model = \"linear\"\n"                // 12
    "lambda = 0.5\n"                      // 13
    "features = [\"x1\", \"x2\"]\n"       // 14
    "\n"                                  // 15
    "[[site]]\n"                          // 16
    "name = \"north\"\n"                  // 17
    "address = \"north.example:7443\"\n"  // 18
    "nodes = [\n"                         // 19
    "  \"a\",\n"                          // 20
    "  \"b\",\n"                          // 21
    "]\n"                                 // 22
    "\n"                                  // 23
    "[[site]]\n"                          // 24
    "name = \"middle\"\n"                 // 25
    "address = \"[2001:db8::1]:7443\"\n"  // 26
    "nodes = [\n"                         // 27
    "  \"c\",\n"                          // 28
    "]\n"                                 // 29
    "\n"                                  // 30
    "[[site]]\n"                          // 31
    "name = \"south\"\n"                  // 32
    "nodes = [\n"                         // 33
    "  \"d\",\n"                          // 34
    "]\n";                                // 35

}  // namespace gtvmin
