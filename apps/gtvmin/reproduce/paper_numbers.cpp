#include "paper_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "gtvmin/io/csv.h"
#include "gtvmin/io/text_file.h"

namespace gtvmin::app {
namespace {

std::optional<std::size_t> column(const std::vector<std::string>& header, const std::string& name) {
  const auto it = std::find(header.begin(), header.end(), name);
  return it == header.end() ? std::nullopt : std::optional<std::size_t>(it - header.begin());
}

/// A CSV with a header, in which a field that is no number is not there.
struct NumberTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::optional<double>>> rows;
};

Result<NumberTable> read_number_table(const std::string& path) {
  const Result<TextFile> file = TextFile::open(path);
  if (!file) return file.error();
  CsvReader reader(file->content());
  CsvRecord record;
  NumberTable table;
  while (reader.next(record)) {
    if (!record.problem.empty()) return bad_input(fmt::format("{}:{}: {}", path, record.line, record.problem));
    if (table.header.empty()) {
      table.header.assign(record.fields.begin(), record.fields.end());
      continue;
    }
    auto& row = table.rows.emplace_back(table.header.size());
    for (std::size_t k = 0; k < std::min(row.size(), record.fields.size()); ++k) {
      row[k] = parse_number(record.fields[k]);
    }
  }
  return table;
}

std::vector<SummaryPoint> points_of(const NumberTable& table, std::size_t x, std::size_t mean,
                                    std::optional<std::size_t> deviation) {
  std::vector<SummaryPoint> points;
  points.reserve(table.rows.size());
  for (const auto& row : table.rows) {
    if (!row[x] || !row[mean]) continue;
    points.push_back({*row[x], *row[mean], deviation ? row[*deviation].value_or(0) : 0, 0, 0, {}});
  }
  return points;
}

Status add_recovered(const Experiment& experiment, const std::string& folder, PaperNumbers& numbers) {
  const std::string path = fmt::format("{}/{}", folder, experiment.recovered_file);
  const Result<NumberTable> table = read_number_table(path);
  if (!table) return table.error();
  const auto x = column(table->header, experiment.x.column);
  if (!x) return bad_input(fmt::format("{}: has no column '{}'", path, experiment.x.column));
  for (const SeriesId& id : series_of(experiment, Reading::kAsRun)) {
    const auto mean = column(table->header, fill_in(experiment.mean_column, id.key()));
    if (!mean || find(numbers, id.key()) != nullptr) continue;
    const auto deviation = column(table->header, fill_in(experiment.deviation_column, id.key()));
    numbers.push_back({id.key(), points_of(*table, *x, *mean, deviation), false});
  }
  return Unit{};
}

}  // namespace

const SummaryPoint* PaperCurve::at(double x) const {
  const auto it = std::find_if(points.begin(), points.end(), [&](const SummaryPoint& point) { return point.x == x; });
  return it == points.end() ? nullptr : &*it;
}

Status check_paper_results(const std::string& folder) {
  std::error_code unknown;
  if (folder.empty() || std::filesystem::is_directory(folder, unknown)) return Unit{};
  return usage_error(fmt::format("--paper-results: there is no folder {}", folder));
}

Result<PaperNumbers> paper_numbers(const Experiment& experiment, const std::string& folder) {
  PaperNumbers numbers;
  for (const PrintedCurve& printed : experiment.printed) {
    PaperCurve curve{printed.series, {}, true};
    curve.points.reserve(printed.x.size());
    for (std::size_t k = 0; k < printed.x.size(); ++k)
      curve.points.push_back({printed.x[k], printed.y[k], 0, 0, 0, {}});
    numbers.push_back(std::move(curve));
  }
  if (!folder.empty() && !experiment.recovered_file.empty()) {
    if (const Status added = add_recovered(experiment, folder, numbers); !added) return added.error();
  }
  return numbers;
}

const PaperCurve* find(const PaperNumbers& numbers, const std::string& series) {
  const auto it = std::find_if(numbers.begin(), numbers.end(), [&](const PaperCurve& c) { return c.series == series; });
  return it == numbers.end() ? nullptr : &*it;
}

Ratios ratios(const SummarySeries& ours, const PaperCurve& paper, std::optional<double> where_paper_below) {
  std::vector<double> all;
  all.reserve(ours.points.size());
  for (const SummaryPoint& point : ours.points) {
    const SummaryPoint* theirs = paper.at(point.x);
    if (theirs == nullptr || !(theirs->mean > 0) || (where_paper_below && theirs->mean >= *where_paper_below)) continue;
    all.push_back(point.mean / theirs->mean);
  }
  if (all.empty()) return {};
  std::sort(all.begin(), all.end());
  const std::size_t n = all.size();
  return {n, all.front(), (all[(n - 1) / 2] + all[n / 2]) / 2, all.back()};
}

}  // namespace gtvmin::app
