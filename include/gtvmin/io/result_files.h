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
  bool write_flows = false;
  NamedCounts network = {};  ///< what travelled between simulated shards; empty if there were none
  Vector influence = {};     ///< bound on what the neighbours of a node change, NaN: none; empty: none of any node
};

/// The warnings of the run, those of the solver with the names of their nodes.
[[nodiscard]] std::vector<std::string> warning_texts(const RunRecord& run);

/// `source,target,weight,flow_norm,utilisation,difference,status,certificate`. flow_norm is the dual norm of u_e for a
/// norm penalty, Euclidean otherwise; utilisation is flow_norm/(λ·weight) for a norm, 0 otherwise; difference is
/// ‖w_source − w_target‖₂; status is what is proved at every optimum: fused, separate or undecided; certificate is the
/// edge's share of the gap.
[[nodiscard]] std::string edges_csv(const RunRecord& run, const Stop& stop = {});
/// `node,samples,loss,certificate,influence`: the node's local loss, its share of the gap, and how far its neighbours
/// can have moved its parameters, empty where there is no bound.
[[nodiscard]] std::string nodes_csv(const RunRecord& run, const Stop& stop = {});
/// `source,target` and a column per coupled parameter: the flow vectors u_e.
[[nodiscard]] std::string flows_csv(const RunRecord& run, const Stop& stop = {});
/// `cluster,neighbour,size,loss,edges,weight,flow_norm`: a row per cluster with its number of nodes, its summed losses
/// and the weight of its boundary; then a row per pair of neighbouring clusters with the edges between them, their
/// weight and the norm of the flow.
[[nodiscard]] std::string clustergraph_csv(const RunRecord& run, const Stop& stop = {});
/// One row per check of the solver.
[[nodiscard]] std::string trace_csv(const RunRecord& run, const Stop& stop = {});
/// The run in one JSON object.
[[nodiscard]] std::string summary_json(const RunRecord& run);

/// All of them: file names with contents. Fails with interrupted() once `stop` says so, and with a runtime failure if a
/// parameter is not a finite number.
[[nodiscard]] Result<std::vector<std::pair<std::string, std::string>>> result_files(const RunRecord& run,
                                                                                    const Stop& stop = {});

}  // namespace gtvmin
