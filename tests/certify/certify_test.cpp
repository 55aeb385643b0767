// Bounds are theorems: none is ever below what a much more accurate solution shows.
#include "gtvmin/certify/certify.h"

#include <gtest/gtest.h>

#include <cmath>

#include "certify/every_link.h"
#include "gtvmin/certify/fit_slopes.h"
#include "gtvmin/certify/optimum_radius.h"
#include "gtvmin/loss/graphical_loss.h"
#include "gtvmin/loss/softmax_loss.h"
#include "gtvmin/solver/problem_facts.h"
#include "gtvmin/solver/solver.h"

namespace gtvmin {
namespace {

/// The least objective that the solver finds; it is at least F*, so F(w) − best never exceeds the true suboptimality.
SolveResult best_of(const Problem& problem) { return solve(problem, {.tolerance = 1e-12, .max_iterations = 20'000}); }

/// A pair near the optimum for small `size`, far away for large.
void disturb(Rng& rng, double size, Matrix& w, Matrix& u) {
  w += size * random_matrix(rng, w.rows(), w.cols());
  u += size * random_matrix(rng, u.rows(), u.cols());
}

/// The certificate of (w, u) with fitted slopes. `parameters` in all parameters.
Certificate certify_pair(const ProblemFacts& facts, const Matrix& parameters, const Matrix& u, bool refine = true) {
  ThreadTeam team(1);
  const SampleProblem& samples = *facts.samples;
  DualPoint dual = fit_dual(samples, parameters, samples.gather_flows(u), team);
  make_feasible(samples, facts.components, team, dual);
  if (refine) refine_balance(samples, facts.components, team, dual);
  return certify(samples, facts.components, parameters, dual, 1, team);
}

void expect_sound(const Problem& problem, const Matrix& w, const Certificate& certificate, double best) {
  ThreadTeam team(1);
  const long double suboptimality = SampleProblem::make(problem)->objective(w, team) - best;
  EXPECT_GE(certificate.value, static_cast<double>(suboptimality) - 1e-15 * std::abs(best));
  EXPECT_TRUE(std::isfinite(certificate.value));
  ASSERT_EQ(certificate.node_terms.size(), problem.nodes());
  EXPECT_GE(certificate.node_terms.minCoeff(), 0);
  EXPECT_GE(certificate.edge_terms.minCoeff(), 0);
  EXPECT_NEAR(certificate.node_terms.sum() + certificate.edge_terms.sum(), certificate.value,
              1e-12 * certificate.value + 1e-14 * std::abs(objective(problem, w)));
}

TEST(Certificate, IsAboveTheTrueSuboptimalityForEveryLinkAndPenalty) {
  Rng rng(51);
  for (const LinkLoss& loss : link_losses()) {
    for (const auto& penalty : penalty_names()) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        SCOPED_TRACE(::testing::Message() << loss.name << " " << penalty << " seed " << seed);
        const Problem problem = link_problem(seed, loss, penalty);
        const ProblemFacts facts(problem);
        const SolveResult best = best_of(problem);
        EXPECT_LE(best.certificate.relative, 1e-9);
        int bounds = 0;
        for (const double size : {0.0, 1e-9, 1e-6, 1e-3, 0.1, 1.0, 10.0}) {
          for (const bool refine : {false, true}) {
            Matrix w = best.w;
            Matrix u = best.u;
            disturb(rng, size, w, u);
            const Certificate certificate = certify_pair(facts, w, u, refine);
            if (!is_bound(certificate)) continue;
            ++bounds;
            expect_sound(problem, w, certificate, best.objective);
          }
        }
        EXPECT_GE(bounds, 6);
      }
    }
  }
}

TEST(Certificate, HoldsForSlopesThatFitNothing) {
  Rng rng(52);
  ThreadTeam team(1);
  int bounds = 0;
  for (const LinkLoss& loss : link_losses()) {
    for (const auto& penalty : penalty_names()) {
      SCOPED_TRACE(loss.name + " " + penalty);
      const Problem problem = link_problem(4, loss, penalty, 0.05);
      const ProblemFacts facts(problem);
      const SampleProblem& samples = *facts.samples;
      const SolveResult best = best_of(problem);
      for (const double size : {1e-4, 1e-2, 1.0}) {
        DualPoint dual{size * random_matrix(rng, 2, samples.edges()),
                       size * random_vector(rng, samples.samples(), 1),
                       size * random_matrix(rng, 2, samples.nodes()),
                       {},
                       {},
                       {}};
        make_feasible(samples, facts.components, team, dual);
        const Matrix w = best.w + size * random_matrix(rng, 2, problem.nodes());
        const Certificate certificate = certify(samples, facts.components, w, dual, 1, team);
        if (!is_bound(certificate)) continue;
        ++bounds;
        expect_sound(problem, w, certificate, best.objective);
      }
    }
  }
  EXPECT_GE(bounds, 10);
}

TEST(Certificate, IsTightAtTheOptimum) {
  for (const LinkLoss& loss : link_losses()) {
    for (const auto& penalty : penalty_names()) {
      SCOPED_TRACE(loss.name + " " + penalty);
      const Problem problem = link_problem(7, loss, penalty);
      const SolveResult best = best_of(problem);
      const Certificate certificate = certify_pair(ProblemFacts(problem), best.w, best.u);
      EXPECT_EQ(certificate.kind, Certificate::Kind::kGap);
      EXPECT_LE(certificate.value, 1e-9 * best.objective);
    }
  }
}

TEST(Certificate, OfAQuadraticProblemIsExact) {
  Rng rng(52);
  const Problem problem = random_problem(8, {.model = "linear", .penalty = "squared_l2"});
  const SolveResult best = best_of(problem);
  const Matrix w = best.w + 0.1 * random_matrix(rng, 3, problem.nodes());
  const double suboptimality = objective(problem, w) - best.objective;
  EXPECT_NEAR(certify_pair(ProblemFacts(problem), best.w, best.u).value, 0, 1e-10 * best.objective);
  // At the optimal dual point the gap of any w is its suboptimality.
  ThreadTeam team(1);
  const ProblemFacts facts(problem);
  DualPoint dual = fit_dual(*facts.samples, best.w, facts.samples->gather_flows(best.u), team);
  make_feasible(*facts.samples, facts.components, team, dual);
  const Certificate certificate = certify(*facts.samples, facts.components, w, dual, 1, team);
  EXPECT_NEAR(certificate.value, suboptimality, 1e-8 * suboptimality);
}

TEST(Certificate, AFeasiblePointIsInTheDomainOfAllConjugates) {
  Rng rng(53);
  ThreadTeam team(1);
  for (const LinkLoss& loss : link_losses()) {
    for (const std::string name : {"l2", "l1", "linf"}) {
      SCOPED_TRACE(loss.name + " " + name);
      const Problem problem = link_problem(9, loss, name);
      const ProblemFacts facts(problem);
      const SampleProblem& samples = *facts.samples;
      DualPoint dual{
          random_matrix(rng, 2, samples.edges(), 5), random_vector(rng, samples.samples(), 5), {}, {}, {}, {}};
      if (samples.has_stiffness()) dual.q = random_matrix(rng, 2, samples.nodes());
      make_feasible(samples, facts.components, team, dual);
      EXPECT_LE(edge_utilisation(samples, dual.u, team).maxCoeff(), 1);
      for (NodeId i = 0; i < problem.nodes(); ++i) {
        const SampleForm& form = samples.form(i);
        for (Index r = 0; r < form.samples; ++r) {
          const double p = dual.p[samples.first_sample(i) + r];
          EXPECT_EQ(clip_slope(form, form.labels[r], p), p);
        }
      }
    }
  }
}

// With a ridge the optimum is unique, so a solution within 1e-13 of the optimal value is next to it.
TEST(OptimumRadius, ContainsTheOptimum) {
  Rng rng(54);
  ThreadTeam team(1);
  int proved = 0;
  for (const LinkLoss& loss : link_losses()) {
    for (const auto& penalty : penalty_names()) {
      SCOPED_TRACE(loss.name + " " + penalty);
      const Problem problem = link_problem(11, loss, penalty, 0.05);
      const ProblemFacts facts(problem);
      const SampleProblem& samples = *facts.samples;
      const SolveResult best = best_of(problem);
      for (const double size : {1e-6, 1e-3, 0.1, 1.0}) {
        Matrix w = best.w;
        Matrix u = best.u;
        disturb(rng, size, w, u);
        DualPoint dual = fit_dual(samples, w, samples.gather_flows(u), team);
        make_feasible(samples, facts.components, team, dual);
        const OptimumRadius radius =
            optimum_radius(samples, facts.components, w, dual, balance(samples, dual, team), team);
        if (radius.outcome() != OptimumRadius::Outcome::kProved) continue;
        ++proved;
        EXPECT_GE((radius.reach - (w - best.w).cwiseAbs()).minCoeff(), -1e-6) << "size " << size;
      }
    }
  }
  EXPECT_GE(proved, 60);
}

TEST(Certificate, IsFiniteForSeveralComponentsIsolatedNodesAndNoDataAtAll) {
  Rng rng(54);
  // 0–1–2 with data at 0 only, 3 alone with data, 4 alone without, 5–6 without data.
  std::vector<LossPtr> losses;
  for (NodeId i = 0; i < 7; ++i) {
    losses.push_back(i == 0 || i == 3 ? random_loss(rng, "linear", 4) : QuadraticLoss::zero(4));
  }
  const auto problem =
      *Problem::make(*EmpiricalGraph::make(7, {{0, 1, 1}, {1, 2, 10}, {5, 6, 1}}), std::move(losses), L2Penalty{}, 0.3);
  const SolveResult best = best_of(problem);
  const Matrix w = best.w + 0.01 * random_matrix(rng, 4, 7);
  const Certificate certificate = certify_pair(ProblemFacts(problem), w, best.u);
  EXPECT_EQ(certificate.kind, Certificate::Kind::kGap);
  expect_sound(problem, w, certificate, best.objective);
  EXPECT_LE(best.certificate.value, 1e-11);
}

TEST(Certificate, WithoutCouplingIsTheSumOfTheLocalGaps) {
  Rng rng(55);
  const Problem problem = random_problem(10, {.model = "point", .lambda = 0, .without_data_every = 0});
  const Matrix w = random_matrix(rng, 3, problem.nodes());
  const SolveResult best = best_of(problem);
  EXPECT_EQ(best.certificate.kind, Certificate::Kind::kGap);
  double gaps = 0;
  for (NodeId i = 0; i < problem.nodes(); ++i) gaps += problem.loss(i).value(w.col(i)) - problem.loss(i).lower_bound();
  EXPECT_NEAR(objective(problem, w) - best.objective, gaps, 1e-12 * gaps);
  const Certificate certificate = certify_pair(ProblemFacts(problem), w, Matrix::Zero(3, problem.edges()));
  EXPECT_GE(certificate.value, gaps * (1 - 1e-12));
}

TEST(Certificate, ProvesNothingAboutALossItDoesNotKnow) {
  Rng rng(56);
  const auto unknown = [&](const std::function<LossPtr()>& make) {
    std::vector<LossPtr> losses;
    for (int i = 0; i < 3; ++i) losses.push_back(make());
    const Problem problem =
        *Problem::make(*EmpiricalGraph::make(3, {{0, 1, 1}, {1, 2, 1}}), std::move(losses), L2Penalty{}, 0.1);
    const SolveResult result = solve(problem, {.max_iterations = 5000});
    EXPECT_EQ(result.certificate.kind, Certificate::Kind::kNoneUnknownLoss);
    EXPECT_EQ(result.status, SolveStatus::kEstimated);
    EXPECT_LE(result.certificate.relative, 1e-6);
  };
  unknown([&] {
    Vector labels(6);
    for (double& label : labels) label = static_cast<double>(rng.below(3));
    return SoftmaxLoss::make(random_matrix(rng, 2, 6), labels, 3, 0.2, Vector::Constant(6, 0.05));
  });
  unknown([&] {
    const Matrix x = random_matrix(rng, 2, 6);
    return GraphicalLoss::make(x * x.transpose() / 6, 1, 0, 0);
  });
}

TEST(Certificate, SaysWhyItProvesNothing) {
  Rng rng(57);
  // Twice the same feature: the level of the two parameters is not determined.
  std::vector<LossPtr> losses;
  for (int i = 0; i < 2; ++i) {
    Matrix x = random_matrix(rng, 2, 5);
    x.row(1) = x.row(0);
    losses.push_back(QuadraticLoss::least_squares(x, random_vector(rng, 5, 1), 1, Vector::Zero(2)));
  }
  const auto collinear = *Problem::make(*EmpiricalGraph::make(2, {{0, 1, 1}}), std::move(losses), L2Penalty{}, 0.1);
  EXPECT_EQ(solve(collinear, {.max_iterations = 200}).certificate.kind, Certificate::Kind::kNoneCollinear);
  EXPECT_EQ(to_string(Certificate::Kind::kGap), "gap");
  EXPECT_EQ(to_string(Certificate::Kind::kNoneCollinear), "none-collinear");
  EXPECT_EQ(to_string(Certificate::Kind::kNoneUnbounded), "none-unbounded");
  EXPECT_EQ(to_string(Certificate::Kind::kNoneUnfinished), "none-unfinished");
  EXPECT_EQ(to_string(Certificate::Kind::kNoneUnknownLoss), "none-unknown-loss");
  EXPECT_EQ(to_string(Certificate::Kind::kNoneNonconvex), "none-nonconvex");
}

TEST(StoppedRun, HasABoundThatHoldsWithAndWithoutAccelerators) {
  for (const LinkLoss& loss : link_losses()) {
    for (const std::string penalty : {"l2", "l1", "linf", "squared_l2"}) {
      SCOPED_TRACE(loss.name + " " + penalty);
      const Problem problem = link_problem(31, loss, penalty);
      const SolveResult best = best_of(problem);
      for (const Accelerators accelerators : {Accelerators{}, Accelerators::none()}) {
        for (const std::int64_t iterations : {1, 3, 10, 40, 200}) {
          const SolveResult early =
              solve(problem, {.tolerance = 0, .max_iterations = iterations, .accelerators = accelerators});
          if (!is_bound(early.certificate)) continue;
          EXPECT_GE(early.certificate.value, early.objective - best.objective - 1e-15 * best.objective)
              << iterations << " iterations";
        }
      }
    }
  }
}

}  // namespace
}  // namespace gtvmin
