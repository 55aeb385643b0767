#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gtvmin/base/types.h"
#include "gtvmin/certify/certificate.h"
#include "gtvmin/certify/edge_decision.h"
#include "gtvmin/graph/empirical_graph.h"
#include "gtvmin/problem/problem.h"
#include "gtvmin/solver/exchange.h"
#include "gtvmin/solver/shard.h"

namespace gtvmin {

struct SolverTuning;

enum class Method {
  kAdaptive,   ///< over-relaxed primal-dual iteration with an adapted primal weight and per-edge scaling; accelerators
  kAlgorithm1  ///< the paper's Algorithm 1 to the letter: τ = 1/degree, σ = 1/2, zero start
};

/// How accurately an iterative prox (logistic) is solved in iteration k.
enum class InnerSolves {
  kScheduled,  ///< errors bounded by a summable sequence
  kExact       ///< to machine precision every time
};

/// Which methods run beside message passing.
struct Accelerators {
  bool newton = true;       ///< primal-dual Newton method on the whole problem
  bool contraction = true;  ///< Newton's method on the graph of groups that flows with slack connect
  [[nodiscard]] bool any() const { return newton || contraction; }
  [[nodiscard]] static constexpr Accelerators none() { return {false, false}; }
  friend bool operator==(const Accelerators&, const Accelerators&) = default;
};

struct SolverOptions {
  Method method = Method::kAdaptive;
  /// Stop once the certificate is at most tolerance · |objective|; 0 switches this off.
  double tolerance = 1e-6;
  std::int64_t max_iterations = 100'000;
  /// Seconds; 0 means no limit. Needs SolveContext::seconds.
  double time_limit = 0;
  /// Stop once the objective falls by less than this fraction between two checks; 0 switches this off.
  double min_decrease = 0;
  /// ω of the step sizes, kept throughout; 0: found and adapted while running. Not for Method::kAlgorithm1, which
  /// has 1.
  double primal_weight = 0;
  /// Of Method::kAlgorithm1: σ = dual_scale/2, above 0 and at most 1. The adaptive method has 1.
  double dual_scale = 1;
  InnerSolves inner_solves = InnerSolves::kScheduled;
  /// Methods beside message passing. Without any, a run is message passing alone, as between machines that keep their
  /// data: nothing needs to see the whole problem, and what is proved rests on sums over nodes and edges.
  Accelerators accelerators = {};
  /// 0: as many as the machine has.
  int threads = 0;
};

/// What is known after some iterations; goes to trace.csv and to the progress line.
struct IterationRecord {
  std::int64_t iteration = 0;
  double seconds = 0;
  double objective = 0;
  double loss = 0;
  double gtv = 0;          ///< Σ A_e φ(w_{e₊} − w_{e₋}), without λ
  double certificate = 0;  ///< in the loop an estimate of the gap, ∞ where nothing can be proved; at last as certified
  double relative = 0;
  double primal_weight = 0;  ///< ω
  std::int64_t restarts = 0;
  std::int64_t newton_steps = 0;
};

struct SolverState;

/// What the solver may ask of its caller: it never reads a clock, prints or exits.
struct SolveContext {
  /// Seconds since any fixed moment.
  std::function<double()> seconds;
  /// Called at every check. Returning false stops the run with status kInterrupted.
  std::function<bool(const IterationRecord&)> observe;
  /// Called after every iteration with the parameters of all nodes, which costs a copy of them.
  std::function<void(std::int64_t iteration, const Matrix& w)> watch = {};
  /// Polled every few milliseconds in every phase. Returning true stops the run with status kInterrupted.
  std::function<bool()> stop = {};
  /// Called after every iteration with all that a run needs to go on from there. An error ends the run. Only without
  /// accelerators.
  std::function<Status(const SolverState& state, std::span<const Shard> shards)> save = {};
  /// What `save` got once, while the shards are in the state they had then; null: a run from the start.
  const SolverState* resume = nullptr;
  /// Constants by which the solver decides, for measurements; null: those of SolverTuning.
  const SolverTuning* tuning = nullptr;
};

enum class SolveStatus {
  kSolved,          ///< the certificate is a bound within the tolerance
  kIterationLimit,  ///< w and u are the best pair found
  kTimeLimit,       ///< likewise
  kEstimated,       ///< the estimated gap is within the tolerance, but no bound can be proved for this loss
  kCompleted,       ///< the iterations that were asked for, with no tolerance
  kSmallDecrease,   ///< the objective stopped falling; the certificate says how good w is
  kInterrupted      ///< the observer said stop
};
[[nodiscard]] std::string_view to_string(SolveStatus status);

/// Where to start instead of at 0: the answer to a similar problem on the same graph, such as another λ.
struct WarmStart {
  const Matrix& w;           ///< d × nodes
  const Matrix& u;           ///< d × edges, feasible or not
  double lambda = 0;         ///< λ of that problem, so that its flow can be scaled to this one's; 0: as it is
  double primal_weight = 0;  ///< the ω it ended with; 0: found anew
};

/// By how much the pair (w, u) misses the optimality conditions, as norms.
struct KktResiduals {
  double stationarity = 0;      ///< largest |∇L_i(w_i) + (Dᵀu)_i| over nodes and coordinates, next subgradient
  double dual_feasibility = 0;  ///< largest excess of a flow over its ball, ‖u_e‖_*/κ_e − 1
  double complementarity = 0;   ///< Σ_e κφ(v_e) + κφ*(u_e/κ) − ⟨u_e, v_e⟩
  /// The gap of the paper, F(w) + Σ_i L_i*(−(Dᵀu)_i) with conjugates at the flow as it is; +∞ where a node cannot
  /// answer it, such as one without data.
  double paper_gap = 0;
};

[[nodiscard]] std::string_view to_string(EdgeStatus status);

/// Something a user should know about one node.
struct NodeWarning {
  NodeId node = 0;
  std::string text;
};

struct SolveResult {
  SolveStatus status = SolveStatus::kIterationLimit;
  Matrix w;            ///< d × nodes
  Matrix parameters;   ///< all parameters of every node, private ones included
  Vector node_losses;  ///< L_i(w_i)
  Matrix u;            ///< d × edges, feasible: κ_e φ*(u_e/κ_e) is finite for every edge, κ_e = λA_e
  double objective = 0;
  double loss = 0;
  double gtv = 0;
  Certificate certificate;
  std::vector<ShardTerms> shard_terms;  ///< of a certificate by sums: those of the shards held here
  KktResiduals kkt;
  /// The connected groups of nodes with equal parameters. Where `clusters_exact` is false, an estimate: nodes that
  /// edges with slack connect.
  Partition clusters;
  bool clusters_exact = false;
  /// What is proved about every edge at every optimum.
  std::vector<EdgeStatus> edge_status;
  /// Every optimum has between so many clusters.
  NodeId fewest_clusters = 0;
  NodeId most_clusters = 0;
  std::int64_t iterations = 0;
  std::int64_t newton_steps = 0;
  double primal_weight = 1;  ///< ω at the end
  double seconds = 0;
  std::vector<IterationRecord> trace;
  std::vector<NodeWarning> warnings;
};

/// Trains one model per node: minimises Σ L_i(w_i) + λ Σ A_e φ(w_{e₊} − w_{e₋}). The same problem and options give the
/// same bits for every number of threads and shards.
[[nodiscard]] SolveResult solve(const Problem& problem, const SolverOptions& options, const SolveContext& context = {});

/// The same from a warm start. Not for Method::kAlgorithm1, which starts at 0.
[[nodiscard]] SolveResult solve(const Problem& problem, const SolverOptions& options, const WarmStart& start,
                                const SolveContext& context = {});

/// The same with the problem split over shards that an exchange joins. Fails if the exchange does.
///
/// A process may hold only some of the shards; then there must be no accelerators. Its problem has the whole graph, but
/// need not know the losses of nodes that others own. Of the result, all that belongs to single nodes and edges is then
/// empty: the shards are in the state that was found.
[[nodiscard]] Result<SolveResult> solve(const Problem& problem, std::span<Shard> shards, Exchange& exchange,
                                        const SolverOptions& options, const SolveContext& context = {});

/// The connected groups of nodes whose parameters are equal to the last bit.
[[nodiscard]] Partition equal_clusters(const EmpiricalGraph& graph, const Matrix& w);
/// The groups that edges with slack connect, ‖u_e‖_* < (1 − slack)κ_e: at an optimum these are fused. Norm penalties;
/// for any other every node is a group.
[[nodiscard]] Partition estimated_clusters(const Problem& problem, const Matrix& u);

}  // namespace gtvmin
