#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gtvmin/demo/sacramento.h"
#include "gtvmin/io/csv.h"

namespace gtvmin {
namespace {

struct Column {
  std::string_view name;
  double House::*member;
};
constexpr std::array<Column, 6> kColumns = {{{"beds", &House::beds},
                                             {"baths", &House::baths},
                                             {"sqft", &House::sqft},
                                             {"price", &House::price},
                                             {"latitude", &House::latitude},
                                             {"longitude", &House::longitude}}};

}  // namespace

Result<std::vector<House>> parse_houses(const std::string& name, std::string_view content) {
  CsvReader reader(content);
  CsvRecord record;
  if (!reader.next(record)) {
    return bad_input(name + ": the file is empty");
  }
  std::array<std::size_t, kColumns.size()> positions{};
  for (std::size_t c = 0; c < kColumns.size(); ++c) {
    const auto found = std::find(record.fields.begin(), record.fields.end(), kColumns[c].name);
    if (found == record.fields.end()) {
      return bad_input(fmt::format("{}:1: there is no column '{}'", name, kColumns[c].name));
    }
    positions[c] = static_cast<std::size_t>(found - record.fields.begin());
  }
  const std::size_t width = record.fields.size();
  const auto city =
      static_cast<std::size_t>(std::find(record.fields.begin(), record.fields.end(), "city") - record.fields.begin());

  std::vector<House> houses;
  while (reader.next(record)) {
    if (!record.problem.empty() || record.fields.size() != width) {
      return bad_input(
          fmt::format("{}:{}: {}", name, record.line,
                      record.problem.empty() ? "a row of another length than the header" : record.problem));
    }
    House house;
    for (std::size_t c = 0; c < kColumns.size(); ++c) {
      const std::string_view field = record.fields[positions[c]];
      const std::optional<double> number = parse_number(field);
      if (!number || !std::isfinite(*number)) {
        return bad_input(
            fmt::format("{}:{}: '{}' in column '{}' is not a number", name, record.line, field, kColumns[c].name));
      }
      house.*kColumns[c].member = *number;
    }
    if (city < width) house.city = record.fields[city];
    houses.push_back(std::move(house));
  }
  return houses;
}

}  // namespace gtvmin
