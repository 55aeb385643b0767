// What a warm start saves: λ, then 1.1 λ from its answer against a cold start, and a path of 30 values of λ, both ways.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>

#include "bench_problems.h"
#include "gtvmin/solver/solver.h"

namespace {

using namespace gtvmin;

const SolveContext kClock{.seconds = bench::seconds_now, .observe = {}};

struct PathTimes {
  double warm = 0;
  double cold = 0;
  int unsolved = 0;
};

PathTimes time_path(std::string_view name, NodeId nodes, int steps, double factor) {
  PathTimes times;
  SolveResult previous;
  double previous_lambda = 0;
  for (int k = 0; k < steps; ++k) {
    const Problem problem = bench::make_bench_problem(name, nodes, {.lambda_factor = std::pow(factor, k) / 3});
    const auto cold = solve(problem, {}, kClock);
    const WarmStart start{previous.w, previous.u, previous_lambda, previous.primal_weight};
    const auto warm = k == 0 ? cold : solve(problem, {}, start, kClock);
    times.cold += k == 0 ? 0 : cold.seconds;
    times.warm += k == 0 ? 0 : warm.seconds;
    times.unsolved += warm.status == SolveStatus::kSolved ? 0 : 1;
    previous = warm;
    previous_lambda = problem.lambda();
  }
  return times;
}

}  // namespace

int main(int argc, char** argv) {
  const bool as_json = argc > 1 && std::string_view(argv[1]) == "--json";
  nlohmann::ordered_json report;
  const struct {
    std::string_view name;
    NodeId nodes;
  } problems[] = {{"sbm", 200}, {"geometric", 3000}};
  for (const auto& [name, nodes] : problems) {
    for (const int steps : {2, 30}) {
      const auto times = time_path(name, nodes, steps, 1.1);
      report["paths"].push_back({{"problem", name},
                                 {"nodes", nodes},
                                 {"warm_starts", steps - 1},
                                 {"warm_over_cold", times.warm / times.cold},
                                 {"unsolved", times.unsolved}});
      if (as_json) continue;
      fmt::print("{:10} {} nodes, {} warm start(s): time of warm / cold = {:.2f}, {} unsolved\n", name, nodes,
                 steps - 1, times.warm / times.cold, times.unsolved);
    }
  }
  if (as_json) fmt::print("{}\n", report.dump());
}
