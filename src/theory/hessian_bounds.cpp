#include "gtvmin/theory/hessian_bounds.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "gtvmin/theory/norm_constants.h"

namespace gtvmin {
namespace {

using Features = Eigen::Map<const Vector>;

struct CurvatureRange {
  double low = 0;
  double high = 0;
};

/// Of one sample whose score changes by at most `shift`.
CurvatureRange curvature_range(const SampleForm& form, double label, double score, double shift) {
  const double limit = form.link == Link::kLogistic ? 0.25 : std::numeric_limits<double>::infinity();
  const double at_centre = link_curvature(form, label, score);
  return {at_centre * std::exp(-shift), std::min(limit, at_centre * std::exp(shift))};
}

}  // namespace

std::string analysis_refusal(const LocalLoss& loss) {
  if (!loss.is_convex()) return "is not convex";
  if (!loss.is_smooth()) return "is not differentiable";
  if (loss.has_hessian() && loss.hessian_is_constant()) return {};
  const SampleForm* form = loss.sample_form();
  if (form != nullptr && form->link == Link::kHuber) {
    return "is not strongly convex: its Hessian is 0 where all residuals exceed the Huber parameter";
  }
  if (form == nullptr) return "has no known bounds of its Hessian";
  if (!form->coupled.empty()) return "has private parameters and is not quadratic: no bounds of its Hessian are known";
  return {};
}

std::string analysis_refusal(const Penalty& penalty) {
  if (is_norm(penalty)) return {};
  return "is not a norm: neighbours influence each other without limit, and no parameters become equal";
}

HessianBounds hessian_bounds(const LocalLoss& loss, const Penalty& penalty, ConstVectorRef centre, double radius) {
  assert(analysis_refusal(loss).empty());
  const Index d = loss.dimension();
  HessianBounds bounds{Matrix::Zero(d, d), Matrix::Zero(d, d)};
  if (loss.has_hessian() && loss.hessian_is_constant()) {
    loss.add_hessian(centre, bounds.lower);
    bounds.upper = bounds.lower;
    return bounds;
  }
  const SampleForm& form = *loss.sample_form();
  for (Index r = 0; r < form.samples; ++r) {
    const Features x(form.x(r), d);
    const double size = dual_norm_of(penalty, x);
    const CurvatureRange range = curvature_range(form, form.labels[r], x.dot(centre), radius * size);
    bounds.lower += form.weight * range.low * x * x.transpose();
    bounds.upper += form.weight * range.high * x * x.transpose();
  }
  for (Index j = 0; j < d; ++j) {
    bounds.lower(j, j) += 2 * form.stiffness_at(j);
    bounds.upper(j, j) += 2 * form.stiffness_at(j);
  }
  return bounds;
}

double largest_feature_norm(const LocalLoss& loss, const Penalty& penalty) {
  if (loss.hessian_is_constant() || loss.sample_form() == nullptr) return 0;
  const SampleForm& form = *loss.sample_form();
  double largest = 0;
  for (Index r = 0; r < form.samples; ++r) {
    largest = std::max(largest, dual_norm_of(penalty, Features(form.x(r), form.dimension)));
  }
  return largest;
}

}  // namespace gtvmin
