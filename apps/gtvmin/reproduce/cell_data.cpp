#include "cell_data.h"

#include <fmt/format.h>

#include <cmath>

namespace gtvmin::app {

namespace {

/// A squared loss counts c times if its features and labels are √c times as large.
Status weigh_by_cluster_degree(SyntheticData& data) {
  Dataset& dataset = data.dataset;
  Vector degree = Vector::Zero(dataset.nodes());
  for (const WeightedEdge& edge : dataset.edges) {
    ++degree(edge.a);
    ++degree(edge.b);
  }
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    const NodeId cluster = data.clusters.group_of[i];
    if (degree(cluster) == 0) {
      return bad_input(
          fmt::format("loss-weights: node {} has no edges, so cluster {} has no step size", cluster, cluster));
    }
    const double root = std::sqrt(degree(i) / degree(cluster));
    dataset.features.middleCols(dataset.first_sample[i], dataset.samples_of(i)) *= root;
    dataset.labels.segment(dataset.first_sample[i], dataset.samples_of(i)) *= root;
  }
  return Unit{};
}

}  // namespace

Result<CellData> make_cell_data(const CellDataSettings& settings) {
  const Result<GeneratedGraph> graph = settings.graph->make(settings.generate);
  if (!graph) return graph.error();
  const auto seed = static_cast<std::uint64_t>(settings.generate.seed);
  Result<SyntheticData> data = make_synthetic_data(*graph, settings.parameters, seed);
  if (!data) return data.error();
  if (settings.loss_weights == LossWeights::kClusterDegree) {
    if (const Status weighed = weigh_by_cluster_degree(*data); !weighed) return weighed.error();
  }
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
