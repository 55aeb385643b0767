#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtvmin/base/types.h"

namespace gtvmin {

/// Numbers names in the order of their first appearance. A hash table with open addressing: an edge file asks for two
/// names on every line, and the lookup is most of its cost.
class NameTable {
 public:
  /// The number of `name`, a new one if it was not seen before.
  NodeId id_of(std::string_view name) {
    if (2 * names_.size() >= slots_.size()) grow();
    const auto hash = static_cast<std::uint32_t>(std::hash<std::string_view>{}(name));
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at].id != kFree) {
      if (slots_[at].hash == hash && names_[slots_[at].id] == name) return slots_[at].id;
      at = (at + 1) & (slots_.size() - 1);
    }
    const auto id = static_cast<NodeId>(names_.size());
    slots_[at] = {hash, id};
    names_.emplace_back(name);
    return id;
  }

  [[nodiscard]] NodeId size() const { return static_cast<NodeId>(names_.size()); }
  [[nodiscard]] const std::string& name(NodeId id) const { return names_[id]; }
  [[nodiscard]] std::vector<std::string> take_names() && { return std::move(names_); }

 private:
  static constexpr NodeId kFree = -1;
  struct Slot {
    std::uint32_t hash = 0;
    NodeId id = kFree;
  };

  void grow() {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.empty() ? 64 : 2 * slots_.size()));
    for (const Slot& slot : old) {
      if (slot.id == kFree) continue;
      std::size_t at = slot.hash & (slots_.size() - 1);
      while (slots_[at].id != kFree) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::vector<std::string> names_;
};

}  // namespace gtvmin
