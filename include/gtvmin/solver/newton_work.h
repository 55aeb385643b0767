#pragma once

#include <functional>
#include <optional>

#include "gtvmin/problem/sample_problem.h"
#include "gtvmin/second_order/elimination_plan.h"
#include "gtvmin/second_order/smoothed_newton.h"
#include "gtvmin/solver/tuning.h"

namespace gtvmin {

/// Time of a flop of a dense kernel, as a fraction of that of an operation elsewhere.
inline constexpr double kOperationsOfFlop = 0.15;

/// Operations of the search for an elimination plan.
[[nodiscard]] double planning_work(const SampleProblem& problem);
/// The elimination plan of a problem's Newton systems; nothing if it exceeds the limits of the tuning, or stop().
[[nodiscard]] std::optional<EliminationPlan> plan_newton(const SampleProblem& problem, double flops, double numbers,
                                                         const std::function<bool()>& stop);
/// Operations of a Newton step besides the factorisation: assembly, line search, bounds.
[[nodiscard]] double assembly_work(const SampleProblem& problem);
/// Operations of a Newton step.
[[nodiscard]] double step_work(const SampleProblem& problem, const EliminationPlan& plan);
/// Operations of one evaluation of the objective in a line search; a step counts for two.
[[nodiscard]] double evaluation_work(const SampleProblem& problem);
/// Operations of the steps that a method has taken, long line searches included.
[[nodiscard]] double spent_work(const SampleProblem& problem, const EliminationPlan& plan,
                                const SmoothedNewton& newton);
/// Operations of a certificate.
[[nodiscard]] double certificate_work(const SampleProblem& problem);
/// Steps that the method is predicted to take.
[[nodiscard]] double expected_steps(const SampleProblem& problem, bool smooth_losses, const SolverTuning& tuning);

}  // namespace gtvmin
