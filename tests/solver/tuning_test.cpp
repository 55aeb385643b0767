// Every constant of the solver does what its sentence says.
#include "gtvmin/solver/tuning.h"

#include <gtest/gtest.h>

#include "gtvmin/solver/solver.h"
#include "testing/random_problems.h"

namespace gtvmin {
namespace {

/// A tree, on which message passing takes long.
Problem some_problem(const std::string& penalty = "l2") {
  return random_problem(5, {.model = "linear", .penalty = penalty, .nodes = 1000, .extra_edges = 0, .lambda = 10});
}

SolveResult solve_with(const SolverTuning& tuning, Accelerators accelerators, const Problem& problem = some_problem()) {
  SolveContext context;
  context.tuning = &tuning;
  return solve(problem, {.tolerance = 1e-7, .accelerators = accelerators}, context);
}

constexpr Accelerators kNewton{.newton = true, .contraction = false};
constexpr Accelerators kContraction{.newton = false, .contraction = true};

TEST(SolverTuning, RelaxationShortensMessagePassing) {
  const Problem problem = random_problem(5, {.nodes = 60, .extra_edges = 60, .lambda = 0.2});
  const SolveResult relaxed = solve_with({}, Accelerators::none(), problem);
  const SolveResult plain = solve_with({.relaxation = 1}, Accelerators::none(), problem);
  EXPECT_LT(1.2 * static_cast<double>(relaxed.iterations), static_cast<double>(plain.iterations));
}

TEST(SolverTuning, NewtonKeepsItsLimitsAndItsHeadStart) {
  SolverTuning tuning{.fusion_share = 0, .fusion_work = 0};
  ASSERT_GT(solve_with(tuning, kNewton).newton_steps, 0);
  for (const auto& change : std::vector<void (*)(SolverTuning&)>{
           [](SolverTuning& t) { t.newton_flops = 1; }, [](SolverTuning& t) { t.newton_numbers = 1; },
           [](SolverTuning& t) { t.newton_head_start = 1e9; }, [](SolverTuning& t) { t.newton_steps_kinks = 1e9; }}) {
    SolverTuning changed = tuning;
    change(changed);
    const SolveResult result = solve_with(changed, kNewton);
    EXPECT_EQ(result.newton_steps, 0);
    EXPECT_EQ(result.status, SolveStatus::kSolved) << "message passing finds it alone";
  }
}

TEST(SolverTuning, PredictsStepsByTheKindOfProblem) {
  SolverTuning tuning{.fusion_share = 0, .fusion_work = 0};
  tuning.newton_steps_smooth = 1e9;
  EXPECT_EQ(solve_with(tuning, kNewton, some_problem("squared_l2")).newton_steps, 0);
  EXPECT_GT(solve_with(tuning, kNewton).newton_steps, 0);
  tuning.newton_steps_smooth = 1;
  tuning.newton_steps_linf = 1e9;
  EXPECT_EQ(solve_with(tuning, kNewton, some_problem("linf")).newton_steps, 0);
  EXPECT_GT(solve_with(tuning, kNewton, some_problem("l1")).newton_steps, 0);
}

TEST(SolverTuning, NewtonYieldsWhenItsPatienceEnds) {
  const SolverTuning usual{.fusion_share = 0, .fusion_work = 0};
  SolverTuning impatient = usual;
  impatient.newton_patience = 1e-9;  // one step at a time
  EXPECT_GT(solve_with(impatient, kNewton).iterations, solve_with(usual, kNewton).iterations);
}

TEST(SolverTuning, NewtonCertifiesStepsThatAreNear) {
  SolverTuning far{.fusion_share = 0, .fusion_work = 0};
  far.newton_near = 1e-9;
  const SolverTuning usual{.fusion_share = 0, .fusion_work = 0};
  EXPECT_GT(solve_with(far, kNewton).newton_steps, solve_with(usual, kNewton).newton_steps);
}

TEST(SolverTuning, ContractionKeepsItsShareItsIntervalAndItsSlack) {
  const SolverTuning usual{.contraction_share = 10, .fusion_share = 0, .fusion_work = 0};
  const SolveResult result = solve_with(usual, kContraction);
  ASSERT_GT(result.newton_steps, 0);
  SolverTuning changed = usual;
  changed.contraction_share = 0;
  EXPECT_EQ(solve_with(changed, kContraction).newton_steps, 0);
  changed = usual;
  changed.contraction_slack = 1 - 1e-12;  // no edge has that much
  EXPECT_NE(solve_with(changed, kContraction).newton_steps, result.newton_steps);
}

TEST(SolverTuning, FusionKeepsItsShare) {
  EXPECT_TRUE(solve_with({}, Accelerators{}).clusters_exact);
  EXPECT_FALSE(solve_with({.fusion_share = 0, .fusion_work = 0}, Accelerators{}).clusters_exact);
}

TEST(SolverTuning, ARunThatHasToEndDoesWithoutALongCertificate) {
  const Problem problem = some_problem();
  for (const bool hurried : {false, true}) {
    SolverTuning tuning;
    if (hurried) tuning.hurried_work = 0;
    SolveContext context;
    context.tuning = &tuning;
    context.stop = [] { return true; };
    const SolveResult result = solve(problem, {.tolerance = 1e-7}, context);
    EXPECT_EQ(result.status, SolveStatus::kInterrupted);
    EXPECT_EQ(result.certificate.kind == Certificate::Kind::kNoneUnfinished, hurried);
    EXPECT_TRUE(result.parameters.allFinite());
    EXPECT_EQ(result.edge_status.size(), static_cast<std::size_t>(problem.edges()));
  }
}

TEST(SolverTuning, CertificatesThatFailKeepTheirDistance) {
  const auto iterations = [](double interval) {
    SolverTuning tuning{.contraction_share = 0};
    tuning.certificate_interval = interval;
    return solve_with(tuning, kContraction, random_problem(6, {.model = "logistic", .nodes = 40, .lambda = 0.1}))
        .iterations;
  };
  EXPECT_GE(iterations(3), iterations(0.05));
}

}  // namespace
}  // namespace gtvmin
