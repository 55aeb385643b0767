#include "clients.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gtvmin {
namespace {

std::string option_refusal(const BaselineOptions& o) {
  const auto is_size = [](double x) { return std::isfinite(x) && x >= 0; };
  if (o.rounds < 1) return fmt::format("rounds = {} is not at least 1", o.rounds);
  if (o.local_epochs < 1) return fmt::format("local-epochs = {} is not at least 1", o.local_epochs);
  if (o.batch_size < 0) return fmt::format("batch-size = {} is not at least 0", o.batch_size);
  if (!is_size(o.learning_rate)) return fmt::format("learning-rate = {} is not a number ≥ 0", o.learning_rate);
  if (!(o.participation > 0 && o.participation <= 1)) {
    return fmt::format("participation = {} is not above 0 and at most 1", o.participation);
  }
  if (!(o.momentum >= 0 && o.momentum < 1)) return fmt::format("momentum = {} is not in [0, 1)", o.momentum);
  if (!is_size(o.proximity)) return fmt::format("proximity = {} is not a number ≥ 0", o.proximity);
  if (o.inner_steps < 1) return fmt::format("inner-steps = {} is not at least 1", o.inner_steps);
  if (!is_size(o.mixing) || o.mixing == 0) return fmt::format("mixing = {} is not a number > 0", o.mixing);
  if (o.restarts < 1) return fmt::format("restarts = {} is not at least 1", o.restarts);
  return {};
}

bool has_samples(const BaselineInput& input) {
  return input.dataset != nullptr && input.model != nullptr &&
         input.dataset->features.cols() == input.dataset->samples();
}

}  // namespace

std::string client_refusal(const BaselineInput& input, const BaselineOptions& options) {
  if (std::string why = option_refusal(options); !why.empty()) return why;
  const Vector origin = Vector::Zero(input.problem.dimension());
  if (!every_loss(input.problem, [](const LocalLoss& loss) { return loss.parameters() == loss.dimension(); })) {
    return "some parameters are private to their node (couple), and no gradient step is defined for them";
  }
  if (!every_loss(input.problem, [&](const LocalLoss& loss) { return std::isfinite(loss.value(origin)); })) {
    return "gradient steps would leave the domain of a loss that is not finite everywhere, as that of the model "
           "'graphical'";
  }
  if (options.batch_size > 0 && !has_samples(input)) {
    return fmt::format("batch-size = {} needs the samples, but only losses are known", options.batch_size);
  }
  return {};
}

Rng random_numbers(std::uint64_t seed, Purpose purpose, std::int64_t round, std::int64_t item) {
  constexpr std::uint64_t kRounds = std::uint64_t{1} << 24;
  return Rng(seed, static_cast<std::uint64_t>(purpose) << 56 | static_cast<std::uint64_t>(round) % kRounds << 32 |
                       static_cast<std::uint64_t>(item));
}

double ClientLoss::value(ConstVectorRef w) const {
  return scale_ * loss_.value(w) + (extra_scale_ == 0 ? 0 : extra_scale_ * extra_->value(w));
}

void ClientLoss::gradient(ConstVectorRef w, VectorRef g) const {
  loss_.gradient(w, g);
  if (scale_ != 1) g *= scale_;
  if (extra_scale_ == 0) return;
  Vector extra(w.size());
  extra_->gradient(w, extra);
  g += extra_scale_ * extra;
}

Clients::Clients(const BaselineInput& input, const BaselineOptions& options)
    : input_(input),
      options_(options),
      averages_(input.dataset == nullptr || input.model == nullptr || input.model->averages_samples()),
      weights_(static_cast<std::size_t>(input.problem.nodes()), 0),
      team_(threads_or_all(options.threads)),
      scratch_(static_cast<std::size_t>(team_.size()), Vector(input.problem.dimension())) {
  clients_.reserve(weights_.size());
  for (NodeId i = 0; i < nodes(); ++i) {
    const bool has_data = input.dataset == nullptr ? !problem().loss(i).is_trivial() : input.samples(i) > 0;
    if (!has_data) continue;
    clients_.push_back(i);
    weights_[i] = options.weighting == Weighting::kSamples ? input.samples(i) : 1;
  }
  if (options.batch_size > 0) {
    without_samples_ = input.model->loss(Matrix(input.dataset->features.rows(), 0), Vector());
  }
}

Vector Clients::start() const {
  Vector w(dimension());
  problem().loss(clients_.empty() ? 0 : clients_.front()).start(w);
  return w;
}

std::vector<NodeId> Clients::draw(std::span<const NodeId> from, std::int64_t round, std::int64_t group) const {
  const auto all = static_cast<double>(from.size());
  // 0.1 · 30 is a little more than 3 in binary.
  const auto wanted = static_cast<std::size_t>(std::ceil(options_.participation * all * (1 - 1e-12)));
  if (wanted >= from.size()) return {from.begin(), from.end()};
  Rng rng = random_numbers(options_.seed, Purpose::kParticipants, round, group);
  std::vector<NodeId> drawn;
  drawn.reserve(wanted);
  for (const std::uint64_t position : rng.choose(from.size(), wanted)) drawn.push_back(from[position]);
  return drawn;
}

bool Clients::has_batches(NodeId i) const {
  return options_.batch_size > 0 && options_.batch_size < input_.dataset->samples_of(i);
}

double Clients::batch_curvature(NodeId i) const {
  return has_batches(i) ? input_.samples(i) / static_cast<double>(options_.batch_size) : 1;
}

ClientLoss Clients::batch_loss(NodeId i, std::span<const Index> samples) const {
  const std::vector<Index> columns(samples.begin(), samples.end());
  const Matrix features = input_.dataset->features(Eigen::all, columns);
  const Vector labels = input_.dataset->labels.size() > 0 ? Vector(input_.dataset->labels(columns)) : Vector();
  LossPtr loss = input_.model->loss(features, labels);
  if (averages_) return {std::move(loss), 1, *without_samples_, 0};
  const double per_batch = 1 / static_cast<double>(samples.size());
  return {std::move(loss), per_batch, *without_samples_, 1 / input_.samples(i) - per_batch};
}

ClientLoss Clients::random_batch(NodeId i, Rng& rng) const {
  if (!has_batches(i)) return loss(i);
  std::vector<Index> samples;
  samples.reserve(batch_size());
  for (const std::uint64_t r : rng.choose(static_cast<std::uint64_t>(input_.dataset->samples_of(i)), batch_size())) {
    samples.push_back(input_.dataset->first_sample[i] + static_cast<Index>(r));
  }
  return batch_loss(i, samples);
}

void Clients::train(NodeId i, std::int64_t round, VectorRef w, Vector& g) const {
  for_each_batch(i, round, [&](const ClientLoss& batch) {
    batch.gradient(w, g);
    w -= options_.learning_rate * g;
  });
}

void Clients::average(std::span<const NodeId> participants, std::span<const NodeId> model_of, const Matrix& columns,
                      Matrix& models) const {
  std::vector<double> total(static_cast<std::size_t>(models.cols()), 0);
  for (const NodeId i : participants) total[model_of[i]] += weight(i);
  for (Index j = 0; j < models.cols(); ++j) {
    if (total[j] > 0) models.col(j).setZero();
  }
  for (const NodeId i : participants) models.col(model_of[i]) += weight(i) / total[model_of[i]] * columns.col(i);
}

void Clients::train_and_average(std::span<const NodeId> participants, std::span<const NodeId> model_of,
                                std::int64_t round, Matrix& trained, Matrix& models) {
  in_parallel(participants, [&](NodeId i, Vector& g) {
    trained.col(i) = models.col(model_of[i]);
    train(i, round, trained.col(i), g);
  });
  average(participants, model_of, trained, models);
}

}  // namespace gtvmin
