#pragma once

#include <functional>
#include <memory>

#include "gtvmin/base/types.h"
#include "gtvmin/graph/empirical_graph.h"
#include "gtvmin/second_order/symmetric_factor.h"

namespace gtvmin {

/// Solves (H + DᵀCD) p = b over a graph: H has a d×d block per node, C a d×d block per edge, all positive semidefinite.
/// It is the system of every second-order step here: Newton's, the repair of a flow, the certificate of a smooth
/// penalty.
///
/// Two ways, chosen once by how much a factorisation of this graph would fill in: Cholesky with refinement (chains,
/// trees, grids, small graphs) or conjugate gradients preconditioned by the diagonal blocks (large random
/// graphs, where they need few iterations). Between the two, where a factorisation is possible but dear, it has to wait
/// until conjugate gradients have had a hundred steps.
class BlockSystem {
 public:
  /// out = C_e dx; both have d numbers and do not overlap.
  using EdgeBlock = std::function<void(EdgeId e, const double* dx, double* out)>;

  BlockSystem(const EmpiricalGraph& graph, Index dimension);
  BlockSystem(const BlockSystem&) = delete;
  BlockSystem& operator=(const BlockSystem&) = delete;
  ~BlockSystem();

  [[nodiscard]] bool is_direct() const { return direct_ != nullptr; }
  /// Whether it has come to a factorisation of what is set now.
  [[nodiscard]] bool is_factorised() const { return is_factorised_; }
  /// Operations of setting the system and solving it, roughly: what a caller budgets with.
  [[nodiscard]] double work() const { return work_; }
  /// What work() is at least for a graph with so many nodes, without looking at it.
  [[nodiscard]] static double least_work(NodeId nodes, Index dimension);

  /// node_blocks is d × (d·nodes), block i in columns d·i … d·i + d − 1. Singular systems are allowed if b is
  /// consistent.
  void set(const Matrix& node_blocks, const EdgeBlock& edge_block);
  /// b is d × nodes. Stops at a residual of relative size `accuracy`, or where rounding ends the progress.
  [[nodiscard]] Matrix solve(const Matrix& b, double accuracy);

 private:
  struct Solution {
    Matrix p;
    double residual;
  };

  void set_diagonal_factors();
  void factorise();
  void multiply(const Matrix& p, Matrix& out) const;
  [[nodiscard]] Matrix precondition(const Matrix& r) const;
  [[nodiscard]] Solution conjugate_gradients(const Matrix& b, double accuracy, int most_steps, int most_stalled) const;

  const EmpiricalGraph& graph_;
  Index d_;
  double work_ = 0;
  Matrix node_blocks_;
  EdgeBlock edge_block_;
  Matrix diagonal_factors_;  // Cholesky factors of H_i + Σ_{e∋i} C_e
  std::unique_ptr<SymmetricFactor> direct_;
  bool is_dear_ = false;        // the factorisation
  bool is_factorised_ = false;  // as it is set now
};

}  // namespace gtvmin
