#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "../baseline_options.h"
#include "../generate_options.h"
#include "../solve_options.h"
#include "experiment.h"

namespace gtvmin::app {

/// The data of a cell: a graph with samples that a generator makes.
struct CellDataSettings {
  const GraphKind* graph = nullptr;
  GenerateSettings generate;
  SyntheticParameters parameters;
  LossWeights loss_weights = LossWeights::kEqual;  ///< other than equal: of squared losses
};

/// One training on one draw of the data, with all of its settings.
struct Cell {
  std::string experiment;
  Reading reading = Reading::kAsWritten;
  SeriesId series;
  double x = 0;
  std::int64_t run = 1;
  std::int64_t seed = 0;  ///< of whatever is random in it: the draw of the data, or of files the start of a training
  std::string key;        ///< unique in its reading, fit for a file name
  std::string label;      ///< for people
  Metric metric = Metric::kParameters;
  CellDataSettings data;
  std::string folder;                  ///< of files with the data; empty: they are generated
  bool watched = false;                ///< the outcome is a curve over iterations
  SolveSettings solve;                 ///< for MethodKind::kSolve and kCriticalLambda
  const Baseline* baseline = nullptr;  ///< for MethodKind::kBaseline, with
  BaselineSettings rival;
  /// All settings as JSON: two cells with the same text have the same outcome.
  std::string settings;
};

/// A number for each x. A cell that varies x has one; a training that is watched has one for each iteration.
struct CurvePoint {
  double x = 0;
  double y = 0;
};

/// What was tried to tune a method, and by what it was chosen; no rows: nothing was tuned.
struct TuningRecord {
  std::string by;
  std::vector<TuningRow> rows;
};

/// What a cell found.
struct CellOutcome {
  std::vector<CurvePoint> curve;
  /// The two parameters of every node, where they are to be shown.
  std::vector<CurvePoint> cloud;
  /// Whatever else is worth knowing: iterations, objective, certificate, …
  std::map<std::string, double> facts;
  TuningRecord tuning;
  double seconds = 0;
};

/// The cells of one reading, in the order of series, x and runs; with `quick`, those of the quick version. A cell has
/// the same settings and seed in both. Files of samples are below `data_folder`. Fails with "file:line: …" where an
/// option is unknown or wrong. The cells point into `experiment`.
[[nodiscard]] Result<std::vector<Cell>> plan_cells(const Experiment& experiment, Reading reading, bool quick,
                                                   const std::string& data_folder);

/// Trains and measures. The outcome depends on the settings alone; `seconds` is the caller's to fill in. Fails where
/// the settings make no problem, or when an InterruptGuard has noted a signal.
[[nodiscard]] Result<CellOutcome> run_cell(const Cell& cell);

// For those who run a cell: what is worth knowing about a training, and that a signal has ended it.
[[nodiscard]] std::map<std::string, double> facts_of(const SolveResult& result);
[[nodiscard]] std::map<std::string, double> facts_of(const BaselineResult& result);
[[nodiscard]] Error cell_interrupted();

}  // namespace gtvmin::app
