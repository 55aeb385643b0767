#pragma once

#include <string>

namespace gtvmin {

/// Three sites in a row, north – middle – south, the first with two nodes; `south` cannot be dialled.
inline const std::string kSmallFederation =
    "format = 1\n"                        // 1
    "name = \"trial\"\n"                  // 2
    "sums = true\n"                       // 3
    "\n"                                  // 4
    "# source, target, weight\n"          // 5
    "edges = [\n"                         // 6
    "  [\"a\", \"b\", 2],\n"              // 7
    "  [\"b\", \"c\", 0.1],\n"            // 8
    "  [\"c\", \"d\", 1],\n"              // 9
    "]\n"                                 // 10
    "\n"                                  // 11
    "[solve]\n"                           // 12
    "model = \"linear\"\n"                // 13
    "lambda = 0.5\n"                      // 14
    "features = [\"x1\", \"x2\"]\n"       // 15
    "\n"                                  // 16
    "[[site]]\n"                          // 17
    "name = \"north\"\n"                  // 18
    "address = \"north.example:7443\"\n"  // 19
    "nodes = [\n"                         // 20
    "  \"a\",\n"                          // 21
    "  \"b\",\n"                          // 22
    "]\n"                                 // 23
    "\n"                                  // 24
    "[[site]]\n"                          // 25
    "name = \"middle\"\n"                 // 26
    "address = \"[2001:db8::1]:7443\"\n"  // 27
    "nodes = [\n"                         // 28
    "  \"c\",\n"                          // 29
    "]\n"                                 // 30
    "\n"                                  // 31
    "[[site]]\n"                          // 32
    "name = \"south\"\n"                  // 33
    "nodes = [\n"                         // 34
    "  \"d\",\n"                          // 35
    "]\n";                                // 36

}  // namespace gtvmin
