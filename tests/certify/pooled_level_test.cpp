#include "gtvmin/certify/pooled_level.h"

#include <gtest/gtest.h>

#include <cmath>

#include "testing/random_problems.h"

namespace gtvmin {
namespace {

template <class Real>
std::vector<Real> values(const std::vector<ExactSum>& sums) {
  std::vector<Real> all;
  for (const ExactSum& sum : sums) all.push_back(static_cast<Real>(sum.extended_value()));
  return all;
}

std::optional<std::vector<Affine>> level_of(const std::vector<BoundedRow>& rows, double typical, Index d) {
  std::vector<ExactSum> normal(PooledLevel::normal_size(d));
  for (const BoundedRow& row : rows) PooledLevel::add_row(row, typical, d, normal);
  const auto level = PooledLevel::make(values<long double>(normal), d);
  if (!level) return std::nullopt;
  std::vector<ExactSum> shares(2 * d);
  for (const BoundedRow& row : rows) level->add_share(row, typical, shares);
  return level->bounds(values<double>(shares));
}

TEST(PooledLevel, BoundsEveryVectorThatKeepsTheBoundsOfTheRows) {
  Rng rng(1);
  int determined = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const auto d = static_cast<Index>(1 + rng.below(5));
    const auto count = static_cast<Index>(d + rng.below(12));
    const Matrix x = random_matrix(rng, d, count);
    const Vector q = random_vector(rng, d, std::pow(10.0, 6 * rng.uniform() - 3));
    const double t = std::pow(10.0, 6 * rng.uniform() - 3);
    std::vector<BoundedRow> rows;
    for (Index r = 0; r < count; ++r) {
      const bool unit = rng.below(5) == 0;
      BoundedRow row{unit ? nullptr : x.data() + r * d, static_cast<Index>(rng.below(d)), {}};
      const double size = std::abs(unit ? q[row.coordinate] : x.col(r).dot(q)) * (1 + 1e-12);
      const double share = rng.uniform();
      row.bound = {share * size, (1 - share) * size / t};
      rows.push_back(row);
    }
    const auto bounds = level_of(rows, t * std::pow(10.0, 2 * rng.uniform() - 1), d);
    if (!bounds) continue;
    ++determined;
    for (Index j = 0; j < d; ++j) EXPECT_LE(std::abs(q[j]), (*bounds)[j].at(t)) << "trial " << trial;
  }
  EXPECT_GE(determined, 400);
}

TEST(PooledLevel, OfUnitRowsIsTheirBound) {
  const std::vector<BoundedRow> rows{{nullptr, 0, {2, 1}}, {nullptr, 1, {3, 0.5}}};
  const auto bounds = level_of(rows, 1, 2);
  ASSERT_TRUE(bounds.has_value());
  EXPECT_NEAR((*bounds)[0].offset, 2, 1e-8);
  EXPECT_NEAR((*bounds)[0].growth, 1, 1e-8);
  EXPECT_NEAR((*bounds)[1].at(2), 4, 1e-8);
}

TEST(PooledLevel, IsNothingForCollinearRows) {
  const Matrix x{{1, 2, 3}, {2, 4, 6}};
  std::vector<BoundedRow> rows;
  for (Index r = 0; r < 3; ++r) rows.push_back({x.data() + 2 * r, 0, {1, 1}});
  EXPECT_FALSE(level_of(rows, 1, 2).has_value());
}

}  // namespace
}  // namespace gtvmin
