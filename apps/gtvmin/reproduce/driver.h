#pragma once

#include <string>
#include <vector>

#include "checks.h"
#include "experiment.h"
#include "paper_numbers.h"
#include "summary.h"

namespace gtvmin::app {

/// How experiments are run.
struct DriverSettings {
  std::string out;
  std::string paper_results;  ///< folder of recovered tables; empty: none
  std::string data;           ///< folder of the folders that experiments with files name
  std::vector<Reading> readings;
  bool quick = false;
  bool progress = true;
  int threads = 1;
};

/// One reading of one experiment, done.
struct ReadingResult {
  const Experiment* experiment = nullptr;
  Summary summary;
  PaperNumbers paper;
  std::vector<CheckOutcome> checks;
};

struct DriverResult {
  std::vector<ReadingResult> readings;
  bool interrupted = false;  ///< by a signal; then there are no readings
  std::size_t finished = 0;  ///< cells that are on disk
  std::size_t cells = 0;
};

/// Runs the cells that are not on disk yet, several at a time, and writes for every reading
/// `<out>/<experiment>/<reading>/`: `<experiment>.csv`, `results.json`, `figure.svg` and, where the parameters of nodes
/// are shown, `<experiment>_weights.csv`. The files have the same bytes for every number of threads and however often
/// the run was cut off. `experiments` must outlive the result. Call it under an InterruptGuard.
[[nodiscard]] Result<DriverResult> run_experiments(const std::vector<Experiment>& experiments,
                                                   const DriverSettings& settings);

/// The same from what is on disk, and nothing is written; fails if a cell is missing.
[[nodiscard]] Result<std::vector<ReadingResult>> load_experiments(const std::vector<Experiment>& experiments,
                                                                  const DriverSettings& settings);

}  // namespace gtvmin::app
