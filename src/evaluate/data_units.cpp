#include "gtvmin/evaluate/data_units.h"

#include <cassert>

namespace gtvmin {

void apply_standardization(const Standardization& map, Dataset& dataset) {
  assert(map.means.size() == dataset.features.rows());
  for (Index r = 0; r < dataset.samples(); ++r) {
    dataset.features.col(r) = (dataset.features.col(r) - map.means).cwiseQuotient(map.scales);
  }
}

// wᵀ(x − mean)/scale + b = (w/scale)ᵀx + (b − (w/scale)ᵀmean). A model without label is a point among the features.
Matrix in_data_units(const ModelSpec& model, const Standardization& map, ConstMatrixRef learnt) {
  const Index features = map.means.size();
  Matrix w = learnt;
  auto slopes = w.topRows(features);
  if (label_domain(model.name) == LabelDomain::kNone) {
    slopes = (map.scales.asDiagonal() * slopes).eval().colwise() + map.means;
    return w;
  }
  slopes = (map.scales.cwiseInverse().asDiagonal() * slopes).eval();
  if (model.intercept) w.row(features) -= map.means.transpose() * slopes;
  return w;
}

}  // namespace gtvmin
