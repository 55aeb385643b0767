#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "gtvmin/base/rng.h"
#include "gtvmin/baselines/baseline.h"
#include "team.h"

namespace gtvmin {

/// Why gradient steps on the nodes' losses cannot serve this input, or an option that no method of clients and rounds
/// can make sense of; empty: nothing is wrong.
[[nodiscard]] std::string client_refusal(const BaselineInput& input, const BaselineOptions& options);

/// What random numbers are drawn for.
enum class Purpose : std::uint64_t { kParticipants = 1, kBatches, kModels, kCurvature };
/// One sequence per purpose, round and item, so that nothing depends on the order in which items are served.
[[nodiscard]] Rng random_numbers(std::uint64_t seed, Purpose purpose, std::int64_t round, std::int64_t item);

/// The loss per sample of one client, or an unbiased estimate of it from a batch.
class ClientLoss {
 public:
  /// scale · loss + extra_scale · extra. The references must outlive this.
  ClientLoss(const LocalLoss& loss, double scale) : loss_(loss), scale_(scale) {}
  ClientLoss(LossPtr loss, double scale, const LocalLoss& extra, double extra_scale)
      : owned_(std::move(loss)), loss_(*owned_), scale_(scale), extra_(&extra), extra_scale_(extra_scale) {}

  [[nodiscard]] double value(ConstVectorRef w) const;
  void gradient(ConstVectorRef w, VectorRef g) const;

 private:
  LossPtr owned_;
  const LocalLoss& loss_;
  double scale_;
  const LocalLoss* extra_ = nullptr;
  double extra_scale_ = 0;
};

/// The nodes as clients of a federated method. Nodes without samples are no clients, even where ridge gives them a
/// loss; they get a model, but nobody hears of them.
///
/// Client i has the loss per sample f_i: L_i where the model averages over samples, L_i/m_i where it adds them up, so
/// that one step length suits nodes of every size. A common model is sought that minimises Σ_i p_i f_i with
///   p_i = m_i (weighting samples): every sample counts the same. Σ_i L_i of a model that adds up, as in `pooled`;
///   p_i = 1   (weighting nodes): every client counts the same. Σ_i L_i of a model that averages.
/// Where only losses are known, f_i = L_i and p_i = 1.
///
/// A batch estimates f_i without bias: of a model that averages, its loss does; of one that adds up, with g_0 the
/// gradient of a node without samples (ridge), g_0/m + (g_batch − g_0)/B does.
class Clients {
 public:
  /// Starts the threads. The references must outlive this; client_refusal has nothing against them.
  Clients(const BaselineInput& input, const BaselineOptions& options);

  [[nodiscard]] const Problem& problem() const { return input_.problem; }
  [[nodiscard]] const BaselineOptions& options() const { return options_; }
  [[nodiscard]] NodeId nodes() const { return problem().nodes(); }
  [[nodiscard]] Index dimension() const { return problem().dimension(); }

  /// Nodes with samples, ascending.
  [[nodiscard]] std::span<const NodeId> clients() const { return clients_; }
  [[nodiscard]] bool is_client(NodeId i) const { return weights_[i] > 0; }
  /// p_i; 0 where i is no client.
  [[nodiscard]] double weight(NodeId i) const { return weights_[i]; }
  /// Where models start: the losses' own start, the same at every node.
  [[nodiscard]] Vector start() const;

  /// ⌈participation · k⌉ of the k nodes in `from`, at least one unless there is none, in their order.
  [[nodiscard]] std::vector<NodeId> draw(std::span<const NodeId> from, std::int64_t round, std::int64_t group) const;

  /// f_i / L_i.
  [[nodiscard]] double loss_scale(NodeId i) const { return averages_ ? 1 : 1 / input_.samples(i); }
  /// f_i.
  [[nodiscard]] ClientLoss loss(NodeId i) const { return {problem().loss(i), loss_scale(i)}; }
  /// batch_size samples of client i drawn at random, all of them if it has no more.
  [[nodiscard]] ClientLoss random_batch(NodeId i, Rng& rng) const;
  /// Calls visit(const ClientLoss&) for every step of local_epochs passes over the samples of client i, in batches,
  /// shuffled before every pass.
  template <class Visit>
  void for_each_batch(NodeId i, std::int64_t round, const Visit& visit) const {
    if (!has_batches(i)) {
      const ClientLoss all = loss(i);
      for (std::int64_t epoch = 0; epoch < options_.local_epochs; ++epoch) visit(all);
      return;
    }
    Rng rng = random_numbers(options_.seed, Purpose::kBatches, round, i);
    std::vector<Index> samples = columns_of(*input_.dataset, i);
    for (std::int64_t epoch = 0; epoch < options_.local_epochs; ++epoch) {
      shuffle(samples, rng);
      for (std::size_t first = 0; first < samples.size(); first += batch_size()) {
        const std::size_t size = std::min(batch_size(), samples.size() - first);
        visit(batch_loss(i, std::span(samples).subspan(first, size)));
      }
    }
  }
  /// How many times a batch of client i can be as curved as all its samples: m/B.
  [[nodiscard]] double batch_curvature(NodeId i) const;

  /// job(i, g) for all `nodes` on any thread; g is scratch of d numbers.
  template <class Job>
  void in_parallel(std::span<const NodeId> nodes, const Job& job) {
    for_each(team_, static_cast<Index>(nodes.size()), [&](int worker, Index k) { job(nodes[k], scratch_[worker]); });
  }

  /// Local training of FedAvg: client i's model in `w` takes one step of gradient descent per batch.
  void train(NodeId i, std::int64_t round, VectorRef w, Vector& g) const;
  /// Model j becomes Σ p_i columns_i / Σ p_i over the participants with model_of[i] = j; without any it stays.
  void average(std::span<const NodeId> participants, std::span<const NodeId> model_of, const Matrix& columns,
               Matrix& models) const;
  /// A round of FedAvg: every participant trains the model it has, from which the models are averaged anew. `trained`
  /// is d × nodes and gets what the participants send.
  void train_and_average(std::span<const NodeId> participants, std::span<const NodeId> model_of, std::int64_t round,
                         Matrix& trained, Matrix& models);

 private:
  [[nodiscard]] std::size_t batch_size() const { return static_cast<std::size_t>(options_.batch_size); }
  [[nodiscard]] bool has_batches(NodeId i) const;
  [[nodiscard]] ClientLoss batch_loss(NodeId i, std::span<const Index> samples) const;

  BaselineInput input_;
  const BaselineOptions& options_;
  bool averages_;
  std::vector<NodeId> clients_;
  std::vector<double> weights_;
  LossPtr without_samples_;  // null: no batches
  ThreadTeam team_;
  std::vector<Vector> scratch_;
};

}  // namespace gtvmin
