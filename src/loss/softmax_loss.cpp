#include "gtvmin/loss/softmax_loss.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "proximal_newton.h"

namespace gtvmin {

LossPtr SoftmaxLoss::make(ConstMatrixRef features, ConstVectorRef labels, Index classes, double scale,
                          ConstVectorRef ridge) {
  return LossPtr(new SoftmaxLoss(features, labels, classes, scale, ridge));
}

void SoftmaxLoss::normalise(VectorRef scores) {
  scores = (scores.array() - scores.maxCoeff()).exp();
  scores /= scores.sum();
}

void SoftmaxLoss::scores(ConstVectorRef w, Index r, VectorRef out) const {
  const Index d = features_.rows();
  for (Index k = 0; k < classes_; ++k) out[k] = features_.col(r).dot(w.segment(k * d, d));
}

double SoftmaxLoss::value(ConstVectorRef w) const {
  ClassVector p(classes_);
  double sum = 0;
  for (Index r = 0; r < labels_.size(); ++r) {
    scores(w, r, p);
    // log Σ_k exp(s_k − s_y), accurate where the sample is classified well.
    const double largest = p.maxCoeff();
    const double of_label = p[label(r)];
    p[label(r)] = -std::numeric_limits<double>::infinity();
    const double others = (p.array() - largest).exp().sum();
    sum +=
        of_label == largest ? std::log1p(others) : largest - of_label + std::log(others + std::exp(of_label - largest));
  }
  return scale_ * sum + ridge_.cwiseProduct(w).dot(w);
}

void SoftmaxLoss::gradient(ConstVectorRef w, VectorRef g) const {
  const Index d = features_.rows();
  ClassVector p(classes_);
  g = 2 * ridge_.cwiseProduct(w);
  for (Index r = 0; r < labels_.size(); ++r) {
    scores(w, r, p);
    normalise(p);
    p[label(r)] = 0;
    p[label(r)] = -p.sum();  // p_y − 1
    for (Index k = 0; k < classes_; ++k) g.segment(k * d, d) += scale_ * p[k] * features_.col(r);
  }
}

void SoftmaxLoss::apply_hessian(ConstVectorRef w, ConstVectorRef p, VectorRef out) const {
  const Index d = features_.rows();
  ClassVector probabilities(classes_);
  ClassVector change(classes_);
  out = 2 * ridge_.cwiseProduct(p);
  for (Index r = 0; r < labels_.size(); ++r) {
    scores(w, r, probabilities);
    normalise(probabilities);
    scores(p, r, change);
    change.array() -= probabilities.dot(change);
    for (Index k = 0; k < classes_; ++k) {
      out.segment(k * d, d) += scale_ * probabilities[k] * change[k] * features_.col(r);
    }
  }
}

void SoftmaxLoss::add_hessian(ConstVectorRef w, MatrixRef hessian) const {
  const Index d = features_.rows();
  ClassVector p(classes_);
  for (Index r = 0; r < labels_.size(); ++r) {
    scores(w, r, p);
    normalise(p);
    const Matrix outer = scale_ * features_.col(r) * features_.col(r).transpose();
    for (Index k = 0; k < classes_; ++k) {
      for (Index l = 0; l < classes_; ++l) {
        hessian.block(k * d, l * d, d, d) += ((k == l ? p[k] : 0) - p[k] * p[l]) * outer;
      }
    }
  }
  hessian.diagonal() += 2 * ridge_;
}

void SoftmaxLoss::solve_hessian(ConstVectorRef w, ConstVectorRef r, VectorRef out) const {
  Matrix hessian = Matrix::Zero(dimension(), dimension());
  add_hessian(w, hessian);
  out = hessian.completeOrthogonalDecomposition().solve(r);
}

void SoftmaxLoss::prox(ConstVectorRef v, double rho, double tolerance, VectorRef z, VectorRef scratch) const {
  const Index d = dimension();
  Eigen::Map<Matrix> memory(scratch.data(), d, 3);
  auto residual = scratch.segment(3 * d, d);
  auto direction = scratch.segment(4 * d, d);
  auto product = scratch.segment(5 * d, d);
  double first_slope = 0;
  const auto newton = [&](ConstVectorRef at, ConstVectorRef g, VectorRef step) {
    const double slope = g.norm();
    first_slope = std::max(first_slope, slope);
    const double enough = std::max(std::min(0.1, slope / first_slope), 1e-12) * slope;
    step.setZero();
    residual = g;
    direction = g;
    double size2 = residual.squaredNorm();
    for (Index k = 0; k < 2 * d && std::sqrt(size2) > enough; ++k) {
      apply_hessian(at, direction, product);
      product += rho * direction;
      const double length = size2 / direction.dot(product);
      if (!std::isfinite(length)) break;
      step += length * direction;
      residual -= length * product;
      const double next2 = residual.squaredNorm();
      direction = residual + next2 / size2 * direction;
      size2 = next2;
    }
  };
  proximal_newton(*this, v, Vector::Constant(d, rho), Vector::Zero(d), tolerance, z, memory, newton);
}

// A sample's slopes t = θ(p − e_y + (diag p − ppᵀ)c), c its scores along the step, are b − e_y for a vector b that adds
// up to 1; where b ≥ 0 the sample's share is the relative entropy of b from p.
double SoftmaxLoss::fenchel_young_bound(ConstVectorRef w, ConstVectorRef p, double theta) const {
  ClassVector probabilities(classes_);
  ClassVector change(classes_);
  double sum = 0;
  for (Index r = 0; r < labels_.size(); ++r) {
    scores(w, r, probabilities);
    normalise(probabilities);
    scores(p, r, change);
    change.array() -= probabilities.dot(change);
    double share = 0;
    for (Index k = 0; k < classes_; ++k) {
      const double p_k = probabilities[k];
      const double here = k == label(r) ? 1 : 0;
      // b = p(1 + δ); in δ nothing cancels where b is near p.
      const double delta = theta * change[k] + (theta == 1 ? 0 : (1 - theta) * (here - p_k) / p_k);
      if (!(delta >= -1)) return std::numeric_limits<double>::infinity();
      share += delta == -1 ? p_k : p_k * ((1 + delta) * std::log1p(delta) - delta);
    }
    sum += std::max(0.0, share);
  }
  const Vector q = (1 - theta) * w - theta * p;
  return scale_ * sum + ridge_.cwiseProduct(q).dot(q);
}

}  // namespace gtvmin
