#include "earlier_page.h"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "page.h"

namespace gtvmin::app {
namespace {

constexpr std::string_view kNotRunAgain =
    "These numbers are from an earlier version; the experiment has not been repeated.";
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

/// Rows without numbers for the series that have no row in the first table of `numbers`.
std::string missing_rows(const Experiment& experiment, std::string_view numbers) {
  std::string text;
  for (const SeriesId& series : all_series(experiment)) {
    if (numbers.find(fmt::format("\n| {}{}", series.name(), kColumn)) != std::string_view::npos) continue;
    text += fmt::format("| {} | {} | – | not run | not run | – |  |\n", series.name(), experiment.x.values.back());
  }
  return text;
}

}  // namespace

std::string earlier_section(const Experiment& experiment, std::string_view page) {
  const std::string_view section = section_of(experiment, page);
  const std::size_t checks = section.find(fmt::format("\n{}\n", kChecksHeading));
  if (checks == std::string_view::npos) return {};
  std::string results(section.substr(checks));
  // The first table ends at the first line after its ruler that is no row.
  std::size_t end = results.find("\n| --- ");
  while (end != std::string::npos && results.compare(end, 3, "\n| ") == 0) end = results.find('\n', end + 1);
  const std::size_t at = end == std::string::npos ? results.size() : end + 1;
  results.insert(at, missing_rows(experiment, std::string_view(results).substr(0, at)));
  return section_head(experiment, "", kNotRunAgain) + results;
}

}  // namespace gtvmin::app
