#pragma once

#include <span>
#include <vector>

#include "clients.h"

namespace gtvmin {

/// The iterative federated clustering algorithm of Ghosh et al. (2020). Every client takes the model that has the least
/// loss on all its samples, the first of equals. In a round the participants S_j of model j
///   kModel           train it as in FedAvg and send it back: θ_j ← Σ_{i∈S_j} p_i θ_i / Σ_{i∈S_j} p_i;
///   kGradient        send the gradient of their loss, or of a batch of it, there: θ_j ← θ_j − η Σ_{i∈S_j} p_i
///   ∇f_i(θ_j) / Σ_{i∈S} p_i with
///                    S all participants, as in the original, so that a model learns the slower the fewer have it;
///   kMemberGradient  the same with S_j in place of S, so that a small cluster learns as fast as a large one.
/// A model that nobody takes stays as it is. A node without samples gets the model that most clients take.
class Ifca {
 public:
  /// `models` is d × k, where to start.
  Ifca(Clients& clients, Matrix models);

  void round(std::int64_t number);

  /// The model of every node.
  [[nodiscard]] const Matrix& w() const { return w_; }
  /// Σ p_i f_i(w_i) / Σ p_i.
  [[nodiscard]] double training_loss() const;

 private:
  void choose();
  void step_along_gradients(std::span<const NodeId> participants, std::int64_t round);

  Clients& clients_;
  Matrix models_;
  std::vector<NodeId> model_of_;
  std::vector<double> loss_of_;
  Matrix sent_;  // by participants
  Matrix w_;
};

}  // namespace gtvmin
