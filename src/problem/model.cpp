#include "gtvmin/problem/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "coupling.h"
#include "gtvmin/base/memory.h"
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

Status check_weight(const char* name, double weight) {
  if (!(weight >= 0) || !std::isfinite(weight)) {
    return usage_error(fmt::format("{} = {} is not a number ≥ 0", name, weight));
  }
  if (weight == 0 || (weight >= kSmallestSquare && weight <= kLargestSquare)) return Unit{};
  return usage_error(
      fmt::format("{} = {} is neither 0 nor between {} and {}", name, weight, kSmallestSquare, kLargestSquare));
}

/// Why a loss is of no use to a solver; empty if there is no reason.
std::string unusable(const LocalLoss& loss) {
  Vector w(loss.dimension());
  loss.start(w);
  const double value = loss.value(w);
  Vector gradient(loss.dimension());
  loss.gradient(w, gradient);
  bool finite = w.allFinite() && std::isfinite(value) && gradient.allFinite();
  if (const QuadraticForm* form = loss.quadratic_form()) {
    const Eigen::Map<const Vector> minimiser(form->minimiser, loss.dimension());
    const Eigen::Map<const Vector> eigenvalues(form->eigenvalues, form->rank);
    finite = finite && minimiser.allFinite() && eigenvalues.allFinite() && std::isfinite(loss.lower_bound());
    if (finite && minimiser.size() > 0 && minimiser.lpNorm<Eigen::Infinity>() > kLargestSquare) {
      return fmt::format(
          "its own best parameters are as large as {:.3g}, whose squares overflow; rescale features or labels",
          minimiser.lpNorm<Eigen::Infinity>());
    }
  }
  return finite ? ""
                : fmt::format("its loss is {} at the start, or its slope is not finite; rescale features or labels",
                              value);
}

/// Collects what is wrong with nodes, a bounded number of them.
class NodeProblems {
 public:
  void add(const std::string& node, const std::string& what) {
    if (++count_ <= kListed) error_.messages.push_back(fmt::format("node '{}': {}", node, what));
  }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] Error take() && {
    if (count_ > kListed) error_.messages.push_back(fmt::format("and {} more nodes", count_ - kListed));
    return std::move(error_);
  }

 private:
  static constexpr Index kListed = 20;
  Index count_ = 0;
  Error error_{Error::Kind::kBadInput, {}};
};

/// Bytes that losses in d parameters hold at least: for m samples of p features, p × min(d, m) numbers.
double loss_memory(const Dataset& dataset, Index dimension) {
  double columns = 0;
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    columns += static_cast<double>(std::min(dimension, dataset.samples_of(i)));
  }
  return sizeof(double) * static_cast<double>(dataset.features.rows()) * columns;
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
  if (const Status usable = check_weight("ridge", spec.ridge); !usable) return usable.error();
  if (shape.features.empty() && !spec.intercept) {
    return bad_input("the model has no parameters: there are no features and no intercept");
  }
  return model->make(spec, shape);
}

Result<Problem> make_problem(const Dataset& dataset, const LocalModel& model, std::span<const std::string> couple,
                             Penalty penalty, double lambda, const Stop& stop) {
  const auto coupled = coupled_parameters(model.parameter_names(), couple);
  if (!coupled) return coupled.error();
  const bool all = coupled->size() == model.parameter_names().size();
  const auto dimension = static_cast<Index>(coupled->size());
  const auto edges = static_cast<EdgeId>(dataset.edges.size());
  const double bytes = loss_memory(dataset, dimension) + solver_memory(dimension, dataset.nodes(), edges);
  const std::string size =
      fmt::format("a problem with {} nodes, {} edges and {} parameters each", dataset.nodes(), edges, dimension);
  if (const Status fits = require_memory(bytes, size); !fits) return fits.error();

  std::vector<LossPtr> losses;
  losses.reserve(dataset.nodes());
  NodeProblems problems;
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    if (stopped(stop)) return interrupted();
    const Index first = dataset.first_sample[i];
    const Index m = dataset.samples_of(i);
    const Vector labels = dataset.labels.size() > 0 ? Vector(dataset.labels.segment(first, m)) : Vector();
    const auto features = dataset.features.middleCols(first, m);
    if (const std::string refusal = m > 0 ? model.refusal(features, labels) : ""; !refusal.empty()) {
      problems.add(dataset.node_names[i], refusal);
      continue;
    }
    losses.push_back(all ? model.loss(features, labels) : model.loss_in(*coupled, features, labels));
    if (losses.back() == nullptr) {
      return usage_error("this model cannot keep some of its parameters private: its loss is not smooth everywhere");
    }
    if (m == 0 || !losses.back()->is_convex()) continue;
    const std::string reason = unusable(*losses.back());
    if (!reason.empty()) problems.add(dataset.node_names[i], reason);
  }
  if (!problems.empty()) return std::move(problems).take();
  auto graph = EmpiricalGraph::make(dataset.nodes(), dataset.edges, stop);
  if (!graph) return graph.error();
  return Problem::make(*std::move(graph), std::move(losses), std::move(penalty), lambda);
}

Result<Problem> make_problem(const Dataset& dataset, const ModelSpec& spec, Penalty penalty, double lambda,
                             const Stop& stop) {
  const auto model = make_model(spec, shape_of(dataset));
  if (!model) return model.error();
  return make_problem(dataset, **model, spec.couple, std::move(penalty), lambda, stop);
}

double solver_memory(Index dimension, NodeId nodes, EdgeId edges) {
  // Per node: w, the best w, a gradient and the divergence of the flow. Per edge: u and the best u.
  constexpr double kVectorsPerNode = 4;
  constexpr double kVectorsPerEdge = 2;
  constexpr double kBytesPerEdge = 2 * sizeof(Incidence) + sizeof(WeightedEdge);
  const double vectors = kVectorsPerNode * static_cast<double>(nodes) + kVectorsPerEdge * static_cast<double>(edges);
  return static_cast<double>(sizeof(double)) * static_cast<double>(dimension) * vectors +
         kBytesPerEdge * static_cast<double>(edges);
}

}  // namespace gtvmin
