// How the time of a graph from coordinates grows with the number of nodes: points in the plane, 5 nearest neighbours,
// connected; four sizes, each four times the last, and the exponent p of time ~ nodes^p fitted to them.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>
#include <vector>

#include "growth_exponent.h"
#include "gtvmin/base/rng.h"
#include "gtvmin/similarity/edge_weights.h"
#include "gtvmin/similarity/select_edges.h"

namespace {

using namespace gtvmin;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Half of the points uniform, half in ten tight heaps, so that there are components to connect.
Matrix places(Index count) {
  Rng rng(1);
  Matrix points(2, count);
  for (Index i = 0; i < count; ++i) {
    const bool in_heap = i % 2 == 1;
    points(0, i) = in_heap ? 2 + static_cast<double>(rng.below(10)) + 0.01 * rng.normal() : rng.uniform();
    points(1, i) = in_heap ? 0.01 * rng.normal() : rng.uniform();
  }
  return points;
}

}  // namespace

int main() {
  ThreadTeam team(static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
  const SimilarityContext context{team, {}};
  std::vector<double> nodes;
  std::vector<double> seconds;
  for (const Index count : {10'000, 40'000, 160'000, 640'000}) {
    const Matrix points = places(count);
    const double began = seconds_now();
    const NodeDistances distances = NodeDistances::between_points(points);
    const auto selected = select_edges(distances, {.connect = true}, context);
    const auto weighed = weigh_edges(selected->pairs, {.median_scale = true});
    nodes.push_back(static_cast<double>(count));
    seconds.push_back(seconds_now() - began);
    fmt::print("{:7} nodes: {:8} edges, {:5} of them added to connect, {:.3f} s\n", count, weighed->edges.size(),
               selected->added_to_connect, seconds.back());
    std::fflush(stdout);
  }
  fmt::print("time grows as nodes^{:.2f}\n", gtvmin::bench::growth_exponent(nodes, seconds));
}
