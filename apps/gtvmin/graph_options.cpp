#include "graph_options.h"

#include <fmt/format.h>

#include <cmath>

#include "data_source.h"
#include "gtvmin/io/csv.h"

namespace gtvmin::app {
namespace {

using Join = EdgeRule::Join;
using Weights = WeightRule::Kind;

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const SimilarityMethod& method : similarity_methods()) names.push_back(method.name);
  return names;
}

/// All but the model of time series, whose samples are no rows of the file; --method correlation compares series.
std::vector<std::string> fitted_models() {
  std::vector<std::string> names = model_names();
  std::erase(names, "autoregressive");
  return names;
}

std::vector<std::string> with_none(std::vector<std::string> names) {
  names.insert(names.begin(), "none");
  return names;
}

/// "How nodes are compared: kl-knn (…), …".
std::string method_help() {
  std::vector<std::string> methods;
  for (const SimilarityMethod& method : similarity_methods()) {
    methods.push_back(fmt::format("{} ({})", method.name, method.summary));
  }
  return fmt::format("Distance between nodes: {}", fmt::join(methods, ", "));
}

void declare_files(OptionSet& options, GraphSettings& s) {
  options.group("Files");
  options.path("data", s.data, "CSV with one row per sample: node, features, optionally a label")
      .required("the samples, e.g. --data data.csv, or --data-dir with one file per node")
      .unless("data-dir");
  options.path("data-dir", s.data_dir, "Alternative to --data: folder with one CSV per node, named NODE.csv");
  options.path("out", s.out, "Edge file to write, CSV source,target,weight; written atomically")
      .required("where the edges go, e.g. --out edges.csv");
  options.flag("force", s.force, "Replace the file --out (and --embedding-out)");
  options.path("clusters", s.clusters,
               "CSV node,cluster: known clusters; the fraction of edges within them is reported");
  options.path("embedding-out", s.embedding_out, "CSV to write, node,e1,e2,…: the embedded samples of --embed");
}

void declare_columns(OptionSet& options, GraphSettings& s) {
  options.group("Columns of the data file");
  options.text("node-column", s.columns.node, "Column with the name of the node");
  options.text("label", s.columns.label, "Column of the label; used by --method parameters, ignored by the others");
  options.list("features", s.columns.features, "Columns to compare; default: all except node and label");
  options.text("time", s.time_column, "correlation: column of the time");
  options.text("value", s.value_column, "correlation: column of the value");
  options.flag("standardize", s.standardize,
               "Scale every feature to mean 0 and standard deviation 1 over all samples first");
}

void declare_distance(OptionSet& options, GraphSettings& s) {
  options.group("Distance");
  options.choice("method", s.similarity.method, method_names(), method_help())
      .required(fmt::format("the distance between nodes: one of {}", fmt::join(method_names(), ", ")));
  options.choice("metric", s.similarity.metric, {"euclidean", "haversine", "gaussian-wasserstein", "gaussian-kl"},
                 "knn-coordinates: euclidean (default) or haversine (kilometres, from latitude and longitude in "
                 "degrees); knn-features: gaussian-wasserstein (default), gaussian-kl, or euclidean between means");
  options.real("covariance-ridge", s.similarity.covariance_ridge, Range::above(0),
               "gaussian-kl: ridge on every covariance, in units of the mean variance within nodes");
  options.integer("kl-neighbours", s.similarity.kl_neighbours, Range::between(1, 1e6),
                  "kl-knn: k of the k-th nearest sample in the estimate");
  options.integer("projections", s.similarity.projections, Range::between(1, 1e6),
                  "wasserstein: number of random directions");
  options.choice("model", s.similarity.model.name, fitted_models(), "parameters: model that every node fits alone");
  options.choice<bool>("normalize", s.similarity.model.mean, {{"mean", true}, {"sum", false}},
                       "parameters: loss of a node, mean or sum over its samples");
  options.real("ridge", s.similarity.model.ridge, Range::at_least(0), "parameters: adds ridge·‖w‖² to every loss");
  options.flag("intercept", s.similarity.model.intercept, "parameters: add an intercept");
  options.flag("absolute", s.similarity.absolute, "correlation: use 1 − |r|, so that r = −1 counts as similar");
  options.integer("overlap", s.similarity.overlap, Range::between(2, 1e9),
                  "correlation: smallest number of common times of two connected series");
}

void declare_embedding(OptionSet& options, GraphSettings& s) {
  options.group("Embedding");
  options.choice("embed", s.embedding.name, with_none(embedding_names()),
                 "Embed all samples before nodes are compared; tsne needs all samples in one place");
  options.integer("embed-dimension", s.embedding.dimension, Range::between(1, 1e5),
                  "Dimension of the embedding; tsne: 1, 2 or 3");
  options.real("perplexity", s.embedding.perplexity, Range::at_least(1),
               "tsne: perplexity, the effective number of neighbours of a sample");
  options.integer("seed", s.seed, Range::at_least(0),
                  "Random seed of the random directions, the random projection and t-SNE");
}

void declare_edges(OptionSet& options, GraphSettings& s) {
  options.group("Edges");
  options.choice<Join>(
      "join", s.rule.join, {{"nearest", Join::kNearest}, {"ball", Join::kBall}, {"full", Join::kFull}},
      "nearest: connect every node to its --neighbours nearest; ball: all pairs within --epsilon; full: all pairs");
  options.integer("neighbours", s.rule.neighbours, Range::at_least(1),
                  "nearest: number of nearest nodes that each node is connected to");
  options.flag("mutual", s.rule.mutual, "nearest: connect two nodes only if each is among the nearest of the other");
  options.real("epsilon", s.rule.epsilon, Range::above(0), "ball: largest distance of connected nodes");
  options.flag("connect", s.rule.connect, "Make the graph connected by a minimum spanning tree of its components");
  options.choice<Weights>("weights", s.weights.kind,
                          {{"exp", Weights::kExp},
                           {"inverse", Weights::kInverse},
                           {"binary", Weights::kBinary},
                           {"rescaled", Weights::kRescaled}},
                          "Edge weight. exp: exp(−distance/scale); inverse: 1/(1 + distance/scale); binary: 1; "
                          "rescaled: linear from 1 at the shortest to 0.01 at the longest distance");
  options.text("scale", s.scale,
               "exp, inverse: scale, a number > 0, or median: the median distance of the connected pairs");
}

void declare_run(OptionSet& options, GraphSettings& s) {
  options.group("Run");
  options.integer("threads", s.threads, Range::between(0, 1024),
                  "Number of threads; 0: one per processor. Results are bit-identical for every value");
  options.flag("json", s.json, "Print the report as one JSON object to stdout and nothing else");
  options.flag("progress", s.progress, "Print the cost of quadratic work and progress to stderr");
}

/// An option that has a meaning only in some case.
struct Condition {
  const char* option;
  bool holds;
  std::string needs;
};

std::vector<Condition> conditions(const GraphSettings& s) {
  const std::string& method = s.similarity.method;
  const bool nearest = s.rule.join == Join::kNearest;
  const bool scaled = s.weights.kind == Weights::kExp || s.weights.kind == Weights::kInverse;
  const bool fits = method == "parameters";
  const bool series = method == "correlation";
  const bool embeds = s.embedding.name != "none";
  return {{"covariance-ridge", s.similarity.metric == "gaussian-kl", "--metric gaussian-kl"},
          {"kl-neighbours", method == "kl-knn", "--method kl-knn"},
          {"projections", method == "wasserstein", "--method wasserstein"},
          {"model", fits, "--method parameters"},
          {"normalize", fits, "--method parameters"},
          {"ridge", fits, "--method parameters"},
          {"intercept", fits, "--method parameters"},
          {"absolute", series, "--method correlation"},
          {"overlap", series, "--method correlation"},
          {"time", series, "--method correlation"},
          {"value", series, "--method correlation"},
          {"features", !series, "another method than correlation, whose columns are --time and --value"},
          {"embed-dimension", embeds, "--embed"},
          {"embedding-out", embeds, "--embed"},
          {"perplexity", s.embedding.name == "tsne", "--embed tsne"},
          {"neighbours", nearest, "--join nearest"},
          {"mutual", nearest, "--join nearest"},
          {"epsilon", s.rule.join == Join::kBall, "--join ball"},
          {"scale", scaled, "--weights exp or inverse"}};
}

Status read_scale(GraphSettings& settings) {
  settings.weights.median_scale = settings.scale == "median";
  if (settings.weights.median_scale) return Unit{};
  const auto number = parse_number(settings.scale);
  if (!number || !std::isfinite(*number) || *number <= 0) {
    return usage_error(fmt::format("--scale must be a number > 0 or median, not '{}'", settings.scale));
  }
  settings.weights.scale = *number;
  return Unit{};
}

}  // namespace

OptionSet declare_graph_options(GraphSettings& settings) {
  OptionSet options;
  declare_files(options, settings);
  declare_columns(options, settings);
  declare_distance(options, settings);
  declare_embedding(options, settings);
  declare_edges(options, settings);
  declare_run(options, settings);
  return options;
}

Status complete_graph_settings(OptionSet& options, GraphSettings& settings) {
  if (options.find("epsilon")->given && !options.find("join")->given) {
    if (options.find("neighbours")->given) {
      return usage_error(
          "--neighbours and --epsilon cannot be used together: connect the nearest nodes, or all within a distance");
    }
    settings.rule.join = Join::kBall;
  }
  settings.similarity.seed = settings.embedding.seed = static_cast<std::uint64_t>(settings.seed);
  Error wrong{Error::Kind::kUsage, {}};
  check_data_source(settings, wrong.messages);
  for (const Condition& condition : conditions(settings)) {
    if (condition.holds || !options.find(condition.option)->given) continue;
    wrong.messages.push_back(fmt::format("--{} needs {}", condition.option, condition.needs));
  }
  if (settings.rule.join == Join::kBall && !options.find("epsilon")->given) {
    wrong.messages.emplace_back("--join ball needs --epsilon, the largest distance of connected nodes");
  }
  const SimilarityMethod* method = find_similarity_method(settings.similarity.method);
  if (settings.embedding.name != "none" && !method->takes_embedding) {
    wrong.messages.push_back(fmt::format("--embed does not fit --method {}", method->name));
  }
  if (settings.standardize && (settings.similarity.metric == "haversine" || method->name == "correlation")) {
    wrong.messages.emplace_back("--standardize fits neither haversine nor correlation");
  }
  if (settings.similarity.model.intercept && label_domain(settings.similarity.model.name) == LabelDomain::kNone) {
    wrong.messages.push_back(fmt::format("--intercept does not fit --model {}", settings.similarity.model.name));
  }
  if (settings.embedding_out == settings.out)
    wrong.messages.emplace_back("--out and --embedding-out are the same file");
  if (const Status scale = read_scale(settings); !scale) wrong.messages.push_back(scale.error().messages.front());
  return wrong.messages.empty() ? Status(Unit{}) : Status(std::move(wrong));
}

}  // namespace gtvmin::app
