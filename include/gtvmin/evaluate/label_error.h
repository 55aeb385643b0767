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
  /// Models of a number: (ŷ − y)².
  std::optional<double> squared;
  /// Models of classes: the share of samples whose label is not the most probable one (the last of equally probable).
  std::optional<double> misclassification;
  /// Models of classes: −log of the probability given to the label, in nats.
  std::optional<double> log_loss;
};

/// `learnt` is parameters × nodes; node i of `held_out` has the parameters of column column_of[i]. The model must
/// predict something, `held_out` have at least one sample and, for classes, the class_names of the training. With two
/// classes a label is positive or not: {0, 1} and {−1, 1} both work.
[[nodiscard]] LabelError label_error(const LocalModel& model, ConstMatrixRef learnt, const Dataset& held_out,
                                     std::span<const NodeId> column_of);

}  // namespace gtvmin
