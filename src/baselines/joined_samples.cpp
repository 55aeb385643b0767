#include "joined_samples.h"

#include <utility>

#include "gtvmin/loss/absolute_loss.h"
#include "gtvmin/loss/graphical_loss.h"

namespace gtvmin {
namespace {

/// h|xᵀw − y| = |(hx)ᵀw − hy|: the sum over nodes is again a sum of absolute residuals, whatever the nodes' weights h.
LossPtr absolute_sum(const ModelSpec& spec, Dataset samples, Index d) {
  Matrix x = Matrix::Ones(d, samples.samples());
  x.topRows(samples.features.rows()) = samples.features;
  for (NodeId k = 0; k < samples.nodes() && spec.mean; ++k) {
    const Index m = samples.samples_of(k);
    x.middleCols(samples.first_sample[k], m) /= static_cast<double>(m);
    samples.labels.segment(samples.first_sample[k], m) /= static_cast<double>(m);
  }
  Vector ridge = Vector::Constant(d, spec.ridge * static_cast<double>(samples.nodes()));
  if (spec.intercept) ridge[d - 1] = 0;
  return AbsoluteLoss::make(x, samples.labels, 1, ridge);
}

/// h(tr SΘ − log det Θ) is linear in hS and h; nodes without samples have no sparsity, only their ridge.
LossPtr graphical_sum(const ModelSpec& spec, const Dataset& samples) {
  Matrix covariance = Matrix::Zero(samples.features.rows(), samples.features.rows());
  double scale = 0;
  double with_samples = 0;
  for (NodeId k = 0; k < samples.nodes(); ++k) {
    const Index m = samples.samples_of(k);
    if (m == 0) continue;
    const Matrix x = samples.features.middleCols(samples.first_sample[k], m);
    const Matrix centred = x.colwise() - x.rowwise().mean();
    const double h = spec.mean ? 1 : static_cast<double>(m);
    covariance += h / static_cast<double>(m) * centred * centred.transpose();
    scale += h;
    with_samples += 1;
  }
  return GraphicalLoss::make(covariance / scale, scale, spec.ridge * static_cast<double>(samples.nodes()),
                             spec.sparsity * with_samples);
}

}  // namespace

LossPtr sum_of_its_kind(const BaselineInput& input, const std::vector<NodeId>& members) {
  const ModelSpec* spec = input.model->specification();
  if (spec == nullptr) return nullptr;
  Dataset samples = select_nodes(*input.dataset, members);
  if (samples.samples() == 0) return input.model->loss(samples.features, samples.labels);
  if (spec->name == "graphical") return graphical_sum(*spec, samples);
  const bool linear = spec->name == "linear" || spec->name == "autoregressive";
  if (!linear || spec->residual_loss != ResidualLoss::kAbsolute) return nullptr;
  return absolute_sum(*spec, std::move(samples), input.problem.dimension());
}

}  // namespace gtvmin
