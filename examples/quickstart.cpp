// Three sites learn a line y ≈ w·x each; the third has no data and learns from its neighbour.
#include <cstdio>

#include "gtvmin/gtvmin.h"

int main() {
  gtvmin::Dataset data;
  data.node_names = {"north", "centre", "south"};
  data.feature_names = {"x"};
  data.first_sample = {0, 2, 4, 4};  // samples 0–1 belong to north, 2–3 to centre
  data.features = gtvmin::Matrix{{1, 2, 1, 3}};
  data.labels = gtvmin::Vector{{2.1, 3.9, 2.3, 6.2}};
  data.edges = {{0, 1, 1.0}, {1, 2, 0.5}};
  const auto problem = gtvmin::make_problem(data, {.name = "linear"}, gtvmin::L2Penalty{}, 0.1);
  if (!problem) return 1;
  const auto result = gtvmin::solve(*problem, {});
  for (gtvmin::NodeId i = 0; i < 3; ++i) std::printf("%-6s w = %.4f\n", data.node_names[i].c_str(), result.w(0, i));
  std::printf("at most %.1e above the optimum\n", result.certificate.value);
  return result.status == gtvmin::SolveStatus::kSolved ? 0 : 1;
}
