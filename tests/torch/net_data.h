#pragma once

#include <cmath>
#include <vector>

#include "gtvmin/base/rng.h"
#include "gtvmin/problem/model.h"
#include "gtvmin/torch/torch_model.h"

namespace gtvmin::testing {

/// Samples of three features whose class, 0 or 1, is the side of a parabola they lie on.
struct Labelled {
  Matrix features;
  Vector labels;
};
inline Labelled two_classes(Index samples, std::uint64_t seed) {
  Rng rng(seed);
  Labelled data{Matrix(3, samples), Vector(samples)};
  for (Index r = 0; r < samples; ++r) {
    for (Index k = 0; k < 3; ++k) data.features(k, r) = rng.normal();
    data.labels[r] = data.features(0, r) * data.features(0, r) > data.features(1, r) + 0.5 ? 1 : 0;
  }
  return data;
}

inline ModelShape three_features_two_classes() { return {{"x1", "x2", "x3"}, {"no", "yes"}}; }

/// Six nodes in two rings of three; the second half has its labels exchanged.
inline Dataset two_rings(Index samples) {
  Dataset dataset;
  dataset.feature_names = {"x1", "x2", "x3"};
  dataset.class_names = {"no", "yes"};
  dataset.features.resize(3, 6 * samples);
  dataset.labels.resize(6 * samples);
  dataset.first_sample = {0};
  for (Index i = 0; i < 6; ++i) {
    const Labelled node = two_classes(samples, static_cast<std::uint64_t>(i) + 1);
    dataset.node_names.push_back(std::string(1, static_cast<char>('a' + i)));
    dataset.features.middleCols(i * samples, samples) = node.features;
    dataset.labels.segment(i * samples, samples) = i < 3 ? node.labels : Vector(1 - node.labels.array());
    dataset.first_sample.push_back((i + 1) * samples);
  }
  dataset.edges = {{0, 1, 1}, {1, 2, 1}, {0, 2, 1}, {3, 4, 1}, {4, 5, 1}, {3, 5, 1}, {2, 3, 0.01}};
  return dataset;
}

inline Vector start_of(const LocalLoss& loss) {
  Vector w(loss.dimension());
  loss.start(w);
  return w;
}
/// All parameters, the private ones included.
inline Vector all_of(const LocalLoss& loss, const Vector& w) {
  Vector all(loss.parameters());
  loss.complete(w, all);
  return all;
}

/// L(z) + (ρ/2)‖z − v‖².
inline double proximal_objective(const LocalLoss& loss, const Vector& z, const Vector& v, double rho) {
  return loss.value(z) + rho / 2 * (z - v).squaredNorm();
}

}  // namespace gtvmin::testing
