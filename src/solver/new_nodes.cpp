#include "gtvmin/solver/new_nodes.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "gtvmin/loss/quadratic_loss.h"
#include "gtvmin/solver/solver.h"

namespace gtvmin {
namespace {

/// 0 at one point and +∞ elsewhere: a node whose parameters are given.
class HeldLoss final : public LocalLoss {
 public:
  explicit HeldLoss(Vector point) : point_(std::move(point)) {}
  [[nodiscard]] Index dimension() const override { return point_.size(); }
  [[nodiscard]] bool is_smooth() const override { return false; }
  void start(VectorRef w) const override { w = point_; }
  [[nodiscard]] double value(ConstVectorRef w) const override {
    return w == point_ ? 0 : std::numeric_limits<double>::infinity();
  }
  void gradient(ConstVectorRef /*w*/, VectorRef g) const override { g.setZero(); }
  void prox(ConstVectorRef /*v*/, double /*rho*/, double /*tolerance*/, VectorRef z,
            VectorRef /*scratch*/) const override {
    z = point_;
  }
  [[nodiscard]] double lower_bound() const override { return 0; }

 private:
  Vector point_;
};

/// Outwards from the known nodes: every new node starts at the weighted mean of its neighbours that have started.
Matrix start_from_neighbours(const EmpiricalGraph& graph, const Matrix& known) {
  Matrix w = Matrix::Zero(known.rows(), graph.nodes());
  w.leftCols(known.cols()) = known;
  std::vector<char> started(graph.nodes(), 0);
  std::fill_n(started.begin(), known.cols(), 1);
  for (bool again = true; again;) {
    again = false;
    const std::vector<char> before = started;
    for (auto i = static_cast<NodeId>(known.cols()); i < graph.nodes(); ++i) {
      if (before[i] != 0) continue;
      double weight = 0;
      for (const Incidence& to : graph.incident(i)) {
        if (before[to.neighbour] == 0) continue;
        w.col(i) += graph.weight(to.edge) * w.col(to.neighbour);
        weight += graph.weight(to.edge);
      }
      if (weight == 0) continue;
      w.col(i) /= weight;
      started[i] = 1;
      again = true;
    }
  }
  return w;
}

}  // namespace

std::vector<NodeId> unreachable_nodes(const EmpiricalGraph& graph, NodeId known) {
  const Partition components = connected_groups(graph);
  std::vector<char> reached(components.groups, 0);
  for (NodeId i = 0; i < known; ++i) reached[components.group_of[i]] = 1;
  std::vector<NodeId> lost;
  for (NodeId i = known; i < graph.nodes(); ++i) {
    if (reached[components.group_of[i]] == 0) lost.push_back(i);
  }
  return lost;
}

Result<Matrix> parameters_of_new_nodes(const Matrix& known, const EmpiricalGraph& graph, Penalty penalty) {
  const auto first_new = static_cast<NodeId>(known.cols());
  std::vector<WeightedEdge> at_new;
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    if (graph.tail(e) >= first_new) at_new.push_back({graph.head(e), graph.tail(e), graph.weight(e)});
  }
  std::vector<LossPtr> losses;
  for (NodeId i = 0; i < graph.nodes(); ++i) {
    losses.push_back(i < first_new ? LossPtr(std::make_unique<HeldLoss>(known.col(i)))
                                   : QuadraticLoss::zero(known.rows()));
  }
  auto coupled = EmpiricalGraph::make(graph.nodes(), std::move(at_new));
  if (!coupled) return coupled.error();
  const auto problem = Problem::make(*std::move(coupled), std::move(losses), std::move(penalty), 1);
  if (!problem) return problem.error();
  const SolverOptions options{.tolerance = 1e-10, .max_iterations = 20'000};
  const Matrix start = start_from_neighbours(problem->graph(), known);
  const Matrix no_flow = Matrix::Zero(known.rows(), problem->edges());
  return Matrix(solve(*problem, options, WarmStart{start, no_flow}).w.rightCols(graph.nodes() - first_new));
}

}  // namespace gtvmin
