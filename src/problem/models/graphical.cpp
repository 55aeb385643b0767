#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "gtvmin/loss/graphical_loss.h"
#include "models.h"

namespace gtvmin {
namespace {

/// The precision matrix of a Gaussian; the covariance is that of the node's samples around their own mean.
class GraphicalModel final : public LocalModel {
 public:
  GraphicalModel(ModelSpec spec, ModelShape shape) : spec_(std::move(spec)), shape_(std::move(shape)) {}

  /// The upper triangle, column after column.
  [[nodiscard]] std::vector<std::string> parameter_names() const override {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < shape_.features.size(); ++k) {
      for (std::size_t j = 0; j <= k; ++j) {
        names.push_back(fmt::format("{}:{}", shape_.features[j], shape_.features[k]));
      }
    }
    return names;
  }

  [[nodiscard]] std::string refusal(ConstMatrixRef features, ConstVectorRef labels) const override {
    std::string reason = too_large(shape_.features, features, labels);
    return reason.empty() ? too_small(shape_.features, features.colwise() - features.rowwise().mean()) : reason;
  }
  [[nodiscard]] bool averages_samples() const override { return spec_.mean; }
  /// Samples count by their covariance alone: an eigendecomposition of it, or, where entries are to vanish, many.
  [[nodiscard]] Index update_work(Index /*samples*/) const override {
    constexpr Index kUsualDecompositions = 20;
    return 20 * static_cast<Index>(shape_.features.size()) * (spec_.sparsity > 0 ? kUsualDecompositions : 1);
  }

  [[nodiscard]] LossPtr loss(ConstMatrixRef features, ConstVectorRef /*labels*/) const override {
    const Index m = features.cols();
    if (m == 0) return loss_without_samples(Vector::Constant(packed_size(features.rows()), spec_.ridge));
    const Matrix centred = features.colwise() - features.rowwise().mean();
    const Matrix covariance = centred * centred.transpose() / static_cast<double>(m);
    return GraphicalLoss::make(covariance, spec_.mean ? 1 : static_cast<double>(m), spec_.ridge, spec_.sparsity);
  }

  [[nodiscard]] Vector units() const override {
    const auto order = static_cast<Index>(shape_.features.size());
    Vector units(packed_size(order));
    pack_symmetric(Matrix::Ones(order, order), units);
    return units.cwiseInverse();
  }
  [[nodiscard]] const ModelSpec* specification() const override { return &spec_; }

 private:
  ModelSpec spec_;
  ModelShape shape_;
};

}  // namespace

Result<ModelPtr> make_graphical_model(const ModelSpec& spec, const ModelShape& shape) {
  if (!(spec.sparsity >= 0) || !std::isfinite(spec.sparsity)) {
    return usage_error(fmt::format("sparsity = {} is not a number ≥ 0", spec.sparsity));
  }
  if (spec.sparsity > kLargestSquare || (spec.sparsity > 0 && spec.sparsity < kSmallestSquare)) {
    return usage_error(fmt::format("sparsity = {} is neither 0 nor between {} and {}", spec.sparsity, kSmallestSquare,
                                   kLargestSquare));
  }
  return ModelPtr(std::make_unique<GraphicalModel>(spec, shape));
}

}  // namespace gtvmin
