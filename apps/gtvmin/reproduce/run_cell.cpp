#include <algorithm>
#include <cmath>
#include <numeric>

#include "../clock.h"
#include "../interrupt.h"
#include "../solve_input.h"
#include "cell.h"
#include "cell_data.h"
#include "file_cell.h"
#include "gtvmin/evaluate/label_error.h"
#include "gtvmin/evaluate/parameter_error.h"

namespace gtvmin::app {
namespace {

/// How closely the critical λ is enclosed: the bracket's upper end over its lower one, minus 1.
constexpr double kBracket = 1e-6;

SolveContext context() {
  return {.seconds = seconds_now, .observe = [](const IterationRecord&) { return !InterruptGuard::interrupted(); }};
}

double label_mse(const LocalModel& model, const Matrix& w, const Dataset& samples, const std::vector<NodeId>& nodes) {
  return label_error(model, w, samples, nodes).squared.value_or(std::nan(""));
}

std::vector<CurvePoint> cloud_of(const Matrix& w) {
  std::vector<CurvePoint> cloud(static_cast<std::size_t>(w.cols()));
  for (Index i = 0; i < w.cols(); ++i) cloud[i] = {w(0, i), w.rows() > 1 ? w(1, i) : 0};
  return cloud;
}

/// The number that the table shows for parameters w.
double measure(Metric metric, const LocalModel& model, const Matrix& w, const CellData& data) {
  switch (metric) {
    case Metric::kParameters:
      return parameter_error(w, data.truth).mse;
    case Metric::kPerCoordinate:
      return parameter_error(w, data.truth).per_coordinate;
    case Metric::kLabels: {
      std::vector<NodeId> nodes(data.everything.nodes());
      std::iota(nodes.begin(), nodes.end(), 0);
      return label_mse(model, w, data.everything, nodes);
    }
    case Metric::kUnseenLabels: {
      const UnseenSamples unseen = unseen_samples(data);
      return unseen.samples.samples() > 0 ? label_mse(model, w, unseen.samples, unseen.nodes) : std::nan("");
    }
    case Metric::kScatter:
      return static_cast<double>(equal_columns(w).groups);
    case Metric::kAccuracy:  // of files only, where samples are held out
      break;
  }
  return std::nan("");
}

CellOutcome outcome_of(const Cell& cell, const LocalModel& model, const Matrix& w, const CellData& data) {
  CellOutcome outcome;
  outcome.curve = {{cell.x, measure(cell.metric, model, w, data)}};
  if (cell.metric == Metric::kScatter) outcome.cloud = cloud_of(w);
  return outcome;
}

Result<CellOutcome> solve_cell(const Cell& cell, const CellData& data) {
  const Result<SolveInput> input = make_solve_input(cell.solve, data.dataset);
  if (!input) return input.error();
  const SolveResult result = solve(input->problem, cell.solve.solver, context());
  if (result.status == SolveStatus::kInterrupted) return cell_interrupted();
  CellOutcome outcome = outcome_of(cell, *input->model, all_parameters(input->problem, result.w), data);
  outcome.facts = facts_of(result);
  return outcome;
}

Result<CellOutcome> baseline_cell(const Cell& cell, const CellData& data) {
  const Result<SolveInput> input = make_solve_input(cell.rival.input, data.dataset);
  if (!input) return input.error();
  const BaselineContext watch{.seconds = seconds_now, .observe = {}, .interrupted = InterruptGuard::interrupted};
  const Result<BaselineResult> result = run_baseline(
      *cell.baseline,
      {.problem = input->problem, .dataset = &input->dataset, .model = input->model.get(), .clusters = &data.clusters},
      cell.rival.options, watch);
  if (!result) return result.error();
  if (result->interrupted) return cell_interrupted();
  CellOutcome outcome = outcome_of(cell, *input->model, all_parameters(input->problem, result->w), data);
  outcome.facts = facts_of(*result);
  outcome.tuning = {result->tuned_by, result->tuning};
  return outcome;
}

/// Whether all nodes share one model at λ, proved by a certificate.
Result<bool> is_one_cluster(const Cell& cell, const CellData& data, double lambda) {
  SolveSettings settings = cell.solve;
  settings.lambda = lambda;
  const Result<SolveInput> input = make_solve_input(settings, data.dataset);
  if (!input) return input.error();
  const SolveResult result = solve(input->problem, settings.solver, context());
  if (result.status == SolveStatus::kInterrupted) return cell_interrupted();
  if (result.status != SolveStatus::kSolved) {
    return runtime_failure(cell.label + ": a solve on the way to the critical lambda could not be certified");
  }
  return equal_columns(result.w).groups == 1;
}

/// Bisection: first a bracket from where the experiment says the search begins, then its halves (of the logarithm).
Result<CellOutcome> critical_lambda(const Cell& cell, const CellData& data) {
  double low = cell.solve.lambda;
  double high = cell.solve.lambda;
  double solves = 0;
  const auto fused = [&](double lambda) {
    ++solves;
    return is_one_cluster(cell, data, lambda);
  };
  Result<bool> one = fused(low);
  const bool begins_fused = one && *one;
  while (one && *one == begins_fused) {
    (begins_fused ? high : low) = begins_fused ? low : high;
    (begins_fused ? low : high) *= begins_fused ? 0.5 : 2;
    one = fused(begins_fused ? low : high);
  }
  while (one && high / low > 1 + kBracket) {
    const double middle = std::sqrt(low * high);
    one = fused(middle);
    if (one) (*one ? high : low) = middle;
  }
  if (!one) return one.error();
  CellOutcome outcome;
  outcome.curve = {{cell.x, high}};
  outcome.facts = {{"highest lambda with several models", low}, {"solves", solves}};
  return outcome;
}

}  // namespace

Result<CellOutcome> run_cell(const Cell& cell) {
  if (!cell.folder.empty()) return run_file_cell(cell);
  const Result<CellData> data = make_cell_data(cell.data);
  if (!data) return data.error();
  switch (cell.series.method->kind) {
    case MethodKind::kSolve:
      return solve_cell(cell, *data);
    case MethodKind::kBaseline:
      return baseline_cell(cell, *data);
    case MethodKind::kCriticalLambda:
      return critical_lambda(cell, *data);
    case MethodKind::kTruth:
      break;
  }
  const Result<ModelPtr> model = make_model({}, shape_of(data->dataset));
  if (!model) return model.error();
  return outcome_of(cell, **model, data->truth, *data);
}

std::map<std::string, double> facts_of(const SolveResult& result) {
  return {{"iterations", static_cast<double>(result.iterations)},
          {"objective", result.objective},
          {"certificate", result.certificate.value},
          {"clusters", static_cast<double>(result.clusters.groups)},
          {"solved", result.status == SolveStatus::kSolved ? 1 : 0}};
}

std::map<std::string, double> facts_of(const BaselineResult& result) {
  return {{"rounds", static_cast<double>(result.rounds)},
          {"clusters", static_cast<double>(result.clusters.groups)},
          {"learning rate", result.options.learning_rate}};
}

Error cell_interrupted() { return runtime_failure("interrupted"); }

}  // namespace gtvmin::app
