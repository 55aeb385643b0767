#include "gtvmin/evaluate/label_error.h"

#include <cassert>
#include <cmath>

namespace gtvmin {
namespace {

// −log of 1/(1 + exp(−margin)), without overflow and without cancellation for large margins.
double logistic_log_loss(double margin) {
  return margin > 0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
}

}  // namespace

LabelError label_error(const ModelSpec& model, ConstMatrixRef learnt, const Dataset& held_out,
                       std::span<const NodeId> column_of) {
  assert(label_domain(model.name) != LabelDomain::kNone && held_out.samples() > 0);
  const bool binary = label_domain(model.name) == LabelDomain::kBinary;
  // The score of a logistic model, the logarithm of its odds, is what a linear one predicts.
  ModelSpec scorer = model;
  scorer.name = "linear";
  double squared = 0;
  double wrong = 0;
  double log_loss = 0;
  for (NodeId i = 0; i < held_out.nodes(); ++i) {
    const auto w = learnt.col(column_of[i]);
    for (Index r = held_out.first_sample[i]; r < held_out.first_sample[i + 1]; ++r) {
      const double prediction = predict(scorer, w, held_out.features.col(r));
      const double label = held_out.labels[r];
      squared += (prediction - label) * (prediction - label);
      wrong += (prediction >= 0) == (label > 0) ? 0 : 1;
      log_loss += logistic_log_loss(label > 0 ? prediction : -prediction);
    }
  }
  const auto samples = static_cast<double>(held_out.samples());
  LabelError error;
  error.samples = held_out.samples();
  if (binary) {
    error.misclassification = wrong / samples;
    error.log_loss = log_loss / samples;
  } else {
    error.squared = squared / samples;
  }
  return error;
}

}  // namespace gtvmin
