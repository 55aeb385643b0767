#include "gtvmin/runtime/simulated_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "gtvmin/base/bytes.h"

namespace gtvmin {
namespace {

/// Consecutive nodes, as many per shard as carry an equal share of nodes and edge ends.
std::vector<Shard> split(const Problem& problem, int shards) {
  const auto& graph = problem.graph();
  const Index total = graph.nodes() + 2 * static_cast<Index>(graph.edges());
  std::vector<std::vector<NodeId>> owned(shards);
  Index passed = 0;
  for (NodeId i = 0; i < graph.nodes(); ++i) {
    owned[std::min<Index>(shards - 1, passed * shards / total)].push_back(i);
    passed += 1 + graph.degree(i);
  }
  std::vector<Shard> parts;
  for (auto& nodes : owned) {
    if (!nodes.empty()) parts.emplace_back(problem, std::move(nodes));
  }
  return parts;
}

template <class AnyMatrix>
auto column_of(AnyMatrix& matrix, Index column) {
  return std::span(matrix.col(column).data(), static_cast<std::size_t>(matrix.rows()));
}

}  // namespace

SimulatedExchange::SimulatedExchange(std::span<const Shard> shards, const SimulatedNetwork& network)
    : network_(network) {
  std::unordered_map<NodeId, std::pair<int, Index>> home;  // node → the shard that owns it and the column there
  for (std::size_t k = 0; k < shards.size(); ++k) {
    for (Index i = 0; i < shards[k].owned(); ++i) home[shards[k].nodes[i]] = {static_cast<int>(k), i};
  }
  for (std::size_t to = 0; to < shards.size(); ++to) {
    std::vector<Link> incoming(shards.size());
    for (Index column = shards[to].owned(); column < shards[to].local_nodes(); ++column) {
      const auto [from, column_from] = home.at(shards[to].nodes[column]);
      incoming[from].columns_from.push_back(column_from);
      incoming[from].columns_to.push_back(column);
    }
    for (std::size_t from = 0; from < shards.size(); ++from) {
      if (incoming[from].columns_to.empty()) continue;
      incoming[from].from = static_cast<int>(from);
      incoming[from].to = static_cast<int>(to);
      links_.push_back(std::move(incoming[from]));
    }
  }
}

Status SimulatedExchange::swap(std::span<Shard> shards) {
  std::vector<std::string> messages;
  messages.reserve(links_.size());
  for (const Link& link : links_) {
    ByteWriter out;
    for (const Index column : link.columns_from) out.reals(column_of(shards[link.from].w_next, column));
    messages.push_back(out.take());
  }
  const std::vector<std::string> arrived = network_.deliver(messages);
  for (std::size_t k = 0; k < links_.size(); ++k) {
    ByteReader in(arrived[k]);
    for (const Index column : links_[k].columns_to) in.reals(column_of(shards[links_[k].to].w_next, column));
    if (!in.ok() || !in.at_end()) return runtime_failure("a simulated message lost some of its bytes");
  }
  return Unit{};
}

Result<std::vector<SteeringSums>> SimulatedExchange::deliver(const std::vector<SteeringSums>& sums) {
  std::vector<std::string> messages;
  messages.reserve(sums.size());
  for (const SteeringSums& sum : sums) messages.push_back(pack(sum));
  const std::int64_t before = network_.report().messages;
  std::vector<SteeringSums> arrived;
  for (const std::string& bytes : network_.deliver(messages)) {
    const Result<SteeringSums> sum = unpack(bytes);
    if (!sum) return sum.error();
    arrived.push_back(*sum);
  }
  sums_ += network_.report().messages - before;
  return arrived;
}

// Shard k has the children 2k + 1 and 2k + 2, so a level of the tree is a range of shards that doubles from level to
// level: [1, 3), [3, 7), …
Result<SteeringSums> SimulatedExchange::sum(std::span<const SteeringSums> parts) {
  std::vector<SteeringSums> known(parts.begin(), parts.end());
  const std::size_t shards = known.size();
  const auto parent = [](std::size_t shard) { return (shard - 1) / 2; };
  std::size_t lowest = 0;  // the first shard of the lowest level
  while (2 * lowest + 1 < shards) lowest = 2 * lowest + 1;
  for (std::size_t first = lowest; first > 0; first = parent(first)) {
    const std::size_t last = std::min(shards, 2 * first + 1);
    const auto arrived = deliver({known.begin() + first, known.begin() + last});
    if (!arrived) return arrived.error();
    for (std::size_t k = first; k < last; ++k) known[parent(k)].add((*arrived)[k - first]);
  }
  for (std::size_t first = 1; first < shards; first = 2 * first + 1) {
    const std::size_t last = std::min(shards, 2 * first + 1);
    std::vector<SteeringSums> totals;
    for (std::size_t k = first; k < last; ++k) totals.push_back(known[parent(k)]);
    const auto arrived = deliver(totals);
    if (!arrived) return arrived.error();
    std::copy(arrived->begin(), arrived->end(), known.begin() + static_cast<std::ptrdiff_t>(first));
  }
  return known.back();  // what the one farthest from the root was told, as was everyone
}

NetworkReport SimulatedExchange::report() const {
  NetworkReport report = network_.report();
  report.sums = sums_;
  return report;
}

Result<SolveResult> solve_simulated(const Problem& problem, const SolverOptions& options,
                                    const SimulatedNetwork& network, const SolveContext& context,
                                    NetworkReport* report) {
  if (network.shards < 1) return usage_error(fmt::format("{} shards: there must be at least 1", network.shards));
  const bool probabilities =
      network.loss >= 0 && network.loss < 1 && network.duplication >= 0 && network.duplication <= 1;
  if (!probabilities || network.longest_delay < 0) {
    return usage_error("a simulated network needs loss in [0, 1), duplication in [0, 1] and a delay ≥ 0");
  }
  auto shards = split(problem, network.shards);
  SimulatedExchange exchange(shards, network);
  auto result = solve(problem, shards, exchange, options, context);
  if (report != nullptr) *report = exchange.report();
  return result;
}

}  // namespace gtvmin
