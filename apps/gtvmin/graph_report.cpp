#include "graph_report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "gtvmin/version.h"
#include "progress.h"
#include "wording.h"

namespace gtvmin::app {
namespace {

using Json = nlohmann::ordered_json;

std::string rule_text(const EdgeRule& rule) {
  switch (rule.join) {
    case EdgeRule::Join::kNearest:
      return fmt::format("{} nearest{}", rule.neighbours, rule.mutual ? ", mutual" : "");
    case EdgeRule::Join::kBall:
      return fmt::format("within {:g}", rule.epsilon);
    case EdgeRule::Join::kFull:
      return "all pairs";
  }
  return {};
}

std::string spread_text(const Spread& spread) {
  return fmt::format("{:.4g} to {:.4g}, median {:.4g}", spread.low, spread.high, spread.median);
}

Json json(const Spread& spread) { return {{"min", spread.low}, {"median", spread.median}, {"max", spread.high}}; }

/// All digits as long as a person can read them.
std::string size_text(double n) { return n < 1e7 ? fmt::format("{:.0f}", n) : fmt::format("{:.2g}", n); }

std::string bytes_text(double bytes) {
  if (bytes < 1e6) return fmt::format("{:.0f} kB", std::max(1.0, bytes / 1e3));
  if (bytes < 1e9) return fmt::format("{:.0f} MB", bytes / 1e6);
  return fmt::format("{:.1f} GB", bytes / 1e9);
}

/// How many dimensions the samples have when nodes are compared.
Index compared_dimension(const GraphSettings& settings, const Dataset& dataset) {
  if (settings.embedding.name != "none") return settings.embedding.dimension;
  if (settings.similarity.metric == "haversine") return 3;
  return dataset.features.rows();
}

double physical_bytes() {
  return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

std::string what_leaves_a_site(const GraphSettings& settings) {
  const std::string& method = find_similarity_method(settings.similarity.method)->leaves_site;
  std::string text;
  if (settings.standardize) text += "for --standardize, the mean and variance of its features; ";
  if (settings.embedding.name == "none") return text + method;
  return fmt::format("{}for --embed {}, {}; then, embedded, {}", text, settings.embedding.name,
                     embedding_leaves_site(settings.embedding.name), method);
}

std::vector<std::string> cost_texts(const GraphSettings& settings, const Dataset& dataset) {
  std::vector<std::string> texts;
  const auto samples = static_cast<double>(dataset.samples());
  const Index features = dataset.features.rows();
  if (settings.embedding.name == "tsne" && !NeighbourSearch::uses_tree(features)) {
    texts.push_back(fmt::format("tsne: {} in {} dimensions, {} distances between samples, then 1000 iterations",
                                count(dataset.samples(), "sample"), features, size_text(samples * samples)));
  }
  const SimilarityCost cost = similarity_cost(dataset, settings.similarity, compared_dimension(settings, dataset));
  if (cost.pairs > 0) {
    const std::string memory = cost.bytes > 0 ? fmt::format(", {} of memory", bytes_text(cost.bytes)) : "";
    texts.push_back(fmt::format("{}: {} pairs of nodes, {} {}{}; this grows with the square of the nodes",
                                settings.similarity.method, size_text(cost.pairs), size_text(cost.steps),
                                cost.step_name, memory));
  }
  return texts;
}

Status check_memory(const GraphSettings& settings, const Dataset& dataset) {
  const SimilarityCost cost = similarity_cost(dataset, settings.similarity, compared_dimension(settings, dataset));
  if (cost.bytes <= physical_bytes()) return Unit{};
  return runtime_failure(fmt::format("{} between {} nodes needs {} of memory, and this machine has {}",
                                     settings.similarity.method, dataset.nodes(), bytes_text(cost.bytes),
                                     bytes_text(physical_bytes())));
}

std::string graph_text(const GraphReport& r) {
  const GraphSummary& s = r.summary;
  std::string text = fmt::format("{}\n", r.settings.out);
  text += fmt::format("  nodes         {}, from {}\n", s.nodes, count(r.samples, "sample"));
  text += fmt::format("  edges         {} ({}{})\n", s.edges, rule_text(r.settings.rule),
                      r.settings.rule.connect ? fmt::format("; {} added to connect", r.added_to_connect) : "");
  text += fmt::format("  degree        {}\n", spread_text(s.degree));
  text += fmt::format("  components    {}, {}\n", s.components,
                      count(static_cast<Index>(s.isolated.size()), "isolated node"));
  text += fmt::format("  distance      {}\n", spread_text(r.distance));
  text += fmt::format("  weight        {}{}\n", spread_text(s.weight),
                      r.settings.weights.median_scale ? fmt::format(" (scale {:.4g})", r.scale) : "");
  if (s.clusters) {
    text +=
        fmt::format("  clusters      {:.1f} % of the edges ({:.1f} % of the weight) lie within; by chance {:.1f} %\n",
                    100 * s.clusters->share, 100 * s.clusters->weight_share, 100 * s.clusters->share_by_chance);
  }
  text += fmt::format("  sent by site  {}\n", what_leaves_a_site(r.settings));
  text += fmt::format("  time          {}\n", duration_text(r.seconds));
  return text + warnings_text(r.warnings, "the output of --json");
}

std::string graph_json(const GraphReport& r, const std::string& options_json) {
  const GraphSummary& s = r.summary;
  Json object = {{"nodes", s.nodes},
                 {"samples", r.samples},
                 {"edges", s.edges},
                 {"degree", json(s.degree)},
                 {"components", s.components},
                 {"isolated", s.isolated.size()},
                 {"distance", json(r.distance)},
                 {"weight", json(s.weight)},
                 {"scale", r.scale},
                 {"added_to_connect", r.added_to_connect},
                 {"vanished_edges", r.vanished}};
  if (s.clusters) {
    object["clusters"] = {{"edges_within", s.clusters->edges_within},
                          {"share", s.clusters->share},
                          {"weight_share", s.clusters->weight_share},
                          {"share_by_chance", s.clusters->share_by_chance}};
  }
  object["leaves_site"] = what_leaves_a_site(r.settings);
  object["seconds"] = r.seconds;
  object["warnings"] = r.warnings;
  object["version"] = version_string();
  object["options"] = Json::parse(options_json);
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gtvmin::app
