#include "gtvmin/runtime/mpi/partition.h"

#include <fmt/format.h>
#include <metis.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace gtvmin {

Result<Owners> partition_graph(const EmpiricalGraph& graph, std::span<const Index> work, int parts) {
  if (parts == 1) return Owners(graph.nodes(), 0);
  if (parts >= graph.nodes()) {  // a node each; METIS would leave some without
    Owners owners(graph.nodes());
    for (NodeId i = 0; i < graph.nodes(); ++i) owners[i] = i;
    return owners;
  }
  if (2 * static_cast<std::int64_t>(graph.edges()) > std::numeric_limits<idx_t>::max()) {
    return runtime_failure(fmt::format("{} edges are more than METIS can partition", graph.edges()));
  }
  std::vector<idx_t> first{0};
  std::vector<idx_t> neighbours;
  std::vector<idx_t> weights;
  first.reserve(static_cast<std::size_t>(graph.nodes()) + 1);
  neighbours.reserve(2 * static_cast<std::size_t>(graph.edges()));
  weights.reserve(static_cast<std::size_t>(graph.nodes()));
  // METIS adds weights up in its own integers.
  Index total = 0;
  for (const Index load : work) total += load;
  const Index unit = 1 + total / (std::numeric_limits<idx_t>::max() / 4);
  for (NodeId i = 0; i < graph.nodes(); ++i) {
    for (const auto& incidence : graph.incident(i)) neighbours.push_back(incidence.neighbour);
    first.push_back(static_cast<idx_t>(neighbours.size()));
    weights.push_back(static_cast<idx_t>(std::max<Index>(1, work[i] / unit)));
  }
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_OBJTYPE] = METIS_OBJTYPE_CUT;
  idx_t nodes = graph.nodes();
  idx_t constraints = 1;
  idx_t count = parts;
  idx_t cut = 0;
  std::vector<idx_t> found(static_cast<std::size_t>(nodes));
  const int outcome = METIS_PartGraphKway(&nodes, &constraints, first.data(), neighbours.data(), weights.data(),
                                          nullptr, nullptr, &count, nullptr, nullptr, options, &cut, found.data());
  if (outcome != METIS_OK) return runtime_failure(fmt::format("METIS cannot partition the graph (code {})", outcome));
  return Owners(found.begin(), found.end());
}

EdgeId cut_edges(const EmpiricalGraph& graph, const Owners& owners) {
  EdgeId cut = 0;
  for (EdgeId e = 0; e < graph.edges(); ++e) cut += owners[graph.head(e)] != owners[graph.tail(e)] ? 1 : 0;
  return cut;
}

}  // namespace gtvmin
