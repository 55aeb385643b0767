#include "gtvmin/graph/generators/sbm.h"

#include <fmt/format.h>

#include <limits>

#include "gtvmin/base/portable_math.h"
#include "gtvmin/base/rng.h"
#include "streams.h"

namespace gtvmin {
namespace {

/// Walks through an endless row of independent coins that show heads with probability p, from heads to heads:
/// the number of tails before the next heads is ⌊log U / log(1 − p)⌋, U uniform in (0, 1].
class CoinRow {
 public:
  CoinRow(double p, std::uint64_t seed, GraphStream stream)
      : rng_(seed, static_cast<std::uint64_t>(stream)), log_tails_(p < 1 ? portable_log1p(-p) : 0), p_(p) {
    tails_left_ = tails();
  }

  /// Calls heads(k) for every coin k of the next `count` that shows heads, and moves past them.
  template <class Heads>
  void advance(std::int64_t count, const Heads& heads) {
    std::int64_t k = 0;
    while (tails_left_ < count - k) {
      k += tails_left_;
      heads(k++);
      tails_left_ = tails();
    }
    tails_left_ -= count - k;
  }

 private:
  std::int64_t tails() {
    if (p_ >= 1) return 0;
    if (p_ <= 0) return kMany;
    const double skip = portable_log(1 - rng_.uniform()) / log_tails_;
    return skip < static_cast<double>(kMany) ? static_cast<std::int64_t>(skip) : kMany;
  }

  // More than all pairs of 2³¹ nodes.
  static constexpr std::int64_t kMany = std::int64_t{1} << 62;

  Rng rng_;
  double log_tails_;
  double p_;
  std::int64_t tails_left_ = 0;
};

double expected_edges(const SbmParameters& parameters, double nodes) {
  double within = 0;
  for (const double size : parameters.sizes) within += size * (size - 1) / 2;
  return parameters.p_in * within + parameters.p_out * (nodes * (nodes - 1) / 2 - within);
}

Status check(const SbmParameters& parameters, NodeId nodes) {
  const auto probability = [](double p) { return p >= 0 && p <= 1; };
  if (!probability(parameters.p_in)) return usage_error(fmt::format("p-in: {} is not a probability", parameters.p_in));
  if (!probability(parameters.p_out))
    return usage_error(fmt::format("p-out: {} is not a probability", parameters.p_out));
  const double edges = expected_edges(parameters, nodes);
  // Well below the largest edge number, so that the draw itself cannot pass it.
  if (edges > 2e9) return usage_error(fmt::format("sizes: about {:.3g} edges are too many (at most 2e9)", edges));
  return Unit{};
}

}  // namespace

Result<GeneratedGraph> sbm_graph(const SbmParameters& parameters, std::uint64_t seed) {
  Result<Partition> clusters = consecutive_clusters(parameters.sizes);
  if (!clusters) return clusters.error();
  GeneratedGraph graph;
  graph.clusters = *std::move(clusters);
  if (const Status checked = check(parameters, graph.nodes()); !checked) return checked.error();

  CoinRow within(parameters.p_in, seed, GraphStream::kWithinClusters);
  CoinRow between(parameters.p_out, seed, GraphStream::kBetweenClusters);
  NodeId cluster_end = 0;
  for (NodeId i = 0; i < graph.nodes(); ++i) {
    if (i == cluster_end) cluster_end += parameters.sizes[graph.clusters.group_of[i]];
    const auto join = [&](NodeId first) {
      return [&graph, i, first](std::int64_t k) { graph.edges.push_back({i, static_cast<NodeId>(first + k), 1.0}); };
    };
    within.advance(cluster_end - i - 1, join(i + 1));
    between.advance(graph.nodes() - cluster_end, join(cluster_end));
  }
  return graph;
}

}  // namespace gtvmin
