// Three nodes on a path; the middle one has no data and learns from its neighbours.
#include <gtvmin/gtvmin.h>

#include <cmath>
#include <iostream>

int main() {
  gtvmin::Dataset data;
  data.node_names = {"a", "b", "c"};
  data.feature_names = {"x"};
  data.first_sample = {0, 1, 1, 2};
  data.features = gtvmin::Matrix{{1.0, 1.0}};
  data.labels = gtvmin::Vector{{1.0, 3.0}};
  data.edges = {{0, 1, 1.0}, {1, 2, 1.0}};
  const auto problem = gtvmin::make_problem(data, {.name = "linear"}, *gtvmin::make_penalty("l2"), 0.5);
  const gtvmin::SolveResult result = gtvmin::solve(*problem, {});
  std::cout << to_string(result.status) << ": " << result.w << "\n";
  // By hand: |w_a − w_c| costs ½ per unit along the path, so w_a = 1.25 and w_c = 2.75 (2(w_a − 1) = ½).
  return std::abs(result.w(0, 0) - 1.25) < 1e-3 && std::abs(result.w(0, 2) - 2.75) < 1e-3 ? 0 : 1;
}
