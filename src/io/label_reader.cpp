#include "label_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "gtvmin/io/input_problems.h"

namespace gtvmin {

std::optional<double> LabelReader::read(HeadedCsv& csv, Index column) {
  if (domain_ == LabelDomain::kClass) {
    const auto name = csv.name(column);
    return name ? std::optional<double>(classes_.id_of(*name)) : std::nullopt;
  }
  const std::optional<double> label = csv.number(column);
  if (!label) return std::nullopt;
  if (domain_ == LabelDomain::kBinary) return binary(csv, column, *label);
  if (domain_ == LabelDomain::kCount && (*label < 0 || *label != std::floor(*label))) {
    csv.report(column, fmt::format("label {} is not a count (0, 1, 2, …)", shown(csv.field(column))));
    return std::nullopt;
  }
  return label;
}

/// Maps {0, 1} or {−1, 1} to −1 and +1.
std::optional<double> LabelReader::binary(HeadedCsv& csv, Index column, double label) {
  if (label == 1) return 1;
  if (label != 0 && label != -1) {
    csv.report(column, fmt::format("label {} is neither 0 or 1 nor -1 or 1", shown(csv.field(column))));
    return std::nullopt;
  }
  if (line_of_negative_ == 0) {
    line_of_negative_ = csv.line();
    negative_ = label;
  } else if (label != negative_) {
    csv.report(column, fmt::format("label {} in a file that has {} on line {}", label, negative_, line_of_negative_));
    return std::nullopt;
  }
  return -1;
}

std::vector<std::string> LabelReader::finish(Vector& labels) && {
  if (domain_ == LabelDomain::kBinary) return {negative_ == 0 ? "0" : "-1", "1"};
  if (domain_ != LabelDomain::kClass) return {};
  const std::vector<std::string> names = std::move(classes_).take_names();
  std::vector<std::optional<double>> numbers;
  numbers.reserve(names.size());
  for (const std::string& name : names) numbers.push_back(parse_number(name));
  const bool all_numbers =
      std::all_of(numbers.begin(), numbers.end(), [](const auto& n) { return n && std::isfinite(*n); });
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (all_numbers && *numbers[a] != *numbers[b]) return *numbers[a] < *numbers[b];
    return names[a] < names[b];
  });
  std::vector<std::string> sorted;
  std::vector<double> position(names.size());
  for (const std::size_t k : order) {
    position[k] = static_cast<double>(sorted.size());
    sorted.push_back(names[k]);
  }
  for (double& label : labels) label = position[static_cast<std::size_t>(label)];
  return sorted;
}

}  // namespace gtvmin
