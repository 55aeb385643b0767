#include <fmt/format.h>

#include <utility>

#include "clients.h"
#include "methods.h"
#include "rounds.h"
#include "step_sizes.h"

namespace gtvmin {
namespace {

/// pFedMe of T. Dinh et al. (2020): FedAvg on the Moreau envelopes F_i(w) = min over θ of f_i(θ) + (λ/2)‖θ − w‖², λ =
/// proximity, whose gradient is λ(w − θ_i(w)). In a round every client takes, from w_i = w, local_epochs steps: it
/// draws a batch, improves its personal θ_i by inner_steps gradient steps on f_i(θ) + (λ/2)‖θ − w_i‖², and sets
///     w_i ← w_i − ηλ(w_i − θ_i).
/// The server sets w ← (1 − β)w + β · average of the participants' w_i, weighted by p_i, β = mixing. As in the original
/// all clients train in every round and only the average is over participants. A client uses θ_i, a node without
/// samples w.
///
/// Gradient steps and not the losses' own prox, for every loss alike, nets included. What the original leaves to the
/// user: θ_i goes on from where it was, so that it approaches the prox as w settles; an inner step has the length
/// 1/(L_i + λ) with L_i the curvature of the client (m/B times that for batches of B out of m samples, which bounds
/// theirs). ηλ > 1 is refused, because w_i would go beyond θ_i.
class Pfedme {
 public:
  explicit Pfedme(Clients& clients)
      : clients_(clients),
        model_of_(static_cast<std::size_t>(clients.nodes()), 0),
        inner_step_(Vector::Zero(clients.nodes())),
        common_(clients.start()),
        average_(common_),
        sent_(clients.dimension(), clients.nodes()),
        theta_(common_.replicate(1, clients.nodes())) {
    clients_.in_parallel(clients_.clients(), [&](NodeId i, Vector& /*g*/) {
      inner_step_[i] = 1 / (clients_.batch_curvature(i) * curvature(clients_, i) + clients_.options().proximity);
    });
  }

  /// What every node uses.
  [[nodiscard]] const Matrix& w() const { return theta_; }

  void round(std::int64_t number) {
    clients_.in_parallel(clients_.clients(), [&](NodeId i, Vector& g) { train(i, number, g); });
    clients_.average(clients_.draw(clients_.clients(), number, 0), model_of_, sent_, average_);
    common_ += clients_.options().mixing * (average_ - common_);
    for (NodeId i = 0; i < clients_.nodes(); ++i) {
      if (!clients_.is_client(i)) theta_.col(i) = common_;
    }
  }

 private:
  void train(NodeId i, std::int64_t number, Vector& g) {
    const BaselineOptions& options = clients_.options();
    const double towards_theta = options.learning_rate * options.proximity;
    Rng rng = random_numbers(options.seed, Purpose::kBatches, number, i);
    auto w = sent_.col(i);
    auto theta = theta_.col(i);
    w = common_;
    for (std::int64_t local = 0; local < options.local_epochs; ++local) {
      const ClientLoss batch = clients_.random_batch(i, rng);
      for (std::int64_t inner = 0; inner < options.inner_steps; ++inner) {
        batch.gradient(theta, g);
        g += options.proximity * (theta - w);
        theta -= inner_step_[i] * g;
      }
      w += towards_theta * (theta - w);
    }
  }

  Clients& clients_;
  std::vector<NodeId> model_of_;  // all have the one common model
  Vector inner_step_;
  Matrix common_;
  Matrix average_;
  Matrix sent_;
  Matrix theta_;
};

BaselineResult run_pfedme(const BaselineInput& input, const BaselineOptions& options, const BaselineContext& context) {
  Rounds rounds(input, options, context);
  Clients clients(input, options);
  Pfedme method(clients);
  return run_rounds(rounds, method);
}

std::string pfedme_refusal(const BaselineInput& input, const BaselineOptions& options) {
  const double towards_theta = options.learning_rate * options.proximity;
  if (towards_theta > 1 + 1e-9) {  // where both are tuned, products of 1 are no more than rounded
    return fmt::format(
        "learning-rate = {:g} times proximity = {:g} is more than 1: the common model would overshoot the personal "
        "models",
        options.learning_rate, options.proximity);
  }
  return client_refusal(input, options);
}

std::vector<Tunable> pfedme_tunables(const BaselineInput& input, const BaselineOptions& options) {
  constexpr double kRates[] = {0.1, 1, 10, 100};
  return personal_tunables(input, options, kRates);
}

}  // namespace

Baseline pfedme_baseline() {
  static constexpr const char* kOptions[] = {"proximity",     "inner-steps",  "mixing",           "rounds",
                                             "tol",           "local-epochs", "batch-size",       "learning-rate",
                                             "participation", "weighting",    "validation-share", "threads"};
  return {.name = "pfedme",
          .help = "one personal model per client: fedavg on the Moreau envelopes of the losses (T. Dinh et al. 2020)",
          .options = kOptions,
          .refusal = pfedme_refusal,
          .tunables = pfedme_tunables,
          .run = run_pfedme};
}

}  // namespace gtvmin
