// How the time to a certified 1e-6 grows with the problem: four sizes, each four times the last, up to the full one,
// three draws of each, and the exponent p of time ~ nodes^p fitted to them. One draw of the same size can take thrice
// as long as another.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "bench_problems.h"
#include "growth_exponent.h"
#include "gtvmin/solver/solver.h"

using namespace gtvmin;

int main(int argc, char** argv) {
  const bool as_json = argc > 1 && std::string_view(argv[1]) == "--json";
  nlohmann::ordered_json report;
  for (const std::string_view name : {"chain", "grid-coarse", "sbm-large", "geometric"}) {
    std::vector<double> nodes;
    std::vector<double> seconds;
    for (const int part : {64, 16, 4, 1}) {
      for (const std::uint64_t seed : {1, 2, 3}) {
        const Problem problem = bench::make_bench_problem(name, bench::full_size(name) / part, {.seed = seed});
        const auto result = solve(problem, {.time_limit = 120}, {.seconds = bench::seconds_now, .observe = {}});
        nodes.push_back(problem.nodes());
        seconds.push_back(result.seconds);
        report["sizes"].push_back({{"problem", name},
                                   {"nodes", problem.nodes()},
                                   {"edges", problem.edges()},
                                   {"seed", seed},
                                   {"status", to_string(result.status)},
                                   {"certified", result.certificate.relative},
                                   {"iterations", result.iterations},
                                   {"newton_steps", result.newton_steps},
                                   {"seconds", result.seconds}});
        if (as_json) continue;
        fmt::print("{:12} {:7} nodes {:8} edges, seed {}: {} within {:.1e}, {} iterations, {} Newton steps, {:.3f} s\n",
                   name, problem.nodes(), problem.edges(), seed, to_string(result.status), result.certificate.relative,
                   result.iterations, result.newton_steps, result.seconds);
      }
    }
    const double fitted = bench::growth_exponent(nodes, seconds);
    report["growth"].push_back({{"problem", name}, {"exponent", fitted}});
    std::fflush(stdout);
    if (!as_json) fmt::print("{:12} time grows as nodes^{:.2f}\n", name, fitted);
  }
  if (as_json) fmt::print("{}\n", report.dump());
}
