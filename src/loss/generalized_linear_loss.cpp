#include "gtvmin/loss/generalized_linear_loss.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include "proximal_newton.h"

namespace gtvmin {

template <class LinkType>
GeneralizedLinearLoss<LinkType>::GeneralizedLinearLoss(ConstMatrixRef features, ConstVectorRef labels, double scale,
                                                       ConstVectorRef ridge, LinkType link)
    : features_(features), labels_(labels), scale_(scale), ridge_(ridge), link_(link) {
  form_ = {.link = LinkType::kLink,
           .dimension = features_.rows(),
           .samples = features_.cols(),
           .features = features_.data(),
           .labels = labels_.data(),
           .weight = scale_,
           .stiffness = ridge_.isZero(0) ? nullptr : ridge_.data()};
  if constexpr (LinkType::kLink == Link::kHuber) form_.delta = link.delta;
}

template <class LinkType>
LossPtr GeneralizedLinearLoss<LinkType>::make(ConstMatrixRef features, ConstVectorRef labels, double scale,
                                              ConstVectorRef ridge, LinkType link) {
  return LossPtr(new GeneralizedLinearLoss(features, labels, scale, ridge, link));
}

template <class LinkType>
double GeneralizedLinearLoss<LinkType>::value(ConstVectorRef w) const {
  double sum = 0;
  for (Index r = 0; r < labels_.size(); ++r) sum += link_.value(features_.col(r).dot(w), labels_[r]);
  return scale_ * sum + ridge_.cwiseProduct(w).dot(w);
}

template <class LinkType>
void GeneralizedLinearLoss<LinkType>::gradient(ConstVectorRef w, VectorRef g) const {
  g = 2 * ridge_.cwiseProduct(w);
  for (Index r = 0; r < labels_.size(); ++r) {
    const auto x = features_.col(r);
    g += scale_ * link_.slope(x.dot(w), labels_[r]) * x;
  }
}

template <class LinkType>
void GeneralizedLinearLoss<LinkType>::add_hessian(ConstVectorRef w, MatrixRef hessian) const {
  Vector curvature = features_.transpose() * w;
  for (Index r = 0; r < labels_.size(); ++r) curvature[r] = scale_ * link_.curvature(curvature[r], labels_[r]);
  hessian.noalias() += features_ * curvature.asDiagonal() * features_.transpose();
  hessian.diagonal() += 2 * ridge_;
}

template <class LinkType>
void GeneralizedLinearLoss<LinkType>::prox(ConstVectorRef v, double rho, double tolerance, VectorRef z,
                                           VectorRef scratch) const {
  const Index d = dimension();
  Eigen::Map<Matrix> hessian(scratch.data(), d, d);
  Eigen::Map<Matrix> memory(scratch.data() + d * d, d, 3);
  const auto newton = [&](ConstVectorRef at, ConstVectorRef g, VectorRef step) {
    hessian.setZero();
    for (Index r = 0; r < labels_.size(); ++r) {
      const auto x = features_.col(r);
      hessian.template selfadjointView<Eigen::Lower>().rankUpdate(x, scale_ * link_.curvature(x.dot(at), labels_[r]));
    }
    hessian.diagonal() += 2 * ridge_;
    hessian.diagonal().array() += rho;
    const Eigen::LLT<Eigen::Ref<Matrix>> factor(hessian);
    step = g;
    factor.solveInPlace(step);
  };
  proximal_newton(*this, v, Vector::Constant(d, rho), Vector::Zero(d), tolerance, z, memory, newton);
}

template <class LinkType>
void GeneralizedLinearLoss<LinkType>::solve_hessian(ConstVectorRef w, ConstVectorRef r, VectorRef out) const {
  Matrix hessian = Matrix::Zero(dimension(), dimension());
  add_hessian(w, hessian);
  out = hessian.completeOrthogonalDecomposition().solve(r);
}

// The target y = θ(∇L + ∇²L p) splits into the data's part, whose slopes are θ(ℓ' + ℓ'' x_rᵀp), and the ridge's part,
// which misses by 2 ridge∘q and costs ridge·q².
template <class LinkType>
double GeneralizedLinearLoss<LinkType>::fenchel_young_bound(ConstVectorRef w, ConstVectorRef p, double theta) const {
  double sum = 0;
  for (Index r = 0; r < labels_.size(); ++r) {
    const auto x = features_.col(r);
    sum += link_.divergence(x.dot(w), labels_[r], x.dot(p), theta);
  }
  const Vector q = (1 - theta) * w - theta * p;
  return scale_ * sum + ridge_.cwiseProduct(q).dot(q);
}

template class GeneralizedLinearLoss<LogisticLink>;
template class GeneralizedLinearLoss<PoissonLink>;
template class GeneralizedLinearLoss<HuberLink>;

}  // namespace gtvmin
