// Certificates of losses that are not quadratic, at points that are far from optimal: a bound must be one.
#include <gtest/gtest.h>

#include <functional>

#include "gtvmin/certify/certify.h"
#include "gtvmin/loss/absolute_loss.h"
#include "gtvmin/loss/generalized_linear_loss.h"
#include "gtvmin/loss/graphical_loss.h"
#include "gtvmin/loss/profile_loss.h"
#include "gtvmin/loss/quadratic_loss.h"
#include "gtvmin/loss/softmax_loss.h"
#include "gtvmin/solver/solver.h"
#include "testing/random_problems.h"

namespace gtvmin {
namespace {

using MakeLoss = std::function<LossPtr(Rng&)>;

constexpr Index kFeatures = 2;
constexpr Index kSamples = 5;

Matrix features(Rng& rng) { return random_matrix(rng, kFeatures, kSamples); }
Vector none(Index d) { return Vector::Zero(d); }

struct Kind {
  const char* name;
  Index dimension;
  MakeLoss make;
};

std::vector<Kind> kinds() {
  return {
      {"absolute", 2,
       [](Rng& rng) { return AbsoluteLoss::make(features(rng), random_vector(rng, kSamples, 2), 0.2, none(2)); }},
      {"huber", 2,
       [](Rng& rng) { return HuberLoss::make(features(rng), random_vector(rng, kSamples, 2), 0.2, none(2), {0.5}); }},
      {"logistic", 2,
       [](Rng& rng) {
         return LogisticLoss::make(features(rng), random_labels(rng, kSamples), 0.2, Vector::Constant(2, 0.05));
       }},
      {"poisson", 2,
       [](Rng& rng) {
         return PoissonLoss::make(features(rng), random_vector(rng, kSamples, 2).cwiseAbs().array().ceil(), 0.2,
                                  Vector::Constant(2, 0.05));
       }},
      {"softmax", 6,
       [](Rng& rng) {
         const Matrix x = features(rng);
         Vector labels(kSamples);
         for (double& label : labels) label = static_cast<double>(rng.below(3));
         return SoftmaxLoss::make(x, labels, 3, 0.2, Vector::Constant(6, 0.05));
       }},
      {"graphical", 3,
       [](Rng& rng) {
         const Matrix x = features(rng);
         return GraphicalLoss::make(x * x.transpose() / kSamples, 1, 0, 0);
       }},
      {"sparse graphical", 3,
       [](Rng& rng) {
         const Matrix x = features(rng);
         return GraphicalLoss::make(x * x.transpose() / kSamples, 1, 0, 0.2);
       }},
      {"partly private", 1,
       [](Rng& rng) {
         return profile_loss(
             LogisticLoss::make(features(rng), random_labels(rng, kSamples), 0.2, Vector::Constant(2, 0.05)),
             std::vector<Index>{1});
       }},
  };
}

Problem ring(const Kind& kind, Rng& rng, Penalty penalty) {
  constexpr NodeId kNodes = 6;
  std::vector<WeightedEdge> edges;
  std::vector<LossPtr> losses;
  for (NodeId i = 0; i < kNodes; ++i) {
    edges.push_back({i, (i + 1) % kNodes, 0.2 + rng.uniform()});
    const bool without_data = i == 2 && kind.dimension > 1;
    losses.push_back(without_data ? QuadraticLoss::zero(kind.dimension) : kind.make(rng));
  }
  return *Problem::make(*EmpiricalGraph::make(kNodes, edges), std::move(losses), std::move(penalty), 0.1);
}

/// Whether a certificate's claim covers this optimum: always, or if it lies within the radius of every node.
bool covers(const Certificate& certificate, const Matrix& w, const Matrix& optimum) {
  if (certificate.kind == Certificate::Kind::kGap) return true;
  return certificate.kind == Certificate::Kind::kGapWithinRadius &&
         (w - optimum).colwise().norm().maxCoeff() <= certificate.radius;
}

TEST(CertificateOfAnyLoss, IsNeverBelowTheDistanceToTheOptimumAndCloseAtTheEnd) {
  for (const Kind& kind : kinds()) {
    for (const char* penalty : {"l2", "l1", "squared_l2"}) {
      SCOPED_TRACE(std::string(kind.name) + ", " + penalty);
      Rng rng(31);
      const Problem problem = ring(kind, rng, *make_penalty(penalty));
      const SolveResult best = solve(problem, {.tolerance = 1e-10, .max_iterations = 20'000});
      EXPECT_LE(best.certificate.relative, 1e-6);
      ASSERT_TRUE(is_bound(best.certificate));
      int covered = 0;
      for (const std::int64_t iterations : {1, 3, 10, 40}) {
        const SolveResult early = solve(problem, {.tolerance = 0, .max_iterations = iterations, .accelerators = Accelerators::none()});
        const double above = early.objective - best.objective;
        if (!covers(early.certificate, early.w, best.w)) continue;
        ++covered;
        EXPECT_GE(early.certificate.value, above - best.certificate.value - 1e-12) << iterations << " iterations";
      }
      EXPECT_GE(covered, 3);
    }
  }
}

}  // namespace
}  // namespace gtvmin
