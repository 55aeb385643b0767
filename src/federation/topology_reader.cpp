#include <fmt/format.h>

#include <filesystem>

#include "assembly.h"
#include "gtvmin/federation/topology.h"
#include "gtvmin/io/edge_list.h"
#include "gtvmin/io/text_file.h"

namespace gtvmin {
namespace {

/// Numbers the nodes of an edge file as the sites do. A node without a site is named where it stands first.
void take_edges(const EdgeList& list, Assembly& assembly, InputProblems& problems) {
  constexpr NodeId kUnknown = -1;
  std::vector<NodeId> ids(list.node_names.size(), kUnknown);
  std::vector<char> told(list.node_names.size(), 0);
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const auto known = assembly.node_ids.find(list.node_names[k]);
    if (known != assembly.node_ids.end()) ids[k] = known->second;
  }
  const auto look_up = [&](NodeId node, std::int64_t line) {
    if (ids[node] == kUnknown && told[node] == 0) {
      told[node] = 1;
      problems.add(line, fmt::format("node {} belongs to no site", shown(list.node_names[node])));
    }
    return ids[node];
  };
  assembly.federation.edges.reserve(list.edges.size());
  for (std::size_t e = 0; e < list.edges.size(); ++e) {
    const NodeId a = look_up(list.edges[e].a, list.lines[e]);
    const NodeId b = look_up(list.edges[e].b, list.lines[e]);
    assembly.federation.edges.push_back({a, b, list.edges[e].weight});
  }
}

}  // namespace

Result<Federation> read_topology(const std::string& path) {
  const Result<TextFile> file = TextFile::open(path);
  if (!file) return file.error();
  const Result<TomlNode::Table> tree = parse_toml_tree(path, file->content());
  if (!tree) return tree.error();
  InputProblems problems(path);
  TableReader table(*tree, 1, problems);
  const std::string edge_file = table.required_text("edges");
  Assembly assembly = read_sites(table, problems);
  Error error{Error::Kind::kBadInput, {}};
  if (!edge_file.empty()) {
    const std::string edge_path = (std::filesystem::path(path).parent_path() / edge_file).lexically_normal().string();
    const Result<EdgeList> edges = read_edge_list(edge_path);
    InputProblems edge_problems(edge_path);
    if (edges) take_edges(*edges, assembly, edge_problems);
    if (!edges) error = edges.error();
    edge_problems.append_to(error.messages);
  }
  if (error.messages.empty()) finish_federation(assembly, problems);
  std::vector<std::string> messages;
  problems.append_to(messages);
  error.messages.insert(error.messages.begin(), messages.begin(), messages.end());
  if (!error.messages.empty()) return error;
  return std::move(assembly.federation);
}

}  // namespace gtvmin
