#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/base/stop.h"
#include "gtvmin/problem/dataset.h"
#include "gtvmin/problem/problem.h"

namespace gtvmin {

/// How a linear model weighs a residual r: r², |r|, or r² up to δ and 2δ|r| − δ² beyond.
enum class ResidualLoss { kSquared, kAbsolute, kHuber };

/// Which local model every node trains, and how its loss is made from the node's samples.
struct ModelSpec {
  std::string name = "linear";  ///< one of model_names()
  /// Mean over the node's samples (the paper as written) or their sum.
  bool mean = true;
  /// Adds ridge·‖w‖² to the loss of every node, with or without data, the intercept excepted.
  double ridge = 0;
  /// A last coordinate "intercept" that multiplies 1.
  bool intercept = false;
  ResidualLoss residual_loss = ResidualLoss::kSquared;  ///< linear and autoregressive
  double huber_delta = 1;                               ///< δ of ResidualLoss::kHuber
  int order = 1;                                        ///< autoregressive: how many past values count
  std::optional<Matrix> covariance = std::nullopt;      ///< gaussian-mean: of every sample; the identity if not given
  double sparsity = 0;                                  ///< graphical: weight of Σ_{j≠k} |Θ_jk|
  /// Which parameters are coupled over the graph: names, * and ? allowed; empty: all. The others stay private.
  std::vector<std::string> couple = {};
};

/// The names on which the meaning of parameters depends.
struct ModelShape {
  std::vector<std::string> features;
  std::vector<std::string> classes;
};
[[nodiscard]] ModelShape shape_of(const Dataset& dataset);

/// What a model says about a new sample: nothing, a number, or log-probabilities of its classes.
enum class PredictionKind { kNone, kValue, kClasses };

/// A family of functions with parameters: makes losses from samples, and predictions from parameters. Immutable.
class LocalModel {
 public:
  LocalModel() = default;
  LocalModel(const LocalModel&) = delete;
  LocalModel& operator=(const LocalModel&) = delete;
  virtual ~LocalModel() = default;

  [[nodiscard]] virtual std::vector<std::string> parameter_names() const = 0;
  /// The loss of a node in all of its parameters; samples are columns, and there may be none.
  [[nodiscard]] virtual LossPtr loss(ConstMatrixRef features, ConstVectorRef labels) const = 0;
  /// The same in some of the parameters, `coupled` in ascending order; the others are private to the node, see
  /// LocalLoss::complete. Null if the model cannot do that. Works for every loss with a Hessian unless overridden.
  [[nodiscard]] virtual LossPtr loss_in(std::span<const Index> coupled, ConstMatrixRef features,
                                        ConstVectorRef labels) const;

  /// Why no loss can be computed from these samples, e.g. because their squares overflow: a sentence without the node's
  /// name; empty if there is no reason. make_problem asks before it asks for the loss.
  [[nodiscard]] virtual std::string refusal(ConstMatrixRef /*features*/, ConstVectorRef /*labels*/) const { return {}; }

  /// True if the loss of a node is the mean over its samples, false if it is their sum; what does not come from samples
  /// (ridge) is added once in both cases. With this a batch of a node's samples estimates the loss of all of them.
  [[nodiscard]] virtual bool averages_samples() const = 0;

  /// About how often an update of the parameters by this many samples, at least one, goes over all of them: what a node
  /// costs, so that work can be shared out evenly.
  [[nodiscard]] virtual Index update_work(Index samples) const { return samples; }

  [[nodiscard]] virtual PredictionKind predicts() const { return PredictionKind::kNone; }
  /// For every sample (column) one number, or the logarithm of each class's probability, classes as in the shape (for
  /// LabelDomain::kBinary: of −1, then of 1).
  [[nodiscard]] virtual Matrix predict(ConstVectorRef /*parameters*/, ConstMatrixRef /*features*/) const { return {}; }

  /// The spec of which make_model made it; null for a model that was made otherwise.
  [[nodiscard]] virtual const ModelSpec* specification() const { return nullptr; }

  /// By what a parameter is multiplied where people see it.
  [[nodiscard]] virtual Vector units() const { return Vector::Ones(static_cast<Index>(parameter_names().size())); }
};
using ModelPtr = std::unique_ptr<const LocalModel>;

[[nodiscard]] const std::vector<std::string>& model_names();
/// The labels that a model (one of model_names()) accepts; kNone: it has no label.
[[nodiscard]] LabelDomain label_domain(std::string_view model);

/// Fails on an unknown name, on options that do not fit the model, and on data that it cannot be trained with.
[[nodiscard]] Result<ModelPtr> make_model(const ModelSpec& spec, const ModelShape& shape);

/// The problem that a dataset, a model, a penalty and λ define. A node without samples gets the trivial loss 0, or its
/// ridge. With `couple`, parameters that no pattern names are private to their node and no part of w.
///
/// Fails with the names of the nodes where samples are too large or too small to compute with, with a runtime failure
/// where the problem and its flows need more memory than there is, and with interrupted() once `stop` says so.
[[nodiscard]] Result<Problem> make_problem(const Dataset& dataset, const LocalModel& model,
                                           std::span<const std::string> couple, Penalty penalty, double lambda,
                                           const Stop& stop = {});
/// The same for the model of a spec.
[[nodiscard]] Result<Problem> make_problem(const Dataset& dataset, const ModelSpec& spec, Penalty penalty,
                                           double lambda, const Stop& stop = {});

/// Bytes that a solver holds at least for a problem of this size: parameters, flows and a few vectors of both sizes.
[[nodiscard]] double solver_memory(Index dimension, NodeId nodes, EdgeId edges);

}  // namespace gtvmin
