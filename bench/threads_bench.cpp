// One thread against two, on an idle machine and beside a process that keeps one core busy. Prints the ratios of times:
// below 1 two threads are faster.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>

#include "gtvmin/graph/generators/sbm.h"
#include "gtvmin/problem/model.h"
#include "gtvmin/solver/solver.h"
#include "gtvmin/synthetic/synthetic_data.h"

namespace {

double time_of(const gtvmin::Problem& problem, int threads) {
  const auto start = std::chrono::steady_clock::now();
  const auto result = gtvmin::solve(
      problem,
      {.tolerance = 0, .max_iterations = 100, .accelerators = gtvmin::Accelerators::none(), .threads = threads});
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return result.w.allFinite() ? elapsed.count() : 0;
}

/// The best of several alternating runs of each.
double ratio_of_times(const gtvmin::Problem& problem) {
  double one = 1e300;
  double two = 1e300;
  for (int round = 0; round < 5; ++round) {
    one = std::min(one, time_of(problem, 1));
    two = std::min(two, time_of(problem, 2));
  }
  return two / one;
}

}  // namespace

int main() {
  for (const int clusters : {1, 10, 50}) {
    const auto graph =
        gtvmin::sbm_graph({.sizes = std::vector<gtvmin::NodeId>(clusters, 1000), .p_in = 0.01, .p_out = 0}, 1);
    gtvmin::SyntheticParameters parameters;
    parameters.dimension = 10;
    const auto data = gtvmin::make_synthetic_data(*graph, parameters, 1);
    const auto problem = gtvmin::make_problem(data->dataset, {}, gtvmin::L2Penalty{}, 0.05);
    const double idle = ratio_of_times(*problem);
    const pid_t neighbour = fork();
    if (neighbour == 0) {
      while (getppid() != 1) {
      }
      _exit(0);
    }
    const double busy = ratio_of_times(*problem);
    kill(neighbour, SIGKILL);
    waitpid(neighbour, nullptr, 0);
    fmt::print("{:7} edges: time of two threads / one thread = {:.2f} alone, {:.2f} beside a busy process\n",
               problem->edges(), idle, busy);
  }
}
