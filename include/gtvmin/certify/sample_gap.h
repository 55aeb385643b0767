#pragma once

#include <cmath>

#include "gtvmin/base/types.h"
#include "gtvmin/certify/rounding.h"
#include "gtvmin/loss/sample_form.h"

namespace gtvmin {

/// ℓ(z_r) + ℓ*(p) − p z_r of sample r at w, plus what rounding of the score and of the formula may hide.
[[nodiscard]] inline long double sample_gap(const SampleForm& form, Index r, const double* w, long double p) {
  long double score = 0;
  long double magnitude = 0;
  const double* x = form.x(r);
  for (Index j = 0; j < form.dimension; ++j) {
    const long double term = static_cast<long double>(x[j]) * w[j];
    score += term;
    magnitude += std::abs(term);
  }
  const double label = form.labels[r];
  const long double off = magnitude * static_cast<long double>(form.dimension + 1) * kUnit;
  long double gap = link_bracket<long double>(form, label, score, p);
  const long double slope = link_slope<long double>(form, label, score);
  const long double bend = link_curvature(form, label, static_cast<double>(score));
  gap += off * (std::abs(slope - p) + bend * off);
  // The logarithms and exponentials of these links round their terms, which nearly cancel.
  if (form.link == Link::kLogistic) gap += 8 * kUnit * (1 + std::abs(score));
  if (form.link == Link::kPoisson) gap += 8 * kUnit * (std::abs(slope) + label) * (1 + std::abs(score));
  return gap;
}

}  // namespace gtvmin
