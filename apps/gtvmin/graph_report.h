#pragma once

#include <string>
#include <vector>

#include "graph_options.h"
#include "gtvmin/problem/dataset.h"
#include "gtvmin/similarity/graph_summary.h"

namespace gtvmin::app {

/// All that is to be told about a graph that was made.
struct GraphReport {
  const GraphSettings& settings;
  GraphSummary summary;
  Spread distance;
  Index samples = 0;
  Index added_to_connect = 0;
  Index vanished = 0;
  double scale = 1;
  double seconds = 0;
  std::vector<std::string> warnings;
};

[[nodiscard]] std::string graph_text(const GraphReport& report);
/// One JSON object; `options_json` are the options of the run.
[[nodiscard]] std::string graph_json(const GraphReport& report, const std::string& options_json);

/// What the work will cost, one line each, where it grows with a square; empty where it does not.
[[nodiscard]] std::vector<std::string> cost_texts(const GraphSettings& settings, const Dataset& dataset);
/// Fails where the distances alone need more memory than the machine has.
[[nodiscard]] Status check_memory(const GraphSettings& settings, const Dataset& dataset);

/// What a site gives away for this graph.
[[nodiscard]] std::string what_leaves_a_site(const GraphSettings& settings);

}  // namespace gtvmin::app
