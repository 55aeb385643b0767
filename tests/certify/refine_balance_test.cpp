#include <gtest/gtest.h>

#include "certify/every_link.h"
#include "gtvmin/certify/certify.h"
#include "gtvmin/certify/fit_slopes.h"
#include "gtvmin/solver/problem_facts.h"
#include "gtvmin/solver/solver.h"

namespace gtvmin {
namespace {

TEST(RefineBalance, LeavesOnlyWhatTwiceThePrecisionOfADoubleCannotTell) {
  ThreadTeam team(1);
  int refined = 0;
  for (const LinkLoss& loss : link_losses()) {
    for (const auto& penalty : penalty_names()) {
      SCOPED_TRACE(loss.name + " " + penalty);
      const Problem problem = link_problem(21, loss, penalty);
      const ProblemFacts facts(problem);
      const SampleProblem& samples = *facts.samples;
      const SolveResult best = solve(problem, {.tolerance = 1e-10});
      DualPoint dual = fit_dual(samples, best.parameters, samples.gather_flows(best.u), team);
      make_feasible(samples, facts.components, team, dual);
      const DualPoint before = dual;
      refine_balance(samples, facts.components, team, dual);
      const double residual = balance(samples, before, team).residual.norm();
      EXPECT_EQ(dual.u, before.u);
      EXPECT_EQ(dual.p, before.p);
      if (!dual.has_low()) continue;
      ++refined;
      EXPECT_LE(balance(samples, dual, team).residual.norm(), 1e-3 * residual);
    }
  }
  EXPECT_GE(refined, 15);
}

TEST(RouteResidual, MovesEverythingToTheRoots) {
  ThreadTeam team(1);
  Rng rng(5);
  const Problem problem = random_problem(22, {.nodes = 20});
  const SampleProblem samples = *SampleProblem::make(problem);
  DualPoint dual{random_matrix(rng, 3, samples.edges()), random_vector(rng, samples.samples(), 1), {}, {}, {}, {}};
  if (samples.has_stiffness()) dual.q = Matrix::Zero(3, samples.nodes());
  const Matrix before = balance(samples, dual, team).residual;
  route_residual(samples, before, team, dual);
  const Matrix after = balance(samples, dual, team).residual;
  EXPECT_LE((after.rowwise().sum() - before.rowwise().sum()).norm(), 1e-12 * before.norm());
  EXPECT_EQ((after.colwise().norm().array() > 1e-12 * before.norm()).count(), 1);
}

}  // namespace
}  // namespace gtvmin
