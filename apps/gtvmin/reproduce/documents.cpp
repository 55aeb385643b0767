#include "documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gtvmin/io/csv_writer.h"
#include "gtvmin/version.h"
#include "outcome_json.h"

namespace gtvmin::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kCloudMetric = "the two parameters of every node, first run";

PlotSeries plot_series(const std::string& name, const std::vector<SummaryPoint>& points, bool reference) {
  PlotSeries series{.name = name, .points = {}, .reference = reference};
  series.points.reserve(points.size());
  for (const SummaryPoint& point : points) series.points.push_back({point.x, point.mean, point.deviation});
  return series;
}

PlotPanel cloud_panel(const SummarySeries& series) {
  PlotSeries cloud{.name = series.name, .points = {}, .reference = false, .scatter = true};
  cloud.points.reserve(series.cloud.size());
  for (const CurvePoint& point : series.cloud) cloud.points.push_back({point.x, point.y, 0});
  return {.title = series.name, .x_label = "w1", .y_label = "w2", .log_y = false, .series = {std::move(cloud)}};
}

std::string method_name(const Experiment& experiment, const std::string& key) {
  const auto it = std::find_if(experiment.methods.begin(), experiment.methods.end(),
                               [&](const ExperimentMethod& method) { return method.key == key; });
  return it == experiment.methods.end() ? key : it->name;
}

/// Ours first, since a dashed curve takes its colour from the one of ours at the same position.
PlotPanel curve_panel(const Experiment& experiment, const std::string& title,
                      const std::vector<const SummarySeries*>& all, const PaperNumbers& paper, Metric metric) {
  PlotPanel panel{
      .title = title, .x_label = experiment.x.column, .y_label = "mean squared error", .log_y = true, .series = {}};
  if (metric == Metric::kAccuracy) {
    panel.y_label = "accuracy";
    panel.log_y = false;
  }
  panel.series.reserve(2 * all.size());
  for (const SummarySeries* series : all) panel.series.push_back(plot_series(series->name, series->points, false));
  for (const SummarySeries* series : all) {
    const PaperCurve* curve = find(paper, series->key);
    panel.series.push_back(
        plot_series("paper: " + series->name, curve != nullptr ? curve->points : std::vector<SummaryPoint>{}, true));
  }
  return panel;
}

std::string series_line(const SummarySeries& series, const PaperNumbers& paper, Metric metric) {
  constexpr std::size_t kMostShown = 12;
  std::vector<std::string> numbers;
  numbers.reserve(series.points.size());
  for (const SummaryPoint& point : series.points) {
    numbers.push_back(metric == Metric::kAccuracy ? fmt::format("{:.4f}", point.mean)
                                                  : fmt::format("{:.2e}", point.mean));
  }
  if (numbers.size() > kMostShown) numbers = {numbers.front(), "…", numbers.back()};
  std::string line = fmt::format("    {:<24} {}", series.name, fmt::join(numbers, " "));
  if (const PaperCurve* curve = find(paper, series.key)) {
    const Ratios ratio = ratios(series, *curve);
    if (ratio.count == 1) line += fmt::format("   {:.2g} times the paper's", ratio.median);
    if (ratio.count > 1) {
      line += fmt::format("   {:.2g} to {:.2g} times the paper's, median {:.2g}", ratio.least, ratio.greatest,
                          ratio.median);
    }
  }
  return line + "\n";
}

}  // namespace

std::string summary_csv(const Experiment& experiment, const Summary& summary) {
  const bool deviations = !experiment.deviation_column.empty();
  const std::string metric = describe_numbers(experiment, summary.reading);
  CsvWriter out;
  out.text(experiment.x.column);
  for (const SummarySeries& series : summary.series) {
    out.text(fill_in(experiment.mean_column, series.key));
    if (deviations) out.text(fill_in(experiment.deviation_column, series.key));
  }
  out.text("metric").end_row();
  for (const double x : summary.xs()) {
    out.number(x);
    for (const SummarySeries& series : summary.series) {
      const SummaryPoint* point = series.at(x);
      for (const bool deviation : {false, true}) {
        if (deviation && !deviations) continue;
        if (point == nullptr) {
          out.text("");
        } else {
          out.number(deviation ? point->deviation : point->mean);
        }
      }
    }
    out.text(metric).end_row();
  }
  return out.take();
}

std::string cloud_csv(const Summary& summary) {
  CsvWriter out;
  std::size_t rows = 0;
  for (const SummarySeries& series : summary.series) {
    if (series.cloud.empty()) continue;
    rows = std::max(rows, series.cloud.size());
    out.text(series.key + "_0").text(series.key + "_1");
  }
  if (rows == 0) return {};
  out.text("metric").end_row();
  for (std::size_t i = 0; i < rows; ++i) {
    for (const SummarySeries& series : summary.series) {
      if (i < series.cloud.size()) {
        out.number(series.cloud[i].x).number(series.cloud[i].y);
      } else if (!series.cloud.empty()) {
        out.text("").text("");
      }
    }
    out.text(kCloudMetric).end_row();
  }
  return out.take();
}

std::string results_json(const Experiment& experiment, const Summary& summary, const std::vector<FinishedCell>& cells) {
  Json all = Json::array();
  for (const FinishedCell& finished : cells) {
    const Cell& cell = *finished.cell;
    Json json = {{"series", cell.series.key()},
                 {"x", cell.x},
                 {"run", cell.run},
                 {"seed", cell.seed},
                 {"curve", points_json(finished.outcome.curve)}};
    if (!finished.outcome.cloud.empty()) json["cloud"] = points_json(finished.outcome.cloud);
    json["facts"] = facts_json(finished.outcome.facts);
    if (!finished.outcome.tuning.rows.empty()) json["tuning"] = tuning_json(finished.outcome.tuning);
    json["settings"] = Json::parse(cell.settings);
    all.push_back(std::move(json));
  }
  const Json json = {{"experiment", experiment.name},
                     {"title", experiment.title},
                     {"origin", experiment.origin},
                     {"reading", to_string(summary.reading)},
                     {"metric", describe_numbers(experiment, summary.reading)},
                     {"version", version_string()},
                     {"cells", std::move(all)}};
  return json.dump(1) + "\n";
}

Figure figure(const Experiment& experiment, const Summary& summary, const PaperNumbers& paper) {
  Figure figure{.title = fmt::format("{} ({})", experiment.title, to_string(summary.reading)),
                .caption = std::string(summary.metric == Metric::kScatter ? kCloudMetric : describe(summary.metric)),
                .panels = {}};
  std::vector<const SummarySeries*> together;
  for (const SummarySeries& series : summary.series) {
    if (summary.metric == Metric::kScatter) {
      if (!series.cloud.empty()) figure.panels.push_back(cloud_panel(series));
    } else {
      if (experiment.panel_per_method && !together.empty() && together.front()->method != series.method) {
        figure.panels.push_back(curve_panel(experiment, method_name(experiment, together.front()->method), together,
                                            paper, summary.metric));
        together.clear();
      }
      together.push_back(&series);
    }
  }
  if (!together.empty()) {
    const std::string title = experiment.panel_per_method ? method_name(experiment, together.front()->method) : "";
    figure.panels.push_back(curve_panel(experiment, title, together, paper, summary.metric));
  }
  if (!paper.empty()) figure.caption += "; dashed: the paper";
  return figure;
}

std::string summary_text(const Summary& summary, const PaperNumbers& paper, const std::vector<CheckOutcome>& checks) {
  std::string text =
      fmt::format("{} {}: {}\n", summary.experiment, to_string(summary.reading), describe(summary.metric));
  for (const SummarySeries& series : summary.series) {
    if (!series.points.empty()) text += series_line(series, paper, summary.metric);
  }
  const auto count = [&](CheckState state) {
    return std::count_if(checks.begin(), checks.end(), [&](const CheckOutcome& c) { return c.state == state; });
  };
  const auto tested = static_cast<std::ptrdiff_t>(checks.size()) - count(CheckState::kUntested);
  text += fmt::format("    {} of {} checks hold", count(CheckState::kHolds), tested);
  if (const auto untested = count(CheckState::kUntested); untested > 0) {
    text += fmt::format(", {} could not be tested", untested);
  }
  text += "\n";
  for (const CheckOutcome& check : checks) {
    if (check.state == CheckState::kFails) text += fmt::format("    fails: {} ({})\n", check.text, check.detail);
    if (check.state == CheckState::kUntested) text += fmt::format("    not tested: {}\n", check.text);
    for (const std::string& exception : check.exceptions) {
      text += fmt::format("    but for: {} ({})\n", check.text, exception);
    }
  }
  return text;
}

}  // namespace gtvmin::app
