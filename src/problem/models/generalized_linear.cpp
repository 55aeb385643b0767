// Models whose parameters enter through the score xᵀw (+ intercept): linear, logistic, Poisson.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "gtvmin/loss/absolute_loss.h"
#include "gtvmin/loss/generalized_linear_loss.h"
#include "models.h"

namespace gtvmin {
namespace {

/// What they share; a derived class says what the score means.
class ScoreModel : public LocalModel {
 public:
  ScoreModel(ModelSpec spec, ModelShape shape) : spec_(std::move(spec)), shape_(std::move(shape)) {}

  [[nodiscard]] std::vector<std::string> parameter_names() const override {
    std::vector<std::string> names = shape_.features;
    if (spec_.intercept) names.emplace_back("intercept");
    return names;
  }

  [[nodiscard]] LossPtr loss(ConstMatrixRef features, ConstVectorRef labels) const override {
    const Index inputs = features.rows();
    const Index m = features.cols();
    const Index d = inputs + (spec_.intercept ? 1 : 0);
    Vector ridge = Vector::Constant(d, spec_.ridge);
    if (spec_.intercept) ridge[inputs] = 0;
    if (m == 0) return loss_without_samples(ridge);
    Matrix inputs_and_one(d, m);
    inputs_and_one.topRows(inputs) = features;
    if (spec_.intercept) inputs_and_one.row(inputs).setOnes();
    return score_loss(inputs_and_one, labels, sample_weight(spec_, m), ridge);
  }

  [[nodiscard]] std::string refusal(ConstMatrixRef features, ConstVectorRef labels) const override {
    std::string reason = too_large(shape_.features, features, labels);
    return reason.empty() ? too_small(shape_.features, features) : reason;
  }
  [[nodiscard]] bool averages_samples() const override { return spec_.mean; }
  [[nodiscard]] Index update_work(Index samples) const override {
    constexpr Index kUsualSteps = 2;
    return newton_work(kUsualSteps, samples, dimension());
  }

  [[nodiscard]] PredictionKind predicts() const override { return PredictionKind::kValue; }
  [[nodiscard]] Matrix predict(ConstVectorRef parameters, ConstMatrixRef features) const override {
    return scores(parameters, features);
  }
  [[nodiscard]] const ModelSpec* specification() const override { return &spec_; }

 protected:
  [[nodiscard]] virtual LossPtr score_loss(const Matrix& features, ConstVectorRef labels, double scale,
                                           const Vector& ridge) const = 0;
  [[nodiscard]] const ModelSpec& spec() const { return spec_; }
  [[nodiscard]] Index dimension() const {
    return static_cast<Index>(shape_.features.size()) + (spec_.intercept ? 1 : 0);
  }

  [[nodiscard]] Matrix scores(ConstVectorRef parameters, ConstMatrixRef features) const {
    Matrix scores = parameters.head(features.rows()).transpose() * features;
    if (spec_.intercept) scores.array() += parameters[features.rows()];
    return scores;
  }

 private:
  ModelSpec spec_;
  ModelShape shape_;
};

class LinearModel final : public ScoreModel {
 public:
  using ScoreModel::ScoreModel;
  [[nodiscard]] Index update_work(Index samples) const override {
    constexpr Index kStepsOfBoxProgram = 15;
    switch (spec().residual_loss) {
      case ResidualLoss::kAbsolute:
        return newton_work(kStepsOfBoxProgram, samples, dimension());
      case ResidualLoss::kHuber:
        return ScoreModel::update_work(samples);
      case ResidualLoss::kSquared:
        break;
    }
    return std::min(samples, dimension());  // the rank of a form that is made once
  }

 private:
  [[nodiscard]] LossPtr score_loss(const Matrix& features, ConstVectorRef labels, double scale,
                                   const Vector& ridge) const override {
    switch (spec().residual_loss) {
      case ResidualLoss::kAbsolute:
        return AbsoluteLoss::make(features, labels, scale, ridge);
      case ResidualLoss::kHuber:
        return HuberLoss::make(features, labels, scale, ridge, {spec().huber_delta});
      case ResidualLoss::kSquared:
        break;
    }
    return QuadraticLoss::least_squares(features, labels, scale, ridge);
  }
};

class LogisticModel final : public ScoreModel {
 public:
  using ScoreModel::ScoreModel;
  [[nodiscard]] PredictionKind predicts() const override { return PredictionKind::kClasses; }
  [[nodiscard]] Matrix predict(ConstVectorRef parameters, ConstMatrixRef features) const override {
    const Matrix score = scores(parameters, features);
    Matrix log_probabilities(2, score.cols());
    for (Index r = 0; r < score.cols(); ++r) {
      log_probabilities(0, r) = -LogisticLink::value(score(0, r), -1);
      log_probabilities(1, r) = -LogisticLink::value(score(0, r), 1);
    }
    return log_probabilities;
  }

 private:
  [[nodiscard]] LossPtr score_loss(const Matrix& features, ConstVectorRef labels, double scale,
                                   const Vector& ridge) const override {
    return LogisticLoss::make(features, labels, scale, ridge);
  }
};

class PoissonModel final : public ScoreModel {
 public:
  using ScoreModel::ScoreModel;
  [[nodiscard]] Matrix predict(ConstVectorRef parameters, ConstMatrixRef features) const override {
    return scores(parameters, features).array().exp();
  }

 private:
  [[nodiscard]] LossPtr score_loss(const Matrix& features, ConstVectorRef labels, double scale,
                                   const Vector& ridge) const override {
    return PoissonLoss::make(features, labels, scale, ridge);
  }
};

}  // namespace

Result<ModelPtr> make_linear_model(const ModelSpec& spec, const ModelShape& shape) {
  if (spec.residual_loss == ResidualLoss::kHuber && !(spec.huber_delta > 0 && std::isfinite(spec.huber_delta))) {
    return usage_error("the δ of the Huber loss must be a number > 0");
  }
  if (spec.residual_loss == ResidualLoss::kHuber &&
      (spec.huber_delta < kSmallestInput || spec.huber_delta > kLargestInput)) {
    return usage_error(fmt::format("the δ of the Huber loss is {}, not between {} and {}", spec.huber_delta,
                                   kSmallestInput, kLargestInput));
  }
  return ModelPtr(std::make_unique<LinearModel>(spec, shape));
}

Result<ModelPtr> make_logistic_model(const ModelSpec& spec, const ModelShape& shape) {
  return ModelPtr(std::make_unique<LogisticModel>(spec, shape));
}

Result<ModelPtr> make_poisson_model(const ModelSpec& spec, const ModelShape& shape) {
  return ModelPtr(std::make_unique<PoissonModel>(spec, shape));
}

}  // namespace gtvmin
