#pragma once

#include <optional>
#include <string>
#include <vector>

#include "summary.h"

namespace gtvmin::app {

/// The paper's curve for one series.
struct PaperCurve {
  std::string series;
  std::vector<SummaryPoint> points;  ///< deviation 0 where the paper has none; runs 0
  bool printed = false;              ///< in the paper itself, not in a table recovered elsewhere

  /// Null if there is none at x.
  [[nodiscard]] const SummaryPoint* at(double x) const;
};
using PaperNumbers = std::vector<PaperCurve>;

/// Fails if `folder` is neither empty nor a folder: a name that is misspelt would compare with nothing.
[[nodiscard]] Status check_paper_results(const std::string& folder);

/// What the experiment file prints and, if `folder` is not empty, what the recovered table in it says about series
/// that the file does not print. Fails like the readers of CSV if the table cannot be read.
[[nodiscard]] Result<PaperNumbers> paper_numbers(const Experiment& experiment, const std::string& folder);

/// Null if the paper says nothing about the series.
[[nodiscard]] const PaperCurve* find(const PaperNumbers& numbers, const std::string& series);

/// Ours over the paper's, over all x that both have and where the paper's number is positive and, if a bound is given,
/// below it.
struct Ratios {
  std::size_t count = 0;
  double least = 0;
  double median = 0;
  double greatest = 0;
};
[[nodiscard]] Ratios ratios(const SummarySeries& ours, const PaperCurve& paper,
                            std::optional<double> where_paper_below = std::nullopt);

}  // namespace gtvmin::app
