#pragma once

#include "gtvmin/base/types.h"

namespace gtvmin {

/// Asks the system to back large memory by huge pages: neighbours lie anywhere in it, and finding a small page can take
/// longer than reading it. Works for memory that has not been written to yet; does nothing for little of it, or where
/// the system has no huge pages.
void prefer_huge_pages(double* numbers, Index count);

/// A matrix of zeros, in huge pages if it is large.
[[nodiscard]] Matrix large_zeros(Index rows, Index columns);

}  // namespace gtvmin
