#pragma once

#include <ATen/ATen.h>

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "criterion.h"
#include "gtvmin/loss/local_loss.h"
#include "network.h"
#include "optimiser.h"

namespace gtvmin {

/// What the losses of all nodes share.
struct NetTraining {
  NetworkPlan plan;
  Criterion criterion;
  TorchSpec net;
  bool mean = true;  ///< of the samples, else their sum
  at::Tensor ridge;  ///< per parameter, or undefined if there is none
};

/// The loss of a neural net on the samples of one node, in its coupled parameters. The private ones live in here; so
/// does the state of the module, hence one thread at a time.
class TorchLoss final : public LocalLoss {
 public:
  /// `coupled` ascending positions of parameters; all of them: nothing is private.
  TorchLoss(std::shared_ptr<const NetTraining> training, std::span<const Index> coupled, ConstMatrixRef features,
            ConstVectorRef labels);

  [[nodiscard]] Index dimension() const override { return dimension_; }
  [[nodiscard]] bool is_convex() const override { return false; }
  [[nodiscard]] double value(ConstVectorRef w) const override;
  void gradient(ConstVectorRef w, VectorRef g) const override;
  void start(VectorRef w) const override;
  /// Ignores the tolerance: the optimizer takes the number of steps it was told.
  void prox(ConstVectorRef v, double rho, double tolerance, VectorRef z, VectorRef scratch) const override;
  [[nodiscard]] Index parameters() const override { return training_->plan.start.numel(); }
  void complete(ConstVectorRef w, VectorRef all) const override;
  [[nodiscard]] std::string warning() const override;

 private:
  [[nodiscard]] at::Tensor coupled_part(const at::Tensor& all) const;
  void set_coupled(ConstVectorRef w) const;
  [[nodiscard]] double loss_at(const at::Tensor& theta, at::Tensor* gradient) const;
  [[nodiscard]] Descent train(ConstVectorRef v, double rho) const;
  [[nodiscard]] Descent train_alone(ConstVectorRef v) const;

  std::shared_ptr<const NetTraining> training_;
  Index dimension_;
  at::Tensor coupled_;  // positions, undefined if nothing is private
  at::Tensor inputs_;
  at::Tensor targets_;
  double weight_;  // of a sample

  mutable std::mutex mutex_;
  mutable std::unique_ptr<Network> network_;
  mutable at::Tensor theta_;  // all parameters; the private ones are kept from one update to the next
  mutable std::string failure_;
  mutable int updates_ = 0;
  mutable int lost_ = 0;
};

/// Σ_j ridge_j w_j² for a node without samples. It starts where the others do, so that it does not pull them to 0.
class NoSamplesLoss final : public LocalLoss {
 public:
  NoSamplesLoss(Vector start, Vector ridge, std::span<const Index> coupled);

  [[nodiscard]] Index dimension() const override { return static_cast<Index>(coupled_.size()); }
  [[nodiscard]] double value(ConstVectorRef w) const override;
  void gradient(ConstVectorRef w, VectorRef g) const override;
  void start(VectorRef w) const override { w = start_(coupled_); }
  void prox(ConstVectorRef v, double rho, double tolerance, VectorRef z, VectorRef scratch) const override;
  [[nodiscard]] double lower_bound() const override { return 0; }
  [[nodiscard]] bool is_trivial() const override { return ridge_.isZero(0); }
  [[nodiscard]] Index parameters() const override { return start_.size(); }
  void complete(ConstVectorRef w, VectorRef all) const override;

 private:
  Vector start_;  // of all parameters
  Vector ridge_;  // of the coupled ones
  std::vector<Index> coupled_;
};

}  // namespace gtvmin
