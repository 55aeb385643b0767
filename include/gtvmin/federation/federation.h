#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/base/types.h"
#include "gtvmin/graph/empirical_graph.h"
#include "gtvmin/options/table_reader.h"

namespace gtvmin {

/// Sites are numbered from 0, in the order of the federation file.
using SiteId = std::int32_t;

/// A place that keeps its data: some nodes of the graph, and where its neighbours reach it.
struct Site {
  std::string name;           ///< a DNS label, no two sites share it
  std::string address;        ///< host:port to dial, an IPv6 host in brackets; empty: nobody can, it dials out
  std::vector<NodeId> nodes;  ///< ascending and contiguous, at least one
};

/// What is public about a federation, the same for every site.
///
/// Nodes are numbered in the order of the sites and then of each site's list, so every site numbers them alike, and
/// `gtvmin solve` does too on the sites' data files joined in that order. Of two neighbouring sites at least one has an
/// address, and all sites are connected: read_federation and read_topology refuse anything else.
struct Federation {
  std::string name;  ///< a DNS label of at most 54 letters
  /// Sites add up what steers the run and proves its result. If not, they send each other parameters and nothing else.
  bool sums = true;
  std::vector<Site> sites;
  std::vector<std::string> node_names;
  std::vector<SiteId> owner;  ///< of nodes
  /// a < b, sorted by (a, b): edge k here is edge k of EmpiricalGraph::make.
  std::vector<WeightedEdge> edges;
  /// Options of `gtvmin solve` that all sites share, with their lines in the file. Their names and values have not been
  /// checked: that is for who declares the options.
  SetOptions solve;

  [[nodiscard]] NodeId nodes() const { return static_cast<NodeId>(node_names.size()); }
  [[nodiscard]] SiteId site_count() const { return static_cast<SiteId>(sites.size()); }
};

/// The site of that name, if there is one.
[[nodiscard]] std::optional<SiteId> find_site(const Federation& federation, std::string_view name);

/// host:port, where host is a name, an IPv4 address, or an IPv6 address in brackets, and port is 1 to 65535.
[[nodiscard]] bool is_address(std::string_view address);

/// The sites that share at least one edge with `site`, ascending.
[[nodiscard]] std::vector<SiteId> neighbours(const Federation& federation, SiteId site);

/// The nodes of `site` that have a neighbour at `other`, ascending: those whose parameters `site` sends there.
[[nodiscard]] std::vector<NodeId> boundary_nodes(const Federation& federation, SiteId site, SiteId other);

/// The name by which TLS knows a site: <site>.<federation>.
[[nodiscard]] std::string tls_name(const Federation& federation, SiteId site);

/// The tree of sites over which sums travel: the first tree that a breadth-first search from the first site finds,
/// neighbours in ascending order. Every site computes the same one.
struct SpanningTree {
  static constexpr SiteId kNone = -1;
  std::vector<SiteId> parent;                 ///< of sites; kNone at the root, site 0
  std::vector<std::vector<SiteId>> children;  ///< of sites, ascending
};
/// Fails if the sites are not connected, with the names of those that the first site does not reach.
[[nodiscard]] Result<SpanningTree> spanning_tree(const Federation& federation);

/// The federation file. A function of the content: equal federations have equal texts, and a text that was read gives
/// itself back. Digests of federations are taken of it.
[[nodiscard]] std::string federation_text(const Federation& federation);

/// Reads a federation file. Fails with all problems, each "file:line: what is wrong", at most 20 and then how many
/// more.
[[nodiscard]] Result<Federation> read_federation(const std::string& path);
[[nodiscard]] Result<Federation> parse_federation(const std::string& name, std::string_view content);

}  // namespace gtvmin
