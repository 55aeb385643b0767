#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <string>

#include "gtvmin/problem/model.h"
#include "gtvmin/torch/torch_model.h"

namespace gtvmin {

/// What outputs of a network mean: how they compare with labels, and what they predict.
class Criterion {
 public:
  /// `classes` counts only for ModuleLoss::kCrossEntropy.
  Criterion(ModuleLoss loss, std::int64_t classes, double huber_delta)
      : loss_(loss), classes_(classes), huber_delta_(huber_delta) {}

  /// Empty if outputs have the right shape for so many samples, else what is wrong.
  [[nodiscard]] std::string complaint(const at::Tensor& outputs, std::int64_t samples) const;

  /// Labels as `sum` wants them, in the precision of the outputs where they are numbers.
  [[nodiscard]] at::Tensor targets(ConstVectorRef labels, at::ScalarType type) const;
  /// The sum of the losses of all samples.
  [[nodiscard]] at::Tensor sum(const at::Tensor& outputs, const at::Tensor& targets) const;

  [[nodiscard]] PredictionKind predicts() const;
  /// How many numbers a prediction has.
  [[nodiscard]] Index rows() const;
  /// One column per sample, see LocalModel::predict.
  [[nodiscard]] Matrix predictions(const at::Tensor& outputs) const;

 private:
  ModuleLoss loss_;
  std::int64_t classes_;
  double huber_delta_;
};

}  // namespace gtvmin
