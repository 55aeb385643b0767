#include "gtvmin/federation/federation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace gtvmin {
namespace {

/// The neighbours of every site.
std::vector<std::set<SiteId>> site_graph(const Federation& federation) {
  std::vector<std::set<SiteId>> joined(federation.sites.size());
  for (const WeightedEdge& edge : federation.edges) {
    const SiteId a = federation.owner[edge.a];
    const SiteId b = federation.owner[edge.b];
    if (a == b) continue;
    joined[a].insert(b);
    joined[b].insert(a);
  }
  return joined;
}

}  // namespace

std::optional<SiteId> find_site(const Federation& federation, std::string_view name) {
  const auto found = std::find_if(federation.sites.begin(), federation.sites.end(),
                                  [&](const Site& site) { return site.name == name; });
  if (found == federation.sites.end()) return std::nullopt;
  return static_cast<SiteId>(found - federation.sites.begin());
}

std::vector<SiteId> neighbours(const Federation& federation, SiteId site) {
  const std::set<SiteId> joined = site_graph(federation)[site];
  return {joined.begin(), joined.end()};
}

std::vector<NodeId> boundary_nodes(const Federation& federation, SiteId site, SiteId other) {
  std::set<NodeId> nodes;
  for (const WeightedEdge& edge : federation.edges) {
    if (federation.owner[edge.a] == site && federation.owner[edge.b] == other) nodes.insert(edge.a);
    if (federation.owner[edge.b] == site && federation.owner[edge.a] == other) nodes.insert(edge.b);
  }
  return {nodes.begin(), nodes.end()};
}

std::string tls_name(const Federation& federation, SiteId site) {
  return federation.sites[site].name + "." + federation.name;
}

Result<SpanningTree> spanning_tree(const Federation& federation) {
  const auto joined = site_graph(federation);
  SpanningTree tree{.parent = std::vector<SiteId>(joined.size(), SpanningTree::kNone),
                    .children = std::vector<std::vector<SiteId>>(joined.size())};
  std::vector<char> reached(joined.size(), 0);
  std::vector<SiteId> queue;
  queue.reserve(joined.size());
  if (!joined.empty()) {
    queue.push_back(0);
    reached[0] = 1;
  }
  for (std::size_t k = 0; k < queue.size(); ++k) {
    const SiteId site = queue[k];
    for (const SiteId next : joined[site]) {
      if (reached[next] != 0) continue;
      reached[next] = 1;
      tree.parent[next] = site;
      tree.children[site].push_back(next);
      queue.push_back(next);
    }
  }
  if (queue.size() == joined.size()) return tree;
  std::vector<std::string> missed;
  missed.reserve(joined.size() - queue.size());
  for (std::size_t k = 0; k < joined.size(); ++k) {
    if (reached[k] == 0) missed.push_back(federation.sites[k].name);
  }
  return bad_input(fmt::format("all sites must be connected, but no path of edges leads from {} to {}",
                               shown(federation.sites.front().name), shown_list(missed)));
}

}  // namespace gtvmin
