#pragma once

#include <string>
#include <vector>

#include "clients.h"

namespace gtvmin {

/// Models to start from that differ from each other, but for ModelStart::kZero; kBernoulli adds 0 or 1 to every entry.
///
/// ModelStart::kNormal. Where losses are convex: the losses' start and independent normal numbers, so large that a
/// model is as far from the start as the clients' own minimisers are, in the median. (Where a minimum lies at infinity,
/// as far as a gradient step of the length 1/curvature goes.) Neural nets: the entries of every tensor of the start, in
/// random order. Initial weights of a tensor are independent and of one distribution, so this is as good as to draw
/// them anew.
class RandomModels {
 public:
  /// Minimises every client's loss. `model` tells which parameters form a tensor; null: all of them.
  RandomModels(Clients& clients, const LocalModel* model);

  /// d × k, a function of seed and `start` alone.
  [[nodiscard]] Matrix draw(int k, std::int64_t start) const;

 private:
  Vector start_;
  std::uint64_t seed_;
  ModelStart kind_;
  bool convex_;
  double deviation_ = 0;              // of an entry, where losses are convex
  std::vector<Index> tensor_begins_;  // and the number of parameters at last, where they are not
};

}  // namespace gtvmin
