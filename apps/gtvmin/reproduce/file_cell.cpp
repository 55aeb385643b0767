#include "file_cell.h"

#include <fmt/format.h>

#include <functional>

#include "../clock.h"
#include "../interrupt.h"
#include "../local_models.h"
#include "../solve_input.h"
#include "../stored_result.h"
#include "gtvmin/evaluate/held_out.h"
#include "gtvmin/evaluate/label_error.h"

namespace gtvmin::app {
namespace {

struct FileInput {
  SolveInput input;
  Dataset held_out;
  std::vector<NodeId> node_of;  ///< of held-out nodes, among those of the input
  std::optional<Partition> clusters;

  [[nodiscard]] double accuracy(const Matrix& w) const {
    const LabelError error = label_error(*input.model, all_parameters(input.problem, w), held_out, node_of);
    return 1 - *error.misclassification;
  }
};

Result<FileInput> read_input(const Cell& cell, const SolveSettings& settings) {
  Result<SolveInput> input = read_solve_input(settings);
  if (!input) return input.error();
  const std::string path = cell.folder + "/heldout.csv";
  Result<Dataset> held_out = read_dataset(path, {}, settings.columns, local_label_domain(settings.model, settings.net));
  if (!held_out) return held_out.error();
  if (input->model->predicts() != PredictionKind::kClasses) {
    return bad_input(
        fmt::format("the accuracy of the model {} is not defined: it names no classes", settings.model.name));
  }
  const auto nodes = match_held_out(
      path, {{settings.data, input->dataset.node_names}, input->dataset.class_names, input->standardization},
      *held_out);
  if (!nodes) return nodes.error();
  auto clusters = read_known_clusters(cell.folder + "/clusters.csv", {settings.data, input->dataset.node_names});
  if (!clusters) return clusters.error();
  return FileInput{*std::move(input), *std::move(held_out), *nodes, *std::move(clusters)};
}

using Watch = std::function<void(std::int64_t iteration, const Matrix& w)>;

Result<CellOutcome> solve_files(const Cell& cell, const FileInput& data, const Watch& watch) {
  SolveContext context{.seconds = seconds_now,
                       .observe = [](const IterationRecord&) { return !InterruptGuard::interrupted(); }};
  if (cell.watched) context.watch = watch;
  const SolveResult result = solve(data.input.problem, cell.solve.solver, context);
  if (result.status == SolveStatus::kInterrupted) return cell_interrupted();
  CellOutcome outcome;
  outcome.curve = {{cell.x, data.accuracy(result.w)}};
  outcome.facts = facts_of(result);
  return outcome;
}

Result<CellOutcome> train_rival(const Cell& cell, const FileInput& data, const Watch& watch) {
  BaselineContext context{.seconds = seconds_now, .observe = {}, .interrupted = InterruptGuard::interrupted};
  if (cell.watched) {
    context.observe = [&](const RoundRecord& record, const Matrix& w) {
      watch(record.round, w);
      return true;
    };
  }
  const Result<BaselineResult> result = run_baseline(*cell.baseline,
                                                     {.problem = data.input.problem,
                                                      .dataset = &data.input.dataset,
                                                      .model = data.input.model.get(),
                                                      .clusters = data.clusters ? &*data.clusters : nullptr},
                                                     cell.rival.options, context);
  if (!result) return result.error();
  if (result->interrupted) return cell_interrupted();
  CellOutcome outcome;
  outcome.curve = {{cell.x, data.accuracy(result->w)}};
  outcome.facts = facts_of(*result);
  outcome.tuning = {result->tuned_by, result->tuning};
  return outcome;
}

}  // namespace

Result<CellOutcome> run_file_cell(const Cell& cell) {
  const bool solves = cell.series.method->kind == MethodKind::kSolve;
  if (!solves && cell.series.method->kind != MethodKind::kBaseline) {
    return bad_input(fmt::format("{}: samples from files are for solve and baseline only", cell.series.method->key));
  }
  const Result<FileInput> data = read_input(cell, solves ? cell.solve : cell.rival.input);
  if (!data) return data.error();
  std::vector<CurvePoint> curve;
  std::int64_t last = 0;
  const Watch watch = [&](std::int64_t iteration, const Matrix& w) {
    last = iteration;
    if (iteration > 0) curve.push_back({static_cast<double>(iteration - 1), data->accuracy(w)});
  };
  Result<CellOutcome> outcome = solves ? solve_files(cell, *data, watch) : train_rival(cell, *data, watch);
  // Methods without rounds, and those with several starts, whose rounds go on, have a point at the end only.
  const bool one_run = solves || last <= cell.rival.options.rounds;
  if (outcome && !curve.empty() && one_run) outcome->curve = std::move(curve);
  return outcome;
}

}  // namespace gtvmin::app
