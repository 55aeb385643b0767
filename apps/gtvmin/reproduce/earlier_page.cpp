#include "earlier_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <vector>

#include "page.h"

namespace gtvmin::app {
namespace {

constexpr std::string_view kNotRunAgain = "The numbers are of an earlier version: it has not been run again.";
constexpr std::string_view kSection = "\n## ";
constexpr std::string_view kColumn = " | ";

std::string_view section_of(const Experiment& experiment, std::string_view page) {
  const std::size_t command = page.find(fmt::format("\n`gtvmin reproduce {}`", experiment.name));
  if (command == std::string_view::npos) return {};
  const std::size_t begin = page.rfind(kSection, command);
  const std::size_t end = page.find(kSection, command);
  return page.substr(begin, end == std::string_view::npos ? end : end - begin);
}

/// All series of both readings, each once.
std::vector<SeriesId> all_series(const Experiment& experiment) {
  std::vector<SeriesId> all;
  std::set<std::string> keys;
  for (const Reading reading : {Reading::kAsRun, Reading::kAsWritten}) {
    for (const SeriesId& series : series_of(experiment, reading)) {
      if (keys.insert(series.key()).second) all.push_back(series);
    }
  }
  return all;
}

/// Rows of the table with the notes of today; those of series that have no row yet at the end.
class RowWriter {
 public:
  explicit RowWriter(const Experiment& experiment) : experiment_(experiment), without_row_(all_series(experiment)) {}

  std::string renew(const std::string& row) {
    const std::string name = row.substr(2, row.find(kColumn) - 2);
    const auto series =
        std::find_if(without_row_.begin(), without_row_.end(), [&](const SeriesId& s) { return s.name() == name; });
    std::string note;
    if (series != without_row_.end()) {
      note = fresh_note(*series);
      without_row_.erase(series);
    }
    const std::size_t last = row.rfind(kColumn, row.size() - 3);
    return fmt::format("{}{}{} |\n", row.substr(0, last), kColumn, note);
  }

  std::string missing_rows() {
    std::string text;
    for (const SeriesId& series : without_row_) {
      text += fmt::format("| {} | {} | – | not run | not run | – |  | {} |\n", series.name(),
                          experiment_.x.values.back(), fresh_note(series));
    }
    return text;
  }

 private:
  std::string fresh_note(const SeriesId& series) {
    std::string note = note_about(experiment_, series.key(), series.method->key);
    if (note == last_note_) return {};
    last_note_ = note;
    return note;
  }

  const Experiment& experiment_;
  std::vector<SeriesId> without_row_;
  std::string last_note_;
};

}  // namespace

std::string earlier_section(const Experiment& experiment, std::string_view page) {
  std::istringstream lines{std::string(section_of(experiment, page))};
  RowWriter rows(experiment);
  std::string text;
  bool in_rows = false;
  bool renewed = false;  // the first table is that of the series
  bool said = false;
  for (std::string line; std::getline(lines, line);) {
    const bool is_row = line.starts_with("| ");
    if (line == kNotRunAgain) continue;
    if (line.starts_with("Shown as run")) said = true;
    if (in_rows && !is_row) {
      text += rows.missing_rows();
      renewed = true;
    }
    text += in_rows && is_row ? rows.renew(line) : line + "\n";
    if (said) text += fmt::format("{}\n", kNotRunAgain);
    said = false;
    in_rows = is_row && !renewed && (in_rows || line.starts_with("| ---"));
  }
  return text;
}

}  // namespace gtvmin::app
