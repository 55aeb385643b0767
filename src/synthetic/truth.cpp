#include "truth.h"

#include <fmt/format.h>

#include <cmath>

#include "streams.h"

namespace gtvmin {
namespace {

Result<Matrix> cluster_truths(NodeId clusters, const SyntheticParameters& p, std::uint64_t seed) {
  if (p.truth == TruthKind::kGiven) {
    if (p.truth_values.cols() != clusters || p.truth_values.rows() != p.dimension) {
      return usage_error(
          fmt::format("truth-values: {} vectors of {} numbers, but there are {} clusters and {} features",
                      p.truth_values.cols(), p.truth_values.rows(), clusters, p.dimension));
    }
    if (!p.truth_values.allFinite()) return usage_error("truth-values: not every value is finite");
    return p.truth_values;
  }
  Matrix truths(p.dimension, clusters);
  for (NodeId c = 0; c < clusters; ++c) {
    Rng rng = stream_of(DataStream::kTruth, c, seed);
    for (double& entry : truths.col(c)) {
      entry = p.truth == TruthKind::kGaussian ? rng.normal() : (rng.bits() >> 63 != 0 ? 0.5 : 0.0);
    }
  }
  return truths;
}

// A plain sum: Eigen's order of additions depends on the machine.
double norm(ConstVectorRef v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

}  // namespace

Result<Matrix> draw_truth(const Partition& clusters, const SyntheticParameters& parameters, std::uint64_t seed) {
  const Result<Matrix> of_cluster = cluster_truths(clusters.groups, parameters, seed);
  if (!of_cluster) return of_cluster.error();
  Vector scale = Vector::Zero(clusters.groups);
  if (parameters.perturbation > 0) {
    for (NodeId c = 0; c < clusters.groups; ++c) {
      const double length = norm(of_cluster->col(c));
      if (length == 0) {
        return usage_error(
            fmt::format("perturbation: it is divided by the norm of the cluster's truth, which is 0 in cluster {}", c));
      }
      scale[c] = parameters.perturbation / length;
    }
  }
  const auto nodes = static_cast<NodeId>(clusters.group_of.size());
  Matrix truth(parameters.dimension, nodes);
  for (NodeId i = 0; i < nodes; ++i) {
    const NodeId c = clusters.group_of[i];
    truth.col(i) = of_cluster->col(c);
    if (scale[c] == 0) continue;
    Rng rng = stream_of(DataStream::kPerturbation, i, seed);
    for (double& entry : truth.col(i)) entry += scale[c] * rng.normal();
  }
  return truth;
}

}  // namespace gtvmin
