#include "page.h"

#include <fmt/format.h>

#include <algorithm>

namespace gtvmin::app {
namespace {

/// An experiment with those of its readings that there are.
struct Comparison {
  const Experiment* experiment = nullptr;
  const ReadingResult* as_written = nullptr;
  const ReadingResult* as_run = nullptr;
};

std::vector<Comparison> comparisons(const std::vector<ReadingResult>& readings) {
  std::vector<Comparison> all;
  for (const ReadingResult& reading : readings) {
    if (all.empty() || all.back().experiment != reading.experiment) all.push_back({reading.experiment});
    (reading.summary.reading == Reading::kAsWritten ? all.back().as_written : all.back().as_run) = &reading;
  }
  return all;
}

std::string number(double x) {
  return x != 0 && (x < 0.01 || x >= 1e4) ? fmt::format("{:.2e}", x) : fmt::format("{:.3g}", x);
}

std::string value(const ReadingResult* reading, const std::string& series, double x) {
  const SummarySeries* curve = reading != nullptr ? reading->summary.find(series) : nullptr;
  const SummaryPoint* point = curve != nullptr ? curve->at(x) : nullptr;
  if (point == nullptr) return "–";
  return point->deviation > 0 ? fmt::format("{} ± {}", number(point->mean), number(point->deviation))
                              : number(point->mean);
}

std::string note_about(const Experiment& experiment, const SummarySeries& series) {
  for (const Note& note : experiment.notes) {
    if (note.about == series.key || note.about == series.method) return note.text;
  }
  return {};
}

std::string ratio_text(const SummarySeries& ours, const PaperCurve& paper, double x) {
  const SummaryPoint* point = ours.at(x);
  const SummaryPoint* theirs = paper.at(x);
  return point == nullptr || theirs == nullptr ? "–" : fmt::format("{:.2g}", point->mean / theirs->mean);
}

std::string row(const Comparison& c, const SummarySeries& series, const PaperCurve* paper, double x,
                const std::string& over_the_curve, const std::string& note) {
  const SummaryPoint* theirs = paper != nullptr ? paper->at(x) : nullptr;
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", series.name, x,
                     theirs != nullptr ? number(theirs->mean) : "–", value(c.as_written, series.key, x),
                     value(c.as_run, series.key, x), paper != nullptr ? ratio_text(series, *paper, x) : "–",
                     over_the_curve, note);
}

/// Numbers that the paper prints have a row each; of a curve one number is quoted, and the ratios are summed up.
std::string rows(const Comparison& c, const SummarySeries& series, std::string note) {
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
  // Of a training that is watched, the end.
  const bool watched = c.experiment->x.is_iteration();
  const double x = watched ? series.points.back().x : series.points[series.points.size() / 2].x;
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
    text += fmt::format("- {}, {}: {}{}\n", to_string(reading->summary.reading), check.text, state,
                        check.detail.empty() ? "" : fmt::format(" ({})", check.detail));
  }
  return text;
}

std::string section(const Comparison& c, const char* quick) {
  const ReadingResult& shown = c.as_run != nullptr ? *c.as_run : *c.as_written;
  std::string text = fmt::format("\n## {}\n\n`gtvmin reproduce {}{}` — {}.\n", c.experiment->title, c.experiment->name,
                                 quick, c.experiment->origin);
  for (const Reading reading : kReadings) {
    text += fmt::format("Shown {}: {}.\n", reading == Reading::kAsWritten ? "as written" : "as run",
                        describe(c.experiment->changes(reading).metric));
  }
  text += fmt::format(
      "\n| series | {} | paper | as written | as run | as run / paper | over the curve: least / median / greatest | "
      "why |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n",
      c.experiment->x.column);
  std::string last_note;
  for (const SummarySeries& series : shown.summary.series) {
    // What is said about a method stands at its first series.
    const std::string note = note_about(*c.experiment, series);
    text += rows(c, series, note == last_note ? "" : note);
    last_note = note;
  }
  return text + "\n" + checks_text(c.as_written) + checks_text(c.as_run);
}

}  // namespace

std::string reproduction_page(const std::vector<ReadingResult>& readings, bool is_quick) {
  const char* const quick = is_quick ? " --quick" : "";
  std::string text = fmt::format(
      "# Reproduction\n\nGenerated by `gtvmin docs reproduction` from the results of `gtvmin reproduce all{}`; do not "
      "edit.\n\n"
      "Every experiment of the paper has two readings. *As written* follows the text: the mean of squares over a "
      "node's\n"
      "samples, noise of every sample's own, ‖ŵ − w̄‖² per node. *As run* has the settings that gave the paper's "
      "numbers:\n"
      "the sum of squares, noise that the samples of a node share, other measures of error. Where the paper prints a\n"
      "number, it stands here; where it draws a curve, the number is from the table that the curve was drawn from, as\n"
      "recovered from the outputs of the authors' public notebooks. Ours are mean ± standard deviation over the runs. "
      "The\n"
      "format of the experiments is described in [experiments](experiments.md).\n",
      quick);
  for (const Comparison& comparison : comparisons(readings)) text += section(comparison, quick);
  return text;
}

}  // namespace gtvmin::app
