#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <optional>

#include "generate_options.h"
#include "gtvmin/graph/generators/chain.h"
#include "gtvmin/graph/generators/grid.h"
#include "gtvmin/graph/generators/star.h"

namespace gtvmin::app {
namespace {

constexpr double kMostNodes = std::numeric_limits<NodeId>::max();

std::optional<NodeId> parse_count(std::string_view text) {
  NodeId count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size() || count < 1) return std::nullopt;
  return count;
}

Result<std::vector<NodeId>> parse_sizes(const std::vector<std::string>& entries) {
  std::vector<NodeId> sizes;
  std::int64_t nodes = 0;
  for (const std::string& entry : entries) {
    const std::size_t times = entry.find('x');
    const auto repeat = times == std::string::npos ? NodeId{1} : parse_count(entry.substr(0, times));
    const auto size = parse_count(times == std::string::npos ? entry : entry.substr(times + 1));
    if (!repeat || !size) {
      return usage_error(fmt::format("sizes: '{}' is neither a whole number ≥ 1 nor COUNTxSIZE", entry));
    }
    nodes += std::int64_t{*repeat} * *size;
    if (static_cast<double>(nodes) > kMostNodes) return usage_error(fmt::format("sizes: {} nodes are too many", nodes));
    sizes.insert(sizes.end(), *repeat, *size);
  }
  return sizes;
}

Result<GeneratedGraph> make_sbm(const GenerateSettings& s) {
  Result<std::vector<NodeId>> sizes = parse_sizes(s.sizes);
  if (!sizes) return sizes.error();
  return sbm_graph({.sizes = *std::move(sizes), .p_in = s.p_in, .p_out = s.p_out}, static_cast<std::uint64_t>(s.seed));
}

Result<GeneratedGraph> make_chain(const GenerateSettings& s) {
  const Result<std::vector<NodeId>> sizes = parse_sizes(s.sizes);
  return sizes ? chain_graph(*sizes, s.epsilon) : sizes.error();
}

void declare_sizes(OptionSet& options, GenerateSettings& s) {
  options.list("sizes", s.sizes, "Nodes per cluster; 50x2000 means 50 clusters of 2000 nodes");
}

void declare_nodes(OptionSet& options, GenerateSettings& s) {
  options.integer("nodes", s.nodes, Range::between(1, kMostNodes), "Number of nodes");
}

void declare_clusters(OptionSet& options, GenerateSettings& s) {
  options.integer("clusters", s.clusters, Range::between(1, kMostNodes),
                  "Number of clusters; nodes of a cluster have the same truth");
}

GraphKind sbm() {
  return {.name = "sbm",
          .help = "Stochastic block model: random edges, denser inside clusters",
          .set_defaults =
              [](GenerateSettings& s) {
                s.sizes = {"100", "100"};
                s.p_in = 0.5;
                s.p_out = 0.01;
                s.data.dimension = 100;
                s.data.min_samples = 10;
                s.data.noise = 1e-3;
                s.data.truth = TruthKind::kBernoulli;
              },
          .declare =
              [](OptionSet& options, GenerateSettings& s) {
                declare_sizes(options, s);
                options.real("p-in", s.p_in, Range::between(0, 1), "Probability of an edge inside a cluster");
                options.real("p-out", s.p_out, Range::between(0, 1), "Probability of an edge between clusters");
              },
          .make = make_sbm};
}

GraphKind chain() {
  return {.name = "chain",
          .help = "Path graph; clusters are consecutive segments",
          .set_defaults =
              [](GenerateSettings& s) {
                s.sizes = {"50", "50"};
                s.epsilon = 0.3;
                s.data.accessible = 0.6;
                s.data.truth = TruthKind::kGiven;
                s.truth_values = "2,2;-2,2";
              },
          .declare =
              [](OptionSet& options, GenerateSettings& s) {
                declare_sizes(options, s);
                options.real("epsilon", s.epsilon, Range::at_least(0),
                             "Weight of the edge between two clusters; 0: no edge");
              },
          .make = make_chain};
}

GraphKind star() {
  return {.name = "star",
          .help = "Star graph; the first node is the centre, and every node has its own truth",
          .set_defaults = [](GenerateSettings& s) { s.nodes = 50; },
          .declare = declare_nodes,
          .make = [](const GenerateSettings& s) { return star_graph(s.nodes); }};
}

GraphKind grid() {
  return {.name = "grid",
          .help = "Rectangular grid; the four quadrants are the clusters",
          .set_defaults =
              [](GenerateSettings& s) {
                s.rows = 30;
                s.cols = 30;
                s.data.model = SyntheticModel::kPoint;
                s.data.dimension = 3;
                s.data.min_samples = 1;
                s.data.noise = 0.3;
                s.data.truth = TruthKind::kGiven;
                s.truth_values = "0,0,0;1,0,0;0,1,0;0,0,1";
              },
          .declare =
              [](OptionSet& options, GenerateSettings& s) {
                options.integer("rows", s.rows, Range::between(1, kMostNodes), "Number of rows");
                options.integer("cols", s.cols, Range::between(1, kMostNodes), "Number of columns");
              },
          .make = [](const GenerateSettings& s) { return grid_graph(s.rows, s.cols); }};
}

GraphKind geometric() {
  return {.name = "geometric",
          .help = "Random points in the unit square, connected to their nearest neighbours",
          .set_defaults =
              [](GenerateSettings& s) {
                const GeometricParameters standard;
                s.nodes = standard.nodes;
                s.neighbours = standard.neighbours;
                s.clusters = standard.clusters;
                s.data.noise = 0.1;
              },
          .declare =
              [](OptionSet& options, GenerateSettings& s) {
                declare_nodes(options, s);
                options.integer("neighbours", s.neighbours, Range::between(1, kMostNodes),
                                "Number of nearest points that each point is connected to");
                declare_clusters(options, s);
              },
          .make =
              [](const GenerateSettings& s) {
                return geometric_graph({.nodes = s.nodes, .neighbours = s.neighbours, .clusters = s.clusters},
                                       static_cast<std::uint64_t>(s.seed));
              }};
}

GraphKind scale_free() {
  return {.name = "scale-free",
          .help = "Barabási–Albert model: new nodes attach preferentially to nodes of high degree",
          .set_defaults =
              [](GenerateSettings& s) {
                const ScaleFreeParameters standard;
                s.nodes = standard.nodes;
                s.attachments = standard.attachments;
                s.clusters = standard.clusters;
                s.data.noise = 0.1;
              },
          .declare =
              [](OptionSet& options, GenerateSettings& s) {
                declare_nodes(options, s);
                options.integer("attachments", s.attachments, Range::between(1, kMostNodes), "Edges of each new node");
                declare_clusters(options, s);
              },
          .make =
              [](const GenerateSettings& s) {
                return scale_free_graph({.nodes = s.nodes, .attachments = s.attachments, .clusters = s.clusters},
                                        static_cast<std::uint64_t>(s.seed));
              }};
}

}  // namespace

const std::vector<GraphKind>& graph_kinds() {
  static const std::vector<GraphKind> kinds = {sbm(), chain(), star(), grid(), geometric(), scale_free()};
  return kinds;
}

}  // namespace gtvmin::app
