#include "gtvmin/second_order/smoothed_newton.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "certify/every_link.h"
#include "gtvmin/certify/certify.h"
#include "gtvmin/certify/rounding.h"
#include "gtvmin/solver/newton_work.h"
#include "gtvmin/solver/problem_facts.h"

namespace gtvmin {
namespace {

struct NewtonRun {
  Matrix w;
  DualPoint dual;
  double gap = 0;  // the least proved gap of the best parameters so far and the dual point of a step
  std::int64_t steps = 0;
};

/// Steps until the gap is `aim` or nothing gets better.
NewtonRun run_newton(const Problem& problem, double aim = 1e-11, int threads = 1) {
  constexpr double kAnything = 1e18;
  constexpr int kMostSteps = 200;
  const std::function<bool()> never = [] { return false; };
  ThreadTeam team(threads);
  const ProblemFacts facts(problem);
  const SampleProblem& samples = *facts.samples;
  const auto plan = plan_newton(samples, kAnything, kAnything, never);
  const Matrix start = Matrix::Zero(samples.dimension(), samples.nodes());
  SmoothedNewton newton(samples, *plan, start, static_cast<double>(samples.objective(start, team)), team);
  NewtonRun best{start, {}, kInfinity, 0};
  for (int k = 0; k < kMostSteps && best.gap > aim; ++k) {
    if (newton.step(never) != SmoothedNewton::Step::kAccepted) break;
    if (samples.objective(newton.w(), team) < samples.objective(best.w, team)) best.w = newton.w();
    best.dual = newton.dual();
    make_feasible(samples, facts.components, team, best.dual);
    refine_balance(samples, facts.components, team, best.dual);
    const Certificate certificate = certify(samples, facts.components, best.w, best.dual, 1, team);
    if (is_bound(certificate)) best.gap = std::min(best.gap, certificate.relative);
    best.steps = newton.steps();
  }
  return best;
}

Problem path_of_points(const Matrix& points, Penalty penalty, double lambda) {
  std::vector<LossPtr> losses;
  std::vector<WeightedEdge> edges;
  for (Index i = 0; i < points.cols(); ++i) {
    losses.push_back(QuadraticLoss::points(points.col(i), 1, 0));
    if (i > 0) edges.push_back({static_cast<NodeId>(i - 1), static_cast<NodeId>(i), 1});
  }
  const auto nodes = static_cast<NodeId>(points.cols());
  return *Problem::make(*EmpiricalGraph::make(nodes, std::move(edges)), std::move(losses), std::move(penalty), lambda);
}

void expect_newton_finds(const Problem& problem, const Matrix& expected) {
  SCOPED_TRACE(penalty_name(problem.penalty()));
  const NewtonRun run = run_newton(problem);
  EXPECT_LE((run.w - expected).cwiseAbs().maxCoeff(), 1e-6) << run.w << "\nexpected\n" << expected;
  EXPECT_LE(objective(problem, run.w), objective(problem, expected) * (1 + 1e-10));
}

// L = ‖w − a‖²; derivations in tests/solver/hand_solved_test.cpp.
TEST(SmoothedNewton, FindsWhatFollowsByHand) {
  expect_newton_finds(path_of_points(Matrix{{0, 4}}, L1Penalty{}, 1.5), Matrix{{0.75, 3.25}});
  expect_newton_finds(path_of_points(Matrix{{0, 4}}, L2Penalty{}, 5), Matrix{{2, 2}});
  expect_newton_finds(path_of_points(Matrix{{0, 3, 9}}, L2Penalty{}, 2), Matrix{{1, 3, 8}});
  expect_newton_finds(path_of_points(Matrix{{0, 3, 9}}, L2Penalty{}, 8), Matrix{{3.5, 3.5, 5}});
  expect_newton_finds(path_of_points(Matrix{{0, 3, 9}}, LinfPenalty{}, 12), Matrix{{4, 4, 4}});
  const Matrix plane{{0, 3}, {0, 4}};
  expect_newton_finds(path_of_points(plane, L2Penalty{}, 2), Matrix{{0.6, 2.4}, {0.8, 3.2}});
  expect_newton_finds(path_of_points(plane, L1Penalty{}, 3.5), Matrix{{1.5, 1.5}, {1.75, 2.25}});
  expect_newton_finds(path_of_points(plane, LinfPenalty{}, 3), Matrix{{0.5, 2.5}, {1, 3}});
  expect_newton_finds(path_of_points(plane, SquaredL2Penalty{}, 1), Matrix{{0.75, 2.25}, {1, 3}});
}

// Its dual points prove that it is there.
TEST(SmoothedNewton, ReachesACertifiedOptimumForEveryLinkAndPenalty) {
  for (const LinkLoss& loss : link_losses()) {
    for (const auto& penalty : penalty_names()) {
      SCOPED_TRACE(loss.name + " " + penalty);
      const NewtonRun run = run_newton(link_problem(3, loss, penalty), 1e-9);
      EXPECT_LE(run.gap, 1e-9) << run.steps << " steps";
      EXPECT_LE(run.steps, 100);
    }
  }
}

TEST(SmoothedNewton, NeedsOneStepWhereEverythingIsQuadratic) {
  EXPECT_LE(run_newton(path_of_points(Matrix{{0, 3, 9}}, SquaredL2Penalty{}, 1)).steps, 2);
}

TEST(SmoothedNewton, GivesTheSameBitsForEveryNumberOfThreads) {
  const Problem problem = random_problem(9, {.nodes = 400, .extra_edges = 600, .dimension = 4});
  const NewtonRun one = run_newton(problem, 1e-9, 1);
  const NewtonRun three = run_newton(problem, 1e-9, 3);
  EXPECT_EQ(one.w, three.w);
  EXPECT_EQ(one.dual.u, three.dual.u);
  EXPECT_EQ(one.steps, three.steps);
}

}  // namespace
}  // namespace gtvmin
