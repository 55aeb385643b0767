#include "headed_csv.h"

#include <fmt/format.h>

#include <cmath>
#include <unordered_set>
#include <utility>

namespace gtvmin {

std::string number_problem(std::string_view field, const std::optional<double>& number) {
  if (field.empty()) return "empty where a number is expected";
  if (!number) return shown(field) + " is not a number";
  return shown(field) + " is not a finite number";
}

HeadedCsv::HeadedCsv(std::string_view text, InputProblems& problems, Stop stop)
    : reader_(text), problems_(problems), poll_(std::move(stop)) {
  if (!reader_.next(record_)) {
    report("the file is empty");
    return;
  }
  if (!record_.problem.empty()) {
    report(std::string(record_.problem));
    return;
  }
  std::unordered_set<std::string_view> seen;
  for (const std::string_view field : record_.fields) {
    if (field.empty()) {
      report(fmt::format("column {} has no name", columns_.size() + 1));
    } else if (!seen.insert(field).second) {
      report(fmt::format("column {} appears twice in the header", shown(field)));
    }
    columns_.emplace_back(field);
  }
}

Index HeadedCsv::find(std::string_view column) const {
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    if (columns_[k] == column) return static_cast<Index>(k);
  }
  return kAbsent;
}

Index HeadedCsv::require(std::string_view column) {
  const Index found = find(column);
  // Without a header there is nothing to list, and its problem is known already.
  if (found == kAbsent && !columns_.empty()) {
    problems_.add(1, fmt::format("no column {}; there are {}", shown(column), shown_list(columns_)));
  }
  return found;
}

bool HeadedCsv::next() {
  while (!poll_() && reader_.next(record_)) {
    if (!record_.problem.empty()) {
      report(std::string(record_.problem));
    } else if (!columns_.empty() && record_.fields.size() != columns_.size()) {
      report(fmt::format("{} {}, but the header has {}", record_.fields.size(),
                         record_.fields.size() == 1 ? "field" : "fields", columns_.size()));
    } else {
      return true;
    }
  }
  return false;
}

std::optional<double> HeadedCsv::number(Index column) {
  const std::optional<double> number = parse_number(field(column));
  if (number && std::isfinite(*number)) return number;
  report(column, number_problem(field(column), number));
  return std::nullopt;
}

std::optional<std::string_view> HeadedCsv::name(Index column) {
  const std::string_view text = field(column);
  if (!text.empty()) return text;
  report(column, "empty where a name is expected");
  return std::nullopt;
}

void HeadedCsv::report(Index column, std::string_view what) {
  report(fmt::format("column {}: {}", shown(columns_[column]), what));
}

}  // namespace gtvmin
