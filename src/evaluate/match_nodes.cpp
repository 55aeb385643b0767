#include "gtvmin/evaluate/match_nodes.h"

#include <fmt/format.h>

#include <string_view>
#include <unordered_map>

namespace gtvmin {
namespace {

using Positions = std::unordered_map<std::string_view, NodeId>;

Positions positions_of(const std::vector<std::string>& names) {
  Positions positions;
  for (std::size_t i = 0; i < names.size(); ++i) positions.emplace(names[i], static_cast<NodeId>(i));
  return positions;
}

/// Says which of `names` have no position, if there are any.
void list_missing(const NamedNodes& names, const std::string& where, const Positions& positions, Error& error) {
  constexpr std::size_t kListed = 20;
  std::vector<std::string> missing;
  std::size_t count = 0;
  for (const std::string& name : names.names) {
    if (positions.contains(name)) continue;
    if (++count <= kListed) missing.push_back(name);
  }
  if (count == 0) return;
  error.messages.push_back(fmt::format("{}: {} {} of {} not there: {}{}", where, count, count == 1 ? "node" : "nodes",
                                       names.where + (count == 1 ? " is" : " are"), fmt::join(missing, ", "),
                                       count > kListed ? ", …" : ""));
}

std::vector<NodeId> look_up(const std::vector<std::string>& names, const Positions& positions) {
  std::vector<NodeId> found;
  found.reserve(names.size());
  for (const std::string& name : names) found.push_back(positions.at(name));
  return found;
}

}  // namespace

Result<std::vector<NodeId>> find_nodes(const NamedNodes& part, const NamedNodes& whole) {
  const Positions in_whole = positions_of(whole.names);
  Error error{Error::Kind::kBadInput, {}};
  list_missing(part, whole.where, in_whole, error);
  if (!error.messages.empty()) return error;
  return look_up(part.names, in_whole);
}

Result<std::vector<NodeId>> match_nodes(const NamedNodes& part, const NamedNodes& whole) {
  const Positions in_whole = positions_of(whole.names);
  Error error{Error::Kind::kBadInput, {}};
  list_missing(part, whole.where, in_whole, error);
  list_missing(whole, part.where, positions_of(part.names), error);
  if (!error.messages.empty()) return error;
  return look_up(part.names, in_whole);
}

}  // namespace gtvmin
