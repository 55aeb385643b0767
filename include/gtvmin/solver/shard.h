#pragma once

#include <vector>

#include "gtvmin/base/types.h"
#include "gtvmin/problem/problem.h"

namespace gtvmin {

/// A part of the problem: some nodes with their losses, all edges that touch them, and ghost columns for the
/// neighbours that live elsewhere. A cut edge exists in two shards and is computed in both, with the same bits.
/// Local nodes are the owned ones, then the ghosts, each in ascending order; local edges ascend in their global id.
struct Shard {
  struct Edge {
    NodeId head = 0;  // local
    NodeId tail = 0;
    double kappa = 0;    // λA_e
    double scale = 1;    // c_e of the step sizes
    bool counts = true;  // this shard owns the head, so it is the one that adds the edge to sums
  };
  struct LocalIncidence {
    EdgeId edge = 0;  // local
    double sign = 0;
  };

  /// `owned` ascends. The state starts at 0.
  Shard(const Problem& problem, std::vector<NodeId> owned);

  [[nodiscard]] Index owned() const { return static_cast<Index>(first_incidence.size()) - 1; }
  [[nodiscard]] Index local_nodes() const { return static_cast<Index>(nodes.size()); }
  [[nodiscard]] Index local_edges() const { return static_cast<Index>(edges.size()); }

  const Problem* problem;
  std::vector<NodeId> nodes;     // global ids: owned, then ghosts
  std::vector<EdgeId> edge_ids;  // global ids
  std::vector<Edge> edges;
  std::vector<Index> first_incidence;  // of owned nodes
  std::vector<LocalIncidence> incidences;
  std::vector<double> scale_sum;  // Σ_{e∋i} c_e of owned nodes; 0 for an isolated node

  Matrix w;         // d × local nodes: the state
  Matrix w_next;    // d × local nodes: the primal update, then its extrapolation 2w⁺ − w
  Matrix u;         // d × local edges
  Matrix gradient;  // d × owned: ∇L_i at the last inspected primal update
};

/// Chooses c_e for every edge of the shard; 1 for each is the paper's Algorithm 1.
void set_unit_scales(Shard& shard);
/// c_e = √A_e: heavy edges move their flow faster, but not so much that light ones stand still.
void set_weight_scales(Shard& shard);

}  // namespace gtvmin
