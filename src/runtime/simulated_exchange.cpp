#include "gtvmin/runtime/simulated_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

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

}  // namespace

SimulatedExchange::SimulatedExchange(std::span<const Shard> shards, const SimulatedNetwork& network)
    : network_(network), rng_(network.seed) {
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

void SimulatedExchange::send(Message message) {
  const int copies = rng_.uniform() < network_.duplication ? 2 : 1;
  for (int copy = 0; copy < copies; ++copy) {
    if (rng_.uniform() < network_.loss) continue;
    message.due = tick_ + 1 + static_cast<std::int64_t>(rng_.below(network_.longest_delay + 1));
    in_flight_.push_back(message);
  }
}

void SimulatedExchange::transmit(std::size_t link, std::span<const Shard> shards) {
  auto& [from, to, columns_from, columns_to, received, acknowledged, resend_at] = links_[link];
  Message message{0, link, iteration_, false, Matrix(shards[from].w_next.rows(), columns_from.size())};
  for (std::size_t k = 0; k < columns_from.size(); ++k) {
    message.parameters.col(static_cast<Index>(k)) = shards[from].w_next.col(columns_from[k]);
  }
  ++report_.messages;
  report_.numbers += message.parameters.size();
  resend_at = tick_ + 4 + 2 * network_.longest_delay;
  send(std::move(message));
}

void SimulatedExchange::receive(const Message& message, std::span<Shard> shards) {
  auto& link = links_[message.link];
  if (message.acknowledgement) {
    if (message.iteration == iteration_) link.acknowledged = true;
    return;
  }
  if (message.iteration != iteration_ || link.received) {
    ++report_.ignored;
  } else {
    for (std::size_t k = 0; k < link.columns_to.size(); ++k) {
      shards[link.to].w_next.col(link.columns_to[k]) = message.parameters.col(static_cast<Index>(k));
    }
    link.received = true;
  }
  if (message.iteration == iteration_) send({0, message.link, message.iteration, true, Matrix()});
}

bool SimulatedExchange::settled() const {
  return std::all_of(links_.begin(), links_.end(), [](const Link& link) { return link.received && link.acknowledged; });
}

Status SimulatedExchange::swap(std::span<Shard> shards) {
  ++iteration_;
  for (std::size_t k = 0; k < links_.size(); ++k) {
    links_[k].received = false;
    links_[k].acknowledged = false;
    transmit(k, shards);
  }
  while (!settled()) {
    ++tick_;
    for (std::size_t waiting = in_flight_.size(); waiting > 0; --waiting) {
      Message message = std::move(in_flight_.front());
      in_flight_.pop_front();
      if (message.due <= tick_) {
        receive(message, shards);
      } else {
        in_flight_.push_back(std::move(message));
      }
    }
    for (std::size_t k = 0; k < links_.size(); ++k) {
      if (links_[k].acknowledged || links_[k].resend_at > tick_) continue;
      ++report_.retransmissions;
      transmit(k, shards);
    }
  }
  return Unit{};
}

Result<SteeringSums> SimulatedExchange::sum(std::span<const SteeringSums> parts) {
  SteeringSums total;
  for (const auto& part : parts) total.add(part);
  return total;
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
