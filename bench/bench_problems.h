#pragma once

#include <string_view>

#include "gtvmin/problem/problem.h"

/// The problems of the yardstick that the C++ programs here use too, by the same recipe and seed, at `size` nodes.
namespace gtvmin::bench {

/// chain, grid-coarse, sbm-large, geometric, or sbm, which has one size. λ scales with the size where the shape of the
/// solution depends on it.
[[nodiscard]] Problem make_bench_problem(std::string_view name, NodeId nodes, double lambda_factor = 1);
/// Nodes at full size.
[[nodiscard]] NodeId full_size(std::string_view name);
[[nodiscard]] double seconds_now();
/// Peak memory of this process so far, in MiB.
[[nodiscard]] double peak_mebibytes();

}  // namespace gtvmin::bench
