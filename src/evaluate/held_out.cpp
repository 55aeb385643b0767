#include "gtvmin/evaluate/held_out.h"

#include "gtvmin/evaluate/data_units.h"
#include "gtvmin/evaluate/match_classes.h"

namespace gtvmin {

Result<std::vector<NodeId>> match_held_out(const std::string& where, const Training& training, Dataset& held_out) {
  Result<std::vector<NodeId>> nodes = find_nodes({where, held_out.node_names}, training.nodes);
  if (!nodes) return nodes;
  if (const Status known = match_classes(where, training.classes, held_out); !known) return known.error();
  if (training.standardization) apply_standardization(*training.standardization, held_out);
  return nodes;
}

}  // namespace gtvmin
