#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "clock.h"
#include "command.h"
#include "data_source.h"
#include "graph_files.h"
#include "graph_options.h"
#include "graph_report.h"
#include "gtvmin/base/thread_team.h"
#include "gtvmin/io/output_file.h"
#include "gtvmin/problem/standardize.h"
#include "interrupt.h"
#include "solve_report.h"
#include "stage_progress.h"
#include "standard_streams.h"
#include "stored_result.h"

namespace gtvmin::app {
namespace {

/// Edges with their weights, and what was learnt on the way.
struct MadeGraph {
  WeighedEdges weighed;
  Index added_to_connect = 0;
  Spread distance;
};

Status check_outputs(const GraphSettings& settings) {
  if (Status writable = check_output_file(settings.out, settings.force); !writable) return writable;
  if (settings.embedding_out.empty()) return Unit{};
  return check_output_file(settings.embedding_out, settings.force);
}

/// Everything that can be known to go wrong before the long part.
Status check_before(const GraphSettings& settings, const Dataset& dataset) {
  if (const Status checked = check_similarity(dataset, settings.similarity); !checked) return checked.error();
  if (const Status checked = check_edge_rule(dataset.nodes(), settings.rule); !checked) return checked.error();
  return Unit{};
}

Result<MadeGraph> make_graph(Dataset& dataset, const GraphSettings& settings, const SimilarityContext& context) {
  if (const Status embedded = embed_samples(dataset, settings.embedding, context); !embedded) return embedded.error();
  const Result<NodeDistances> distances = node_distances(dataset, settings.similarity, context);
  if (!distances) return distances.error();
  const Result<SelectedEdges> selected = select_edges(*distances, settings.rule, context);
  if (!selected) return selected.error();
  if (selected->pairs.empty()) {
    return bad_input(settings.rule.join == EdgeRule::Join::kBall
                         ? fmt::format("no two nodes are within --epsilon {:g} of each other", settings.rule.epsilon)
                         : "no two nodes can be connected");
  }
  Result<WeighedEdges> weighed = weigh_edges(selected->pairs, settings.weights);
  if (!weighed) return weighed.error();
  std::vector<double> lengths;
  lengths.reserve(selected->pairs.size());
  for (const NodePair& pair : selected->pairs) lengths.push_back(pair.distance);
  return MadeGraph{*std::move(weighed), selected->added_to_connect, spread_of(std::move(lengths))};
}

Result<MadeGraph> make_graph_watched(Dataset& dataset, const GraphSettings& settings) {
  ThreadTeam team(threads_or_all(settings.threads));
  StageProgress line(settings.progress ? stderr : nullptr);
  const SimilarityContext context{team, [&](const StageRecord& record) {
                                    line.show(record);
                                    return !InterruptGuard::interrupted();
                                  }};
  return make_graph(dataset, settings, context);
}

/// Nodes with fewer samples than parameters, of whose many perfect fits the smallest was compared.
std::vector<NodeId> underdetermined(const GraphSettings& settings, const Dataset& dataset) {
  const ModelSpec& model = settings.similarity.model;
  std::vector<NodeId> nodes;
  if (settings.similarity.method != "parameters" || model.ridge > 0) return nodes;
  if (label_domain(model.name) == LabelDomain::kNone) return nodes;
  const Index parameters = dataset.features.rows() + (model.intercept ? 1 : 0);
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    if (dataset.samples_of(i) < parameters) nodes.push_back(i);
  }
  return nodes;
}

std::vector<std::string> all_warnings(const GraphSettings& settings, const MadeGraph& made, const GraphSummary& summary,
                                      const Dataset& dataset) {
  const std::vector<std::string>& names = dataset.node_names;
  std::vector<std::string> warnings;
  if (const std::vector<NodeId> few = underdetermined(settings, dataset); !few.empty()) {
    warnings.push_back(fmt::format(
        "fewer samples than parameters at {}: the minimiser is not unique and the least-norm one is used; try --ridge",
        list_nodes(few, names)));
  }
  if (!made.weighed.vanished.empty()) {
    const NodePair& first = made.weighed.vanished.front();
    warnings.push_back(fmt::format(
        "{} omitted because exp(−distance/scale) underflows to 0, first '{}' – '{}' at distance {:.4g}; a larger "
        "--scale, e.g. --scale median, keeps them",
        made.weighed.vanished.size() == 1 ? "an edge was" : fmt::format("{} edges were", made.weighed.vanished.size()),
        names[first.a], names[first.b], first.distance));
  }
  if (settings.rule.connect && summary.components > 1) {
    warnings.emplace_back("--connect could not connect all nodes: some have no distance, or a weight of 0");
  }
  for (std::string& warning : graph_warnings(summary, names)) warnings.push_back(std::move(warning));
  return warnings;
}

Status write_outputs(const GraphSettings& settings, const MadeGraph& made, const Dataset& dataset) {
  WritingGuard writing;
  if (!settings.embedding_out.empty()) {
    if (Status written =
            write_output_file(settings.embedding_out, settings.force, embedding_csv(dataset), writing.stop());
        !written) {
      return written;
    }
  }
  return write_output_file(settings.out, settings.force, edge_list_csv(made.weighed.edges, dataset.node_names),
                           writing.stop());
}

void announce(const GraphSettings& settings, const Dataset& dataset) {
  if (!settings.progress) return;
  for (const std::string& text : cost_texts(settings, dataset)) tell(stderr, "{}\n", text);
  std::fflush(stderr);
}

// parse → options → read → check → compute → write → report; what can be wrong with the input is found before the
// long part.
int run_graph(GraphSettings& settings, OptionSet& options) {
  if (const Status complete = complete_graph_settings(options, settings); !complete) return report(complete.error());
  if (const Status writable = check_outputs(settings); !writable) return report(writable.error());
  Result<Dataset> dataset = read_graph_data(settings, options);
  if (!dataset) return report(dataset.error());
  const auto clusters = read_known_clusters(settings.clusters, {data_source(settings), dataset->node_names});
  if (!clusters) return report(clusters.error());
  const auto in_data = [&](const Error& error) { return report(as_options(in_file(data_source(settings), error))); };
  if (const Status checked = check_before(settings, *dataset); !checked) return in_data(checked.error());
  if (const Status fits = check_memory(settings, *dataset); !fits) return report(fits.error());
  announce(settings, *dataset);

  const InterruptGuard guard;
  const double began = seconds_now();
  if (settings.standardize) standardize_features(*dataset);
  const Result<MadeGraph> made = make_graph_watched(*dataset, settings);
  if (InterruptGuard::interrupted()) return report(interrupted());
  if (!made) return in_data(made.error());
  if (made->weighed.edges.empty()) {
    return in_data(bad_input(fmt::format(
        "every weight exp(−distance/scale) is 0: the shortest distance is {:.4g}; choose a larger --scale, e.g. "
        "--scale median",
        made->distance.low)));
  }
  const Result<EmpiricalGraph> graph = EmpiricalGraph::make(dataset->nodes(), made->weighed.edges);
  if (!graph) return report(graph.error());
  GraphReport told{.settings = settings,
                   .summary = summarise_graph(*graph, *clusters ? &**clusters : nullptr),
                   .distance = made->distance,
                   .samples = dataset->samples(),
                   .added_to_connect = made->added_to_connect,
                   .vanished = static_cast<Index>(made->weighed.vanished.size()),
                   .scale = made->weighed.scale,
                   .seconds = seconds_now() - began,
                   .warnings = {}};
  told.warnings = all_warnings(settings, *made, told.summary, *dataset);
  if (const Status written = write_outputs(settings, *made, *dataset); !written) return report(written.error());
  fmt::print("{}", settings.json ? graph_json(told, to_json(options)) : graph_text(told));
  return kSolved;
}

}  // namespace

void add_graph_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("graph", "Build the edge file from data: which nodes are similar");
  const auto settings = std::make_shared<GraphSettings>();
  const auto options = std::make_shared<OptionSet>(declare_graph_options(*settings));
  const auto bound = std::make_shared<CommandOptions>(*options);
  bound->bind_with_file(*command);
  command->callback([&action, settings, options, bound] {
    action = [settings, options, bound] {
      if (const Status applied = bound->apply(); !applied) return report(applied.error());
      return run_graph(*settings, *options);
    };
  });
}

}  // namespace gtvmin::app
