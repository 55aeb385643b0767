// The largest problems of the promises, in clusters of 2,000 nodes with 10,000 edges each and 5 samples a node: by
// default a million edges between 200,000 nodes, d = 10; with `--ten-million` 10⁷ edges between 2·10⁶ nodes, d = 4.
// Prints how long it takes and the peak memory of the whole process.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <string_view>
#include <vector>

#include "gtvmin/graph/generators/sbm.h"
#include "gtvmin/problem/model.h"
#include "gtvmin/solver/solver.h"
#include "gtvmin/synthetic/synthetic_data.h"

namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

gtvmin::Problem make_large_problem(int clusters, gtvmin::Index dimension) {
  const std::vector<gtvmin::NodeId> sizes(clusters, 2000);
  const auto graph = gtvmin::sbm_graph({.sizes = sizes, .p_in = 0.005, .p_out = 0}, 1);
  gtvmin::SyntheticParameters parameters;
  parameters.dimension = dimension;
  parameters.noise = 0.1;
  parameters.truth = gtvmin::TruthKind::kBernoulli;
  const auto data = gtvmin::make_synthetic_data(*graph, parameters, 1);
  return *gtvmin::make_problem(data->dataset, {}, gtvmin::L2Penalty{}, 0.05);
}

}  // namespace

int main(int argc, char** argv) {
  const bool ten_million = argc > 1 && std::string_view(argv[1]) == "--ten-million";
  const gtvmin::Problem problem = ten_million ? make_large_problem(1000, 4) : make_large_problem(100, 10);
  const auto result = gtvmin::solve(problem, {.tolerance = 1e-3}, {.seconds = seconds_now, .observe = {}});
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{} nodes, {} edges, d = {}: {} within {:.1e}\n", problem.nodes(), problem.edges(), problem.dimension(),
             gtvmin::to_string(result.status), result.certificate.relative);
  fmt::print("{} iterations, {:.1f} s, certificates included\n", result.iterations, result.seconds);
  fmt::print("peak memory {:.0f} MiB, data generation included\n", static_cast<double>(usage.ru_maxrss) / 1024);
  return result.status == gtvmin::SolveStatus::kSolved ? 0 : 1;
}
