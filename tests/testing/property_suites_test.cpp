// The published property suites must be able to fail: each flaw below is caught by the property that it breaks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "gtvmin/loss/generalized_linear_loss.h"
#include "gtvmin/loss/quadratic_loss.h"
#include "gtvmin/testing/loss_properties.h"
#include "gtvmin/testing/penalty_properties.h"
#include "testing/random_problems.h"

namespace gtvmin {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::StartsWith;

enum class Flaw {
  kNone,
  kGradientTwice,
  kNonconvex,
  kLowerBoundTooHigh,
  kProxForgetsRho,
  kProxIgnoresTolerance,
  kScratchTooSmall,
  kHessianHalf,
  kHessianOverwrites,
  kHessianNotConstant,
  kSolveTwice,
  kBoundTooSmall,
  kNotTrivial
};

/// A good loss with one flaw built in.
class FlawedLoss final : public LocalLoss {
 public:
  FlawedLoss(LossPtr inner, Flaw flaw) : inner_(std::move(inner)), flaw_(flaw) {}

  [[nodiscard]] Index dimension() const override { return inner_->dimension(); }
  [[nodiscard]] double value(ConstVectorRef w) const override {
    return inner_->value(w) - (flaw_ == Flaw::kNonconvex ? 3 * w.norm() : 0);
  }
  void gradient(ConstVectorRef w, VectorRef g) const override {
    inner_->gradient(w, g);
    if (flaw_ == Flaw::kGradientTwice) g *= 2;
  }
  void prox(ConstVectorRef v, double rho, double tolerance, VectorRef z, VectorRef scratch) const override {
    if (flaw_ == Flaw::kProxIgnoresTolerance) tolerance = 0.3 * rho;
    inner_->prox(v, flaw_ == Flaw::kProxForgetsRho ? 1 : rho, tolerance, z, scratch);
    if (flaw_ == Flaw::kScratchTooSmall) scratch.data()[scratch.size()] = 0;
  }
  [[nodiscard]] Index scratch_size() const override { return inner_->scratch_size(); }
  [[nodiscard]] double lower_bound() const override {
    return inner_->lower_bound() + (flaw_ == Flaw::kLowerBoundTooHigh ? 0.5 : 0);
  }
  [[nodiscard]] bool has_hessian() const override { return true; }
  [[nodiscard]] bool hessian_is_constant() const override { return flaw_ == Flaw::kHessianNotConstant; }
  void add_hessian(ConstVectorRef w, MatrixRef hessian) const override {
    if (flaw_ == Flaw::kHessianOverwrites) hessian.setZero();
    Matrix part = Matrix::Zero(dimension(), dimension());
    inner_->add_hessian(w, part);
    hessian += flaw_ == Flaw::kHessianHalf ? 0.5 * part : part;
  }
  void solve_hessian(ConstVectorRef w, ConstVectorRef r, VectorRef out) const override {
    inner_->solve_hessian(w, r, out);
    if (flaw_ == Flaw::kSolveTwice) out *= 2;
  }
  [[nodiscard]] double fenchel_young_bound(ConstVectorRef w, ConstVectorRef p, double theta) const override {
    return inner_->fenchel_young_bound(w, p, theta) * (flaw_ == Flaw::kBoundTooSmall ? 0.9 : 1);
  }
  [[nodiscard]] bool is_trivial() const override { return flaw_ == Flaw::kNotTrivial; }

 private:
  LossPtr inner_;
  Flaw flaw_;
};

LossPtr quadratic() {
  Rng rng(3);
  return QuadraticLoss::least_squares(random_matrix(rng, 3, 5), random_vector(rng, 5, 1), 0.2, Vector::Zero(3));
}
LossPtr logistic() {
  Rng rng(4);
  return LogisticLoss::make(random_matrix(rng, 3, 5), random_labels(rng, 5), 0.2, Vector::Constant(3, 0.01));
}

TEST(LossProperties, AcceptALossWithoutFlaw) {
  EXPECT_THAT(violated_loss_properties(FlawedLoss(quadratic(), Flaw::kNone)), IsEmpty());
  EXPECT_THAT(violated_loss_properties(FlawedLoss(logistic(), Flaw::kNone)), IsEmpty());
}

TEST(LossProperties, CatchEveryFlawByTheRightProperty) {
  const auto violated = [](const std::function<LossPtr()>& make, Flaw flaw) {
    return violated_loss_properties(FlawedLoss(make(), flaw));
  };
  EXPECT_THAT(violated(quadratic, Flaw::kGradientTwice), Contains(StartsWith("the gradient is the derivative")));
  EXPECT_THAT(violated(logistic, Flaw::kGradientTwice), Contains(StartsWith("the gradient is a subgradient")));
  EXPECT_THAT(violated(quadratic, Flaw::kNonconvex), Contains(StartsWith("L is convex")));
  EXPECT_THAT(violated(quadratic, Flaw::kLowerBoundTooHigh), Contains(StartsWith("lower_bound is below L")));
  EXPECT_THAT(violated(quadratic, Flaw::kProxForgetsRho), Contains(StartsWith("the prox is optimal")));
  EXPECT_THAT(violated(logistic, Flaw::kProxIgnoresTolerance), Contains(StartsWith("the prox keeps the tolerance")));
  EXPECT_THAT(violated(logistic, Flaw::kScratchTooSmall), Contains(StartsWith("prox keeps to scratch_size()")));
  EXPECT_THAT(violated(logistic, Flaw::kHessianHalf), Contains(StartsWith("the Hessian is the derivative")));
  EXPECT_THAT(violated(quadratic, Flaw::kHessianOverwrites), Contains(StartsWith("add_hessian adds")));
  EXPECT_THAT(violated(logistic, Flaw::kHessianNotConstant), Contains(StartsWith("a constant Hessian is constant")));
  EXPECT_THAT(violated(quadratic, Flaw::kSolveTwice), Contains(StartsWith("solve_hessian solves")));
  EXPECT_THAT(violated(quadratic, Flaw::kBoundTooSmall), Contains(StartsWith("fenchel_young_bound is above")));
  EXPECT_THAT(violated(quadratic, Flaw::kNotTrivial), Contains(StartsWith("a trivial loss is 0")));
}

/// ‖v‖₂ whose dual update projects onto a ball of the wrong radius.
struct WrongRadius : L2Penalty {
  explicit WrongRadius(double factor_) : factor(factor_) {}
  void dual_update(double* x, Index d, double kappa, double sigma, double* scratch) const {
    L2Penalty::dual_update(x, d, factor * kappa, sigma, scratch);
  }
  double factor;
};
struct WrongDualNorm : L2Penalty {
  [[nodiscard]] double dual_norm(const double* u, Index d) const { return L1Penalty().dual_norm(u, d); }
};
struct WrongJacobian : L2Penalty {
  void dual_jvp(const double* /*x*/, Index d, double /*kappa*/, double /*sigma*/, const double* dx, double* out,
                double* /*scratch*/) const {
    std::copy(dx, dx + d, out);
  }
};
struct WrongFenchelYoung : SquaredL2Penalty {
  [[nodiscard]] double fenchel_young(const double* v, const double* u, Index d, double kappa, double* scratch) const {
    return 2 * SquaredL2Penalty::fenchel_young(v, u, d, kappa, scratch);
  }
};
struct ScratchOverrun : L1Penalty {
  void dual_update(double* x, Index d, double kappa, double sigma, double* scratch) const {
    L1Penalty::dual_update(x, d, kappa, sigma, scratch);
    scratch[d] = 0;
  }
};

/// max(0, Σv): convex, but not symmetric.
class OneSided final : public PenaltyFunction {
 public:
  [[nodiscard]] std::string name() const override { return "one_sided"; }
  [[nodiscard]] double value(ConstVectorRef v) const override { return std::max(0.0, v.sum()); }
  [[nodiscard]] double conjugate(ConstVectorRef /*u*/, double /*kappa*/) const override { return 0; }
  void dual_update(VectorRef x, double kappa, double /*sigma*/) const override {
    x.setConstant(std::clamp(x.mean(), 0.0, kappa));
  }
};

TEST(PenaltyProperties, CatchEveryFlawByTheRightProperty) {
  EXPECT_THAT(violated_penalty_properties(WrongRadius(1), 3), IsEmpty());
  EXPECT_THAT(violated_penalty_properties(WrongRadius(1.01), 3),
              Contains(StartsWith("dual_update gives a subgradient")));
  EXPECT_THAT(violated_penalty_properties(WrongRadius(0.99), 3),
              Contains(StartsWith("dual_update gives a subgradient")));
  EXPECT_THAT(violated_penalty_properties(WrongRadius(1.01), 3), Contains(StartsWith("flows land in the ball")));
  EXPECT_THAT(violated_penalty_properties(WrongDualNorm(), 3), Contains(StartsWith("dual_norm is the dual norm")));
  EXPECT_THAT(violated_penalty_properties(WrongJacobian(), 3), Contains(StartsWith("dual_jvp is the derivative")));
  EXPECT_THAT(violated_penalty_properties(WrongFenchelYoung(), 3), Contains(StartsWith("fenchel_young is κφ")));
  EXPECT_THAT(violated_penalty_properties(ScratchOverrun(), 3), Contains(StartsWith("scratch has d numbers")));
  const Penalty one_sided = CustomPenalty(std::make_unique<OneSided>());
  EXPECT_THAT(violated_penalty_properties(one_sided, 3), Contains(StartsWith("φ is symmetric")));
}

}  // namespace
}  // namespace gtvmin
