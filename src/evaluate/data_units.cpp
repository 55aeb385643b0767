#include "gtvmin/evaluate/data_units.h"

#include <algorithm>
#include <cassert>

namespace gtvmin {

void apply_standardization(const Standardization& map, Dataset& dataset) {
  assert(map.means.size() == dataset.features.rows());
  for (Index r = 0; r < dataset.samples(); ++r) {
    dataset.features.col(r) = (dataset.features.col(r) - map.means).cwiseQuotient(map.scales);
  }
}

// wᵀ(x − mean)/scale + b = (w/scale)ᵀx + (b − (w/scale)ᵀmean), class after class.
std::optional<Matrix> in_data_units(const ModelSpec& model, const Standardization& map, ConstMatrixRef learnt) {
  const Index features = map.means.size();
  Matrix w = learnt;
  if (model.name == "point" || model.name == "gaussian-mean") {
    w = (map.scales.asDiagonal() * w).eval().colwise() + map.means;
    return w;
  }
  const auto& linear = model_names();  // those of other rooms, neural nets, are not
  if (std::find(linear.begin(), linear.end(), model.name) == linear.end()) return std::nullopt;
  if (label_domain(model.name) == LabelDomain::kNone) return std::nullopt;
  const Index per_class = features + (model.intercept ? 1 : 0);
  if (per_class == 0 || w.rows() % per_class != 0) return std::nullopt;
  for (Index first = 0; first < w.rows(); first += per_class) {
    auto slopes = w.middleRows(first, features);
    slopes = (map.scales.cwiseInverse().asDiagonal() * slopes).eval();
    if (model.intercept) w.row(first + features) -= map.means.transpose() * slopes;
  }
  return w;
}

}  // namespace gtvmin
