#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtvmin/problem/dataset.h"
#include "gtvmin/problem/model.h"
#include "gtvmin/problem/problem.h"
#include "gtvmin/problem/standardize.h"
#include "gtvmin/solver/solver.h"

namespace gtvmin {

/// All that is to be told about one run.
struct RunRecord {
  const Dataset& dataset;
  std::string model_name;
  const LocalModel& model;
  const Problem& problem;
  const SolveResult& result;
  std::string method;
  std::int64_t seed = 0;
  /// The options of the run as a JSON object.
  std::string options_json = "{}";
  std::optional<Standardization> standardization;
  /// In addition to those of the solver.
  std::vector<std::string> warnings;
};

/// The warnings of the run, those of the solver with the names of their nodes.
[[nodiscard]] std::vector<std::string> warning_texts(const RunRecord& run);

/// `node`, then one column per parameter of the model, private ones included, in the units people see.
[[nodiscard]] std::string parameters_csv(const RunRecord& run);
/// `node,cluster`, clusters numbered from 0.
[[nodiscard]] std::string clusters_csv(const RunRecord& run);
/// `source,target,weight,flow_norm,saturated,difference,certificate`. flow_norm is the dual norm of u_e where the
/// penalty is one of our norms, Euclidean otherwise; saturated says that the flow of a norm uses all of λ·weight, so
/// that the two models may differ; difference is ‖w_source − w_target‖₂; certificate is the edge's share of the gap.
[[nodiscard]] std::string edges_csv(const RunRecord& run);
/// `node,samples,loss,certificate`: the node's local loss and its share of the gap.
[[nodiscard]] std::string nodes_csv(const RunRecord& run);
/// One row per check of the solver.
[[nodiscard]] std::string trace_csv(const RunRecord& run);
/// The run in one JSON object.
[[nodiscard]] std::string summary_json(const RunRecord& run);

/// All of them: file names with contents.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> result_files(const RunRecord& run);

}  // namespace gtvmin
