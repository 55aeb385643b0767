// The largest problem of the promises: a million edges between 200,000 nodes, d = 10, m = 5. Prints how long an
// iteration takes and the peak memory of the whole process.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>

#include "gtvmin/graph/generators/sbm.h"
#include "gtvmin/problem/model.h"
#include "gtvmin/solver/solver.h"
#include "gtvmin/synthetic/synthetic_data.h"

namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

gtvmin::Problem make_large_problem() {
  const auto graph = gtvmin::sbm_graph({.sizes = std::vector<gtvmin::NodeId>(100, 2000), .p_in = 0.005, .p_out = 0}, 1);
  gtvmin::SyntheticParameters parameters;
  parameters.dimension = 10;
  parameters.noise = 0.1;
  parameters.truth = gtvmin::TruthKind::kBernoulli;
  const auto data = gtvmin::make_synthetic_data(*graph, parameters, 1);
  return *gtvmin::make_problem(data->dataset, {}, gtvmin::L2Penalty{}, 0.05);
}

}  // namespace

int main(int argc, char** argv) {
  const double tolerance = argc > 1 ? std::atof(argv[1]) : 1e-3;
  const gtvmin::Problem problem = make_large_problem();
  const auto result = gtvmin::solve(problem, {.tolerance = tolerance}, {.seconds = seconds_now, .observe = {}});
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{} nodes, {} edges, d = {}: {} within {:.1e}\n", problem.nodes(), problem.edges(), problem.dimension(),
             gtvmin::to_string(result.status), result.certificate.relative);
  fmt::print("{} iterations, {:.1f} s, certificates included\n", result.iterations, result.seconds);
  fmt::print("peak memory {:.0f} MiB, data generation included\n", static_cast<double>(usage.ru_maxrss) / 1024);
  return result.status == gtvmin::SolveStatus::kSolved ? 0 : 1;
}
