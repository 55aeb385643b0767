#pragma once

#include <optional>

#include "gtvmin/graph/empirical_graph.h"
#include "gtvmin/problem/problem.h"
#include "gtvmin/problem/sample_problem.h"

namespace gtvmin {

/// What decisions of the solver rest on; computed once.
struct ProblemFacts {
  bool convex = true;
  bool smooth_losses = true;  ///< no loss has a kink
  bool norm = false;          ///< the penalty is a norm
  bool custom_penalty = false;
  bool forest = false;
  NodeId nodes_without_data = 0;
  Index dimension = 0;
  Partition components;                  ///< of the graph, edges with κ_e = 0 left out
  double iteration_work = 0;             ///< operations of one iteration of message passing
  double certificate_work = 0;           ///< operations of one certificate of the whole problem
  std::optional<SampleProblem> samples;  ///< the problem as sums over samples; nothing if a loss is none

  explicit ProblemFacts(const Problem& problem);
};

}  // namespace gtvmin
