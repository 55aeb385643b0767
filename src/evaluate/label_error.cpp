#include "gtvmin/evaluate/label_error.h"

#include <cassert>

namespace gtvmin {
namespace {

/// The class of a label, of so many.
Index class_of(double label, Index classes) { return classes == 2 ? (label > 0 ? 1 : 0) : static_cast<Index>(label); }

Index most_probable(ConstVectorRef log_probabilities) {
  Index best = 0;
  for (Index k = 1; k < log_probabilities.size(); ++k) {
    if (log_probabilities[k] >= log_probabilities[best]) best = k;
  }
  return best;
}

}  // namespace

LabelError label_error(const LocalModel& model, ConstMatrixRef learnt, const Dataset& held_out,
                       std::span<const NodeId> column_of) {
  assert(model.predicts() != PredictionKind::kNone && held_out.samples() > 0);
  double squared = 0;
  double wrong = 0;
  double log_loss = 0;
  for (NodeId i = 0; i < held_out.nodes(); ++i) {
    const Index first = held_out.first_sample[i];
    const Index count = held_out.samples_of(i);
    if (count == 0) continue;
    const Matrix predicted = model.predict(learnt.col(column_of[i]), held_out.features.middleCols(first, count));
    for (Index r = 0; r < count; ++r) {
      const double label = held_out.labels[first + r];
      if (model.predicts() == PredictionKind::kValue) {
        squared += (predicted(0, r) - label) * (predicted(0, r) - label);
        continue;
      }
      const Index expected = class_of(label, predicted.rows());
      wrong += most_probable(predicted.col(r)) == expected ? 0 : 1;
      log_loss -= predicted(expected, r);
    }
  }
  const auto samples = static_cast<double>(held_out.samples());
  LabelError error;
  error.samples = held_out.samples();
  if (model.predicts() == PredictionKind::kClasses) {
    error.misclassification = wrong / samples;
    error.log_loss = log_loss / samples;
  } else {
    error.squared = squared / samples;
  }
  return error;
}

}  // namespace gtvmin
