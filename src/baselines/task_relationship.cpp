#include "task_relationship.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <utility>

namespace gtvmin {
namespace {

/// The eigenvalues of (λΣ⁻¹ + c_j)⁻¹ for those s_k of Σ.
Matrix gains_of(const Vector& s, double lambda, const Vector& curvature) {
  Matrix gains(curvature.size(), s.size());
  for (Index j = 0; j < curvature.size(); ++j) gains.row(j) = s.array() / (lambda + curvature[j] * s.array());
  return gains;
}

}  // namespace

TaskRelationship::TaskRelationship(Matrix vectors, Matrix gains)
    : vectors_(std::move(vectors)), gains_(std::move(gains)), own_(gains_ * vectors_.cwiseAbs2().transpose()) {
  for (Index j = 0; j < gains_.rows(); ++j) {
    if (j > 0 && gains_.row(j) == gains_.row(j - 1)) continue;  // coordinates mostly have the same curvature
    const Matrix response = vectors_ * gains_.row(j).asDiagonal() * vectors_.transpose();
    const Vector sums = response.cwiseAbs().rowwise().sum();
    aggregation_ = std::max(aggregation_, sums.cwiseQuotient(response.diagonal()).maxCoeff());
  }
}

TaskRelationship TaskRelationship::of_graph(const EmpiricalGraph& graph, double lambda, const Vector& curvature) {
  Matrix laplacian = Matrix::Zero(graph.nodes(), graph.nodes());
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    laplacian(graph.head(e), graph.head(e)) += graph.weight(e);
    laplacian(graph.tail(e), graph.tail(e)) += graph.weight(e);
    laplacian(graph.head(e), graph.tail(e)) -= graph.weight(e);
    laplacian(graph.tail(e), graph.head(e)) -= graph.weight(e);
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(laplacian);
  const Vector stiffness = lambda * eigen.eigenvalues().cwiseMax(0);
  Matrix gains(curvature.size(), stiffness.size());
  for (Index j = 0; j < curvature.size(); ++j) gains.row(j) = (stiffness.array() + curvature[j]).inverse();
  return {eigen.eigenvectors(), std::move(gains)};
}

TaskRelationship TaskRelationship::equal(Index tasks, double lambda, const Vector& curvature) {
  const Vector s = Vector::Constant(tasks, 1 / static_cast<double>(tasks));
  return {Matrix::Identity(tasks, tasks), gains_of(s, lambda, curvature)};
}

TaskRelationship TaskRelationship::learned(const Matrix& w, double lambda, const Vector& curvature) {
  constexpr double kAdded = 1e-8;
  const double size = w.squaredNorm();
  if (size == 0) return equal(w.cols(), lambda, curvature);
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(w.transpose() * w);
  Vector s = (eigen.eigenvalues().cwiseMax(0).array() + kAdded * size).sqrt();
  s /= s.sum();
  return {eigen.eigenvectors(), gains_of(s, lambda, curvature)};
}

Matrix TaskRelationship::respond(const Matrix& v) const {
  return (v * vectors_).cwiseProduct(gains_) * vectors_.transpose();
}

}  // namespace gtvmin
