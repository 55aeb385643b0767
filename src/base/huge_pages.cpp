#include "gtvmin/base/huge_pages.h"

#include <cstddef>
#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace gtvmin {

void prefer_huge_pages([[maybe_unused]] double* numbers, [[maybe_unused]] Index count) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t kHugePage = std::uintptr_t{1} << 21;
  const auto begin = reinterpret_cast<std::uintptr_t>(numbers);
  const std::uintptr_t end = begin + static_cast<std::size_t>(count) * sizeof(double);
  const std::uintptr_t first = (begin + kHugePage - 1) / kHugePage * kHugePage;
  const std::uintptr_t last = end / kHugePage * kHugePage;
  // Advice that is not taken changes nothing.
  if (first < last) (void)::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

Matrix large_zeros(Index rows, Index columns) {
  Matrix matrix(rows, columns);
  prefer_huge_pages(matrix.data(), matrix.size());
  matrix.setZero();
  return matrix;
}

}  // namespace gtvmin
