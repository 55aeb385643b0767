#include "ifca.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "methods.h"
#include "random_models.h"
#include "rounds.h"
#include "step_sizes.h"

namespace gtvmin {

Ifca::Ifca(Clients& clients, Matrix models)
    : clients_(clients),
      models_(std::move(models)),
      model_of_(static_cast<std::size_t>(clients.nodes()), 0),
      loss_of_(static_cast<std::size_t>(clients.nodes()), 0),
      sent_(clients.dimension(), clients.nodes()) {
  choose();
}

void Ifca::choose() {
  clients_.in_parallel(clients_.clients(), [&](NodeId i, Vector& /*g*/) {
    const ClientLoss loss = clients_.loss(i);
    loss_of_[i] = std::numeric_limits<double>::infinity();
    model_of_[i] = 0;
    for (NodeId j = 0; j < models_.cols(); ++j) {
      const double value = loss.value(models_.col(j));
      if (!(value < loss_of_[i])) continue;
      loss_of_[i] = value;
      model_of_[i] = j;
    }
  });
  std::vector<NodeId> members(static_cast<std::size_t>(models_.cols()), 0);
  for (const NodeId i : clients_.clients()) ++members[model_of_[i]];
  const auto most = static_cast<NodeId>(std::max_element(members.begin(), members.end()) - members.begin());
  for (NodeId i = 0; i < clients_.nodes(); ++i) {
    if (!clients_.is_client(i)) model_of_[i] = most;
  }
  w_ = models_(Eigen::all, model_of_);
}

void Ifca::round(std::int64_t number) {
  const std::vector<NodeId> participants = clients_.draw(clients_.clients(), number, 0);
  if (clients_.options().averaging == Averaging::kModel) {
    clients_.train_and_average(participants, model_of_, number, sent_, models_);
  } else {
    step_along_gradients(participants, number);
  }
  choose();
}

void Ifca::step_along_gradients(std::span<const NodeId> participants, std::int64_t round) {
  clients_.in_parallel(participants, [&](NodeId i, Vector& /*g*/) {
    Rng rng = random_numbers(clients_.options().seed, Purpose::kBatches, round, i);
    clients_.random_batch(i, rng).gradient(models_.col(model_of_[i]), sent_.col(i));
  });
  Matrix gradients = Matrix::Zero(models_.rows(), models_.cols());
  clients_.average(participants, model_of_, sent_, gradients);
  Vector steps = Vector::Constant(models_.cols(), clients_.options().learning_rate);
  if (clients_.options().averaging == Averaging::kGradient) {
    Vector share = Vector::Zero(models_.cols());
    for (const NodeId i : participants) share[model_of_[i]] += clients_.weight(i);
    if (share.sum() > 0) steps = steps.cwiseProduct(share / share.sum());
  }
  models_ -= gradients * steps.asDiagonal();
}

double Ifca::training_loss() const {
  double loss = 0;
  double total = 0;
  for (const NodeId i : clients_.clients()) {
    loss += clients_.weight(i) * loss_of_[i];
    total += clients_.weight(i);
  }
  return total > 0 ? loss / total : 0;
}

namespace {

int models_of(const BaselineInput& input, const BaselineOptions& options) {
  return options.models > 0 ? options.models : input.clusters->groups;
}

/// Starts that differ: all are the same where models start equal and nothing is drawn at random later.
int different_starts(const BaselineOptions& options) {
  const bool same = options.start == ModelStart::kZero && options.participation == 1 && options.batch_size == 0;
  return same ? 1 : options.restarts;
}

BaselineResult run_ifca(const BaselineInput& input, const BaselineOptions& options, const BaselineContext& context) {
  Rounds rounds(input, options, context);
  Clients clients(input, options);
  const int k = models_of(input, options);
  const RandomModels random_models(clients, input.model);
  Matrix best;
  std::vector<double> losses;
  const int starts = different_starts(options);
  losses.reserve(static_cast<std::size_t>(starts));
  std::size_t kept = 0;
  for (int start = 0; start < starts && !rounds.interrupted(); ++start) {
    rounds.restart();
    Ifca ifca(clients, random_models.draw(k, start));
    do {
      ifca.round(rounds.done());
    } while (rounds.another(ifca.w()));
    losses.push_back(ifca.w().allFinite() ? ifca.training_loss() : std::numeric_limits<double>::infinity());
    if (start > 0 && !(losses.back() < losses[kept])) continue;
    kept = losses.size() - 1;
    best = ifca.w();
  }
  rounds.record(best);
  BaselineResult result = rounds.result(std::move(best));
  result.options.models = k;
  result.options.restarts = starts;
  if (options.averaging != Averaging::kModel) result.options.local_epochs = 1;
  const double close = 1.01 * losses[kept];
  result.notes.push_back(fmt::format(
      "start {} of {} is kept; {} of them end with a training loss within 1 % of its", kept + 1, losses.size(),
      std::count_if(losses.begin(), losses.end(), [&](double loss) { return loss <= close; })));
  if (starts < options.restarts) {
    result.notes.push_back(fmt::format("1 start in place of {}: from equal models all end the same", options.restarts));
  }
  return result;
}

std::string ifca_refusal(const BaselineInput& input, const BaselineOptions& options) {
  const bool has_number = options.models > 0 || (options.models == 0 && input.clusters != nullptr);
  if (options.start == ModelStart::kBernoulli && !is_convex(input.problem)) {
    return "start = bernoulli: no net can be trained from weights 0 and 1";
  }
  if (!has_number) return fmt::format("models = {}: how many the nodes choose from must be at least 1", options.models);
  return client_refusal(input, options);
}

std::vector<Tunable> ifca_tunables(const BaselineInput& input, const BaselineOptions& options) {
  if (options.learning_rate > 0) return {};
  constexpr double kMultiples[] = {0.03, 0.1, 0.3, 1, 3};
  Clients clients(input, options);
  if (options.averaging == Averaging::kModel) return {tunable_learning_rate(kMultiples, largest_curvature(clients))};
  // An averaged gradient sees the average of the clients' curvature, far below the largest where samples are few. Of
  // k models one gets a k-th of that where gradients are divided by all.
  const double parts = options.averaging == Averaging::kGradient ? models_of(input, options) : 1;
  return {tunable_learning_rate(kMultiples, curvature_of_average(clients) / parts)};
}

}  // namespace

Baseline ifca_baseline() {
  static constexpr const char* kOptions[] = {
      "models",     "start",         "restarts",      "averaging", "rounds",           "tol",    "local-epochs",
      "batch-size", "learning-rate", "participation", "weighting", "validation-share", "threads"};
  return {.name = "ifca",
          .help = "k models; every client trains the one that fits it best (Ghosh et al. 2020)",
          .options = kOptions,
          .refusal = ifca_refusal,
          .tunables = ifca_tunables,
          .run = run_ifca};
}

}  // namespace gtvmin
