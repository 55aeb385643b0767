// Neighbours that send any parameters move a node by no more than the bound.

#include "gtvmin/theory/influence.h"

#include <gtest/gtest.h>

#include "gtvmin/loss/absolute_loss.h"
#include "gtvmin/loss/borrowed_loss.h"
#include "gtvmin/solver/local_minimiser.h"
#include "gtvmin/solver/solver.h"
#include "gtvmin/theory/norm_constants.h"
#include "testing/random_problems.h"

namespace gtvmin {
namespace {

/// A node with this loss and three neighbours that hold their parameters fixed, as a star: each is a point with so much
/// weight that nothing moves it.
Problem star(const LocalLoss& centre, const Matrix& sent, const std::string& penalty, double lambda) {
  std::vector<LossPtr> losses;
  losses.push_back(borrowed_loss(centre));
  std::vector<WeightedEdge> edges;
  for (Index k = 0; k < sent.cols(); ++k) {
    losses.push_back(QuadraticLoss::points(sent.col(k), 1e6, 0));
    edges.push_back({0, static_cast<NodeId>(k + 1), 0.5 + 0.5 * static_cast<double>(k)});
  }
  const auto nodes = static_cast<NodeId>(losses.size());
  return *Problem::make(*EmpiricalGraph::make(nodes, std::move(edges)), std::move(losses), *make_penalty(penalty),
                        lambda);
}

TEST(InfluenceBound, HoldsForArbitraryNeighbours) {
  Rng rng(11);
  const Index d = 2;
  const Matrix features = random_matrix(rng, d, 12);
  const LossPtr linear = QuadraticLoss::least_squares(features, random_vector(rng, 12, 1), 1.0 / 12, Vector::Zero(d));
  const LossPtr logistic = LogisticLoss::make(features, random_labels(rng, 12), 1.0 / 12, Vector::Constant(d, 0.05));
  double sharpest = 0;
  for (const LocalLoss* loss : {linear.get(), logistic.get()}) {
    const Vector alone = minimise_locally(*loss).w;
    for (const std::string penalty : {"l2", "l1", "linf"}) {
      for (const double size : {1.0, 100.0, 1e5}) {
        for (int k = 0; k < 5; ++k) {
          SCOPED_TRACE(penalty + " " + std::to_string(size));
          // The first liars agree with each other, the others do not.
          Matrix sent = random_matrix(rng, d, 3, size);
          if (k < 2) sent.col(1) = sent.col(2) = sent.col(0);
          const Problem problem = star(*loss, sent, penalty, 0.01);
          const std::optional<double> bound = influence_bound(problem, 0);
          ASSERT_TRUE(bound);
          const Matrix w = solve(problem, {.tolerance = 1e-13, .threads = 1}).w;
          const double moved = norm_of(problem.penalty(), w.col(0) - alone);
          EXPECT_LE(moved, *bound * (1 + 1e-6));
          sharpest = std::max(sharpest, moved / *bound);
        }
      }
    }
  }
  EXPECT_GT(sharpest, 0.5);
}

// ‖w − a‖² has α = 2 in ℓ2; degree 3 and λ = 0.1 give 0.1·3/2.
TEST(InfluenceBound, OfAPointFollowsByHand) {
  const LossPtr point = QuadraticLoss::points(Matrix::Ones(2, 1), 1, 0);
  EXPECT_NEAR(*influence_bound(star(*point, Matrix::Zero(2, 3), "l2", 0.1), 0), 0.1 * (0.5 + 1 + 1.5) / 2, 1e-12);
}

TEST(InfluenceBound, IsMissingWhereThereIsNone) {
  const LossPtr few = QuadraticLoss::least_squares(Matrix::Ones(2, 1), Vector::Ones(1), 1, Vector::Zero(2));
  const LossPtr zero = QuadraticLoss::zero(2);
  const LossPtr point = QuadraticLoss::points(Matrix::Ones(2, 1), 1, 0);
  const LossPtr kinks = AbsoluteLoss::make(Matrix::Identity(2, 2), Vector::Ones(2), 1, Vector::Zero(2));
  const Matrix sent = Matrix::Zero(2, 3);
  EXPECT_FALSE(influence_bound(star(*few, sent, "l2", 0.1), 0));
  EXPECT_FALSE(influence_bound(star(*zero, sent, "l2", 0.1), 0));
  EXPECT_FALSE(influence_bound(star(*kinks, sent, "l2", 0.1), 0));
  EXPECT_FALSE(influence_bound(star(*point, sent, "squared_l2", 0.1), 0));
  // One label of each class at the same place, no ridge: the gradient is at most ¼ however far the node is moved.
  const LossPtr flat = LogisticLoss::make(Matrix::Ones(1, 2), Vector{{1, -1}}, 0.5, Vector::Zero(1));
  EXPECT_TRUE(influence_bound(star(*flat, Matrix::Zero(1, 3), "l2", 0.01), 0));
  EXPECT_FALSE(influence_bound(star(*flat, Matrix::Zero(1, 3), "l2", 10), 0));
}

}  // namespace
}  // namespace gtvmin
