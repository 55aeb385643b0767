#pragma once

#include <vector>

#include "gtvmin/base/exact_sum.h"
#include "gtvmin/base/types.h"
#include "gtvmin/loss/local_loss.h"
#include "gtvmin/problem/problem.h"

namespace gtvmin {

/// A part of the problem: some nodes with their losses, all edges that touch them, and ghost columns for the
/// neighbours that live elsewhere. A cut edge exists in two shards and is computed in both, with the same bits.
///
/// Nodes are numbered so that neighbours are near each other in memory (locality_ranks, the same for every shard).
/// Local nodes are the owned ones, first those that have a ghost as neighbour, then the ghosts, each by rank; local
/// edges are sorted by the ranks of their ends, and the end with the smaller rank is the head here. Where that is not
/// the head e₊ of the graph the flow has the other sign.
///
/// The sweep over the edges adds the new flows to their nodes while it has them at hand, so that u is read and written
/// once an iteration. For that the edges, which are sorted by their heads, are cut into a few blocks whose number
/// depends on the problem alone. Within a block sums run in the order of edges; a node that gets flow from several
/// blocks has a slot for each, and their sum (Dᵀu)_i runs in the order of blocks. So blocks may run at the same time,
/// and the bits are the same for every number of threads and shards.
struct Shard {
  /// The consecutive edges with one head.
  struct HeadRun {
    NodeId head = 0;   // local
    NodeId slot = -1;  // where the head's flow adds up; −1 for a ghost, whose edges other shards count
    EdgeId first = 0;  // local edges first … first of the next run − 1
  };
  struct EdgeEnd {
    NodeId tail = 0;   // local
    NodeId slot = -1;  // where the tail's flow adds up; −1 for a ghost
  };
  /// What the prox of a node needs; all but the form depend on the primal weight.
  struct NodeProx {
    QuadraticForm form;      // without minimiser where the loss is not quadratic
    double* step = nullptr;  // its step matrix, where one is kept
    double tau = 0;          // the step size τ_i
    double pull = 0;         // how far the prox moves along directions outside the form's basis: µ/(µ + 1/τ_i)
  };

  /// The state starts where the losses say, u at 0.
  Shard(const Problem& problem, std::vector<NodeId> owned);
  /// The shard that owns every node.
  [[nodiscard]] static Shard whole(const Problem& problem);

  [[nodiscard]] Index owned() const { return static_cast<Index>(first_slot.size()) - 1; }
  [[nodiscard]] Index local_nodes() const { return static_cast<Index>(nodes.size()); }
  [[nodiscard]] Index local_edges() const { return static_cast<Index>(ends.size()); }
  [[nodiscard]] bool has_ghosts() const { return local_nodes() > owned(); }
  /// Owned nodes 0 … boundary − 1 are neighbours of ghosts: what others wait for.
  Index boundary = 0;
  /// c_e of the step sizes and κ_e = λA_e of a local edge.
  [[nodiscard]] double scale(EdgeId e) const { return uniform_edges ? scales[0] : scales[e]; }
  [[nodiscard]] double kappa(EdgeId e) const { return uniform_edges ? kappas[0] : kappas[e]; }

  const Problem* problem;
  std::vector<NodeId> nodes;       // global ids: owned, then ghosts
  std::vector<EdgeId> edge_ids;    // global ids
  std::vector<signed char> signs;  // of edges: −1 where the graph's head is the tail here
  std::vector<HeadRun> runs;       // and a last one that ends the edges
  std::vector<Index> first_run;    // of each block, and the number of runs
  std::vector<EdgeEnd> ends;       // one per edge
  bool uniform_edges = true;       // all edges have the same weight; scales and kappas then have one entry
  bool trains_nets = false;        // a primal update is long: nodes are handed to threads one by one
  std::vector<double> scales;
  std::vector<double> kappas;
  std::vector<NodeId> first_slot;  // of owned nodes: slots first_slot[i] … first_slot[i + 1] − 1
  std::vector<double> scale_sum;   // Σ_{e∋i} c_e of owned nodes; 0 for an isolated node
  std::vector<NodeProx> proxes;    // of owned nodes
  Vector prox_numbers;             // theirs, as far as they are not read from the problem
  double prox_omega = 0;           // the primal weight of the proxes; 0 before the first sweep
  ExactSum quadratic_minima;       // of the quadratic losses of owned nodes

  Matrix w;         // d × local nodes: the state
  Matrix w_next;    // d × local nodes: the primal update, then its extrapolation 2w⁺ − w
  Matrix u;         // d × local edges
  Matrix flow;      // d × slots: Dᵀu by nodes and blocks
  Matrix gradient;  // d × owned: ∇L_i at the last inspected primal update
  Matrix w_window;  // d × owned: w and u when the primal weight last changed
  Matrix u_window;  // d × local edges
};

/// What a shard's nodes and edges add to a certificate.
struct ShardTerms {
  Vector nodes;  ///< of owned nodes
  Vector edges;  ///< of local edges; 0 where another shard counts them
};

/// A rank for every node: their numbers, or the order in which a breadth-first search meets them if that brings
/// neighbours nearer to each other.
[[nodiscard]] std::vector<NodeId> locality_ranks(const EmpiricalGraph& graph);

/// Copies the shard's state to its place in that of the whole problem.
void get_state(const Shard& shard, Matrix& w, Matrix& u);
/// Puts the shard into a state; w and u are those of the whole problem. The window of the primal weight starts there.
void set_state(Shard& shard, const Matrix& w, const Matrix& u);
/// The same for the state at which the window began.
void set_window(Shard& shard, const Matrix& w, const Matrix& u);
/// Begins a window at the present state.
void start_window(Shard& shard);

/// Chooses c_e for every edge of the shard; 1 for each is the paper's Algorithm 1.
void set_unit_scales(Shard& shard);
/// c_e = √A_e: heavy edges move their flow faster, but not so much that light ones stand still.
void set_weight_scales(Shard& shard);

}  // namespace gtvmin
