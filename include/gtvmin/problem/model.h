#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/problem/dataset.h"
#include "gtvmin/problem/problem.h"

namespace gtvmin {

/// Which local model every node trains, and how its loss is made from the node's samples.
struct ModelSpec {
  std::string name = "linear";  ///< one of model_names()
  /// Mean over the node's samples (the paper as written) or their sum.
  bool mean = true;
  /// Adds ridge·‖w‖² to the loss of every node, with or without data, the intercept excepted.
  double ridge = 0;
  /// A last coordinate "intercept" that multiplies 1.
  bool intercept = false;
};

[[nodiscard]] const std::vector<std::string>& model_names();
/// The labels that a model (one of model_names()) accepts; kNone: it has no label.
[[nodiscard]] LabelDomain label_domain(std::string_view model);

/// Names of the coordinates of w: the features, then "intercept" if there is one.
[[nodiscard]] std::vector<std::string> coordinate_names(const Dataset& dataset, const ModelSpec& model);

/// The problem that a dataset, a model, a penalty and λ define. A node without samples gets the trivial loss 0.
[[nodiscard]] Result<Problem> make_problem(const Dataset& dataset, const ModelSpec& model, Penalty penalty,
                                           double lambda);

/// The prediction of one model for one sample: a real value (linear) or the probability of label 1 (logistic).
/// Models without label have none.
[[nodiscard]] double predict(const ModelSpec& model, ConstVectorRef w, ConstVectorRef features);

}  // namespace gtvmin
