#include "edge_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "gtvmin/base/stoppable_sort.h"
#include "headed_csv.h"

namespace gtvmin {

namespace {

/// An edge whichever way round it is given, in one number that sorts fast.
struct EdgeLine {
  std::uint64_t ends;
  std::int64_t line;
};

EdgeLine edge_line(NodeId a, NodeId b, std::int64_t line) {
  const auto [low, high] = std::minmax(a, b);
  return {static_cast<std::uint64_t>(low) << 32U | static_cast<std::uint32_t>(high), line};
}

void report_repeated(std::vector<EdgeLine> lines, const NameTable& names, InputProblems& problems, const Stop& stop) {
  const auto by_ends = [](const EdgeLine& a, const EdgeLine& b) {
    return a.ends != b.ends ? a.ends < b.ends : a.line < b.line;
  };
  if (!sort_unless_stopped(lines.begin(), lines.end(), by_ends, stop)) return;
  for (std::size_t first = 0, k = 1; k < lines.size(); ++k) {
    if (lines[k].ends != lines[first].ends) {
      first = k;
      continue;
    }
    const auto low = static_cast<NodeId>(lines[k].ends >> 32U);
    const auto high = static_cast<NodeId>(lines[k].ends & 0xFFFFFFFFU);
    problems.add(lines[k].line, fmt::format("the edge between {} and {} is given twice, first on line {}",
                                            shown(names.name(low)), shown(names.name(high)), lines[first].line));
  }
}

}  // namespace

Result<EdgeRows> read_edge_rows(std::string_view text, NameTable& names, InputProblems& problems, const Stop& stop) {
  HeadedCsv csv(text, problems, stop);
  const Index source = csv.require("source");
  const Index target = csv.require("target");
  const Index weight = csv.find("weight");
  for (const std::string& column : csv.columns()) {
    if (column.empty() || column == "source" || column == "target" || column == "weight") continue;
    problems.add(
        1, fmt::format("unknown column {}; an edge file has source, target and, if wanted, weight", shown(column)));
  }
  EdgeRows rows;
  if (!problems.empty()) {
    // The columns mean nothing now, but the form of the rows can still be looked at.
    while (csv.next()) {
    }
    if (csv.stopped()) return interrupted();
    return rows;
  }

  std::vector<EdgeLine> lines;
  while (csv.next()) {
    const auto a = csv.name(source);
    const auto b = csv.name(target);
    double value = 1;
    if (weight != HeadedCsv::kAbsent) {
      const auto number = csv.number(weight);
      if (number && *number <= 0) csv.report(weight, shown(csv.field(weight)) + " is not greater than 0");
      value = number.value_or(1);
    }
    if (!a || !b) continue;
    const NodeId from = names.id_of(*a);
    const NodeId to = names.id_of(*b);
    if (from == to) {
      csv.report(fmt::format("an edge from {} to itself", shown(*a)));
      continue;
    }
    rows.edges.push_back({from, to, value});
    rows.lines.push_back(csv.line());
    lines.push_back(edge_line(from, to, csv.line()));
  }
  if (csv.stopped()) return interrupted();
  report_repeated(std::move(lines), names, problems, stop);
  if (stopped(stop)) return interrupted();
  return rows;
}

}  // namespace gtvmin
