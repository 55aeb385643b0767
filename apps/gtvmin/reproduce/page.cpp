#include "page.h"

#include <fmt/format.h>

#include <algorithm>

#include "below_paper.h"

namespace gtvmin::app {
namespace {

std::string value(const ReadingResult* reading, const std::string& series, double x) {
  const SummarySeries* curve = reading != nullptr ? reading->summary.find(series) : nullptr;
  const SummaryPoint* point = curve != nullptr ? curve->at(x) : nullptr;
  if (point == nullptr) return "–";
  return point->deviation > 0 ? fmt::format("{} ± {}", number_text(point->mean), number_text(point->deviation))
                              : number_text(point->mean);
}

std::string ratio_text(const SummarySeries& ours, const PaperCurve& paper, double x) {
  const SummaryPoint* point = ours.at(x);
  const SummaryPoint* theirs = paper.at(x);
  return point == nullptr || theirs == nullptr ? "–" : fmt::format("{:.2g}", point->mean / theirs->mean);
}

std::string row(const PageSection& c, const SummarySeries& series, const PaperCurve* paper, double x,
                const std::string& over_the_curve, const std::string& note) {
  const SummaryPoint* theirs = paper != nullptr ? paper->at(x) : nullptr;
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", series.name, x,
                     theirs != nullptr ? number_text(theirs->mean) : "–", value(c.as_written, series.key, x),
                     value(c.as_run, series.key, x), paper != nullptr ? ratio_text(series, *paper, x) : "–",
                     over_the_curve, note);
}

/// Of a training that is watched, the end, or as far as the paper's curve goes.
double last_common_x(const SummarySeries& series, const PaperCurve* paper) {
  const double end = series.points.back().x;
  if (paper == nullptr || paper->at(end) != nullptr) return end;
  const auto common = std::find_if(series.points.rbegin(), series.points.rend(),
                                   [&](const SummaryPoint& point) { return paper->at(point.x) != nullptr; });
  return common == series.points.rend() ? end : common->x;
}

/// Numbers that the paper prints have a row each; of a curve one number is quoted, and the ratios are summed up.
std::string rows(const PageSection& c, const SummarySeries& series, std::string note) {
  const ReadingResult& reading = c.as_run != nullptr ? *c.as_run : *c.as_written;
  const PaperCurve* paper = find(reading.paper, series.key);
  std::string text;
  if (paper != nullptr && paper->printed) {
    for (const SummaryPoint& point : series.points) {
      text += row(c, series, paper, point.x, "", note);
      note.clear();
    }
    return text;
  }
  if (series.points.empty()) return {};
  const double x =
      c.experiment->x.is_iteration() ? last_common_x(series, paper) : series.points[series.points.size() / 2].x;
  std::string over_the_curve;
  if (paper != nullptr) {
    const Ratios ratio = ratios(series, *paper);
    if (ratio.count > 1) {
      over_the_curve = fmt::format("{:.2g} / {:.2g} / {:.2g}", ratio.least, ratio.median, ratio.greatest);
    }
  }
  return row(c, series, paper, x, over_the_curve, note);
}

std::string checks_text(const ReadingResult* reading) {
  if (reading == nullptr) return {};
  std::string text;
  for (const CheckOutcome& check : reading->checks) {
    const char* state = check.state == CheckState::kHolds   ? "holds"
                        : check.state == CheckState::kFails ? "**fails**"
                                                            : "not tested";
    text += fmt::format("- {}, {}: {}{}{}\n", to_string(reading->summary.reading), check.text, state,
                        check.exceptions.empty() ? "" : ", but for",
                        check.detail.empty() ? "" : fmt::format(" ({})", check.detail));
    for (const std::string& exception : check.exceptions) text += fmt::format("  - {}\n", exception);
  }
  return text;
}

std::string section(const PageSection& c, const char* quick) {
  const ReadingResult& shown = c.as_run != nullptr ? *c.as_run : *c.as_written;
  std::string text = fmt::format("\n## {}\n\n`gtvmin reproduce {}{}` — {}.\n", c.experiment->title, c.experiment->name,
                                 quick, c.experiment->origin);
  for (const Reading reading : kReadings) {
    text += fmt::format("Shown {}: {}.\n", reading == Reading::kAsWritten ? "as written" : "as run",
                        describe_numbers(*c.experiment, reading));
  }
  text += fmt::format(
      "\n| series | {} | paper | as written | as run | as run / paper | over the curve: least / median / greatest | "
      "why |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n",
      c.experiment->x.column);
  std::string last_note;
  for (const SummarySeries& series : shown.summary.series) {
    // What is said about a method stands at its first series.
    const std::string note = note_about(*c.experiment, series.key, series.method);
    text += rows(c, series, note == last_note ? "" : note);
    last_note = note;
  }
  return text + "\n" + checks_text(c.as_written) + checks_text(c.as_run) +
         (c.as_run != nullptr ? below_paper(*c.as_run) : "");
}

}  // namespace

std::string number_text(double x) {
  return x != 0 && (x < 0.01 || x >= 1e4) ? fmt::format("{:.2e}", x) : fmt::format("{:.3g}", x);
}

std::string note_about(const Experiment& experiment, const std::string& series, const std::string& method) {
  for (const std::string& about : {series, method}) {
    for (const Note& note : experiment.notes) {
      if (note.about == about) return note.text;
    }
  }
  return {};
}

std::string reproduction_page(const std::vector<PageSection>& sections, bool is_quick) {
  const char* const quick = is_quick ? " --quick" : "";
  std::string text = fmt::format(
      "# Reproduction\n\nGenerated by `gtvmin docs reproduction` from the results of `gtvmin reproduce all{}`; do not "
      "edit.\n\n"
      "Every experiment of the paper has two readings. *As written* follows the text: the mean of squares over a "
      "node's\n"
      "samples, noise of every sample's own, ‖ŵ − w̄‖² per node. *As run* has the settings that gave the paper's "
      "numbers:\n"
      "the sum of squares, on chains and in the SBM panels noise that the samples of a node share (in Table 1 and over "
      "the\n"
      "number of clusters every sample has its own), the step sizes of the authors' code, other measures of error. "
      "Where "
      "the\n"
      "paper prints a number, it stands here; where it draws a curve, the number is from the table that the curve was "
      "drawn\n"
      "from, as recovered from the outputs of the authors' public notebooks (github.com/sahelyiyi/FederatedLearning). "
      "Ours are\n"
      "mean ± standard deviation over the runs. The format of the experiments is described in "
      "[experiments](experiments.md).\n",
      quick);
  for (const PageSection& one : sections) text += one.earlier.empty() ? section(one, quick) : one.earlier;
  return text;
}

}  // namespace gtvmin::app
