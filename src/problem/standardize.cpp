#include "gtvmin/problem/standardize.h"

#include <cmath>

namespace gtvmin {

Standardization standardize_features(Dataset& dataset, const Stop& stop) {
  const Index features = dataset.features.rows();
  const Index samples = dataset.samples();
  Standardization map{Vector::Zero(features), Vector::Ones(features), {}};
  if (samples == 0) {
    return map;
  }
  for (Index f = 0; f < features && !stopped(stop); ++f) {
    auto row = dataset.features.row(f);
    // Exact equality, since rounding in the mean would give a constant feature a tiny deviation, and 1/tiny as scale.
    if ((row.array() == row(0)).all()) {
      map.means(f) = row(0);
      map.constant_features.push_back(dataset.feature_names[static_cast<std::size_t>(f)]);
    } else {
      // Scaled by a power of two, which changes no digit, so that neither sums nor squares overflow or underflow.
      int exponent = 0;
      std::frexp(row.cwiseAbs().maxCoeff(), &exponent);
      row = row.unaryExpr([exponent](double x) { return std::scalbn(x, -exponent); }).eval();
      const double mean = row.mean();
      const double scale = std::sqrt((row.array() - mean).square().mean());
      row = ((row.array() - mean) / scale).matrix().eval();
      map.means(f) = std::scalbn(mean, exponent);
      map.scales(f) = std::scalbn(scale, exponent);
      continue;
    }
    row = ((row.array() - map.means(f)) / map.scales(f)).matrix().eval();
  }
  return map;
}

}  // namespace gtvmin
