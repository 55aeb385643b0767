#include "site_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "../local_models.h"
#include "../solve_input.h"
#include "../solve_report.h"
#include "gtvmin/io/dataset_reader.h"

namespace gtvmin::app {
namespace {

constexpr std::size_t kMostMessages = 20;

/// The positions of the file's nodes in the federation; all must be the site's.
Result<std::vector<NodeId>> places(const Federation& federation, SiteId site, const Dataset& samples,
                                   const std::string& data) {
  std::unordered_map<std::string_view, NodeId> place_of;
  for (NodeId i = 0; i < federation.nodes(); ++i) place_of[federation.node_names[i]] = i;
  std::vector<NodeId> places;
  places.reserve(samples.node_names.size());
  Error wrong{Error::Kind::kBadInput, {}};
  for (const std::string& name : samples.node_names) {
    const auto found = place_of.find(name);
    const bool known = found != place_of.end();
    if (known && federation.owner[found->second] == site) {
      places.push_back(found->second);
    } else if (wrong.messages.size() < kMostMessages) {
      wrong.messages.push_back(known ? fmt::format("{}: node '{}' belongs to site {}, not to {}", data, name,
                                                   federation.sites[federation.owner[found->second]].name,
                                                   federation.sites[site].name)
                                     : fmt::format("{}: node '{}' is not a node of the federation", data, name));
    }
  }
  if (!wrong.messages.empty()) return wrong;
  return places;
}

/// Labels as positions in the classes of the federation.
Status agree_on_classes(Dataset& samples, const std::vector<std::string>& classes, const std::string& data) {
  if (classes.empty()) return Unit{};
  std::vector<double> position(samples.class_names.size());
  for (std::size_t k = 0; k < position.size(); ++k) {
    const auto found = std::find(classes.begin(), classes.end(), samples.class_names[k]);
    if (found == classes.end()) {
      return bad_input(fmt::format("{}: class '{}' is not a class of the federation", data, samples.class_names[k]));
    }
    position[k] = static_cast<double>(found - classes.begin());
  }
  for (double& label : samples.labels) label = position[static_cast<std::size_t>(label)];
  samples.class_names = classes;
  return Unit{};
}

/// The federation's nodes and edges with the samples of the site.
Dataset place_samples(const Federation& federation, const Dataset& samples, const std::vector<NodeId>& places) {
  std::vector<NodeId> source(federation.nodes(), -1);
  for (std::size_t k = 0; k < places.size(); ++k) source[places[k]] = static_cast<NodeId>(k);
  Dataset all;
  all.node_names = federation.node_names;
  all.feature_names = samples.feature_names;
  all.class_names = samples.class_names;
  all.edges = federation.edges;
  all.first_sample = {0};
  all.first_sample.reserve(federation.node_names.size() + 1);
  std::vector<Index> columns;
  columns.reserve(static_cast<std::size_t>(samples.samples()));
  for (NodeId i = 0; i < federation.nodes(); ++i) {
    if (source[i] >= 0) {
      const std::vector<Index> of_node = columns_of(samples, source[i]);
      columns.insert(columns.end(), of_node.begin(), of_node.end());
    }
    all.first_sample.push_back(static_cast<Index>(columns.size()));
  }
  all.features = samples.features(Eigen::all, columns);
  if (samples.labels.size() > 0) all.labels = samples.labels(columns);
  return all;
}

Dataset own_part(const Federation& federation, SiteId site, const Dataset& all) {
  const std::vector<NodeId>& nodes = federation.sites[site].nodes;
  Dataset own = select_nodes(all, nodes);
  for (const WeightedEdge& edge : federation.edges) {
    if (federation.owner[edge.a] != site || federation.owner[edge.b] != site) continue;
    own.edges.push_back({edge.a - nodes.front(), edge.b - nodes.front(), edge.weight});
  }
  return own;
}

}  // namespace

Result<Problem> site_problem(const Dataset& dataset, const LocalModel& model, const FederationSettings& settings) {
  Result<Penalty> penalty = make_penalty(settings.solve.penalty);
  if (!penalty) return penalty.error();
  return make_problem(dataset, model, settings.solve.model.couple, *std::move(penalty), settings.solve.lambda);
}

Result<SiteInput> read_site_input(const Federation& federation, SiteId site, const FederationSettings& settings,
                                  const std::string& data) {
  SolveSettings solve = settings.solve;
  solve.data = data;
  std::vector<std::string> warnings;
  Result<Dataset> samples = read_samples(solve, warnings);
  if (!samples) return samples.error();
  const auto where = places(federation, site, *samples, data);
  if (!where) return where.error();
  if (const Status agreed = agree_on_classes(*samples, settings.classes, data); !agreed) return agreed.error();

  Dataset all = place_samples(federation, *samples, *where);
  Dataset own = own_part(federation, site, all);
  Result<ModelPtr> model = make_local_model(solve.model, solve.net, shape_of(all));
  if (!model) return in_file(data, model.error());
  Result<Problem> problem = site_problem(all, **model, settings);
  if (!problem) return in_file(data, problem.error());
  Result<Problem> own_problem = site_problem(own, **model, settings);
  if (!own_problem) return in_file(data, own_problem.error());
  return SiteInput{std::move(all), *std::move(model), *std::move(problem), std::move(own), *std::move(own_problem)};
}

}  // namespace gtvmin::app
