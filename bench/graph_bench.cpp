// How the time of a graph from coordinates grows with the number of nodes: points in the plane, 5 nearest neighbours,
// connected; four sizes, each four times the last, and the exponent p of time ~ nodes^p fitted to them.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>
#include <vector>

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

/// The slope of log y over log x by least squares.
double exponent(const std::vector<double>& x, const std::vector<double>& y) {
  double mean_x = 0;
  double mean_y = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    mean_x += std::log(x[k]) / static_cast<double>(x.size());
    mean_y += std::log(y[k]) / static_cast<double>(x.size());
  }
  double covariance = 0;
  double variance = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    covariance += (std::log(x[k]) - mean_x) * (std::log(y[k]) - mean_y);
    variance += (std::log(x[k]) - mean_x) * (std::log(x[k]) - mean_x);
  }
  return covariance / variance;
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
  fmt::print("time grows as nodes^{:.2f}\n", exponent(nodes, seconds));
}
