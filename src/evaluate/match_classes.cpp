#include "gtvmin/evaluate/match_classes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace gtvmin {

Status match_classes(const std::string& where, const std::vector<std::string>& classes, Dataset& dataset) {
  const bool signs = (dataset.labels.array() < 0).any();
  if (dataset.class_names.empty() || classes.empty() || dataset.class_names == classes || signs) return Unit{};
  std::vector<double> position;
  std::vector<std::string> unknown;
  for (const std::string& name : dataset.class_names) {
    const auto found = std::find(classes.begin(), classes.end(), name);
    position.push_back(static_cast<double>(found - classes.begin()));
    if (found == classes.end()) unknown.push_back(name);
  }
  if (!unknown.empty()) {
    return bad_input(fmt::format("{}: class {} is unknown to the trained model; it has {}", where,
                                 fmt::join(unknown, ", "), fmt::join(classes, ", ")));
  }
  for (double& label : dataset.labels) label = position[static_cast<std::size_t>(label)];
  dataset.class_names = classes;
  return Unit{};
}

}  // namespace gtvmin
