#pragma once

#include <span>
#include <string>

#include "gtvmin/loss/quadratic_loss.h"
#include "gtvmin/problem/model.h"

namespace gtvmin {

// One line per model; each checks what is special to it.
Result<ModelPtr> make_linear_model(const ModelSpec& spec, const ModelShape& shape);
Result<ModelPtr> make_logistic_model(const ModelSpec& spec, const ModelShape& shape);
Result<ModelPtr> make_softmax_model(const ModelSpec& spec, const ModelShape& shape);
Result<ModelPtr> make_poisson_model(const ModelSpec& spec, const ModelShape& shape);
Result<ModelPtr> make_point_model(const ModelSpec& spec, const ModelShape& shape);
Result<ModelPtr> make_gaussian_mean_model(const ModelSpec& spec, const ModelShape& shape);
Result<ModelPtr> make_graphical_model(const ModelSpec& spec, const ModelShape& shape);

// Losses square samples, and solvers square what losses return: magnitudes whose fourth powers overflow or underflow
// are refused by name.
constexpr double kLargestInput = 1e75;
constexpr double kSmallestInput = 1e-75;
constexpr double kLargestSquare = kLargestInput * kLargestInput;
constexpr double kSmallestSquare = kSmallestInput * kSmallestInput;

/// LocalModel::refusal of samples with a number that is too large.
[[nodiscard]] std::string too_large(std::span<const std::string> names, ConstMatrixRef features, ConstVectorRef labels);
/// LocalModel::refusal of samples of which a feature is not 0 but too small throughout. `features` may be centred.
[[nodiscard]] std::string too_small(std::span<const std::string> names, ConstMatrixRef features);

/// What the loss of one sample is multiplied by at a node with so many of them.
[[nodiscard]] inline double sample_weight(const ModelSpec& spec, Index samples) {
  return spec.mean && samples > 0 ? 1 / static_cast<double>(samples) : 1;
}

/// LocalModel::update_work of so many steps of Newton's method, each of which adds up the samples' curvatures of d × d
/// numbers and factorises the sum.
[[nodiscard]] inline Index newton_work(Index steps, Index samples, Index d) {
  return steps * (samples * (d / 2 + 4) + d * d / 6);
}

/// The loss of a node without samples: its ridge, one number per parameter, or the trivial loss 0.
[[nodiscard]] inline LossPtr loss_without_samples(const Vector& ridge) {
  if (ridge.isZero(0)) return QuadraticLoss::zero(ridge.size());
  return QuadraticLoss::least_squares(Matrix(ridge.size(), 0), Vector(), 1, ridge);
}

}  // namespace gtvmin
