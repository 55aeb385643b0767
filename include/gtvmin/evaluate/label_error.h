#pragma once

#include <optional>
#include <span>

#include "gtvmin/base/types.h"
#include "gtvmin/problem/dataset.h"
#include "gtvmin/problem/model.h"

namespace gtvmin {

/// How well each node's parameters predict the labels of samples that were not used for training; means over samples.
struct LabelError {
  Index samples = 0;
  /// Linear: (ŷ − y)².
  std::optional<double> squared;
  /// Logistic: the share of samples whose label is not the more probable one (1 where both are equally probable).
  std::optional<double> misclassification;
  /// Logistic: −log of the probability given to the label, in nats.
  std::optional<double> log_loss;
};

/// `learnt` is coordinates × nodes; node i of `held_out` has the parameters of column column_of[i]. The model must have
/// a label, `held_out` at least one sample. Labels of logistic models are positive or not: {0, 1} and {−1, 1} both
/// work.
[[nodiscard]] LabelError label_error(const ModelSpec& model, ConstMatrixRef learnt, const Dataset& held_out,
                                     std::span<const NodeId> column_of);

}  // namespace gtvmin
