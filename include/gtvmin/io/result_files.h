#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtvmin/io/trained_models.h"
#include "gtvmin/solver/solver.h"

namespace gtvmin {

/// Numbers by the names that they have in summary.json.
using NamedCounts = std::vector<std::pair<std::string, std::int64_t>>;

/// All that is to be told about one run of the solver.
struct RunRecord {
  TrainedModels trained;
  const SolveResult& result;
  NamedCounts network = {};  ///< what travelled between simulated shards; empty if there were none
};

/// The warnings of the run, those of the solver with the names of their nodes.
[[nodiscard]] std::vector<std::string> warning_texts(const RunRecord& run);

/// `source,target,weight,flow_norm,saturated,difference,certificate`. flow_norm is the dual norm of u_e where the
/// penalty is one of our norms, Euclidean otherwise; saturated says that the flow of a norm uses all of λ·weight, so
/// that the two models may differ; difference is ‖w_source − w_target‖₂; certificate is the edge's share of the gap.
[[nodiscard]] std::string edges_csv(const RunRecord& run, const Stop& stop = {});
/// `node,samples,loss,certificate`: the node's local loss and its share of the gap.
[[nodiscard]] std::string nodes_csv(const RunRecord& run, const Stop& stop = {});
/// One row per check of the solver.
[[nodiscard]] std::string trace_csv(const RunRecord& run, const Stop& stop = {});
/// The run in one JSON object.
[[nodiscard]] std::string summary_json(const RunRecord& run);

/// All of them: file names with contents. Fails with interrupted() once `stop` says so, and with a runtime failure if a
/// parameter is not a finite number.
[[nodiscard]] Result<std::vector<std::pair<std::string, std::string>>> result_files(const RunRecord& run,
                                                                                    const Stop& stop = {});

}  // namespace gtvmin
