#pragma once

#include <cstdint>
#include <string_view>

#include "gtvmin/problem/problem.h"

/// The problems of the yardstick that the C++ programs here use too, by the same recipe, at `size` nodes.
namespace gtvmin::bench {

struct Variant {
  double lambda_factor = 1;
  std::uint64_t seed = 1;  // the yardstick's; others draw another graph and other data
};

/// chain, grid-coarse, sbm-large, geometric, or sbm, which has one size. λ scales with the size where the shape of the
/// solution depends on it.
[[nodiscard]] Problem make_bench_problem(std::string_view name, NodeId nodes, const Variant& variant = {});
/// Nodes at full size.
[[nodiscard]] NodeId full_size(std::string_view name);
[[nodiscard]] double seconds_now();
/// Peak memory of this process so far, in MiB.
[[nodiscard]] double peak_mebibytes();

}  // namespace gtvmin::bench
