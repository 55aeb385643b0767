#include "rounds.h"

#include <utility>

namespace gtvmin {

Rounds::Rounds(const BaselineInput& input, const BaselineOptions& options, const BaselineContext& context)
    : input_(input), options_(options), context_(context), began_(now()) {}

void Rounds::record(const Matrix& w) {
  if (!context_.records) return;
  const double paused = now();
  const double loss = total_loss(input_.problem, w);
  trace_.push_back({.round = done_,
                    .seconds = paused - began_,
                    .loss = loss,
                    .objective = loss + input_.problem.lambda() * total_variation(input_.problem, w)});
  if (context_.observe && !context_.observe(trace_.back(), w)) interrupted_ = true;
  began_ += now() - paused;
}

bool Rounds::another(const Matrix& w) {
  const bool moves = before_.size() == 0 || (w - before_).norm() > options_.tolerance * w.norm();
  before_ = w;
  return another(w, !moves && options_.tolerance > 0);
}

bool Rounds::another(const Matrix& w, bool arrived) {
  ++done_;
  record(w);
  return !asked_to_stop() && done_ - first_ < options_.rounds && !arrived && w.allFinite();
}

bool Rounds::asked_to_stop() {
  if (context_.interrupted && context_.interrupted()) interrupted_ = true;
  return interrupted_;
}

void Rounds::restart() {
  first_ = done_;
  before_.resize(0, 0);
}

BaselineResult Rounds::result(Matrix w) {
  BaselineResult result;
  result.clusters = equal_columns(w);
  result.w = std::move(w);
  result.rounds = done_;
  result.interrupted = interrupted_;
  result.trace = std::move(trace_);
  result.options = options_;
  return result;
}

}  // namespace gtvmin
