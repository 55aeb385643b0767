#include "gtvmin/similarity/select_edges.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "gtvmin/similarity/connect.h"

namespace gtvmin {
namespace {

auto ends(const NodePair& pair) { return std::tie(pair.a, pair.b); }
bool by_ends(const NodePair& x, const NodePair& y) { return ends(x) < ends(y); }

Result<std::vector<NodePair>> nearest_pairs(const NodeDistances& distances, const EdgeRule& rule,
                                            const SimilarityContext& context) {
  const auto lists = distances.nearest(rule.neighbours, context);
  if (!lists) return lists.error();
  std::vector<NodePair> pairs;
  pairs.reserve(lists->size() * static_cast<std::size_t>(rule.neighbours));
  for (const auto& list : *lists) {
    for (const NodePair& found : list) {
      pairs.push_back({std::min(found.a, found.b), std::max(found.a, found.b), found.distance});
    }
  }
  std::sort(pairs.begin(), pairs.end(), by_ends);
  // A pair that stands there twice was found from both sides.
  std::vector<NodePair> kept;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const bool twice = k + 1 < pairs.size() && ends(pairs[k]) == ends(pairs[k + 1]);
    if (twice || !rule.mutual) kept.push_back(pairs[k]);
    if (twice) ++k;
  }
  return kept;
}

Result<std::vector<NodePair>> choose_pairs(const NodeDistances& distances, const EdgeRule& rule,
                                           const SimilarityContext& context) {
  switch (rule.join) {
    case EdgeRule::Join::kNearest:
      return nearest_pairs(distances, rule, context);
    case EdgeRule::Join::kBall:
      return distances.within(rule.epsilon, kMostEdges, context);
    case EdgeRule::Join::kFull:
      return distances.within(std::numeric_limits<double>::max(), kMostEdges, context);
  }
  return std::vector<NodePair>{};
}

}  // namespace

Status check_edge_rule(NodeId nodes, const EdgeRule& rule) {
  switch (rule.join) {
    case EdgeRule::Join::kNearest:
      if (rule.neighbours >= 1 && rule.neighbours < nodes) break;
      return usage_error(fmt::format("neighbours: {} is not between 1 and {}, one less than there are nodes",
                                     rule.neighbours, nodes - 1));
    case EdgeRule::Join::kBall:
      if (std::isfinite(rule.epsilon) && rule.epsilon > 0) break;
      return usage_error(fmt::format("epsilon: {} is not a distance > 0", rule.epsilon));
    case EdgeRule::Join::kFull:
      break;
  }
  double most = std::numeric_limits<double>::infinity();
  if (rule.join == EdgeRule::Join::kNearest) most = static_cast<double>(nodes) * rule.neighbours;
  if (rule.join == EdgeRule::Join::kFull) most = static_cast<double>(nodes) * (nodes - 1) / 2;
  if (std::isfinite(most) && most > static_cast<double>(kMostEdges)) {
    return usage_error(fmt::format("join: {:.3g} edges are more than the {} that fit", most, kMostEdges));
  }
  return Unit{};
}

Result<SelectedEdges> select_edges(const NodeDistances& distances, const EdgeRule& rule,
                                   const SimilarityContext& context) {
  if (const Status checked = check_edge_rule(distances.nodes(), rule); !checked) return checked.error();
  Result<std::vector<NodePair>> pairs = choose_pairs(distances, rule, context);
  if (!pairs) return pairs.error();
  SelectedEdges selected{*std::move(pairs), 0};
  if (!rule.connect) return selected;
  const Result<std::vector<NodePair>> added = connecting_pairs(distances, selected.pairs, context);
  if (!added) return added.error();
  selected.added_to_connect = static_cast<Index>(added->size());
  selected.pairs.insert(selected.pairs.end(), added->begin(), added->end());
  std::sort(selected.pairs.begin(), selected.pairs.end(), by_ends);
  return selected;
}

}  // namespace gtvmin
