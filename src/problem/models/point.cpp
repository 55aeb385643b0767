// Models whose parameter is a point among the samples: the centre of convex clustering, the mean of a Gaussian.
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <utility>

#include "models.h"

namespace gtvmin {
namespace {

class PointModel : public LocalModel {
 public:
  PointModel(ModelSpec spec, ModelShape shape) : spec_(std::move(spec)), shape_(std::move(shape)) {}
  [[nodiscard]] std::vector<std::string> parameter_names() const override { return shape_.features; }
  [[nodiscard]] std::string refusal(ConstMatrixRef features, ConstVectorRef labels) const override {
    return too_large(shape_.features, features, labels);
  }
  [[nodiscard]] bool averages_samples() const override { return spec_.mean; }
  /// Samples count by their mean alone.
  [[nodiscard]] Index update_work(Index /*samples*/) const override { return 1; }

  [[nodiscard]] LossPtr loss(ConstMatrixRef features, ConstVectorRef /*labels*/) const override {
    if (features.cols() == 0) return loss_without_samples(Vector::Constant(features.rows(), spec().ridge));
    return QuadraticLoss::points(features, sample_weight(spec(), features.cols()), spec().ridge);
  }
  [[nodiscard]] const ModelSpec* specification() const override { return &spec_; }

 protected:
  [[nodiscard]] const ModelSpec& spec() const { return spec_; }

 private:
  ModelSpec spec_;
  ModelShape shape_;
};

/// L(µ) = scale · Σ_r ½(x_r − µ)ᵀC⁻¹(x_r − µ), the Gaussian log-likelihood without its constant.
class GaussianMeanModel final : public PointModel {
 public:
  GaussianMeanModel(const ModelSpec& spec, const ModelShape& shape, Matrix precision)
      : PointModel(spec, shape), precision_(std::move(precision)) {}

  [[nodiscard]] Index update_work(Index /*samples*/) const override { return precision_.rows(); }

  [[nodiscard]] LossPtr loss(ConstMatrixRef features, ConstVectorRef /*labels*/) const override {
    const Index d = features.rows();
    const Index m = features.cols();
    if (m == 0) return loss_without_samples(Vector::Constant(d, spec().ridge));
    const double scale = sample_weight(spec(), m);
    const Matrix of_samples = static_cast<double>(m) * scale * precision_;
    const Vector mean = features.rowwise().mean();
    const Matrix hessian = of_samples + 2 * spec().ridge * Matrix::Identity(d, d);
    const Vector minimiser = hessian.llt().solve(of_samples * mean);
    const auto half_form = [](const Matrix& h, const Vector& x) { return x.dot(h * x) / 2; };
    double minimum = half_form(of_samples, minimiser - mean) + spec().ridge * minimiser.squaredNorm();
    for (Index r = 0; r < m; ++r) minimum += scale * half_form(precision_, features.col(r) - mean);
    return QuadraticLoss::from_hessian(hessian, minimiser, minimum);
  }

 private:
  Matrix precision_;
};

}  // namespace

Result<ModelPtr> make_point_model(const ModelSpec& spec, const ModelShape& shape) {
  return ModelPtr(std::make_unique<PointModel>(spec, shape));
}

Result<ModelPtr> make_gaussian_mean_model(const ModelSpec& spec, const ModelShape& shape) {
  const auto d = static_cast<Index>(shape.features.size());
  const Matrix covariance = spec.covariance.value_or(Matrix::Identity(d, d));
  if (covariance.rows() != d) {
    return bad_input(fmt::format("the covariance is {0} × {0}, but there are {1} features", covariance.rows(), d));
  }
  const Eigen::LLT<Matrix> factor(covariance);
  if (factor.info() != Eigen::Success || factor.rcond() < 1e-14) {
    return bad_input("the covariance is not positive definite");
  }
  return ModelPtr(std::make_unique<GaussianMeanModel>(spec, shape, factor.solve(Matrix::Identity(d, d))));
}

}  // namespace gtvmin
