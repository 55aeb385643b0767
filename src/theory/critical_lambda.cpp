#include "gtvmin/theory/critical_lambda.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gtvmin/graph/spanning_forest.h"
#include "gtvmin/loss/quadratic_loss.h"
#include "gtvmin/solver/solver.h"
#include "gtvmin/theory/cluster_constants.h"
#include "gtvmin/theory/hessian_bounds.h"
#include "gtvmin/theory/norm_constants.h"

namespace gtvmin {
namespace {

/// Demands of a component, which add up to 0, on its graph.
struct ComponentDemands {
  EmpiricalGraph graph;
  Matrix c;  // d × nodes
};

ComponentDemands component_demands(const Problem& problem, const std::vector<NodeId>& nodes,
                                   const ClusterMinimiser& minimiser, std::vector<NodeId>& position) {
  for (std::size_t k = 0; k < nodes.size(); ++k) position[static_cast<std::size_t>(nodes[k])] = static_cast<NodeId>(k);
  std::vector<WeightedEdge> edges;
  for (const NodeId i : nodes) {
    for (const Incidence& edge : problem.graph().incident(i)) {
      if (edge.neighbour > i)
        edges.push_back({position[i], position[edge.neighbour], problem.graph().weight(edge.edge)});
    }
  }
  ComponentDemands demands;
  demands.graph = *EmpiricalGraph::make(static_cast<NodeId>(nodes.size()), std::move(edges));
  demands.c = -minimiser.gradients;
  const Vector mean = demands.c.rowwise().mean();  // what rounding has left of w̄
  demands.c.colwise() -= mean;
  return demands;
}

/// max_e ‖u_e‖_*/A_e once the flow is completed along a spanning tree of the edges with the largest slack, so that Dᵀu
/// = c.
double completed_congestion(const ComponentDemands& demands, const Penalty& penalty, Matrix u, double lambda) {
  const EmpiricalGraph& graph = demands.graph;
  std::vector<double> slack(static_cast<std::size_t>(graph.edges()));
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    slack[static_cast<std::size_t>(e)] = lambda * graph.weight(e) - dual_norm_of(penalty, u.col(e));
  }
  const SpanningForest tree = maximum_spanning_forest(graph, slack);
  Matrix missing = demands.c - apply_incidence_transpose(graph, u);
  for (auto at = tree.order.rbegin(); at != tree.order.rend(); ++at) {
    const NodeId i = *at;
    const EdgeId e = tree.edge[static_cast<std::size_t>(i)];
    if (e < 0) continue;
    u.col(e) += (graph.head(e) == i ? 1 : -1) * missing.col(i);
    missing.col(tree.parent[static_cast<std::size_t>(i)]) += missing.col(i);
  }
  double largest = 0;
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    largest = std::max(largest, dual_norm_of(penalty, u.col(e)) / graph.weight(e));
  }
  return largest;
}

/// Σ⟨c_i, v_i⟩/Σ A_e φ((Dv)_e); 0 where v is constant.
double separation_ratio(const ComponentDemands& demands, const Penalty& penalty, const Matrix& v) {
  double variation = 0;
  for (EdgeId e = 0; e < demands.graph.edges(); ++e) {
    const Vector difference = v.col(demands.graph.head(e)) - v.col(demands.graph.tail(e));
    variation += demands.graph.weight(e) * norm_of(penalty, difference);
  }
  return variation > 0 ? demands.c.cwiseProduct(v).sum() / variation : 0;
}

/// A v to start with: the demands themselves, or one node against all others.
double first_lower_bound(const ComponentDemands& demands, const Penalty& penalty) {
  double best = separation_ratio(demands, penalty, demands.c);
  for (NodeId i = 0; i < demands.graph.nodes(); ++i) {
    double degree = 0;
    for (const Incidence& edge : demands.graph.incident(i)) degree += demands.graph.weight(edge.edge);
    best = std::max(best, dual_norm_of(penalty, demands.c.col(i)) / degree);
  }
  return best;
}

Result<Problem> point_problem(const ComponentDemands& demands, const Penalty& penalty, double lambda) {
  std::vector<LossPtr> losses;
  losses.reserve(static_cast<std::size_t>(demands.c.cols()));
  for (Index i = 0; i < demands.c.cols(); ++i) losses.push_back(QuadraticLoss::points(demands.c.col(i), 0.5, 0));
  Result<Penalty> same = make_penalty(penalty_name(penalty));
  if (!same) return same.error();
  return Problem::make(demands.graph, std::move(losses), *std::move(same), lambda);
}

Status bracket_critical(const ComponentDemands& demands, const Penalty& penalty, const CriticalOptions& options,
                        const Stop& stop, CriticalLambda& result) {
  const Matrix no_flow = Matrix::Zero(demands.c.rows(), demands.graph.edges());
  result.high = completed_congestion(demands, penalty, no_flow, 1);
  result.low = result.exact ? result.high : first_lower_bound(demands, penalty);
  for (int k = 0; k < options.most_solves && result.high > options.ratio * result.low; ++k) {
    const Result<Problem> problem = point_problem(demands, penalty, result.low);
    if (!problem) return problem.error();
    SolveContext context;
    context.stop = stop;
    // Far below the least w that matters: near the critical λ the solution is close to 0.
    const SolveResult solved = solve(*problem, {.tolerance = 1e-12, .threads = options.threads}, context);
    if (stopped(stop)) return interrupted();
    result.high = std::min(result.high, completed_congestion(demands, penalty, solved.u, result.low));
    const double next = separation_ratio(demands, penalty, solved.w);
    // No progress: the point is constant up to rounding, and the flow is as good as it gets.
    if (!(next > result.low)) break;
    result.low = next;
  }
  return Unit{};
}

std::vector<std::string> critical_refusals(const Problem& problem) {
  std::vector<std::string> reasons;
  if (!is_norm(problem.penalty())) {
    reasons.push_back("penalty " + penalty_name(problem.penalty()) + " " + analysis_refusal(problem.penalty()));
  }
  if (!every_loss(problem, [](const LocalLoss& loss) { return loss.is_convex(); })) {
    reasons.emplace_back("the loss is not convex");
  } else if (!every_loss(problem, [](const LocalLoss& loss) { return loss.is_smooth(); })) {
    reasons.emplace_back("the loss is not differentiable");
  } else if (!every_loss(problem, [](const LocalLoss& loss) { return loss.has_hessian(); })) {
    reasons.emplace_back("the loss has no known Hessian");
  }
  return reasons;
}

}  // namespace

Result<std::vector<CriticalLambda>> critical_lambda(const Problem& problem, const CriticalOptions& options,
                                                    const Stop& stop) {
  if (std::vector<std::string> reasons = critical_refusals(problem); !reasons.empty()) {
    return Error{Error::Kind::kUsage, std::move(reasons)};
  }
  const Partition components = connected_groups(problem.graph());
  std::vector<CriticalLambda> results(static_cast<std::size_t>(components.groups));
  for (NodeId i = 0; i < problem.nodes(); ++i) {
    results[static_cast<std::size_t>(components.group_of[i])].nodes.push_back(i);
  }
  std::vector<NodeId> position(static_cast<std::size_t>(problem.nodes()));
  for (CriticalLambda& result : results) {
    if (stopped(stop)) return interrupted();
    result.exact = true;
    if (result.nodes.size() == 1) continue;
    const ClusterMinimiser minimiser = minimise_cluster(problem, result.nodes);
    if (!minimiser.attained) {
      return usage_error("the losses of a component have no common minimiser; a ridge gives them one");
    }
    const ComponentDemands demands = component_demands(problem, result.nodes, minimiser, position);
    result.exact = is_forest(demands.graph);
    if (demands.c.isZero(0)) continue;
    if (const Status bracketed = bracket_critical(demands, problem.penalty(), options, stop, result); !bracketed) {
      return bracketed.error();
    }
  }
  return results;
}

}  // namespace gtvmin
