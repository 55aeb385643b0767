#include "gtvmin/problem/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "gtvmin/loss/logistic_loss.h"
#include "gtvmin/loss/quadratic_loss.h"

namespace gtvmin {
namespace {

/// One local model: how a node's samples become a loss. `ridge` holds one number per coordinate.
struct Model {
  const char* name;
  LabelDomain labels;
  LossPtr (*loss)(ConstMatrixRef features, ConstVectorRef labels, double scale, ConstVectorRef ridge);
};

LossPtr point_loss(ConstMatrixRef features, ConstVectorRef /*labels*/, double scale, ConstVectorRef ridge) {
  return QuadraticLoss::points(features, scale, ridge[0]);
}

constexpr Model kModels[] = {
    {"linear", LabelDomain::kReal, &QuadraticLoss::least_squares},
    {"logistic", LabelDomain::kBinary, &LogisticLoss::make},
    {"point", LabelDomain::kNone, &point_loss},
};

const Model* find_model(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kModels), std::end(kModels), [&](const Model& m) { return m.name == name; });
  return found == std::end(kModels) ? nullptr : found;
}

}  // namespace

const std::vector<std::string>& model_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto& model : kModels) list.emplace_back(model.name);
    return list;
  }();
  return names;
}

LabelDomain label_domain(std::string_view model) {
  const auto* found = find_model(model);
  return found == nullptr ? LabelDomain::kReal : found->labels;
}

std::vector<std::string> coordinate_names(const Dataset& dataset, const ModelSpec& model) {
  std::vector<std::string> names = dataset.feature_names;
  if (model.intercept) names.emplace_back("intercept");
  return names;
}

Result<Problem> make_problem(const Dataset& dataset, const ModelSpec& spec, Penalty penalty, double lambda) {
  const Model* model = find_model(spec.name);
  if (model == nullptr) {
    return usage_error(fmt::format("unknown model '{}'; there are {}", spec.name, fmt::join(model_names(), ", ")));
  }
  if (spec.intercept && model->labels == LabelDomain::kNone) {
    return usage_error(fmt::format("the model '{}' predicts no label, so it has no intercept", spec.name));
  }
  if (!std::isfinite(spec.ridge) || spec.ridge < 0) {
    return usage_error(fmt::format("ridge = {} is not a number ≥ 0", spec.ridge));
  }
  const Index inputs = dataset.features.rows();
  const Index d = inputs + (spec.intercept ? 1 : 0);
  if (d == 0) return bad_input("the model has no parameters: there are no features and no intercept");
  Vector ridge = Vector::Constant(d, spec.ridge);
  if (spec.intercept) ridge[d - 1] = 0;

  std::vector<LossPtr> losses;
  losses.reserve(dataset.nodes());
  Matrix features;
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    const Index first = dataset.first_sample[i];
    const Index m = dataset.samples_of(i);
    if (m == 0 && spec.ridge == 0) {
      losses.push_back(QuadraticLoss::zero(d));
      continue;
    }
    features.resize(d, m);
    features.topRows(inputs) = dataset.features.middleCols(first, m);
    if (spec.intercept) features.row(d - 1).setOnes();
    if (m == 0) {
      losses.push_back(QuadraticLoss::least_squares(features, Vector(0), 1, ridge));
      continue;
    }
    const double scale = spec.mean ? 1 / static_cast<double>(m) : 1;
    const Vector labels = model->labels == LabelDomain::kNone ? Vector() : Vector(dataset.labels.segment(first, m));
    losses.push_back(model->loss(features, labels, scale, ridge));
  }
  auto graph = EmpiricalGraph::make(dataset.nodes(), dataset.edges);
  if (!graph) return graph.error();
  return Problem::make(*std::move(graph), std::move(losses), std::move(penalty), lambda);
}

double predict(const ModelSpec& model, ConstVectorRef w, ConstVectorRef features) {
  double score = features.dot(w.head(features.size()));
  if (model.intercept) score += w[w.size() - 1];
  return model.name == "logistic" ? 1 / (1 + std::exp(-score)) : score;
}

}  // namespace gtvmin
