#pragma once

#include <map>
#include <string>
#include <vector>

#include "cell.h"

namespace gtvmin::app {

/// A cell with what it found.
struct FinishedCell {
  const Cell* cell = nullptr;
  CellOutcome outcome;
};

/// Mean, standard deviation (over the number of runs, as numpy has it) and median of the runs at one x.
struct SummaryPoint {
  double x = 0;
  double mean = 0;
  double deviation = 0;
  double median = 0;
  std::int64_t runs = 0;
  std::vector<double> values;  ///< of the runs, in their order; empty where only mean and deviation are known
};

/// A curve: points in ascending x.
struct SummarySeries {
  std::string key;
  std::string name;
  std::string method;  ///< key of the method
  std::string variant;
  std::string solved;  ///< key of the series that solves the same problems; empty: none
  std::vector<SummaryPoint> points;
  std::vector<CurvePoint> cloud;  ///< of the first run

  /// Null if there is none at x.
  [[nodiscard]] const SummaryPoint* at(double x) const;
};

/// What one reading of an experiment says.
struct Summary {
  std::string experiment;
  Reading reading = Reading::kAsWritten;
  Metric metric = Metric::kParameters;
  std::vector<SummarySeries> series;

  /// Null if there is none.
  [[nodiscard]] const SummarySeries* find(const std::string& key) const;
  /// All x of all series, ascending.
  [[nodiscard]] std::vector<double> xs() const;
};

/// Runs are joined; the order of `cells` does not matter. Series have the order of the experiment.
[[nodiscard]] Summary summarise(const Experiment& experiment, Reading reading, const std::vector<FinishedCell>& cells);

}  // namespace gtvmin::app
