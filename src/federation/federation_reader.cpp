#include <fmt/format.h>

#include <cmath>

#include "assembly.h"
#include "gtvmin/federation/federation.h"
#include "gtvmin/io/text_file.h"

namespace gtvmin {
namespace {

constexpr std::int64_t kFormat = 1;

class EdgeReader {
 public:
  EdgeReader(Assembly& assembly, InputProblems& problems) : assembly_(assembly), problems_(problems) {}

  void read(const TomlNode& element) {
    const auto* entry = element.get_if<TomlNode::Array>();
    if (entry == nullptr || entry->size() != 3) {
      problems_.add(element.line, "an edge is [source, target, weight]");
      return;
    }
    const std::optional<NodeId> source = node((*entry)[0], element.line);
    const std::optional<NodeId> target = node((*entry)[1], element.line);
    const std::optional<double> weight = number((*entry)[2], element.line);
    if (!source || !target || !weight) return;
    const std::string& a = assembly_.federation.node_names[*source];
    const std::string& b = assembly_.federation.node_names[*target];
    if (*source == *target) {
      problems_.add(element.line, fmt::format("an edge from {} to itself", shown(a)));
      return;
    }
    const auto [known, is_new] = lines_.try_emplace(std::minmax(*source, *target), element.line);
    if (!is_new) {
      problems_.add(element.line, fmt::format("the edge between {} and {} is given twice, first on line {}", shown(a),
                                              shown(b), known->second));
      return;
    }
    assembly_.federation.edges.push_back({*source, *target, *weight});
  }

 private:
  std::optional<NodeId> node(const TomlNode& element, std::int64_t line) {
    const auto* name = element.get_if<std::string>();
    if (name == nullptr) {
      problems_.add(line, "source and target of an edge must be names of nodes");
      return std::nullopt;
    }
    const auto known = assembly_.node_ids.find(*name);
    if (known != assembly_.node_ids.end()) return known->second;
    problems_.add(line, fmt::format("node {} belongs to no site", shown(*name)));
    return std::nullopt;
  }

  std::optional<double> number(const TomlNode& element, std::int64_t line) {
    double value = std::nan("");
    if (const auto* real = element.get_if<double>()) value = *real;
    if (const auto* whole = element.get_if<std::int64_t>()) value = static_cast<double>(*whole);
    if (std::isfinite(value) && value > 0) return value;
    problems_.add(line, "the weight of an edge must be a number > 0");
    return std::nullopt;
  }

  Assembly& assembly_;
  InputProblems& problems_;
  std::map<std::pair<NodeId, NodeId>, std::int64_t> lines_;
};

}  // namespace

Result<Federation> parse_federation(const std::string& name, std::string_view content) {
  const Result<TomlNode::Table> tree = parse_toml_tree(name, content);
  if (!tree) return tree.error();
  InputProblems problems(name);
  TableReader table(*tree, 1, problems);
  const std::optional<double> format = table.number("format");
  if (format != kFormat) {
    problems.add(table.line_of("format"), "not a federation file of a known format: expected format = 1");
    return problems.to_error();
  }
  const TomlNode::Array& edges = table.array("edges");
  Assembly assembly = read_sites(table, problems);
  EdgeReader reader(assembly, problems);
  for (const TomlNode& edge : edges) reader.read(edge);
  finish_federation(assembly, problems);
  if (!problems.empty()) return problems.to_error();
  return std::move(assembly.federation);
}

Result<Federation> read_federation(const std::string& path) {
  const Result<TextFile> file = TextFile::open(path);
  if (!file) return file.error();
  return parse_federation(path, file->content());
}

}  // namespace gtvmin
