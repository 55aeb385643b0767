#pragma once

#include <cstdio>
#include <cstdlib>

/// An invariant that must hold for every input; libFuzzer keeps the input that breaks it.
#define FUZZ_CHECK(condition)                                              \
  do {                                                                     \
    if (!(condition)) {                                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                        \
    }                                                                      \
  } while (false)
