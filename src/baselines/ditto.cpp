#include <utility>

#include "clients.h"
#include "methods.h"
#include "rounds.h"
#include "step_sizes.h"

namespace gtvmin {
namespace {

/// Ditto of Li et al. (2021). The common model w is that of FedAvg. Besides, every participant has a model v_i of its
/// own, which in the same round takes local_epochs passes of descent on f_i(v) + (λ/2)‖v − w‖², w as received and λ =
/// proximity; v_i is what it uses.
///
/// A step is v − η/(1 + ηλ) · (∇f_i(v) + λ(v − w)), where the original has η instead of η/(1 + ηλ). It is the
/// proximal gradient step of length η, the same to first order, and stable for every λ. A node without samples
/// uses w.
class Ditto {
 public:
  explicit Ditto(Clients& clients)
      : clients_(clients),
        model_of_(static_cast<std::size_t>(clients.nodes()), 0),
        common_(clients.start()),
        sent_(clients.dimension(), clients.nodes()),
        w_(common_.replicate(1, clients.nodes())) {}

  /// What every node uses.
  [[nodiscard]] const Matrix& w() const { return w_; }

  void round(std::int64_t number) {
    const std::vector<NodeId> participants = clients_.draw(clients_.clients(), number, 0);
    clients_.in_parallel(participants, [&](NodeId i, Vector& g) { personalise(i, number, g); });
    clients_.train_and_average(participants, model_of_, number, sent_, common_);
    for (NodeId i = 0; i < clients_.nodes(); ++i) {
      if (!clients_.is_client(i)) w_.col(i) = common_;
    }
  }

 private:
  void personalise(NodeId i, std::int64_t number, Vector& g) {
    const BaselineOptions& options = clients_.options();
    const double step = 1 / (1 / options.learning_rate + options.proximity);
    auto v = w_.col(i);
    clients_.for_each_batch(i, number, [&](const ClientLoss& batch) {
      batch.gradient(v, g);
      g += options.proximity * (v - common_.col(0));
      v -= step * g;
    });
  }

  Clients& clients_;
  std::vector<NodeId> model_of_;  // all have the one common model
  Matrix common_;
  Matrix sent_;
  Matrix w_;
};

BaselineResult run_ditto(const BaselineInput& input, const BaselineOptions& options, const BaselineContext& context) {
  Rounds rounds(input, options, context);
  Clients clients(input, options);
  Ditto method(clients);
  return run_rounds(rounds, method);
}

std::vector<Tunable> ditto_tunables(const BaselineInput& input, const BaselineOptions& options) {
  constexpr double kRates[] = {0.1, 0.3, 1};
  return personal_tunables(input, options, kRates);
}

}  // namespace

Baseline ditto_baseline() {
  static constexpr const char* kOptions[] = {"proximity",        "rounds",        "tol",           "local-epochs",
                                             "batch-size",       "learning-rate", "participation", "weighting",
                                             "validation-share", "threads"};
  return {.name = "ditto",
          .help = "one personal model per client, kept near the common model of fedavg (Li et al. 2021)",
          .options = kOptions,
          .refusal = client_refusal,
          .tunables = ditto_tunables,
          .run = run_ditto};
}

}  // namespace gtvmin
