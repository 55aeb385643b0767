#include "gtvmin/problem/standardize.h"

#include <cmath>

namespace gtvmin {

Standardization standardize_features(Dataset& dataset) {
  const Index features = dataset.features.rows();
  const Index samples = dataset.samples();
  Standardization map{Vector::Zero(features), Vector::Ones(features), {}};
  if (samples == 0) {
    return map;
  }
  for (Index f = 0; f < features; ++f) {
    auto row = dataset.features.row(f);
    // Exact equality, since rounding in the mean would give a constant feature a tiny deviation, and 1/tiny as scale.
    if ((row.array() == row(0)).all()) {
      map.means(f) = row(0);
      map.constant_features.push_back(dataset.feature_names[static_cast<std::size_t>(f)]);
    } else {
      map.means(f) = row.mean();
      map.scales(f) = std::sqrt((row.array() - map.means(f)).square().mean());
    }
    row = ((row.array() - map.means(f)) / map.scales(f)).matrix().eval();
  }
  return map;
}

}  // namespace gtvmin
