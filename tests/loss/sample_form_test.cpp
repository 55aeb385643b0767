// The inequalities that bounds rest on, at random points, for every link.
#include "gtvmin/loss/sample_form.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "gtvmin/base/rng.h"

namespace gtvmin {
namespace {

struct Case {
  std::string name;
  SampleForm form;
};

std::vector<Case> links() {
  return {{"squared", {.link = Link::kSquared}},
          {"absolute", {.link = Link::kAbsolute}},
          {"huber", {.link = Link::kHuber, .delta = 0.7}},
          {"logistic", {.link = Link::kLogistic}},
          {"poisson", {.link = Link::kPoisson}}};
}

double random_label(Rng& rng, Link link) {
  if (link == Link::kLogistic) return rng.below(2) == 0 ? -1 : 1;
  if (link == Link::kPoisson) return static_cast<double>(rng.below(6));
  return 2 * rng.normal();
}

/// A slope inside its domain.
double random_slope(Rng& rng, const SampleForm& form, double label) {
  switch (form.link) {
    case Link::kSquared:
      return 3 * rng.normal();
    case Link::kAbsolute:
    case Link::kHuber:
      return slope_limit(form) * (2 * rng.uniform() - 1);
    case Link::kLogistic:
      return -label * rng.uniform();
    case Link::kPoisson:
      return 8 * rng.uniform() - label;
  }
  return 0;
}

TEST(SampleForm, TheBracketIsNotNegativeAndZeroAtTheSlopeOfTheScore) {
  Rng rng(1);
  for (const auto& [name, form] : links()) {
    SCOPED_TRACE(name);
    for (int k = 0; k < 5000; ++k) {
      const double label = random_label(rng, form.link);
      const long double z = 4 * rng.normal();
      const long double p = random_slope(rng, form, label);
      EXPECT_GE(link_bracket(form, label, z, p), 0);
      const long double slope = link_slope(form, label, z);
      const long double size = 1 + std::abs(z) + link_value(form, label, z) + std::abs(slope * z);
      EXPECT_LE(link_bracket(form, label, z, slope), 1e-17L * size);
    }
  }
}

// ℓ(z) + ℓ*(p) − pz = max over t of ℓ(z) − ℓ(t) − p(z − t), attained where ℓ'(t) = p.
TEST(SampleForm, TheBracketIsTheLargestDistanceFromATangent) {
  Rng rng(2);
  for (const auto& [name, form] : links()) {
    SCOPED_TRACE(name);
    for (int k = 0; k < 5000; ++k) {
      const double label = random_label(rng, form.link);
      const long double z = 4 * rng.normal();
      const long double t = 4 * rng.normal();
      const long double p = random_slope(rng, form, label);
      const auto distance = [&, &link = form](long double slope) {
        return link_value(link, label, z) - link_value(link, label, t) - slope * (z - t);
      };
      const long double size = 1 + std::abs(z) + std::abs(t) + link_value(form, label, z) + link_value(form, label, t);
      EXPECT_GE(link_bracket(form, label, z, p), distance(p) - 1e-16L * size);
      const long double tangent = link_slope(form, label, t);
      EXPECT_NEAR(static_cast<double>(link_bracket(form, label, z, tangent)), static_cast<double>(distance(tangent)),
                  1e-15 * static_cast<double>(size * (1 + std::abs(tangent))));
    }
  }
}

TEST(SampleForm, AClippedSlopeHasAFiniteConjugateAndIsTheNearestOne) {
  Rng rng(3);
  for (const auto& [name, form] : links()) {
    SCOPED_TRACE(name);
    for (int k = 0; k < 1000; ++k) {
      const double label = random_label(rng, form.link);
      const double inside = random_slope(rng, form, label);
      EXPECT_EQ(clip_slope(form, label, inside), inside);
      const double anywhere = 20 * rng.normal();
      const double clipped = clip_slope(form, label, anywhere);
      EXPECT_LE(std::abs(clipped - anywhere), std::abs(inside - anywhere));
      EXPECT_TRUE(std::isfinite(link_bracket<long double>(form, label, 0.3L, clipped)));
    }
  }
}

TEST(SampleForm, ABoundOnTheBracketBoundsTheScore) {
  Rng rng(4);
  for (const auto& [name, form] : links()) {
    SCOPED_TRACE(name);
    for (int k = 0; k < 20'000; ++k) {
      const double label = random_label(rng, form.link);
      const double p = random_slope(rng, form, label) / 2;
      const double z0 = 3 * rng.normal();
      const double z = std::ldexp(rng.normal(), static_cast<int>(rng.below(6)));
      const double typical = std::pow(10.0, 8 * rng.uniform() - 6);
      const ScoreReach reach = score_reach(form, label, p, z0, typical);
      const auto t = static_cast<double>(link_bracket<long double>(form, label, z, p));
      ASSERT_GE(reach.growth, 0);
      EXPECT_LE(std::abs(z - z0), (reach.offset + reach.growth * t) * (1 + 1e-12))
          << "label " << label << ", p " << p << ", z0 " << z0 << ", z " << z << ", typical " << typical;
    }
  }
}

}  // namespace
}  // namespace gtvmin
