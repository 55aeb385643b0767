#include "cell_data.h"

namespace gtvmin::app {

Result<CellData> make_cell_data(const CellDataSettings& settings) {
  const Result<GeneratedGraph> graph = settings.graph->make(settings.generate);
  if (!graph) return graph.error();
  const auto seed = static_cast<std::uint64_t>(settings.generate.seed);
  Result<SyntheticData> data = make_synthetic_data(*graph, settings.parameters, seed);
  if (!data) return data.error();
  // Nodes that keep their samples have the same ones whatever the share of accessible nodes is.
  SyntheticParameters all = settings.parameters;
  all.accessible = 1;
  Result<SyntheticData> everything = make_synthetic_data(*graph, all, seed);
  if (!everything) return everything.error();
  return CellData{std::move(data->dataset), std::move(everything->dataset), std::move(data->truth),
                  std::move(data->clusters)};
}

UnseenSamples unseen_samples(const CellData& data) {
  UnseenSamples unseen;
  for (NodeId i = 0; i < data.everything.nodes(); ++i) {
    if (data.dataset.samples_of(i) == 0) unseen.nodes.push_back(i);
  }
  unseen.samples = select_nodes(data.everything, unseen.nodes);
  return unseen;
}

}  // namespace gtvmin::app
