// How close the sweep over the edges comes to the memory: an iteration must at least read and write u once and move w
// four times, (2|E| + 4|V|)·d·8 bytes. Prints that over the copy bandwidth of one core and of two, measured in the same
// run, against the time of the dual sweep (which adds up Dᵀu as well) and of a whole iteration.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "bench_problems.h"
#include "gtvmin/solver/shard.h"
#include "gtvmin/solver/sweeps.h"

namespace {

using namespace gtvmin;
using bench::seconds_now;

constexpr int kRounds = 12;

/// Bytes read and written a second by a copy of arrays far beyond the caches.
double copy_bandwidth(ThreadTeam& team) {
  constexpr Index kNumbers = 1 << 26;
  const Vector from = Vector::Ones(kNumbers);
  Vector to = Vector::Zero(kNumbers);
  double best = 1e300;
  for (int round = 0; round < kRounds; ++round) {
    const double start = seconds_now();
    team.run(kNumbers, kNumbers / 16, [&](int /*worker*/, Index begin, Index end) {
      std::memcpy(to.data() + begin, from.data() + begin, static_cast<std::size_t>(end - begin) * sizeof(double));
    });
    best = std::min(best, seconds_now() - start);
  }
  return 2.0 * kNumbers * sizeof(double) / best;
}

struct SweepTimes {
  double dual = 1e300;
  double iteration = 1e300;
};

SweepTimes time_sweeps(const Problem& problem, ThreadTeam& team) {
  Shard shard = Shard::whole(problem);
  auto workspaces = make_workspaces(problem, team.size());
  const Step step{.omega = 1, .relaxation = 1.8};
  SweepTimes best;
  for (int round = 0; round < kRounds; ++round) {
    const double start = seconds_now();
    primal_sweep(shard, step, team, workspaces);
    const double middle = seconds_now();
    dual_sweep(shard, step, team, workspaces);
    const double end = seconds_now();
    best.dual = std::min(best.dual, end - middle);
    best.iteration = std::min(best.iteration, end - start);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const bool as_json = argc > 1 && std::string_view(argv[1]) == "--json";
  nlohmann::ordered_json report;
  ThreadTeam one(1);
  ThreadTeam two(2);
  const double bandwidth[] = {copy_bandwidth(one), copy_bandwidth(two)};
  report["copy_bandwidth_GB_per_s_one_thread"] = bandwidth[0] / 1e9;
  report["copy_bandwidth_GB_per_s_two_threads"] = bandwidth[1] / 1e9;
  for (const std::string_view name : {"sbm-large", "geometric"}) {
    for (const int part : {4, 1}) {
      const Problem problem = bench::make_bench_problem(name, bench::full_size(name) / part);
      const double bytes =
          (2.0 * problem.edges() + 4.0 * problem.nodes()) * 8 * static_cast<double>(problem.dimension());
      double first = 0;
      for (ThreadTeam* team : {&one, &two}) {
        const auto times = time_sweeps(problem, *team);
        const double bound = bytes / bandwidth[0];
        if (team == &one) first = times.dual;
        report["sweeps"].push_back({{"problem", name},
                                    {"edges", problem.edges()},
                                    {"threads", team->size()},
                                    {"edge_sweep_of_one_core_bound", bound / times.dual},
                                    {"speedup", first / times.dual},
                                    {"ns_per_edge", times.dual / problem.edges() * 1e9},
                                    {"iteration_of_one_core_bound", bound / times.iteration}});
      }
    }
  }
  if (as_json) {
    fmt::print("{}\n", report.dump());
    return 0;
  }
  for (const auto& [key, value] : report.items()) {
    if (value.is_number()) fmt::print("{}: {:.1f}\n", key, value.get<double>());
  }
  for (const auto& line : report["sweeps"]) {
    fmt::print(
        "{:10} {:8} edges, {} thread(s): edge sweep at {:.2f} of the bound of one core, {:.2f} x one thread, "
        "{:.1f} ns an edge; iteration at {:.2f}\n",
        line["problem"].get<std::string>(), line["edges"].get<int>(), line["threads"].get<int>(),
        line["edge_sweep_of_one_core_bound"].get<double>(), line["speedup"].get<double>(),
        line["ns_per_edge"].get<double>(), line["iteration_of_one_core_bound"].get<double>());
  }
}
