#include "rounds.h"

#include <algorithm>
#include <compare>
#include <map>
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
  if (context_.interrupted && context_.interrupted()) interrupted_ = true;
  return done_ - first_ < options_.rounds && !arrived && !interrupted_ && w.allFinite();
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

Partition equal_columns(const Matrix& w) {
  // An order even where a run has left the numbers.
  const auto less = [](double a, double b) { return std::is_lt(std::weak_order(a, b)); };
  const auto earlier = [&](NodeId i, NodeId j) {
    return std::lexicographical_compare(w.col(i).begin(), w.col(i).end(), w.col(j).begin(), w.col(j).end(), less);
  };
  std::map<NodeId, NodeId, decltype(earlier)> group_of_model(earlier);
  Partition partition;
  partition.group_of.reserve(static_cast<std::size_t>(w.cols()));
  for (NodeId i = 0; i < w.cols(); ++i) {
    const auto [model, is_new] = group_of_model.try_emplace(i, partition.groups);
    if (is_new) ++partition.groups;
    partition.group_of.push_back(model->second);
  }
  return partition;
}

}  // namespace gtvmin
