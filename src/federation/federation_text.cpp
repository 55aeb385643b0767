#include <fmt/format.h>

#include "gtvmin/federation/federation.h"

namespace gtvmin {
namespace {

/// A basic string of TOML.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      result += fmt::format("\\u{:04X}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string quoted_list(const std::vector<std::string>& texts) {
  std::string result = "[";
  for (const std::string& text : texts) {
    if (result.size() > 1) result += ", ";
    result += quoted(text);
  }
  return result + "]";
}

/// A key that has other characters than a bare one may is written in quotes.
std::string key_text(std::string_view key) {
  constexpr const char* kBare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  return key.empty() || key.find_first_not_of(kBare) != std::string_view::npos ? quoted(key) : std::string(key);
}

std::string value_text(const OptionValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return quoted(*text);
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) return quoted_list(*texts);
  // -0 would be read as a whole number, which has no such value.
  if (const auto* number = std::get_if<double>(&value); number != nullptr && *number == 0) return "0";
  return to_text(value);
}

void add_edges(const Federation& federation, std::string& text) {
  text += "edges = [\n";
  for (const WeightedEdge& edge : federation.edges) {
    text += fmt::format("  [{}, {}, {}],\n", quoted(federation.node_names[edge.a]),
                        quoted(federation.node_names[edge.b]), edge.weight);
  }
  text += "]\n";
}

void add_site(const Federation& federation, const Site& site, std::string& text) {
  text += fmt::format("\n[[site]]\nname = {}\n", quoted(site.name));
  if (!site.address.empty()) text += fmt::format("address = {}\n", quoted(site.address));
  text += "nodes = [\n";
  for (const NodeId node : site.nodes) text += fmt::format("  {},\n", quoted(federation.node_names[node]));
  text += "]\n";
}

}  // namespace

std::string federation_text(const Federation& federation) {
  std::string text = fmt::format("format = 1\nname = {}\nsums = {}\n\n# source, target, weight\n",
                                 quoted(federation.name), federation.sums);
  add_edges(federation, text);
  text += "\n[solve]\n";
  for (const SetOption& option : federation.solve) {
    text += fmt::format("{} = {}\n", key_text(option.name), value_text(option.value));
  }
  for (const Site& site : federation.sites) add_site(federation, site, text);
  return text;
}

}  // namespace gtvmin
