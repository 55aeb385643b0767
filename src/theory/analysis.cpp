#include "gtvmin/theory/analysis.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "gtvmin/theory/current_routing.h"
#include "gtvmin/theory/hessian_bounds.h"

namespace gtvmin {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

/// The inner edges of a cluster, nodes numbered as in it, and the edges of the problem that they are.
struct InnerGraph {
  EmpiricalGraph graph;
  std::vector<EdgeId> edge_of;
  bool connected = true;
};

InnerGraph inner_graph(const EmpiricalGraph& whole, const std::vector<NodeId>& nodes, const Partition& clusters,
                       const std::vector<NodeId>& position) {
  std::vector<WeightedEdge> edges;
  InnerGraph inner;
  for (const NodeId i : nodes) {
    for (const Incidence& edge : whole.incident(i)) {
      if (edge.neighbour < i || clusters.group_of[edge.neighbour] != clusters.group_of[i]) continue;
      edges.push_back({position[i], position[edge.neighbour], whole.weight(edge.edge)});
      inner.edge_of.push_back(edge.edge);  // nodes ascend, so both orders of edges agree
    }
  }
  Result<EmpiricalGraph> made = EmpiricalGraph::make(static_cast<NodeId>(nodes.size()), std::move(edges));
  inner.graph = *std::move(made);
  inner.connected = connected_groups(inner.graph).groups == 1;
  return inner;
}

/// b_i of every node of a cluster.
Vector boundary_weights(const EmpiricalGraph& graph, const std::vector<NodeId>& nodes, const Partition& clusters) {
  Vector weights = Vector::Zero(static_cast<Index>(nodes.size()));
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    for (const Incidence& edge : graph.incident(nodes[k])) {
      if (clusters.group_of[edge.neighbour] == clusters.group_of[nodes[k]]) continue;
      weights[static_cast<Index>(k)] += graph.weight(edge.edge);
    }
  }
  return weights;
}

/// b_i + κ_i|∂C|: what the boundary asks of the inner edges, in units of λ.
Vector boundary_demand(const ClusterConstants& c, const CurvatureStep& step) {
  return c.boundary > 0 ? Vector(c.boundary_of + c.boundary * step.kappa) : Vector::Zero(c.boundary_of.size());
}

/// The step that reaches λ, or the first one, with the largest curvature, for λ = 0; null if there is none.
const CurvatureStep* step_for(const ClusterConstants& c, double lambda) {
  if (c.steps.empty()) return nullptr;
  if (lambda == 0) return &c.steps.front();
  for (const CurvatureStep& step : c.steps) {
    if (lambda < step.lambda_limit) return &step;
  }
  return nullptr;
}

/// Intervals of growing balls become one where they overlap: the one that contains λ, or the widest on a logarithmic
/// scale.
LambdaInterval joined(std::vector<LambdaInterval> parts, double lambda) {
  std::erase_if(parts, [](const LambdaInterval& part) { return part.empty(); });
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.low < b.low; });
  std::vector<LambdaInterval> runs;
  for (const LambdaInterval& part : parts) {
    if (!runs.empty() && part.low < runs.back().high) {
      runs.back().high = std::max(runs.back().high, part.high);
    } else {
      runs.push_back(part);
    }
  }
  LambdaInterval best;
  for (const LambdaInterval& run : runs) {
    if (run.contains(lambda)) return run;
    if (best.empty() || run.high * best.low > best.high * run.low) best = run;
  }
  return best;
}

void test_definition1(const InnerGraph& inner, double lambda, ClusterAnalysis& analysis) {
  const ClusterConstants& c = analysis.constants;
  std::vector<LambdaInterval> parts;
  for (const CurvatureStep& step : c.steps) {
    const Vector fixed = boundary_demand(c, step);
    if (!fixed.allFinite()) continue;
    parts.push_back({least_sink_scale(inner.graph, fixed, c.delta).scale, step.lambda_limit});
  }
  analysis.definition1_interval = joined(std::move(parts), lambda);
  const CurvatureStep* step = step_for(c, lambda);
  if (step == nullptr) return;
  Vector demand = boundary_demand(c, *step);
  if (!demand.allFinite()) return;
  if (lambda > 0) demand += c.delta / lambda;
  analysis.definition1 = least_sink_scale(inner.graph, Vector::Zero(demand.size()), demand);
  analysis.definition1_margin = analysis.definition1.scale > 0 ? 1 / analysis.definition1.scale : kUnlimited;
}

QuadraticDemands quadratic_demands(const Problem& problem, const ClusterConstants& c) {
  const Index d = problem.dimension();
  const auto size = static_cast<Index>(c.nodes.size());
  QuadraticDemands demands{.gradients = c.minimiser.gradients,
                           .responses = Matrix(d * d, size),
                           .boundary = c.boundary_of,
                           .gradient_bound = c.delta,
                           .response_bound = c.steps.front().kappa,
                           .rounding = c.minimiser.hessian.error};
  for (Index k = 0; k < size; ++k) {
    Matrix hessian = Matrix::Zero(d, d);
    problem.loss(c.nodes[static_cast<std::size_t>(k)]).add_hessian(c.minimiser.w, hessian);
    const Matrix response = hessian * c.minimiser.hessian.inverse;
    demands.responses.col(k) = Eigen::Map<const Vector>(response.data(), d * d);
  }
  return demands;
}

void test_currents(const Problem& problem, const InnerGraph& inner, double lambda, ClusterAnalysis& analysis) {
  const ClusterConstants& c = analysis.constants;
  const ElectricCurrents currents(inner.graph);
  if (c.quadratic) {
    const CurrentThreshold found =
        quadratic_current_threshold(currents, problem.penalty(), quadratic_demands(problem, c));
    analysis.currents_interval = {found.lambda, kUnlimited};
    analysis.currents_edge = inner.edge_of[static_cast<std::size_t>(found.edge)];
    return;
  }
  std::vector<LambdaInterval> parts;
  for (const CurvatureStep& step : c.steps) {
    const Vector fixed = boundary_demand(c, step);
    if (!fixed.allFinite()) continue;
    const CurrentThreshold found = current_threshold(currents, fixed, c.delta);
    parts.push_back({found.lambda, step.lambda_limit});
    if (analysis.currents_edge < 0) analysis.currents_edge = inner.edge_of[static_cast<std::size_t>(found.edge)];
  }
  analysis.currents_interval = joined(std::move(parts), lambda);
}

/// The interval of one of the tests, whichever says more about λ.
void conclude(double lambda, ClusterAnalysis& analysis) {
  const LambdaInterval& by_definition = analysis.definition1_interval;
  const LambdaInterval& by_currents = analysis.currents_interval;
  if (by_definition.empty() && by_currents.empty()) return;
  const bool currents_win =
      by_definition.empty() || (by_currents.contains(lambda) && !by_definition.contains(lambda)) ||
      (by_currents.contains(lambda) == by_definition.contains(lambda) && by_currents.low < by_definition.low);
  analysis.proved = currents_win && !by_currents.empty() ? by_currents : by_definition;
  const bool by_currents_test = currents_win && !by_currents.empty();
  analysis.proved_by = !by_currents_test              ? ClusterTest::kDefinition1
                       : analysis.constants.quadratic ? ClusterTest::kQuadraticCurrents
                                                      : ClusterTest::kCurrents;
}

/// The largest λ up to which the bounds of two clusters keep them apart.
double separation(const ClusterConstants& a, const ClusterConstants& b, double distance) {
  const double limit = std::min(a.lambda_limit(), b.lambda_limit());
  if (!(limit > 0) || !(distance > 0)) return 0;
  if (a.quadratic && b.quadratic) {
    if (!(a.steps.front().alpha > 0) || !(b.steps.front().alpha > 0)) return 0;
    return distance / (a.boundary / a.steps.front().alpha + b.boundary / b.steps.front().alpha);
  }
  const auto apart = [&](double lambda) { return a.deviation_bound(lambda) + b.deviation_bound(lambda) < distance; };
  double low = 0;
  double high = limit;
  constexpr int kHalvings = 60;
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = std::isinf(high) ? std::max(1.0, 2 * low) : (low + high) / 2;
    (apart(middle) ? low : high) = middle;
  }
  return low;
}

std::vector<ClusterPair> cluster_pairs(const Problem& problem, const Partition& clusters,
                                       const std::vector<ClusterAnalysis>& analyses) {
  std::map<std::pair<NodeId, NodeId>, double> weights;
  for (EdgeId e = 0; e < problem.edges(); ++e) {
    const NodeId a = clusters.group_of[problem.graph().head(e)];
    const NodeId b = clusters.group_of[problem.graph().tail(e)];
    if (a != b) weights[std::minmax(a, b)] += problem.graph().weight(e);
  }
  std::vector<ClusterPair> pairs;
  pairs.reserve(weights.size());
  for (const auto& [ends, weight] : weights) {
    const ClusterConstants& a = analyses[static_cast<std::size_t>(ends.first)].constants;
    const ClusterConstants& b = analyses[static_cast<std::size_t>(ends.second)].constants;
    ClusterPair pair{.a = ends.first, .b = ends.second, .weight = weight};
    pair.distance = norm_of(problem.penalty(), a.minimiser.w - b.minimiser.w);
    pair.separate_below = separation(a, b, pair.distance - a.minimiser.error - b.minimiser.error);
    pairs.push_back(pair);
  }
  return pairs;
}

LambdaInterval recovery_interval(const ProblemAnalysis& analysis) {
  LambdaInterval recovery{0, kUnlimited};
  for (const ClusterAnalysis& cluster : analysis.clusters) {
    recovery.low = std::max(recovery.low, cluster.proved.low);
    recovery.high = std::min(recovery.high, cluster.proved.high);
  }
  for (const ClusterPair& pair : analysis.pairs) recovery.high = std::min(recovery.high, pair.separate_below);
  return recovery.empty() ? LambdaInterval{} : recovery;
}

std::vector<std::vector<NodeId>> members_of(const Partition& clusters) {
  std::vector<std::vector<NodeId>> members(static_cast<std::size_t>(clusters.groups));
  for (std::size_t i = 0; i < clusters.group_of.size(); ++i) {
    members[static_cast<std::size_t>(clusters.group_of[i])].push_back(static_cast<NodeId>(i));
  }
  return members;
}

}  // namespace

std::string_view to_string(ClusterTest test) {
  switch (test) {
    case ClusterTest::kNone:
      return "none";
    case ClusterTest::kSingleton:
      return "singleton";
    case ClusterTest::kDefinition1:
      return "definition-1";
    case ClusterTest::kCurrents:
      return "currents";
    case ClusterTest::kQuadraticCurrents:
      return "quadratic-currents";
  }
  return "none";
}

std::vector<std::string> analysis_refusals(const Problem& problem) {
  std::vector<std::string> reasons;
  if (const std::string reason = analysis_refusal(problem.penalty()); !reason.empty()) {
    reasons.push_back("penalty " + penalty_name(problem.penalty()) + " " + reason);
  }
  for (NodeId i = 0; i < problem.nodes(); ++i) {
    const std::string reason = analysis_refusal(problem.loss(i));
    if (reason.empty()) continue;
    reasons.push_back("the loss " + reason);
    break;
  }
  return reasons;
}

Result<ProblemAnalysis> analyse(const Problem& problem, const Partition& clusters, const AnalysisOptions& options,
                                const Stop& stop) {
  if (std::vector<std::string> reasons = analysis_refusals(problem); !reasons.empty()) {
    return Error{Error::Kind::kUsage, std::move(reasons)};
  }
  ProblemAnalysis analysis;
  analysis.clusters.resize(static_cast<std::size_t>(clusters.groups));
  std::vector<NodeId> position(static_cast<std::size_t>(problem.nodes()));
  double work_left = options.currents_work;
  const std::vector<std::vector<NodeId>> members = members_of(clusters);
  for (std::size_t group = 0; group < members.size(); ++group) {
    if (stopped(stop)) return interrupted();
    const std::vector<NodeId>& nodes = members[group];
    ClusterAnalysis& cluster = analysis.clusters[group];
    cluster.constants =
        cluster_constants(problem, nodes, boundary_weights(problem.graph(), nodes, clusters), options.lambda);
    if (nodes.size() == 1) {
      cluster.definition1_margin = kUnlimited;
      cluster.proved = {0, kUnlimited};
      cluster.proved_by = ClusterTest::kSingleton;
      continue;
    }
    for (std::size_t k = 0; k < nodes.size(); ++k)
      position[static_cast<std::size_t>(nodes[k])] = static_cast<NodeId>(k);
    const InnerGraph inner = inner_graph(problem.graph(), nodes, clusters, position);
    cluster.connected = inner.connected;
    if (!inner.connected || cluster.constants.steps.empty()) continue;
    test_definition1(inner, options.lambda, cluster);
    for (NodeId& i : cluster.definition1.tight) i = nodes[static_cast<std::size_t>(i)];
    cluster.definition1.sink = nodes[static_cast<std::size_t>(cluster.definition1.sink)];
    const auto medians = cluster.constants.quadratic ? Index{0} : static_cast<Index>(cluster.constants.steps.size());
    const double work = current_routing_work(inner.graph, problem.dimension(), medians);
    cluster.currents_skipped = work > work_left;
    if (!cluster.currents_skipped) {
      work_left -= work;
      test_currents(problem, inner, options.lambda, cluster);
    }
    conclude(options.lambda, cluster);
  }
  analysis.pairs = cluster_pairs(problem, clusters, analysis.clusters);
  analysis.recovery = recovery_interval(analysis);
  return analysis;
}

}  // namespace gtvmin
