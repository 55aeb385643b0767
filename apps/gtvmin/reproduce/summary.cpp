#include "summary.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace gtvmin::app {
namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

SummaryPoint join(double x, const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {x, mean, std::sqrt(squares / n), median(values), static_cast<std::int64_t>(values.size()), values};
}

}  // namespace

const SummaryPoint* SummarySeries::at(double x) const {
  const auto it = std::find_if(points.begin(), points.end(), [&](const SummaryPoint& point) { return point.x == x; });
  return it == points.end() ? nullptr : &*it;
}

const SummarySeries* Summary::find(const std::string& key) const {
  const auto it = std::find_if(series.begin(), series.end(), [&](const SummarySeries& s) { return s.key == key; });
  return it == series.end() ? nullptr : &*it;
}

std::vector<double> Summary::xs() const {
  std::set<double> values;
  for (const SummarySeries& one : series) {
    for (const SummaryPoint& point : one.points) values.insert(point.x);
  }
  return {values.begin(), values.end()};
}

Summary summarise(const Experiment& experiment, Reading reading, const std::vector<FinishedCell>& cells) {
  std::vector<const FinishedCell*> in_order;
  in_order.reserve(cells.size());
  for (const FinishedCell& cell : cells) in_order.push_back(&cell);
  std::sort(in_order.begin(), in_order.end(),
            [](const FinishedCell* a, const FinishedCell* b) { return a->cell->run < b->cell->run; });

  Summary summary{experiment.name, reading, experiment.changes(reading).metric, {}};
  for (const SeriesId& id : series_of(experiment, reading)) {
    const std::string& solved = id.method->solved_by;
    SummarySeries series{
        id.key(), id.name(), id.method->key, id.variant->key, solved.empty() ? "" : solved + id.variant->key, {}, {}};
    std::map<double, std::vector<double>> values;
    for (const FinishedCell* cell : in_order) {
      if (cell->cell->series.key() != series.key) continue;
      for (const CurvePoint& point : cell->outcome.curve) values[point.x].push_back(point.y);
      if (series.cloud.empty()) series.cloud = cell->outcome.cloud;
    }
    series.points.reserve(values.size());
    for (const auto& [x, runs] : values) series.points.push_back(join(x, runs));
    summary.series.push_back(std::move(series));
  }
  return summary;
}

}  // namespace gtvmin::app
