#include "checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gtvmin::app {
namespace {

/// Collects comparisons: a check holds if there was one and none failed.
class Verdict {
 public:
  void compare(bool holds, const std::string& detail) {
    tested_ = true;
    if (!holds) failures_.push_back(detail);
  }
  void except(std::string exception) {
    tested_ = true;
    exceptions_.push_back(std::move(exception));
  }
  [[nodiscard]] CheckOutcome outcome(const Check& check) const {
    constexpr std::size_t kShown = 5;
    CheckOutcome outcome{check.text, CheckState::kUntested, {}, exceptions_};
    if (!tested_) return outcome;
    outcome.state = failures_.empty() ? CheckState::kHolds : CheckState::kFails;
    const std::size_t shown = std::min(failures_.size(), kShown);
    outcome.detail = fmt::format("{}", fmt::join(failures_.begin(), failures_.begin() + shown, "; "));
    if (failures_.size() > shown) outcome.detail += fmt::format("; and {} more", failures_.size() - shown);
    return outcome;
  }

 private:
  bool tested_ = false;
  std::vector<std::string> failures_;
  std::vector<std::string> exceptions_;
};

bool concerns(const Check& check, double x) {
  return check.x.empty() || std::find(check.x.begin(), check.x.end(), x) != check.x.end();
}

bool concerns(const Check& check, const std::string& series) {
  return check.series.empty() || std::find(check.series.begin(), check.series.end(), series) != check.series.end();
}

std::string place(const SummarySeries& series, double x) { return fmt::format("{} at {}", series.key, x); }

// Comparisons are written so that NaN fails.
void check_bounds(const Check& check, const SummarySeries& series, const SummaryPoint& point, Verdict& verdict) {
  if (check.at_most) {
    verdict.compare(point.mean <= *check.at_most,
                    fmt::format("{}: {:.3g} > {:.3g}", place(series, point.x), point.mean, *check.at_most));
  }
  if (check.at_least) {
    verdict.compare(point.mean >= *check.at_least,
                    fmt::format("{}: {:.3g} < {:.3g}", place(series, point.x), point.mean, *check.at_least));
  }
}

/// The runs of a point, those with the greatest errors first.
std::vector<std::size_t> worst_first(const SummaryPoint& point) {
  std::vector<std::size_t> runs(point.values.size());
  std::iota(runs.begin(), runs.end(), 0);
  std::stable_sort(runs.begin(), runs.end(),
                   [&](std::size_t a, std::size_t b) { return point.values[a] > point.values[b]; });
  return runs;
}

/// "run 3: 5.10e-05, solved 2.30e-08", where it is known what solving brings.
std::string draw_text(const Summary& summary, const SummarySeries& series, const SummaryPoint& point, std::size_t run) {
  std::string text = fmt::format("run {}: {:.2e}", run + 1, point.values[run]);
  const SummarySeries* solved = summary.find(series.solved);
  const SummaryPoint* at = solved != nullptr ? solved->at(point.x) : nullptr;
  if (at != nullptr && run < at->values.size()) text += fmt::format(", solved {:.2e}", at->values[run]);
  return text;
}

/// What excuses a mean above `most`: as few draws as possible, at most as many as the check allows, without which the
/// mean of the others is not. Empty if nothing does.
std::string excuse(const Check& check, const Summary& summary, const SummarySeries& series, const SummaryPoint& point,
                   double most) {
  const std::vector<std::size_t> runs = worst_first(point);
  std::vector<std::string> draws;
  for (std::size_t k = 0; k + 1 < runs.size() && k < static_cast<std::size_t>(check.but_for_draws); ++k) {
    draws.push_back(draw_text(summary, series, point, runs[k]));
    double sum = 0;
    for (std::size_t rest = k + 1; rest < runs.size(); ++rest) sum += point.values[runs[rest]];
    const double others = sum / static_cast<double>(runs.size() - k - 1);
    if (others <= most) return fmt::format("{}; the others have {:.2e}", fmt::join(draws, "; "), others);
  }
  return {};
}

void check_ratio(const Check& check, const Summary& summary, const SummarySeries& series, const SummaryPoint& point,
                 const SummaryPoint& paper, Verdict& verdict) {
  if (check.where_paper_below && !(paper.mean < *check.where_paper_below)) return;
  const double ours = check.typical ? point.median : point.mean;
  const std::string where = fmt::format("{}: {:.3g}, paper {:.3g}, ratio {:.3g}", place(series, point.x), ours,
                                        paper.mean, ours / paper.mean);
  if (check.ratio_at_most) {
    const bool holds = ours / paper.mean <= *check.ratio_at_most;
    const std::string excused = holds ? "" : excuse(check, summary, series, point, *check.ratio_at_most * paper.mean);
    if (excused.empty()) {
      verdict.compare(holds, where);
    } else {
      verdict.except(fmt::format("{}; {}", where, excused));
    }
  }
  if (check.ratio_at_least) verdict.compare(ours / paper.mean >= *check.ratio_at_least, where);
}

void check_points(const Check& check, const Summary& summary, const PaperNumbers& paper, Verdict& verdict) {
  for (const SummarySeries& series : summary.series) {
    if (!concerns(check, series.key)) continue;
    const PaperCurve* curve = find(paper, series.key);
    for (const SummaryPoint& point : series.points) {
      if (!concerns(check, point.x)) continue;
      check_bounds(check, series, point, verdict);
      const SummaryPoint* theirs = curve != nullptr ? curve->at(point.x) : nullptr;
      if (theirs != nullptr) check_ratio(check, summary, series, point, *theirs, verdict);
    }
    if (curve != nullptr && check.median_ratio_at_most) {
      const Ratios ratio = ratios(series, *curve, check.where_paper_below);
      if (ratio.count == 0) continue;
      verdict.compare(ratio.median <= *check.median_ratio_at_most,
                      fmt::format("{}: median ratio {:.3g}", series.key, ratio.median));
    }
  }
}

void check_ascending(const Check& check, const Summary& summary, Verdict& verdict) {
  for (std::size_t k = 0; k + 1 < check.series.size(); ++k) {
    const SummarySeries* below = summary.find(check.series[k]);
    const SummarySeries* above = summary.find(check.series[k + 1]);
    if (below == nullptr || above == nullptr) continue;
    for (const SummaryPoint& point : below->points) {
      const SummaryPoint* other = above->at(point.x);
      if (other == nullptr || !concerns(check, point.x)) continue;
      verdict.compare(point.mean < other->mean,
                      fmt::format("{}: {:.3g}, not below {:.3g} of {}", place(*below, point.x), point.mean, other->mean,
                                  above->key));
    }
  }
}

void check_within(const Check& check, const Summary& summary, Verdict& verdict) {
  const SummarySeries* first = summary.find(check.series.front());
  const SummarySeries* second = summary.find(check.series.back());
  if (first == nullptr || second == nullptr) return;
  for (const SummaryPoint& point : first->points) {
    const SummaryPoint* other = second->at(point.x);
    if (other == nullptr || !concerns(check, point.x)) continue;
    verdict.compare(std::abs(point.mean - other->mean) <= *check.within,
                    fmt::format("{}: {:.4g}, {} {:.4g}", place(*first, point.x), point.mean, second->key, other->mean));
  }
}

/// One place where the paper's error bars say that `a` is below `b`.
void check_order(const Check& check, const SummarySeries& a, const SummarySeries& b, double x, Verdict& verdict) {
  const SummaryPoint& below = *a.at(x);
  const SummaryPoint& above = *b.at(x);
  const std::string where = fmt::format("{}: {:.3g} ± {:.2g}, not below {:.3g} ± {:.2g} of {}", place(a, x), below.mean,
                                        below.deviation, above.mean, above.deviation, b.key);
  const bool holds = below.mean < above.mean;
  const bool tie = below.mean - below.deviation < above.mean + above.deviation;
  if (!holds && tie && check.but_for_ties) {
    verdict.except(where + " on the same draws");
  } else {
    verdict.compare(holds, where);
  }
}

void check_papers_order(const Check& check, const Summary& summary, const PaperNumbers& paper, Verdict& verdict) {
  for (const SummarySeries& a : summary.series) {
    const PaperCurve* paper_a = find(paper, a.key);
    for (const SummarySeries& b : summary.series) {
      const PaperCurve* paper_b = find(paper, b.key);
      if (a.variant != b.variant || paper_a == nullptr || paper_b == nullptr) continue;
      for (const SummaryPoint& point : a.points) {
        const SummaryPoint* theirs_a = paper_a->at(point.x);
        const SummaryPoint* theirs_b = paper_b->at(point.x);
        if (!concerns(check, point.x) || theirs_a == nullptr || theirs_b == nullptr || b.at(point.x) == nullptr)
          continue;
        const bool apart = theirs_a->mean + theirs_a->deviation < theirs_b->mean - theirs_b->deviation;
        if (apart) check_order(check, a, b, point.x, verdict);
      }
    }
  }
}

}  // namespace

std::vector<CheckOutcome> run_checks(const Experiment& experiment, const Summary& summary, const PaperNumbers& paper) {
  std::vector<CheckOutcome> outcomes;
  for (const Check& check : experiment.checks) {
    if (check.reading && *check.reading != summary.reading) continue;
    Verdict verdict;
    check_points(check, summary, paper, verdict);
    if (check.ascending) check_ascending(check, summary, verdict);
    if (check.within) check_within(check, summary, verdict);
    if (check.papers_order) check_papers_order(check, summary, paper, verdict);
    outcomes.push_back(verdict.outcome(check));
  }
  return outcomes;
}

}  // namespace gtvmin::app
