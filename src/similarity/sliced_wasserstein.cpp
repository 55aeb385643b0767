#include "gtvmin/similarity/sliced_wasserstein.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "gtvmin/base/rng.h"
#include "streams.h"

namespace gtvmin {
namespace {

/// samples × directions: the samples of a node seen along each direction, ascending.
Matrix sorted_shadows(ConstMatrixRef samples, const Matrix& directions) {
  Matrix shadows = samples.transpose() * directions;
  for (Index c = 0; c < shadows.cols(); ++c) {
    std::sort(shadows.col(c).data(), shadows.col(c).data() + shadows.rows());
  }
  return shadows;
}

double sliced_distance(const Matrix& a, const Matrix& b) {
  double sum = 0;
  for (Index c = 0; c < a.cols(); ++c) sum += squared_wasserstein_1d(a.col(c), b.col(c));
  return std::sqrt(sum / static_cast<double>(a.cols()));
}

}  // namespace

double squared_wasserstein_1d(ConstVectorRef a, ConstVectorRef b) {
  if (a.size() == b.size()) return (a - b).squaredNorm() / static_cast<double>(a.size());
  // Time runs from 0 to a.size()·b.size(), in whole steps, so that no step is missed by rounding.
  double sum = 0;
  Index i = 0;
  Index j = 0;
  Index now = 0;
  while (i < a.size() && j < b.size()) {
    const Index a_ends = (i + 1) * b.size();
    const Index b_ends = (j + 1) * a.size();
    const Index next = std::min(a_ends, b_ends);
    sum += static_cast<double>(next - now) * (a[i] - b[j]) * (a[i] - b[j]);
    now = next;
    if (a_ends == next) ++i;
    if (b_ends == next) ++j;
  }
  return sum / (static_cast<double>(a.size()) * static_cast<double>(b.size()));
}

Matrix random_directions(Index d, Index count, std::uint64_t seed) {
  Rng rng(seed, static_cast<std::uint64_t>(SimilarityStream::kSlices));
  Matrix directions(d, count);
  for (Index first = 0; first < count; first += d) {
    const Index block = std::min(d, count - first);
    Matrix normals(d, block);
    for (double& x : normals.reshaped()) x = rng.normal();
    const Eigen::HouseholderQR<Matrix> qr(normals);
    directions.middleCols(first, block) = qr.householderQ() * Matrix::Identity(d, block);
  }
  return directions;
}

Result<NodeDistances> sliced_wasserstein_distances(const Dataset& dataset, Index projections, std::uint64_t seed,
                                                   const SimilarityContext& context) {
  const Matrix directions = random_directions(dataset.features.rows(), projections, seed);
  std::vector<Matrix> shadows(dataset.nodes());
  const auto project = [&](int /*worker*/, Index i) {
    const auto node = static_cast<NodeId>(i);
    shadows[i] =
        sorted_shadows(dataset.features.middleCols(dataset.first_sample[i], dataset.samples_of(node)), directions);
  };
  if (const Status done = for_each_item(context, "projections", dataset.nodes(), 1, project); !done) {
    return done.error();
  }
  Result<Matrix> matrix = all_pairs(context, dataset.nodes(), [&](int /*worker*/, NodeId i, NodeId j) {
    return sliced_distance(shadows[i], shadows[j]);
  });
  if (!matrix) return matrix.error();
  return NodeDistances::from_matrix(*std::move(matrix));
}

}  // namespace gtvmin
