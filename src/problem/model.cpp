#include "gtvmin/problem/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "coupling.h"
#include "gtvmin/loss/profile_loss.h"
#include "models/models.h"

namespace gtvmin {
namespace {

/// One local model.
struct Model {
  const char* name;
  LabelDomain labels;
  bool has_intercept;
  Result<ModelPtr> (*make)(const ModelSpec& spec, const ModelShape& shape);
};

constexpr Model kModels[] = {
    {"linear", LabelDomain::kReal, true, &make_linear_model},
    {"logistic", LabelDomain::kBinary, true, &make_logistic_model},
    {"softmax", LabelDomain::kClass, true, &make_softmax_model},
    {"poisson", LabelDomain::kCount, true, &make_poisson_model},
    {"autoregressive", LabelDomain::kReal, true, &make_linear_model},  // on lagged samples, see time_series.h
    {"point", LabelDomain::kNone, false, &make_point_model},
    {"gaussian-mean", LabelDomain::kNone, false, &make_gaussian_mean_model},
    {"graphical", LabelDomain::kNone, false, &make_graphical_model},
};

const Model* find_model(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kModels), std::end(kModels), [&](const Model& m) { return m.name == name; });
  return found == std::end(kModels) ? nullptr : found;
}

}  // namespace

LossPtr LocalModel::loss_in(std::span<const Index> coupled, ConstMatrixRef features, ConstVectorRef labels) const {
  return profile_loss(loss(features, labels), coupled);
}

ModelShape shape_of(const Dataset& dataset) { return {dataset.feature_names, dataset.class_names}; }

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

Result<ModelPtr> make_model(const ModelSpec& spec, const ModelShape& shape) {
  const Model* model = find_model(spec.name);
  if (model == nullptr) {
    return usage_error(fmt::format("unknown model '{}'; there are {}", spec.name, fmt::join(model_names(), ", ")));
  }
  if (spec.intercept && !model->has_intercept) {
    return usage_error(fmt::format("the model '{}' predicts no label, so it has no intercept", spec.name));
  }
  if (!std::isfinite(spec.ridge) || spec.ridge < 0) {
    return usage_error(fmt::format("ridge = {} is not a number ≥ 0", spec.ridge));
  }
  if (shape.features.empty() && !spec.intercept) {
    return bad_input("the model has no parameters: there are no features and no intercept");
  }
  return model->make(spec, shape);
}

Result<Problem> make_problem(const Dataset& dataset, const LocalModel& model, std::span<const std::string> couple,
                             Penalty penalty, double lambda) {
  const auto coupled = coupled_parameters(model.parameter_names(), couple);
  if (!coupled) return coupled.error();
  const bool all = coupled->size() == model.parameter_names().size();
  std::vector<LossPtr> losses;
  losses.reserve(dataset.nodes());
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    const Index first = dataset.first_sample[i];
    const Index m = dataset.samples_of(i);
    const Vector labels = dataset.labels.size() > 0 ? Vector(dataset.labels.segment(first, m)) : Vector();
    const auto features = dataset.features.middleCols(first, m);
    losses.push_back(all ? model.loss(features, labels) : model.loss_in(*coupled, features, labels));
    if (losses.back() == nullptr) {
      return usage_error("this model cannot keep some of its parameters private: its loss is not smooth everywhere");
    }
  }
  auto graph = EmpiricalGraph::make(dataset.nodes(), dataset.edges);
  if (!graph) return graph.error();
  return Problem::make(*std::move(graph), std::move(losses), std::move(penalty), lambda);
}

Result<Problem> make_problem(const Dataset& dataset, const ModelSpec& spec, Penalty penalty, double lambda) {
  const auto model = make_model(spec, shape_of(dataset));
  if (!model) return model.error();
  return make_problem(dataset, **model, spec.couple, std::move(penalty), lambda);
}

}  // namespace gtvmin
