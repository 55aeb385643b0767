#pragma once

// Small random problems of every loss that is a sum over samples, with every penalty.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gtvmin/loss/absolute_loss.h"
#include "gtvmin/loss/generalized_linear_loss.h"
#include "gtvmin/loss/quadratic_loss.h"
#include "testing/random_problems.h"

namespace gtvmin {

struct LinkLoss {
  std::string name;
  std::function<LossPtr(Rng&, Index d, Index samples, const Vector& ridge)> make;
};

inline std::vector<LinkLoss> link_losses() {
  const auto counts = [](Rng& rng, Index m) { return Vector(random_vector(rng, m, 2).cwiseAbs().array().ceil()); };
  return {{"squared",
           [](Rng& rng, Index d, Index m, const Vector& ridge) {
             const Matrix x = random_matrix(rng, d, m);
             return QuadraticLoss::least_squares(x, random_vector(rng, m, 1), 0.2, ridge);
           }},
          {"absolute",
           [](Rng& rng, Index d, Index m, const Vector& ridge) {
             const Matrix x = random_matrix(rng, d, m);
             return AbsoluteLoss::make(x, random_vector(rng, m, 2), 0.2, ridge);
           }},
          {"huber",
           [](Rng& rng, Index d, Index m, const Vector& ridge) {
             const Matrix x = random_matrix(rng, d, m);
             return HuberLoss::make(x, random_vector(rng, m, 2), 0.2, ridge, {0.5});
           }},
          {"logistic",
           [](Rng& rng, Index d, Index m, const Vector& ridge) {
             const Matrix x = random_matrix(rng, d, m);
             return LogisticLoss::make(x, random_labels(rng, m), 0.2, ridge);
           }},
          {"poisson", [counts](Rng& rng, Index d, Index m, const Vector& ridge) {
             const Matrix x = random_matrix(rng, d, m);
             return PoissonLoss::make(x, counts(rng, m), 0.2, ridge);
           }}};
}

inline Problem link_problem(std::uint64_t seed, const LinkLoss& loss, const std::string& penalty, double ridge = 0,
                            double lambda = 0.1) {
  constexpr NodeId kNodes = 6;
  constexpr Index kFeatures = 2;
  constexpr Index kSamples = 6;
  Rng rng(seed);
  EmpiricalGraph graph = random_graph(rng, kNodes, 4, 0.5);
  std::vector<LossPtr> losses;
  for (NodeId i = 0; i < kNodes; ++i) {
    LossPtr made = loss.make(rng, kFeatures, kSamples, Vector::Constant(kFeatures, ridge));
    losses.push_back(i == 2 ? QuadraticLoss::zero(kFeatures) : std::move(made));
  }
  return *Problem::make(std::move(graph), std::move(losses), test_penalty(penalty, kFeatures), lambda);
}

}  // namespace gtvmin
