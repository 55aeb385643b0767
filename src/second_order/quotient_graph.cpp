#include "gtvmin/second_order/quotient_graph.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace gtvmin {
namespace {

constexpr NodeId kNone = -1;
/// Remaining nodes are a clique if the least degree is at least this fraction of their number.
constexpr double kCliqueDensity = 0.9;
/// A node is dense, and eliminated last, if its degree exceeds this multiple of √nodes.
constexpr double kDenseDegree = 10;
/// Approximate degrees overestimate, so a bound made of them counts only beyond this multiple of a limit.
constexpr double kBoundMargin = 2;
/// Least exponent α of the growth of degrees from which a cost is forecast; three-dimensional grids reach 3.3 at times.
constexpr double kExpanderGrowth = 4.5;
/// A forecast counts only beyond this multiple of a limit.
constexpr double kForecastMargin = 20;
/// Operations between two calls of stop(): about a millisecond.
constexpr Index kPollInterval = 200'000;

}  // namespace

QuotientGraph::QuotientGraph(const Adjacency& graph, const std::vector<char>& is_gone, Index block,
                             const EliminationLimits& limits, const std::function<bool()>& stop)
    : limits_(limits), stop_(stop), d_(static_cast<double>(block)), nodes_(graph.nodes()) {
  const auto n = static_cast<std::size_t>(nodes_);
  begin_.resize(n);
  length_.assign(n, 0);
  elements_.assign(n, 0);
  weight_.assign(n, 0);
  degree_.assign(n, 0);
  mark_.assign(n, 1);
  head_.assign(n + 1, kNone);
  next_.assign(n, kNone);
  previous_.assign(n, kNone);
  hash_head_.assign(n, kNone);
  member_next_.assign(n, kNone);
  member_last_.resize(n);
  load(graph, is_gone);
}

std::optional<EliminationFailure> QuotientGraph::eliminate(std::vector<NodeId>& order) {
  while (left_ > 0) {
    while (head_[least_degree_] == kNone) ++least_degree_;
    const NodeId pivot = head_[least_degree_];
    if (least_degree_ >= kCliqueDensity * (left_ - weight_[pivot])) break;
    unlist(pivot);
    left_ -= weight_[pivot];
    make_element(pivot);
    measure_elements(pivot);
    update_degrees(pivot);
    merge_indistinguishable(pivot);
    relist(pivot);
    emit(pivot, order);
    add_cost(weight_[pivot], degree_[pivot]);
    weight_[pivot] = 0;
    if (const auto failure = check()) return failure;
  }
  add_cost(static_cast<NodeId>(kCliqueDensity * left_), 0);  // at least
  for (NodeId i = 0; i < nodes_; ++i) {
    if (weight_[i] > 0) emit(i, order);
  }
  order.insert(order.end(), dense_.begin(), dense_.end());
  return flops_ > limits_.flops || numbers_ > limits_.numbers ? std::optional(EliminationFailure::kTooExpensive)
                                                              : std::nullopt;
}

void QuotientGraph::load(const Adjacency& graph, const std::vector<char>& is_gone) {
  std::vector<char> is_absent = is_gone;
  const double most = std::max(16.0, kDenseDegree * std::sqrt(static_cast<double>(nodes_)));
  std::vector<NodeId> degrees(nodes_, 0);
  Index entries = 0;
  for (NodeId i = 0; i < nodes_; ++i) {
    member_last_[i] = i;
    if (is_gone[i] != 0) continue;
    for (const NodeId j : graph.of(i)) degrees[i] += is_gone[j] == 0 ? 1 : 0;
    entries += degrees[i];
    if (degrees[i] > most) dense_.push_back(i);
  }
  if (2 * dense_count() >= nodes_) dense_.clear();  // the whole graph is dense
  std::stable_sort(dense_.begin(), dense_.end(), [&](NodeId a, NodeId b) { return degrees[a] < degrees[b]; });
  for (const NodeId i : dense_) is_absent[i] = 1;
  lists_.resize(static_cast<std::size_t>(entries + entries / 5 + 16));
  for (NodeId i = 0; i < nodes_; ++i) {
    begin_[i] = end_;
    if (is_absent[i] != 0) continue;
    for (const NodeId j : graph.of(i)) {
      if (is_absent[j] == 0) lists_[end_++] = j;
    }
    length_[i] = degree_[i] = static_cast<NodeId>(end_ - begin_[i]);
    weight_[i] = 1;
    ++left_;
  }
  // Pushed to the front of the lists: the last becomes the first.
  for (NodeId i = nodes_; i-- > 0;) {
    if (weight_[i] > 0) enlist(i);
  }
  last_doubling_ = {static_cast<double>(left_), degree_sum_ / std::max(left_, 1)};
}

void QuotientGraph::enlist(NodeId i) {
  const NodeId degree = degree_[i];
  previous_[i] = kNone;
  next_[i] = head_[degree];
  if (next_[i] != kNone) previous_[next_[i]] = i;
  head_[degree] = i;
  least_degree_ = std::min(least_degree_, degree);
  degree_sum_ += static_cast<double>(weight_[i]) * degree;
}

void QuotientGraph::unlist(NodeId i) {
  if (previous_[i] != kNone) {
    next_[previous_[i]] = next_[i];
  } else {
    head_[degree_[i]] = next_[i];
  }
  if (next_[i] != kNone) previous_[next_[i]] = previous_[i];
  degree_sum_ -= static_cast<double>(weight_[i]) * degree_[i];
}

void QuotientGraph::reserve(Index count) {
  if (end_ + count <= static_cast<Index>(lists_.size())) return;
  // Moves the live lists down. The first entry of a list gives way to the name of its owner.
  for (NodeId i = 0; i < nodes_; ++i) {
    if (length_[i] == 0) continue;
    NodeId& first = lists_[begin_[i]];
    begin_[i] = first;
    first = -i - 2;
  }
  Index to = 0;
  for (Index from = 0; from < end_;) {
    if (lists_[from] >= -1) {
      ++from;
      continue;
    }
    const NodeId i = -lists_[from] - 2;
    lists_[from] = static_cast<NodeId>(begin_[i]);
    begin_[i] = to;
    for (NodeId k = 0; k < length_[i]; ++k) lists_[to++] = lists_[from++];
  }
  end_ = to;
  if (end_ + count > static_cast<Index>(lists_.size())) lists_.resize(static_cast<std::size_t>(end_ + 2 * count));
}

void QuotientGraph::take(Index from, Index count, Index& to) {
  work_ += count;
  for (Index k = from; k < from + count; ++k) {
    const NodeId i = lists_[k];
    const NodeId weight = weight_[i];
    if (weight <= 0) continue;
    unlist(i);
    weight_[i] = -weight;
    element_weight_ += weight;
    lists_[to++] = i;
  }
}

void QuotientGraph::make_element(NodeId pivot) {
  const NodeId weight = weight_[pivot];
  element_weight_ = 0;
  if (elements_[pivot] == 0) {
    weight_[pivot] = -weight;
    Index to = begin_[pivot];
    take(begin_[pivot], length_[pivot], to);
    length_[pivot] = static_cast<NodeId>(to - begin_[pivot]);
  } else {
    Index most = length_[pivot];
    for (NodeId k = 0; k < elements_[pivot]; ++k) most += length_[lists_[begin_[pivot] + k]];
    reserve(most);
    weight_[pivot] = -weight;
    const Index start = end_;
    Index to = end_;
    for (NodeId k = 0; k < elements_[pivot]; ++k) {
      const NodeId e = lists_[begin_[pivot] + k];
      take(begin_[e], length_[e], to);
      remove_element(e);
    }
    take(begin_[pivot] + elements_[pivot], length_[pivot] - elements_[pivot], to);
    begin_[pivot] = start;
    length_[pivot] = static_cast<NodeId>(to - start);
    end_ = to;
  }
  elements_[pivot] = 0;
}

void QuotientGraph::remove_element(NodeId e) {
  length_[e] = 0;
  mark_[e] = 0;
}

void QuotientGraph::measure_elements(NodeId pivot) {
  for (NodeId k = 0; k < length_[pivot]; ++k) {
    const NodeId i = lists_[begin_[pivot] + k];
    work_ += elements_[i];
    for (NodeId m = 0; m < elements_[i]; ++m) {
      const NodeId e = lists_[begin_[i] + m];
      if (mark_[e] >= tag_) {
        mark_[e] += weight_[i];
      } else if (mark_[e] != 0) {
        mark_[e] = degree_[e] + tag_ + weight_[i];
      }
    }
  }
}

void QuotientGraph::update_degrees(NodeId pivot) {
  for (NodeId k = 0; k < length_[pivot]; ++k) {
    const NodeId i = lists_[begin_[pivot] + k];
    const Index start = begin_[i];
    const Index middle = start + elements_[i];
    const Index end = start + length_[i];
    work_ += length_[i];
    Index to = start;
    Index degree = 0;
    std::uint64_t hash = 0;
    for (Index m = start; m < middle; ++m) {
      const NodeId e = lists_[m];
      if (mark_[e] == 0) continue;
      const std::int64_t outside = mark_[e] - tag_;
      if (outside > 0) {
        degree += outside;
        hash += static_cast<std::uint64_t>(e);
        lists_[to++] = e;
      } else {
        remove_element(e);  // a subset of L_p
      }
    }
    const Index kept_elements = to - start;
    for (Index m = middle; m < end; ++m) {
      const NodeId j = lists_[m];
      if (weight_[j] <= 0) continue;
      degree += weight_[j];
      hash += static_cast<std::uint64_t>(j);
      lists_[to++] = j;
    }
    // The pivot becomes the last element. There is space: the pivot, or an element it absorbed, has left the list.
    lists_[to] = lists_[start + kept_elements];
    lists_[start + kept_elements] = pivot;
    elements_[i] = static_cast<NodeId>(kept_elements + 1);
    length_[i] = static_cast<NodeId>(to + 1 - start);
    if (degree == 0) {
      element_weight_ += weight_[i];
      left_ += weight_[i];
      absorb(pivot, i);  // adjacent to nothing outside L_p: eliminated together with the pivot
      continue;
    }
    degree_[i] = static_cast<NodeId>(std::min<Index>(degree_[i], degree));
    const auto bucket = static_cast<NodeId>(hash % static_cast<std::uint64_t>(nodes_));
    next_[i] = hash_head_[bucket];
    hash_head_[bucket] = i;
    previous_[i] = bucket;  // i is in no degree list now
  }
  tag_ += nodes_ + 1;
}

void QuotientGraph::absorb(NodeId i, NodeId j) {
  weight_[i] += weight_[j];
  weight_[j] = 0;
  length_[j] = elements_[j] = 0;
  member_next_[member_last_[i]] = j;
  member_last_[i] = member_last_[j];
}

void QuotientGraph::merge_indistinguishable(NodeId pivot) {
  for (NodeId k = 0; k < length_[pivot]; ++k) {
    const NodeId member = lists_[begin_[pivot] + k];
    if (weight_[member] == 0) continue;
    NodeId i = std::exchange(hash_head_[previous_[member]], kNone);
    for (; i != kNone && next_[i] != kNone; i = next_[i], ++tag_) {
      const auto list = std::span(lists_).subspan(begin_[i], length_[i]);
      for (const NodeId x : list) mark_[x] = tag_;
      work_ += length_[i];
      for (NodeId last = i, j = next_[i]; j != kNone; j = next_[j]) {
        if (is_marked(j, length_[i], elements_[i])) {
          absorb(i, j);
          next_[last] = next_[j];
        } else {
          last = j;
        }
      }
    }
  }
  ++tag_;
}

bool QuotientGraph::is_marked(NodeId j, NodeId length, NodeId elements) {
  if (length_[j] != length || elements_[j] != elements) return false;
  work_ += length;
  const auto list = std::span(lists_).subspan(begin_[j], length);
  return std::all_of(list.begin(), list.end(), [this](NodeId x) { return mark_[x] == tag_; });
}

void QuotientGraph::relist(NodeId pivot) {
  Index to = begin_[pivot];
  for (Index k = to, end = to + length_[pivot]; k < end; ++k) {
    const NodeId i = lists_[k];
    if (weight_[i] == 0) continue;
    weight_[i] = -weight_[i];
    degree_[i] = std::min(degree_[i] + element_weight_, left_) - weight_[i];
    enlist(i);
    lists_[to++] = i;
  }
  length_[pivot] = static_cast<NodeId>(to - begin_[pivot]);
  degree_[pivot] = element_weight_;
  weight_[pivot] = -weight_[pivot];
}

void QuotientGraph::emit(NodeId i, std::vector<NodeId>& order) const {
  for (; i != kNone; i = member_next_[i]) order.push_back(i);
}

void QuotientGraph::add_cost(NodeId columns, NodeId rows) {
  const double w = columns * d_;
  const double r = rows * d_;
  flops_ += elimination_flops(w, r);
  numbers_ += w * (w + 1) / 2 + w * r;
}

bool QuotientGraph::is_too_expensive() const {
  if (flops_ > limits_.flops || numbers_ > limits_.numbers) return true;
  // The rest of the factor has at least the entries of the rest of the graph, and Σ c² ≥ (Σ c)² / n for the lengths c
  // of its n columns.
  const double rest = degree_sum_ / 2 * d_ * d_;
  return rest > kBoundMargin * limits_.numbers || rest * rest > kBoundMargin * limits_.flops * left_ * d_;
}

bool QuotientGraph::is_forecast_too_expensive() {
  if (degree_sum_ < 2 * last_doubling_.degree * left_ || left_ == 0) return false;
  const double degree = degree_sum_ / left_;
  const Growth now{static_cast<double>(left_), degree};
  const Growth before = std::exchange(doubling_before_, std::exchange(last_doubling_, now));
  const double alpha = std::log(degree / before.degree) / std::log(before.left / left_);
  if (before.left == 0 || !(alpha > kExpanderGrowth)) return false;
  const double clique = std::exp((std::log(degree) + alpha * std::log(static_cast<double>(left_))) / (1 + alpha));
  return elimination_flops(clique * d_, 0) > kForecastMargin * limits_.flops;
}

std::optional<EliminationFailure> QuotientGraph::check() {
  if (is_too_expensive() || is_forecast_too_expensive()) return EliminationFailure::kTooExpensive;
  if (++work_ < next_poll_) return std::nullopt;
  next_poll_ = work_ + kPollInterval;
  return stop_() ? std::optional(EliminationFailure::kStopped) : std::nullopt;
}

}  // namespace gtvmin
