#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "clients.h"
#include "methods.h"
#include "rounds.h"
#include "step_sizes.h"

namespace gtvmin {
namespace {

/// Decentralised FedAvg with momentum of Sun, Li and Wang (2021). Every node has a copy of the model. In a round it
/// takes local_epochs passes of SGD with heavy-ball momentum, y⁺ = y − η∇f_i(y) + θ(y − y⁻), momentum 0 at first, and
/// then averages with its neighbours by a symmetric doubly stochastic matrix W.
///
/// W are the Metropolis–Hastings weights 1/(1 + max(deg_i, deg_j)). Edge weights do not count: the method wants
/// consensus, on whose value they have no influence, and the more even W is, the sooner it is reached. Since W weighs
/// all nodes the same, so does the method: it seeks the minimum of Σ_i f_i. Nodes without samples pass on what they
/// hear.
class DecentralisedAveraging {
 public:
  explicit DecentralisedAveraging(Clients& clients)
      : clients_(clients),
        everybody_(static_cast<std::size_t>(clients.nodes())),
        w_(clients.start().replicate(1, clients.nodes())),
        trained_(w_),
        before_(w_.rows(), w_.cols()) {
    std::iota(everybody_.begin(), everybody_.end(), 0);
  }

  [[nodiscard]] const Matrix& w() const { return w_; }

  void round(std::int64_t number) {
    trained_ = w_;
    clients_.in_parallel(clients_.clients(), [&](NodeId i, Vector& g) { train(i, number, g); });
    clients_.in_parallel(everybody_, [&](NodeId i, Vector& /*g*/) { mix(i); });
  }

  /// Root mean square distance of the nodes from their average, relative to its norm.
  [[nodiscard]] double disagreement() const {
    const Vector mean = w_.rowwise().mean();
    return (w_.colwise() - mean).norm() / std::sqrt(static_cast<double>(w_.cols())) / std::max(mean.norm(), 1e-300);
  }

 private:
  void train(NodeId i, std::int64_t number, Vector& g) {
    const BaselineOptions& options = clients_.options();
    auto y = trained_.col(i);
    auto before = before_.col(i);
    before = y;
    clients_.for_each_batch(i, number, [&](const ClientLoss& batch) {
      batch.gradient(y, g);
      g = options.momentum * (y - before) - options.learning_rate * g;
      before = y;
      y += g;
    });
  }

  void mix(NodeId i) {
    const EmpiricalGraph& graph = clients_.problem().graph();
    auto w = w_.col(i);
    w = trained_.col(i);
    for (const Incidence& edge : graph.incident(i)) {
      const Index degree = std::max(graph.degree(i), graph.degree(edge.neighbour));
      w += 1 / static_cast<double>(1 + degree) * (trained_.col(edge.neighbour) - trained_.col(i));
    }
  }

  Clients& clients_;
  std::vector<NodeId> everybody_;
  Matrix w_;
  Matrix trained_;
  Matrix before_;
};

BaselineResult run_dfedavgm(const BaselineInput& input, const BaselineOptions& options,
                            const BaselineContext& context) {
  Rounds rounds(input, options, context);
  Clients clients(input, options);
  DecentralisedAveraging method(clients);
  BaselineResult result = run_rounds(rounds, method);
  result.notes.push_back(fmt::format(
      "the nodes' copies differ by {:.3g}: root mean square distance from their average, relative to its norm",
      method.disagreement()));
  return result;
}

std::vector<Tunable> dfedavgm_tunables(const BaselineInput& input, const BaselineOptions& options) {
  if (options.learning_rate > 0) return {};
  constexpr double kMultiples[] = {0.003, 0.01, 0.03, 0.1, 0.3, 1};
  Clients clients(input, options);
  return {tunable_learning_rate(kMultiples, largest_curvature(clients))};
}

}  // namespace

Baseline dfedavgm_baseline() {
  static constexpr const char* kOptions[] = {"rounds",        "tol",      "local-epochs",     "batch-size",
                                             "learning-rate", "momentum", "validation-share", "threads"};
  return {.name = "dfedavgm",
          .help =
              "decentralised fedavg: local steps with momentum, then averages with neighbours in the graph (Sun, Li, "
              "Wang 2021)",
          .options = kOptions,
          .needs_graph = true,
          .refusal = client_refusal,
          .tunables = dfedavgm_tunables,
          .run = run_dfedavgm};
}

}  // namespace gtvmin
