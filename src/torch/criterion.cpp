#include "criterion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tensors.h"

namespace gtvmin {

std::string Criterion::complaint(const at::Tensor& outputs, std::int64_t samples) const {
  const at::IntArrayRef shape = outputs.sizes();
  const bool column = shape.size() == 2 && shape[0] == samples && shape[1] == 1;
  const bool list = shape.size() == 1 && shape[0] == samples;
  const std::string found = fmt::format("[{}]", fmt::join(shape.begin(), shape.end(), ", "));
  if (loss_ == ModuleLoss::kCrossEntropy) {
    if (shape.size() == 2 && shape[0] == samples && shape[1] == classes_) return {};
    return fmt::format(
        "for {} samples its outputs have the shape {}; one score for each of the {} classes, [{}, {}], is "
        "needed",
        samples, found, classes_, samples, classes_);
  }
  if (column || list) return {};
  return fmt::format("for {0} samples its outputs have the shape {1}; one number each, [{0}] or [{0}, 1], is needed",
                     samples, found);
}

at::Tensor Criterion::targets(ConstVectorRef labels, at::ScalarType type) const {
  const at::Tensor numbers = to_tensor(labels.data(), labels.size(), at::kDouble);
  switch (loss_) {
    case ModuleLoss::kCrossEntropy:
      return numbers.to(at::kLong);
    case ModuleLoss::kBinaryCrossEntropy:  // from −1, 1
      return ((numbers + 1) / 2).to(type);
    default:
      return numbers.to(type);
  }
}

at::Tensor Criterion::sum(const at::Tensor& outputs, const at::Tensor& targets) const {
  constexpr std::int64_t kSum = at::Reduction::Sum;
  if (loss_ == ModuleLoss::kCrossEntropy) return at::cross_entropy_loss(outputs, targets, {}, kSum);
  const at::Tensor numbers = outputs.reshape({-1});
  switch (loss_) {
    case ModuleLoss::kBinaryCrossEntropy:
      return at::binary_cross_entropy_with_logits(numbers, targets, {}, {}, kSum);
    case ModuleLoss::kL1:
      return at::l1_loss(numbers, targets, kSum);
    case ModuleLoss::kHuber:  // libtorch's is half of ours
      return 2 * at::huber_loss(numbers, targets, kSum, huber_delta_);
    case ModuleLoss::kPoisson:
      return at::poisson_nll_loss(numbers, targets, /*log_input=*/true, /*full=*/false, /*eps=*/1e-8, kSum);
    default:
      return at::mse_loss(numbers, targets, kSum);
  }
}

PredictionKind Criterion::predicts() const {
  const bool classes = loss_ == ModuleLoss::kCrossEntropy || loss_ == ModuleLoss::kBinaryCrossEntropy;
  return classes ? PredictionKind::kClasses : PredictionKind::kValue;
}

Index Criterion::rows() const {
  if (loss_ == ModuleLoss::kCrossEntropy) return classes_;
  return loss_ == ModuleLoss::kBinaryCrossEntropy ? 2 : 1;
}

Matrix Criterion::predictions(const at::Tensor& outputs) const {
  // A row-major tensor samples × outputs is a column-major matrix outputs × samples.
  const at::Tensor numbers = outputs.to(at::kDouble);
  switch (loss_) {
    case ModuleLoss::kCrossEntropy:
      return to_matrix(at::log_softmax(numbers, 1), classes_);
    case ModuleLoss::kBinaryCrossEntropy: {
      const at::Tensor scores = numbers.reshape({-1});
      return to_matrix(at::stack({at::log_sigmoid(-scores), at::log_sigmoid(scores)}, 1), 2);
    }
    case ModuleLoss::kPoisson:
      return to_matrix(at::exp(numbers), 1);
    default:
      return to_matrix(numbers, 1);
  }
}

}  // namespace gtvmin
