#include "assembly.h"

#include <fmt/format.h>

#include <algorithm>

#include "site_names.h"

namespace gtvmin {
namespace {

constexpr const char* kLabelRule = "1 to 63 lower-case letters, digits and hyphens, no hyphen at either end";

void read_nodes(TableReader& table, SiteId site, Assembly& assembly, InputProblems& problems) {
  Federation& federation = assembly.federation;
  const TomlNode::Array& nodes = table.array("nodes");
  if (nodes.empty()) problems.add(table.line(), "a site needs nodes, e.g. nodes = [\"a\", \"b\"]");
  for (const TomlNode& element : nodes) {
    const auto* name = element.get_if<std::string>();
    if (name == nullptr || name->empty()) {
      problems.add(element.line, "the name of a node must be a text that is not empty");
      continue;
    }
    const auto [known, is_new] = assembly.node_ids.try_emplace(*name, federation.nodes());
    if (!is_new) {
      const SiteId owner = federation.owner[known->second];
      problems.add(element.line, owner == site ? fmt::format("node {} is listed twice in site {}", shown(*name),
                                                             shown(federation.sites[site].name))
                                               : fmt::format("node {} is in two sites, {} and {}", shown(*name),
                                                             shown(federation.sites[owner].name),
                                                             shown(federation.sites[site].name)));
      continue;
    }
    federation.sites[site].nodes.push_back(known->second);
    federation.node_names.push_back(*name);
    federation.owner.push_back(site);
  }
}

void read_site(TableReader& table, Assembly& assembly, InputProblems& problems) {
  Federation& federation = assembly.federation;
  const SiteId site = federation.site_count();
  std::string name = table.required_text("name");
  if (table.has_text("name") && !is_dns_label(name)) {
    problems.add(table.line_of("name"), fmt::format("{} is not a valid site name: {}", shown(name), kLabelRule));
  } else if (const auto other = find_site(federation, name); other && !name.empty()) {
    problems.add(table.line_of("name"),
                 fmt::format("site {} is already declared on line {}", shown(name), assembly.site_lines[*other]));
  }
  std::string address = table.text("address");
  if (table.has_text("address") && !is_address(address)) {
    problems.add(table.line_of("address"),
                 fmt::format("{} is not an address: expected host:port, e.g. north.example:7443 or [2001:db8::1]:7443; "
                             "omit it for a site that cannot be dialled",
                             shown(address)));
  }
  for (const Site& other : federation.sites) {
    if (address.empty() || other.address != address) continue;
    problems.add(table.line_of("address"), fmt::format("site {} has this address already", shown(other.name)));
  }
  federation.sites.push_back({std::move(name), std::move(address), {}});
  assembly.site_lines.push_back(table.line());
  read_nodes(table, site, assembly, problems);
  table.refuse_the_rest();
}

void check_addresses(const Assembly& assembly, InputProblems& problems) {
  const Federation& federation = assembly.federation;
  for (SiteId site = 0; site < federation.site_count(); ++site) {
    if (!federation.sites[site].address.empty()) continue;
    for (const SiteId other : neighbours(federation, site)) {
      if (other > site || !federation.sites[other].address.empty()) continue;
      problems.add(assembly.site_lines[site],
                   fmt::format("sites {} and {} are neighbours and neither has an address for the other to dial",
                               shown(federation.sites[other].name), shown(federation.sites[site].name)));
    }
  }
}

}  // namespace

Assembly read_sites(TableReader& table, InputProblems& problems) {
  Assembly assembly;
  assembly.federation.name = table.required_text("name");
  if (table.has_text("name") && !is_dns_label(assembly.federation.name)) {
    problems.add(table.line_of("name"),
                 fmt::format("{} is not a valid federation name: {}", shown(assembly.federation.name), kLabelRule));
  } else if (assembly.federation.name.size() > kLongestFederationName) {
    problems.add(table.line_of("name"), fmt::format("the federation name {} is too long: at most {} characters, "
                                                    "because the authority's certificate contains it",
                                                    shown(assembly.federation.name), kLongestFederationName));
  }
  if (table.has("sums")) assembly.federation.sums = table.flag("sums");
  if (!table.has("solve")) problems.add(1, "[solve] is missing: the options of gtvmin solve that all sites share");
  assembly.federation.solve = table.options("solve");
  if (!table.has("site")) problems.add(1, "[[site]] is missing: a federation has at least one site");
  for (TableReader& site : table.tables("site")) read_site(site, assembly, problems);
  table.refuse_the_rest();
  return assembly;
}

void finish_federation(Assembly& assembly, InputProblems& problems) {
  Federation& federation = assembly.federation;
  for (WeightedEdge& edge : federation.edges) {
    if (edge.a > edge.b) std::swap(edge.a, edge.b);
  }
  std::sort(federation.edges.begin(), federation.edges.end(),
            [](const WeightedEdge& x, const WeightedEdge& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
  if (!problems.empty()) return;  // a node that belongs nowhere would be a hole in the graph of sites
  check_addresses(assembly, problems);
  const Result<SpanningTree> tree = spanning_tree(federation);
  if (!tree) problems.add(assembly.site_lines.front(), tree.error().messages.front());
}

}  // namespace gtvmin
