#pragma once

#include <vector>

#include "clients.h"

namespace gtvmin {

/// The iterative federated clustering algorithm of Ghosh et al. (2020). Every client takes the model that has the least
/// loss on all its samples, the first of equals. In a round the participants of a model either train it as in FedAvg
/// and send it back (Averaging::kModel), or send the gradient of their loss at it, along whose average it takes one
/// step (Averaging::kGradient). The average is over the participants of the model, weighted by p_i, where the original
/// divides gradients by the number of all participants: so a small cluster learns as fast as a large one. A model
/// that nobody takes stays as it is. A node without samples gets the model that most clients take.
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

  Clients& clients_;
  Matrix models_;
  std::vector<NodeId> model_of_;
  std::vector<double> loss_of_;
  Matrix sent_;  // by participants
  Matrix w_;
};

}  // namespace gtvmin
