#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "gtvmin/loss/softmax_loss.h"
#include "models.h"

namespace gtvmin {
namespace {

class SoftmaxModel final : public LocalModel {
 public:
  SoftmaxModel(ModelSpec spec, ModelShape shape) : spec_(std::move(spec)), shape_(std::move(shape)) {}

  /// class:feature, class after class.
  [[nodiscard]] std::vector<std::string> parameter_names() const override {
    std::vector<std::string> names;
    for (const std::string& name : shape_.classes) {
      for (const std::string& feature : shape_.features) names.push_back(fmt::format("{}:{}", name, feature));
      if (spec_.intercept) names.push_back(name + ":intercept");
    }
    return names;
  }

  [[nodiscard]] std::string refusal(ConstMatrixRef features, ConstVectorRef labels) const override {
    std::string reason = too_large(shape_.features, features, labels);
    return reason.empty() ? too_small(shape_.features, features) : reason;
  }
  [[nodiscard]] bool averages_samples() const override { return spec_.mean; }
  /// Some steps of Newton's method, each by some products of all samples with the Hessian.
  [[nodiscard]] Index update_work(Index samples) const override {
    constexpr Index kUsualPasses = 20;
    return kUsualPasses * samples;
  }

  [[nodiscard]] LossPtr loss(ConstMatrixRef features, ConstVectorRef labels) const override {
    const Index rows = features.rows() + (spec_.intercept ? 1 : 0);
    Vector ridge = Vector::Constant(rows * classes(), spec_.ridge);
    for (Index k = 0; spec_.intercept && k < classes(); ++k) ridge[(k + 1) * rows - 1] = 0;
    if (features.cols() == 0) return loss_without_samples(ridge);
    return SoftmaxLoss::make(with_one(features), labels, classes(), sample_weight(spec_, features.cols()), ridge);
  }

  [[nodiscard]] PredictionKind predicts() const override { return PredictionKind::kClasses; }
  [[nodiscard]] Matrix predict(ConstVectorRef parameters, ConstMatrixRef features) const override {
    const Matrix inputs = with_one(features);
    const Eigen::Map<const Matrix> w(parameters.data(), inputs.rows(), classes());
    Matrix scores = w.transpose() * inputs;
    for (Index r = 0; r < scores.cols(); ++r) {
      const double largest = scores.col(r).maxCoeff();
      scores.col(r).array() -= largest;
      scores.col(r).array() -= std::log(scores.col(r).array().exp().sum());
    }
    return scores;
  }
  [[nodiscard]] const ModelSpec* specification() const override { return &spec_; }

 private:
  [[nodiscard]] Index classes() const { return static_cast<Index>(shape_.classes.size()); }
  [[nodiscard]] Matrix with_one(ConstMatrixRef features) const {
    Matrix inputs(features.rows() + (spec_.intercept ? 1 : 0), features.cols());
    inputs.topRows(features.rows()) = features;
    if (spec_.intercept) inputs.bottomRows(1).setOnes();
    return inputs;
  }

  ModelSpec spec_;
  ModelShape shape_;
};

}  // namespace

Result<ModelPtr> make_softmax_model(const ModelSpec& spec, const ModelShape& shape) {
  if (shape.classes.size() < 2) {
    return bad_input(fmt::format("the labels name {} class{}; a classifier needs at least two", shape.classes.size(),
                                 shape.classes.size() == 1 ? "" : "es"));
  }
  if (shape.classes.size() > SoftmaxLoss::kMostClasses) {
    return bad_input(fmt::format("the labels name {} classes; at most {} are possible (are they numbers?)",
                                 shape.classes.size(), SoftmaxLoss::kMostClasses));
  }
  return ModelPtr(std::make_unique<SoftmaxModel>(spec, shape));
}

}  // namespace gtvmin
