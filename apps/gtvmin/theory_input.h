#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gtvmin/theory/analysis.h"
#include "gtvmin/theory/critical_lambda.h"
#include "solve_input.h"
#include "theory_options.h"

namespace gtvmin::app {

/// The problem and the partition that are analysed.
struct TheoryInput {
  SolveInput problem;
  Partition clusters;
  std::vector<std::string> cluster_names;
  std::string clusters_from;  ///< the file, or "components of the graph"
  /// Coupled parameters of the result, one column per node; nothing without a result.
  std::optional<Matrix> learnt;
};

/// Reads all files; fails on losses and penalties to which the analysis does not apply, by their names.
[[nodiscard]] Result<TheoryInput> read_theory_input(const TheorySettings& settings);

/// All that is reported.
struct TheoryRecord {
  const TheorySettings& settings;
  const TheoryInput& input;
  const ProblemAnalysis& analysis;
  const std::vector<CriticalLambda>* critical;  ///< null: not asked for
  double seconds = 0;

  [[nodiscard]] double lambda() const { return settings.input.lambda; }
  [[nodiscard]] const std::string& node_name(NodeId i) const {
    return input.problem.dataset.node_names[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] const std::string& cluster_name(NodeId c) const {
    return input.cluster_names[static_cast<std::size_t>(c)];
  }
};

/// The largest ‖w_i − w̄_C‖ over the nodes of a cluster; nothing without a result.
[[nodiscard]] std::optional<double> measured_deviation(const TheoryRecord& record, const ClusterAnalysis& cluster);

}  // namespace gtvmin::app
