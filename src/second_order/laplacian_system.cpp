#include "gtvmin/second_order/laplacian_system.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "gtvmin/second_order/fill_in.h"

namespace gtvmin {
namespace {
constexpr double kMostEntries = 2e7;
}  // namespace

LaplacianSystem::LaplacianSystem(const EmpiricalGraph& graph, Way way)
    : graph_(graph), diagonal_(Vector::Zero(graph.nodes())) {
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    diagonal_[graph.head(e)] += graph.weight(e);
    diagonal_[graph.tail(e)] += graph.weight(e);
  }
  for (auto& entry : diagonal_) entry = entry > 0 ? entry : 1;
  if (way == Way::kIterative) return;
  const double entries = cholesky_entries(graph);
  if (entries > kMostEntries || entries * entries / graph.nodes() > 3e9) return;

  // The first node of every component is grounded, which makes the matrix regular.
  const Partition components = connected_groups(graph);
  std::vector<char> grounded(components.groups, 0);
  factor_ = std::make_unique<SymmetricFactor>(graph.nodes(), entries);
  for (NodeId i = 0; i < graph.nodes(); ++i) {
    const bool first = std::exchange(grounded[components.group_of[i]], 1) == 0;
    factor_->add(i, i, first ? 2 * diagonal_[i] : diagonal_[i]);
  }
  for (EdgeId e = 0; e < graph.edges(); ++e) factor_->add(graph.tail(e), graph.head(e), -graph.weight(e));
  factor_->factorise();
}

LaplacianSystem::~LaplacianSystem() = default;

void LaplacianSystem::multiply(const Matrix& p, Matrix& out) const {
  out.setZero();
  const Index rows = p.rows();
  for (EdgeId e = 0; e < graph_.edges(); ++e) {
    const double* head = p.data() + graph_.head(e) * rows;
    const double* tail = p.data() + graph_.tail(e) * rows;
    double* out_head = out.data() + graph_.head(e) * rows;
    double* out_tail = out.data() + graph_.tail(e) * rows;
    const double weight = graph_.weight(e);
    for (Index j = 0; j < rows; ++j) {
      const double flow = weight * (head[j] - tail[j]);
      out_head[j] += flow;
      out_tail[j] -= flow;
    }
  }
}

void LaplacianSystem::precondition(const Matrix& r, Matrix& out) const {
  if (factor_) {
    out = factor_->solve(r.transpose()).transpose();
  } else {
    out = r * diagonal_.cwiseInverse().asDiagonal();
  }
}

// Conjugate gradients, every row on its own but all in one sweep over the edges. With a factorisation as preconditioner
// this is iterative refinement and takes one to three steps.
Matrix LaplacianSystem::solve(const Matrix& b, double absolute, int most_steps) const {
  Matrix p = Matrix::Zero(b.rows(), b.cols());
  Matrix r = b;
  Matrix z(b.rows(), b.cols());
  precondition(r, z);
  Matrix direction = z;
  Matrix image(b.rows(), b.cols());
  Vector least = r.rowwise().norm();
  Vector rz = r.cwiseProduct(z).rowwise().sum();
  const int most = factor_ ? 6 : most_steps;
  int stalled = 0;
  for (int k = 0; k < most && stalled < (factor_ ? 2 : 40) && (least.array() > absolute).any(); ++k) {
    multiply(direction, image);
    const Vector curvature = direction.cwiseProduct(image).rowwise().sum();
    const Vector length = (curvature.array() > 0 && rz.array() > 0).select(rz.cwiseQuotient(curvature), 0);
    p += length.asDiagonal() * direction;
    r -= length.asDiagonal() * image;
    ++stalled;
    for (Index j = 0; j < b.rows(); ++j) {
      const double norm = r.row(j).norm();
      if (!(norm < least[j])) continue;
      if (norm < 0.9 * least[j] && least[j] > absolute) stalled = 0;
      least[j] = norm;
    }
    precondition(r, z);
    const Vector next = r.cwiseProduct(z).rowwise().sum();
    const Vector turn = (rz.array() > 0).select(next.cwiseQuotient(rz), 0);
    direction = z + turn.asDiagonal() * direction;
    rz = next;
  }
  return p;
}

void add_flow_for(const EmpiricalGraph& graph, const Matrix& b, int steps, Matrix& u) {
  const LaplacianSystem system(graph, LaplacianSystem::Way::kIterative);
  const Matrix potential = system.solve(b, 0, steps);
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    u.col(e) += graph.weight(e) * (potential.col(graph.head(e)) - potential.col(graph.tail(e)));
  }
}

}  // namespace gtvmin
