#include "gtvmin/evaluate/adjusted_rand_index.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

namespace gtvmin {
namespace {

// The number of pairs of equal entries; sorts its argument.
template <class T>
double equal_pairs(std::vector<T> labels) {
  std::sort(labels.begin(), labels.end());
  std::int64_t pairs = 0;
  std::int64_t run = 0;
  for (std::size_t i = 1; i < labels.size(); ++i) {
    run = labels[i] == labels[i - 1] ? run + 1 : 0;
    pairs += run;
  }
  return static_cast<double>(pairs);
}

}  // namespace

double adjusted_rand_index(std::span<const NodeId> a, std::span<const NodeId> b) {
  assert(a.size() == b.size());
  std::vector<std::pair<NodeId, NodeId>> both;
  both.reserve(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) both.emplace_back(a[i], b[i]);

  const double together_in_a = equal_pairs(std::vector<NodeId>(a.begin(), a.end()));
  const double together_in_b = equal_pairs(std::vector<NodeId>(b.begin(), b.end()));
  const double together_in_both = equal_pairs(std::move(both));
  const auto n = static_cast<double>(a.size());
  const double all = n * (n - 1) / 2;
  const double by_chance = all > 0 ? together_in_a * together_in_b / all : 0;
  const double at_most = (together_in_a + together_in_b) / 2;
  // Equal only where both partitions are trivial in the same way.
  return at_most == by_chance ? 1 : (together_in_both - by_chance) / (at_most - by_chance);
}

}  // namespace gtvmin
