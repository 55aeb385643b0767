#include "sample_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "gtvmin/base/memory.h"
#include "headed_csv.h"

namespace gtvmin {

namespace {

/// Where the parts of a sample stand in a record.
struct Layout {
  Index node = HeadedCsv::kAbsent;
  Index label = HeadedCsv::kAbsent;
  std::vector<Index> features;
};

std::vector<Index> selected_features(HeadedCsv& csv, const DataColumns& columns, const Layout& layout,
                                     InputProblems& problems) {
  std::vector<Index> features;
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : columns.features) {
    const Index column = csv.require(name);
    if (column == HeadedCsv::kAbsent) continue;
    if (column == layout.node || column == layout.label) {
      problems.add(1, fmt::format("column {} is the {} and cannot be a feature too", shown(name),
                                  column == layout.node ? "node" : "label"));
    } else if (!seen.insert(name).second) {
      problems.add(1, fmt::format("column {} is selected twice as a feature", shown(name)));
    }
    features.push_back(column);
  }
  return features;
}

Layout find_layout(HeadedCsv& csv, const DataColumns& columns, bool has_node, bool has_label, InputProblems& problems) {
  Layout layout;
  if (has_node) layout.node = csv.require(columns.node);
  if (has_label) {
    layout.label = csv.require(columns.label);
    if (layout.label != HeadedCsv::kAbsent && layout.label == layout.node) {
      problems.add(1, fmt::format("column {} cannot be both the node and the label", shown(columns.node)));
    }
  }
  if (!columns.features.empty()) {
    layout.features = selected_features(csv, columns, layout, problems);
    return layout;
  }
  for (Index column = 0; column < static_cast<Index>(csv.columns().size()); ++column) {
    if (column != layout.node && column != layout.label) layout.features.push_back(column);
  }
  return layout;
}

/// No text has more rows: each ends with a line break and has a byte for every column. Room for the rows is made once.
Index max_rows(std::string_view text, std::size_t columns, StopPoll poll) {
  Index by_lines = 1;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos && !poll(); at = text.find('\n', at + 1)) {
    ++by_lines;
  }
  return std::min(by_lines, static_cast<Index>(text.size() / columns + 1));
}

}  // namespace

Result<SampleRows> read_sample_rows(const SampleText& text, const DataColumns& columns, LabelReader* labels,
                                    NameTable& names, InputProblems& problems, const Stop& stop) {
  HeadedCsv csv(text.content, problems, stop);
  const Layout layout = find_layout(csv, columns, text.node.empty(), labels != nullptr, problems);
  SampleRows rows;
  if (!problems.empty()) {
    // The columns mean nothing now, but the form of the rows can still be looked at.
    while (csv.next()) {
    }
    if (csv.stopped()) return interrupted();
    return rows;
  }

  for (const Index column : layout.features) rows.feature_names.push_back(csv.columns()[column]);
  const auto dimension = static_cast<Index>(layout.features.size());
  const Index capacity = max_rows(text.content, csv.columns().size(), StopPoll(stop));
  if (stopped(stop)) return interrupted();
  const double bytes = static_cast<double>(sizeof(double)) * static_cast<double>(dimension + 1);
  if (const Status fits = require_memory(bytes * static_cast<double>(capacity), "reading the samples"); !fits) {
    return fits.error();
  }
  rows.features.resize(dimension, capacity);
  if (labels != nullptr) rows.labels.resize(capacity);

  Index row = 0;
  bool any = false;
  while (csv.next()) {
    any = true;
    bool good = true;
    const auto name = text.node.empty() ? csv.name(layout.node) : text.node;
    if (labels != nullptr) {
      const auto label = labels->read(csv, layout.label);
      good = label.has_value();
      if (label) rows.labels[row] = *label;
    }
    double* const sample = rows.features.data() + row * dimension;
    for (Index k = 0; k < dimension; ++k) {
      const auto number = csv.number(layout.features[k]);
      good = good && number;
      if (number) sample[k] = *number;
    }
    if (!good || !name) continue;
    rows.node_of_row.push_back(names.id_of(*name));
    ++row;
  }
  if (csv.stopped()) return interrupted();
  if (!any && problems.empty()) problems.add(1, "no rows after the header");
  rows.features.conservativeResize(dimension, row);
  if (labels != nullptr) rows.labels.conservativeResize(row);
  return rows;
}

}  // namespace gtvmin
