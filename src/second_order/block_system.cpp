#include "gtvmin/second_order/block_system.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "gtvmin/second_order/elimination.h"

namespace gtvmin {
namespace {

constexpr double kMostEntries = 3e7;  // of a factor: 360 MB
constexpr double kMostWork = 2e10;    // of a factorisation: ten seconds or so
constexpr double kRegularise = 1e-13;
// Operations for each number of the blocks: to compute it, and to find its place in a dense or a sparse matrix.
constexpr double kDenseAssembly = 10;
constexpr double kSparseAssembly = 100;
// A factorisation that costs so many times as much as so many steps of conjugate gradients waits for their outcome.
constexpr double kDear = 20;
constexpr int kTrialSteps = 100;
constexpr double kGoodEnough = 1e-13;  // a residual, relative, with which they make it needless

}  // namespace

BlockSystem::BlockSystem(const EmpiricalGraph& graph, Index dimension) : graph_(graph), d_(dimension) {
  const auto nodes = static_cast<double>(graph.nodes());
  const auto edges = static_cast<double>(graph.edges());
  const auto d = static_cast<double>(dimension);
  const double blocks = d * d * (nodes + edges);
  const double multiplication = d * (edges * 4 + nodes * d);
  work_ = kSparseAssembly * blocks + 200 * multiplication;  // as many as a solution may take
  Elimination plan = plan_elimination(graph);
  const double entries = plan.entries;
  const double direct_work = entries * entries / nodes * d * d * d;
  if (entries * d * d <= kMostEntries && direct_work <= kMostWork) {
    direct_ = std::make_unique<SymmetricFactor>(graph.nodes(), d_, std::move(plan));
    work_ = direct_->is_dense() ? kDenseAssembly * blocks + direct_work / 4
                                : kSparseAssembly * blocks + direct_work + 50 * entries * d * d;
    is_dear_ = work_ > kDear * kTrialSteps * multiplication;
  }
}

BlockSystem::~BlockSystem() = default;

double BlockSystem::least_work(NodeId nodes, Index dimension) {
  const bool may_be_dense = SymmetricFactor::may_be_dense(nodes * dimension);
  return (may_be_dense ? kDenseAssembly : kSparseAssembly) * static_cast<double>(dimension * dimension * nodes);
}

void BlockSystem::set(const Matrix& node_blocks, const EdgeBlock& edge_block) {
  node_blocks_ = node_blocks;
  edge_block_ = edge_block;
  is_factorised_ = direct_ && !is_dear_;
  if (is_factorised_) {
    factorise();
  } else {
    set_diagonal_factors();
  }
}

void BlockSystem::set_diagonal_factors() {
  diagonal_factors_ = node_blocks_;
  Vector unit = Vector::Zero(d_);
  Vector column(d_);
  for (EdgeId e = 0; e < graph_.edges(); ++e) {
    for (Index j = 0; j < d_; ++j) {
      unit[j] = 1;
      edge_block_(e, unit.data(), column.data());
      unit[j] = 0;
      diagonal_factors_.col(graph_.head(e) * d_ + j) += column;
      diagonal_factors_.col(graph_.tail(e) * d_ + j) += column;
    }
  }
  const double scale = diagonal_factors_.cwiseAbs().maxCoeff();
  for (NodeId i = 0; i < graph_.nodes(); ++i) {
    auto block = diagonal_factors_.middleCols(i * d_, d_);
    block.diagonal().array() += std::max(1e-10 * scale, 1e-300);
    Eigen::LLT<Matrix> factor(block);
    block = factor.matrixL();
  }
}

void BlockSystem::factorise() {
  direct_->clear();
  Matrix diagonal = node_blocks_;
  Vector unit = Vector::Zero(d_);
  Vector column(d_);
  for (EdgeId e = 0; e < graph_.edges(); ++e) {
    const Index head = graph_.head(e) * d_;
    const Index tail = graph_.tail(e) * d_;
    for (Index j = 0; j < d_; ++j) {
      unit[j] = 1;
      edge_block_(e, unit.data(), column.data());
      unit[j] = 0;
      diagonal.col(head + j) += column;
      diagonal.col(tail + j) += column;
      for (Index k = 0; k < d_; ++k) direct_->add(tail + k, head + j, -column[k]);
    }
  }
  const double shift = std::max(kRegularise * diagonal.cwiseAbs().maxCoeff(), 1e-300);
  for (NodeId i = 0; i < graph_.nodes(); ++i) {
    for (Index j = 0; j < d_; ++j) {
      direct_->add(i * d_ + j, i * d_ + j, diagonal(j, i * d_ + j) + shift);
      for (Index k = j + 1; k < d_; ++k) direct_->add(i * d_ + k, i * d_ + j, diagonal(k, i * d_ + j));
    }
  }
  direct_->factorise();
}

void BlockSystem::multiply(const Matrix& p, Matrix& out) const {
  for (NodeId i = 0; i < graph_.nodes(); ++i) out.col(i).noalias() = node_blocks_.middleCols(i * d_, d_) * p.col(i);
  Vector difference(d_);
  Vector image(d_);
  for (EdgeId e = 0; e < graph_.edges(); ++e) {
    difference = p.col(graph_.head(e)) - p.col(graph_.tail(e));
    edge_block_(e, difference.data(), image.data());
    out.col(graph_.head(e)) += image;
    out.col(graph_.tail(e)) -= image;
  }
}

Matrix BlockSystem::precondition(const Matrix& r) const {
  if (is_factorised_) {
    Matrix p(r.rows(), r.cols());
    Eigen::Map<Vector>(p.data(), p.size()) = direct_->solve(Eigen::Map<const Vector>(r.data(), r.size()));
    return p;
  }
  Matrix p = r;
  for (NodeId i = 0; i < graph_.nodes(); ++i) {
    const auto factor = diagonal_factors_.middleCols(i * d_, d_).triangularView<Eigen::Lower>();
    factor.solveInPlace(p.col(i));
    factor.transpose().solveInPlace(p.col(i));
  }
  return p;
}

Matrix BlockSystem::solve(const Matrix& b, double accuracy) {
  const double size = b.norm();
  if (!(size > 0) || !std::isfinite(size)) return Matrix::Zero(b.rows(), b.cols());
  if (direct_ && !is_factorised_) {
    Solution tried = conjugate_gradients(b, accuracy, kTrialSteps, 60);
    if (tried.residual <= std::max(accuracy, kGoodEnough) * size) return std::move(tried.p);
    factorise();
    is_factorised_ = true;
  }
  if (is_factorised_) return conjugate_gradients(b, accuracy, 12, 3).p;
  return conjugate_gradients(b, accuracy, static_cast<int>(std::min<Index>(2000, 50 + 2 * b.size())), 60).p;
}

// Preconditioned. With the factorisation as preconditioner this is iterative refinement that needs one to three steps;
// the small shift that keeps singular systems factorisable disappears from the answer.
BlockSystem::Solution BlockSystem::conjugate_gradients(const Matrix& b, double accuracy, int most_steps,
                                                       int most_stalled) const {
  const double size = b.norm();
  Matrix p = Matrix::Zero(b.rows(), b.cols());
  Matrix r = b;
  Matrix z = precondition(r);
  Matrix direction = z;
  Matrix image(b.rows(), b.cols());
  double rz = r.cwiseProduct(z).sum();
  Solution best{p, size};
  int stalled = 0;
  for (int k = 0; k < most_steps && best.residual > accuracy * size && stalled < most_stalled && rz > 0; ++k) {
    multiply(direction, image);
    const double curvature = direction.cwiseProduct(image).sum();
    if (!(curvature > 0)) break;
    p += rz / curvature * direction;
    r -= rz / curvature * image;
    const double norm = r.norm();
    ++stalled;
    if (norm < best.residual) {
      if (norm < 0.9 * best.residual) stalled = 0;
      best.residual = norm;
      best.p = p;
    }
    z = precondition(r);
    const double next = r.cwiseProduct(z).sum();
    direction = z + next / rz * direction;
    rz = next;
  }
  return best;
}

}  // namespace gtvmin
