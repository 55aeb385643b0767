#include "below_paper.h"

#include <fmt/format.h>

#include <algorithm>

#include "page.h"

namespace gtvmin::app {
namespace {

constexpr double kFactor = 3;
constexpr double kWherePaperBelow = 0.1;

/// The greatest error of one draw on a curve, and of the same draw solved.
struct WorstDraw {
  double error = 0;
  double solved = 0;
};

WorstDraw worst_draw(const SummarySeries& series, const SummarySeries& solved) {
  WorstDraw worst;
  for (const SummaryPoint& point : series.points) {
    const SummaryPoint* same = solved.at(point.x);
    if (same == nullptr || same->values.size() != point.values.size()) continue;
    const auto greatest = std::max_element(point.values.begin(), point.values.end());
    if (*greatest <= worst.error) continue;
    worst = {*greatest, same->values[static_cast<std::size_t>(greatest - point.values.begin())]};
  }
  return worst;
}

}  // namespace

std::string below_paper(const ReadingResult& reading) {
  std::string rows;
  for (const SummarySeries& series : reading.summary.series) {
    const PaperCurve* paper = find(reading.paper, series.key);
    const SummarySeries* solved = reading.summary.find(series.solved);
    if (paper == nullptr || paper->printed || solved == nullptr) continue;
    const WorstDraw worst = worst_draw(series, *solved);
    for (const SummaryPoint& point : series.points) {
      const SummaryPoint* theirs = paper->at(point.x);
      const SummaryPoint* optimum = solved->at(point.x);
      if (theirs == nullptr || optimum == nullptr || !(theirs->mean < kWherePaperBelow)) continue;
      if (!(point.mean * kFactor < theirs->mean)) continue;
      rows += fmt::format("| {} | {} | {} | {:.1f} | {} | {} | {} | {} |\n", series.name, point.x,
                          number_text(theirs->mean), theirs->deviation / theirs->mean, number_text(point.mean),
                          number_text(optimum->mean), number_text(worst.error), number_text(worst.solved));
    }
  }
  if (rows.empty()) return {};
  return "\nPoints at which our error, as run, is below a third of the paper's. A ratio of deviation to mean near 2 "
         "means that "
         "one of five\nruns dominates the mean. The last columns show the largest error of a single draw on our curve "
         "and "
         "its error after solving:\nthe price of a draw on which Algorithm 1 has not converged.\n\n"
         "| series | " +
         reading.experiment->x.column +
         " | paper | paper: deviation / mean | as run | as run, solved | largest draw of the curve | the same, solved "
         "|\n| --- | --- | --- | --- | --- | --- | --- | --- |\n" +
         rows;
}

}  // namespace gtvmin::app
