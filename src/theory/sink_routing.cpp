#include "gtvmin/theory/sink_routing.h"

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <boost/property_map/property_map.hpp>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace gtvmin {
namespace {

/// Sinks that are tried before the best of them is taken as it is.
constexpr int kMostSinks = 64;
/// Demands are enlarged by this fraction, so that edges keep slack and rounding is covered.
constexpr double kRoom = 1e-9;
/// Total demand in the units of the integer flow: 2^50.
constexpr double kUnits = 1125899906842624.0;

using Flow = std::int64_t;
using Csr = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                               boost::no_property, std::uint32_t, std::uint32_t>;
using Arc = boost::graph_traits<Csr>::edge_descriptor;

/// Every edge as one arc per direction, and one more node, the source, with an arc to every node. The algorithm asks
/// for an arc without capacity against every arc. The arcs of node i: per edge one with and one without capacity, then
/// one to the source.
class FlowNetwork {
 public:
  explicit FlowNetwork(const EmpiricalGraph& graph)
      : graph_(&graph), nodes_(static_cast<std::uint32_t>(graph.nodes())) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> arcs;
    arcs.reserve(4 * static_cast<std::size_t>(graph.edges()) + 2 * static_cast<std::size_t>(nodes_));
    for (NodeId i = 0; i < graph.nodes(); ++i) {
      first_arc_.push_back(arcs.size());
      for (const Incidence& edge : graph.incident(i)) arcs.insert(arcs.end(), 2, {i, edge.neighbour});
      arcs.emplace_back(i, nodes_);
    }
    first_arc_.push_back(arcs.size());
    for (std::uint32_t i = 0; i < nodes_; ++i) arcs.emplace_back(nodes_, i);
    csr_ = Csr(boost::edges_are_sorted, arcs.begin(), arcs.end(), nodes_ + 1);
    capacity_.resize(arcs.size());
    residual_.resize(arcs.size());
    reverse_.resize(arcs.size());
    link_reverse_arcs();
  }

  /// The nodes on the source's side of a minimum cut if not all demand reaches the sink; nothing if it does.
  std::optional<std::vector<char>> violating_set(NodeId sink, const Vector& demand) {
    const double total = demand.sum() - demand[sink];
    if (!(total > 0)) return std::nullopt;
    const double units = kUnits / total;
    Flow wanted = 0;
    for (NodeId i = 0; i < graph_->nodes(); ++i) {
      const auto here = graph_->incident(i);
      for (std::size_t k = 0; k < here.size(); ++k) {
        capacity_[arc_of(i, k) + 1] = 0;
        capacity_[arc_of(i, k)] = static_cast<Flow>(std::min(graph_->weight(here[k].edge), 2 * total) * units);
      }
      capacity_[arc_of(i, here.size())] = 0;
      const auto supply = static_cast<Flow>(std::ceil(i == sink ? 0 : demand[i] * (1 + kRoom) * units));
      capacity_[source_arc(i)] = supply;
      wanted += supply;
    }
    const auto arcs = boost::get(boost::edge_index, csr_);
    const Flow sent = boost::push_relabel_max_flow(
        csr_, nodes_, static_cast<std::uint32_t>(sink), boost::make_iterator_property_map(capacity_.begin(), arcs),
        boost::make_iterator_property_map(residual_.begin(), arcs),
        boost::make_iterator_property_map(reverse_.begin(), arcs), boost::get(boost::vertex_index, csr_));
    if (sent == wanted) return std::nullopt;
    return reachable_from_source();
  }

 private:
  /// The arc with capacity along the edge at this position of the node; the one without capacity follows it.
  [[nodiscard]] std::size_t arc_of(NodeId i, std::size_t position) const { return first_arc_[i] + 2 * position; }
  [[nodiscard]] std::size_t source_arc(NodeId i) const { return first_arc_[nodes_] + static_cast<std::size_t>(i); }

  void link(std::uint32_t from, std::size_t at, std::uint32_t to, std::size_t against) {
    reverse_[at] = {to, static_cast<std::uint32_t>(against)};
    reverse_[against] = {from, static_cast<std::uint32_t>(at)};
  }

  void link_reverse_arcs() {
    constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> first(static_cast<std::size_t>(graph_->edges()), kNone);
    for (NodeId i = 0; i < graph_->nodes(); ++i) {
      const auto from = static_cast<std::uint32_t>(i);
      const auto here = graph_->incident(i);
      for (std::size_t k = 0; k < here.size(); ++k) {
        std::size_t& other = first[static_cast<std::size_t>(here[k].edge)];
        const std::size_t at = arc_of(i, k);
        if (other != kNone) {
          const auto to = static_cast<std::uint32_t>(here[k].neighbour);
          link(from, at, to, other + 1);
          link(to, other, from, at + 1);
        }
        other = at;
      }
      link(from, arc_of(i, here.size()), nodes_, source_arc(i));
    }
  }

  [[nodiscard]] std::vector<char> reachable_from_source() const {
    std::vector<char> reached(nodes_, 0);
    std::vector<NodeId> open;
    const auto reach = [&](NodeId i) {
      if (reached[i] != 0) return;
      reached[i] = 1;
      open.push_back(i);
    };
    for (NodeId i = 0; i < graph_->nodes(); ++i) {
      if (residual_[source_arc(i)] > 0) reach(i);
    }
    while (!open.empty()) {
      const NodeId i = open.back();
      open.pop_back();
      const auto here = graph_->incident(i);
      for (std::size_t k = 0; k < here.size(); ++k) {
        if (residual_[arc_of(i, k)] > 0 || residual_[arc_of(i, k) + 1] > 0) reach(here[k].neighbour);
      }
    }
    return reached;
  }

  const EmpiricalGraph* graph_;
  std::uint32_t nodes_;
  Csr csr_;
  std::vector<std::size_t> first_arc_;
  std::vector<Flow> capacity_;
  std::vector<Flow> residual_;
  std::vector<Arc> reverse_;
};

constexpr double kNoScale = std::numeric_limits<double>::infinity();

/// The s that a set of nodes asks for.
struct SetScale {
  double scale = 0;
  double cut = 0;
};

double scale_of(double scaled, double slack) {
  return scaled == 0 && slack > 0 ? 0 : slack > 0 ? scaled / slack : kNoScale;
}

SetScale set_scale(const EmpiricalGraph& graph, const Vector& fixed, const Vector& scaled,
                   const std::vector<char>& inside) {
  SetScale result;
  double numerator = 0;
  double taken = 0;
  for (NodeId i = 0; i < graph.nodes(); ++i) {
    if (inside[i] == 0) continue;
    numerator += scaled[i];
    taken += fixed[i];
    for (const Incidence& edge : graph.incident(i)) {
      if (inside[edge.neighbour] == 0) result.cut += graph.weight(edge.edge);
    }
  }
  result.scale = scale_of(numerator, result.cut - taken);
  return result;
}

/// The least s of one sink by Newton's method, from a bound below it. `found` is told of every set that violates an s.
template <class Found>
SinkRouting scale_for_sink(const EmpiricalGraph& graph, FlowNetwork& network, const Vector& fixed, const Vector& scaled,
                           NodeId sink, double start, Found found) {
  SinkRouting result{.scale = start, .sink = sink, .tight = {}};
  const bool no_scaled = scaled.sum() - scaled[sink] == 0;
  for (double step = kRoom;;) {
    const Vector demand = no_scaled ? fixed : Vector(fixed + scaled / result.scale);
    const auto inside = network.violating_set(sink, demand);
    if (!inside) return result;
    const SetScale next = set_scale(graph, fixed, scaled, *inside);
    found(*inside, next);
    result.tight_cut = next.cut;
    result.tight.clear();
    for (NodeId i = 0; i < graph.nodes(); ++i) {
      if ((*inside)[i] != 0) result.tight.push_back(i);
    }
    if (next.scale > result.scale * (1 + kRoom)) {
      result.scale = next.scale;
    } else {
      // Rounding of the integer flow: a little more room.
      result.scale *= 1 + step;
      step *= 2;
    }
    if (std::isinf(next.scale) || no_scaled || step > 1) {
      result.scale = kNoScale;
      return result;
    }
  }
}

}  // namespace

SinkRouting least_sink_scale(const EmpiricalGraph& graph, const Vector& fixed, const Vector& scaled) {
  assert(fixed.size() == graph.nodes() && scaled.size() == graph.nodes());
  SinkRouting best{.scale = kNoScale, .sink = 0, .tight = {}};
  if (graph.nodes() == 1 || (fixed.sum() == 0 && scaled.sum() == 0)) {
    best.scale = 0;
    return best;
  }
  // A lower bound of s per sink: at first by the set of all other nodes.
  Vector bound(graph.nodes());
  const double all_fixed = fixed.sum();
  const double all_scaled = scaled.sum();
  double largest_degree = 0;
  for (NodeId i = 0; i < graph.nodes(); ++i) {
    double degree = 0;
    for (const Incidence& edge : graph.incident(i)) degree += graph.weight(edge.edge);
    bound[i] = scale_of(all_scaled - scaled[i], degree - (all_fixed - fixed[i]));
    if (degree <= largest_degree) continue;
    largest_degree = degree;
    best.sink = i;
    best.tight_cut = degree;
  }
  for (NodeId i = 0; i < graph.nodes(); ++i) {
    if (i != best.sink) best.tight.push_back(i);
  }
  std::optional<FlowNetwork> network;
  for (int tried = 0;; ++tried) {
    Index sink = 0;
    const double least = bound.minCoeff(&sink);
    if (std::isinf(least) || least >= best.scale * (1 - 2 * kRoom)) return best;
    if (tried == kMostSinks) {
      best.every_sink = false;
      return best;
    }
    if (!network) network.emplace(graph);
    SinkRouting routed = scale_for_sink(graph, *network, fixed, scaled, static_cast<NodeId>(sink), least,
                                        [&](const std::vector<char>& inside, const SetScale& set) {
                                          for (NodeId i = 0; i < graph.nodes(); ++i) {
                                            if (inside[i] == 0) bound[i] = std::max(bound[i], set.scale);
                                          }
                                        });
    bound[sink] = kNoScale;
    if (routed.tight.empty() && std::isfinite(routed.scale)) {
      // The set of all other nodes limits s.
      for (NodeId i = 0; i < graph.nodes(); ++i) {
        if (i != static_cast<NodeId>(sink)) routed.tight.push_back(i);
      }
      for (const Incidence& edge : graph.incident(static_cast<NodeId>(sink))) {
        routed.tight_cut += graph.weight(edge.edge);
      }
    }
    if (routed.scale < best.scale) {
      const bool every = best.every_sink;
      best = std::move(routed);
      best.every_sink = every;
    }
  }
}

}  // namespace gtvmin
