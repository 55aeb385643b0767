#include "gtvmin/similarity/embedding/tsne.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../streams.h"
#include "affinities.h"
#include "barnes_hut.h"
#include "gtvmin/base/rng.h"
#include "gtvmin/similarity/embedding/pca.h"

namespace gtvmin {
namespace {

// The numbers of scikit-learn's TSNE.
constexpr double kExaggeration = 12;
constexpr double kStartDeviation = 1e-4;
constexpr double kEarlyMomentum = 0.5;
constexpr double kLateMomentum = 0.8;
constexpr double kLeastLearningRate = 50;
constexpr double kLeastGain = 0.01;
constexpr Index kChunk = 128;

Status check(ConstMatrixRef points, const TsneParameters& parameters) {
  if (parameters.dimension < 1 || parameters.dimension > 3) {
    return usage_error(fmt::format("embed-dimension: t-SNE makes 1, 2 or 3 dimensions, not {}", parameters.dimension));
  }
  if (points.cols() < 4) {
    return bad_input(fmt::format("t-SNE needs at least 4 samples; there are {}", points.cols()));
  }
  if (!(parameters.perplexity >= 1 && parameters.perplexity < static_cast<double>(points.cols()))) {
    return usage_error(fmt::format("perplexity: {} is not at least 1 and less than the {} samples",
                                   parameters.perplexity, points.cols()));
  }
  return Unit{};
}

/// The first principal components, brought to a small size, and a hundredth of noise.
Matrix start(ConstMatrixRef points, const TsneParameters& parameters) {
  const Index n = points.cols();
  Matrix y = Matrix::Zero(parameters.dimension, n);
  const Index known = std::min({parameters.dimension, points.rows(), n});
  y.topRows(known) = principal_components(points, known);
  const double deviation = std::sqrt(y.row(0).squaredNorm() / static_cast<double>(n));
  if (deviation > 0) y *= kStartDeviation / deviation;
  Rng rng(parameters.seed, static_cast<std::uint64_t>(SimilarityStream::kTsneStart));
  for (double& x : y.reshaped()) x += kStartDeviation / 100 * rng.normal();
  return y;
}

/// The gradient of KL(p‖q), 4 Σ_j (p_ij − q_ij/Z)(y_i − y_j)/(1 + ‖y_i − y_j‖²), with p multiplied by `exaggeration`.
template <int D>
class Gradient {
 public:
  Gradient(const Affinities& affinities, double theta, ThreadTeam& team)
      : affinities_(affinities), theta_(theta), team_(team), sums_(static_cast<Index>(affinities.first.size()) - 1) {}

  void compute(const Matrix& y, double exaggeration, Matrix& gradient) {
    tree_.build(y.data(), y.cols(), theta_);
    const auto repel = [&](int /*worker*/, Index begin, Index end) {
      for (Index k = begin; k < end; ++k) {
        const auto repulsion = tree_.repulsion(k);
        const NodeId i = tree_.number(k);
        sums_[i] = repulsion.sum;
        for (int c = 0; c < D; ++c) gradient(c, i) = repulsion.force[c];
      }
    };
    team_.run(y.cols(), kChunk, repel);
    // Added up in the order of the points, whoever computed them.
    const double z = std::max(sums_.sum(), std::numeric_limits<double>::min());
    const auto attract = [&](int /*worker*/, Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        gradient.col(i) = 4 * (exaggeration * attraction(y, i) - gradient.col(i) / z);
      }
    };
    team_.run(y.cols(), kChunk, attract);
  }

 private:
  using Column = Eigen::Matrix<double, D, 1>;

  [[nodiscard]] Column attraction(const Matrix& y, Index i) const {
    Column sum = Column::Zero();
    const Column here = y.col(i);
    for (Index k = affinities_.first[i]; k < affinities_.first[i + 1]; ++k) {
      const Column difference = here - Eigen::Map<const Column>(y.data() + D * Index{affinities_.column[k]});
      sum += affinities_.value[k] / (1 + difference.squaredNorm()) * difference;
    }
    return sum;
  }

  const Affinities& affinities_;
  double theta_;
  ThreadTeam& team_;
  CellTree<D> tree_;
  Vector sums_;
};

/// One step of descent: a coordinate that keeps its direction gains speed, one that turns loses it.
void descend(const Matrix& gradient, double rate, double momentum, Matrix& gains, Matrix& velocity, Matrix& y) {
  for (Index k = 0; k < y.size(); ++k) {
    double& gain = gains.data()[k];
    double& v = velocity.data()[k];
    const double g = gradient.data()[k];
    gain = std::max(v * g < 0 ? gain + 0.2 : gain * 0.8, kLeastGain);
    v = momentum * v - rate * gain * g;
    y.data()[k] += v;
  }
}

template <int D>
Result<Matrix> optimise(Matrix y, const Affinities& affinities, const TsneParameters& parameters,
                        const SimilarityContext& context) {
  const double rate = std::max(static_cast<double>(y.cols()) / kExaggeration / 4, kLeastLearningRate);
  Gradient<D> compute_gradient(affinities, parameters.theta, context.team);
  Matrix gradient = Matrix::Zero(D, y.cols());
  Matrix velocity = Matrix::Zero(D, y.cols());
  Matrix gains = Matrix::Ones(D, y.cols());
  for (int iteration = 0; iteration < parameters.iterations; ++iteration) {
    if (!context.report({"t-SNE", iteration, parameters.iterations})) return stopped();
    const bool early = iteration < parameters.iterations / 4;
    // The exaggerated and the true affinities are two problems; the second one starts at rest.
    if (iteration == parameters.iterations / 4) {
      velocity.setZero();
      gains.setOnes();
    }
    compute_gradient.compute(y, early ? kExaggeration : 1, gradient);
    descend(gradient, rate, early ? kEarlyMomentum : kLateMomentum, gains, velocity, y);
    if (!std::isfinite(y.sum())) return runtime_failure("t-SNE diverged; try another --perplexity");
  }
  return y;
}

}  // namespace

Result<Matrix> tsne(ConstMatrixRef points, const TsneParameters& parameters, const SimilarityContext& context) {
  if (const Status checked = check(points, parameters); !checked) return checked.error();
  const Result<Affinities> affinities = neighbour_affinities(points, parameters.perplexity, context);
  if (!affinities) return affinities.error();
  Matrix y = start(points, parameters);
  switch (parameters.dimension) {
    case 1:
      return optimise<1>(std::move(y), *affinities, parameters, context);
    case 2:
      return optimise<2>(std::move(y), *affinities, parameters, context);
    default:
      return optimise<3>(std::move(y), *affinities, parameters, context);
  }
}

}  // namespace gtvmin
