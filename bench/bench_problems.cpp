#include "bench_problems.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "gtvmin/graph/generators/chain.h"
#include "gtvmin/graph/generators/geometric.h"
#include "gtvmin/graph/generators/grid.h"
#include "gtvmin/graph/generators/sbm.h"
#include "gtvmin/problem/model.h"
#include "gtvmin/synthetic/synthetic_data.h"

namespace gtvmin::bench {
namespace {

Problem from(const Result<GeneratedGraph>& graph, const SyntheticParameters& parameters, const ModelSpec& model,
             double lambda, std::uint64_t seed) {
  const auto data = make_synthetic_data(*graph, parameters, seed);
  return *make_problem(data->dataset, model, L2Penalty{}, lambda);
}

}  // namespace

NodeId full_size(std::string_view name) {
  if (name == "chain") return 20'000;
  if (name == "grid-coarse") return 90'000;
  return 100'000;
}

Problem make_bench_problem(std::string_view name, NodeId nodes, const Variant& variant) {
  const auto& [lambda_factor, seed] = variant;
  const double shrink = static_cast<double>(nodes) / full_size(name);
  SyntheticParameters parameters;
  if (name == "chain") {
    parameters = {.dimension = 2, .noise = 0.1, .accessible = 0.6, .truth = TruthKind::kGiven};
    parameters.truth_values = Matrix{{2, -2}, {2, 2}};
    return from(chain_graph(std::vector<NodeId>{nodes / 2, nodes - nodes / 2}, 0.3), parameters, {}, 10 * lambda_factor,
                seed);
  }
  if (name == "grid-coarse") {
    const auto side = static_cast<NodeId>(std::lround(std::sqrt(nodes)));
    parameters = {.model = SyntheticModel::kPoint, .dimension = 3, .min_samples = 1, .max_samples = 1, .noise = 0.3};
    parameters.truth = TruthKind::kBernoulli;
    return from(grid_graph(side, side), parameters, {.name = "point"}, 3 * lambda_factor, seed);
  }
  if (name == "geometric") {
    parameters = {.dimension = 8, .min_samples = 10, .max_samples = 10, .noise = 0.001};
    // What must cross a boundary grows with the area, the boundary with its root.
    return from(geometric_graph({.nodes = nodes, .neighbours = 8}, seed), parameters, {},
                36 * std::sqrt(shrink) * lambda_factor, seed);
  }
  if (name == "sbm") {
    parameters = {.dimension = 100, .min_samples = 10, .max_samples = 10, .noise = 0.001};
    parameters.truth = TruthKind::kBernoulli;
    return from(sbm_graph({.sizes = {100, 100}, .p_in = 0.5, .p_out = 0.01}, seed), parameters, {},
                0.01 * lambda_factor, seed);
  }
  if (name == "sbm-large") {
    parameters = {.dimension = 10, .min_samples = 20, .max_samples = 20, .noise = 0.001, .accessible = 0.6};
    parameters.truth = TruthKind::kBernoulli;
    // Fewer clusters of the same size, and the same number of edges to other clusters for each node.
    const NodeId clusters = std::max<NodeId>(1, nodes / 2000);
    const std::vector<NodeId> sizes(clusters, nodes / clusters);
    return from(sbm_graph({.sizes = sizes, .p_in = 0.009, .p_out = 0.00002 / shrink}, seed), parameters, {},
                0.05 * lambda_factor, seed);
  }
  std::abort();
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double peak_mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace gtvmin::bench
