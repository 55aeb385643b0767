#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "gtvmin/base/thread_team.h"
#include "gtvmin/certify/certify.h"
#include "gtvmin/solver/coarse_start.h"
#include "gtvmin/solver/forecast.h"
#include "gtvmin/solver/local_minimiser.h"
#include "gtvmin/solver/second_order_gear.h"
#include "gtvmin/solver/shard_certificate.h"
#include "gtvmin/solver/smoothed_start.h"
#include "gtvmin/solver/solver.h"
#include "gtvmin/solver/solver_state.h"
#include "gtvmin/solver/steering.h"
#include "gtvmin/solver/sweeps.h"
#include "gtvmin/solver/termination.h"

namespace gtvmin {
namespace {

constexpr std::int64_t kCheckEvery = 20;
constexpr std::int64_t kCoarseStartAt = 3 * kCheckEvery;
constexpr std::int64_t kSmoothingAt = 5 * kCheckEvery;
// Over-relaxation, and how much of it the small weights after a coarse start bear.
constexpr double kRelaxation = 1.8;
constexpr double kRelaxationAfterCoarseStart = 1.9;
// By how much the estimate of the gap may exceed what a certificate will say, where losses may absorb more.
constexpr double kEstimateMayExceed = 1000;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A primal-dual pair over the whole graph and what is proved about it.
struct Pair {
  Matrix w;
  Matrix u;
  Certificate certificate;
  bool polished = false;

  [[nodiscard]] double bound() const {
    return is_bound(certificate) && w.size() > 0 ? certificate.relative : kInfinity;
  }
};

double seconds_now(const SolveContext& context) { return context.seconds ? context.seconds() : 0; }

class Solver {
 public:
  Solver(const Problem& problem, std::span<Shard> shards, Exchange& exchange, const SolverOptions& options,
         const SolveContext& context, double start_seconds, const WarmStart* warm)
      : problem_(problem),
        shards_(shards),
        exchange_(exchange),
        options_(options),
        context_(context),
        start_seconds_(start_seconds),
        warm_(warm),
        has_kinks_(has_kinks(problem)),
        team_(thread_count(problem, shards, options)),
        workspaces_(make_workspaces(problem, team_.size())),
        second_order_(problem, options),
        estimates_(expected_checks()) {
    assert(holds_everything() || !options.polish);
    assert(!options.polish || (!context.save && context.resume == nullptr));
    const bool cheap = problem.edges() * problem.dimension() < 1'000'000;
    next_attempt_ = cheap ? kCheckEvery : 2 * kCheckEvery;
  }

  Result<SolveResult> run() {
    if (const Status prepared = prepare(); !prepared) return prepared.error();
    std::optional<SolveStatus> reason = termination(options_, progress_);
    while (!reason) {
      const bool check = next_check();
      if (const Status moved = iterate(check); !moved) return moved.error();
      if (context_.watch) context_.watch(progress_.iteration, collect().w);
      if (check) {
        if (const Status known = inspect_state(); !known) return known.error();
        if (const Status tried = certify_if_worthwhile(); !tried) return tried.error();
        if (worth_a_coarse_start()) start_from_coarse();
        if (worth_smoothing()) start_from_smoothed();
        report();
        reason = termination(options_, progress_);
        if (worth_adapting()) weight_.adapt(sums_);
      }
      if (!context_.save) continue;
      if (const Status saved = context_.save(state_, shards_); !saved) return saved.error();
    }
    return options_.polish ? finish(*reason) : finish_by_sums(*reason);
  }

 private:
  /// One iteration of Algorithm 1, over-relaxed by the adaptive method except where it is inspected.
  Status iterate(bool check) {
    const Step step{.omega = omega(),
                    .relaxation = check ? 1 : relaxation(),
                    .inner_tolerance = inner_tolerance(),
                    .measure = check};
    for (auto& shard : shards_) primal_sweep(shard, step, team_, workspaces_);
    if (Status swapped = exchange_.swap(shards_); !swapped) return swapped;
    for (auto& shard : shards_) {
      advance_nodes(shard, step, team_);
      dual_sweep(shard, step, team_, workspaces_);
    }
    ++progress_.iteration;
    return Unit{};
  }

  [[nodiscard]] double omega() const {
    if (options_.method == Method::kAlgorithm1) return 1;
    return options_.primal_weight > 0 ? options_.primal_weight : weight_.value();
  }

  [[nodiscard]] double relaxation() const {
    if (!convex_ || options_.method == Method::kAlgorithm1) return 1;
    return coarse_start_ ? kRelaxationAfterCoarseStart : kRelaxation;
  }

  /// Movements tell about ω, except where nets are trained: they go on moving while they learn, long after the balance
  /// of movements has said what it can.
  [[nodiscard]] bool worth_adapting() const {
    if (options_.method != Method::kAdaptive || coarse_start_) return false;
    return convex_ || progress_.iteration <= kCheckEvery / 2;
  }

  /// An iterative prox may err by a fixed fraction of what w moved at the last check, times a summable factor.
  [[nodiscard]] double inner_tolerance() const {
    if (options_.inner_solves == InnerSolves::kExact) return 0;
    const auto k = static_cast<double>(progress_.iteration + 1);
    return inner_scale_ / (k * std::sqrt(k));
  }

  [[nodiscard]] bool next_check() const {
    const std::int64_t k = progress_.iteration + 1;
    const bool early = k == kCheckEvery / 4 || k == kCheckEvery / 2 || k == 3 * kCheckEvery / 2;
    const std::int64_t every = kCheckEvery * (k > 50 * kCheckEvery ? 4 : k > 10 * kCheckEvery ? 2 : 1);
    return early || k % every == 0 || k >= options_.max_iterations;
  }

  Status inspect_state() {
    parts_.clear();
    for (const auto& shard : shards_) parts_.push_back(inspect(shard, team_, workspaces_));
    const Result<SteeringSums> total = exchange_.sum(parts_);
    if (!total) return total.error();
    sums_ = *total;
    progress_.previous_objective = progress_.objective;
    progress_.objective = sums_.objective(problem_.lambda());
    estimate_ = sums_.gap_estimate();
    estimate_is_exact_ = sums_[SteeringSums::kUncertainGap] == 0;
    estimates_.add(progress_.iteration, relative_estimate());
    const double move = scale_ > 0 ? std::sqrt(sums_[SteeringSums::kPrimalMove2] / scale_) : 0;
    inner_scale_ = std::min(inner_scale_, 0.1 * move);
    if (inner_scale_ == 0) inner_scale_ = 0.1 * move;
    return Unit{};
  }

  [[nodiscard]] double relative_estimate() const {
    const double size = std::max({std::abs(progress_.objective), 1e-9 * size_at_start_, 1e-300});
    return estimate_ / size;
  }

  /// The relative estimate, corrected by how the last certificate compared with it.
  [[nodiscard]] double promise() const { return relative_estimate() * std::min(1.0, estimate_ratio_); }

  Status certify_if_worthwhile() {
    if (options_.tolerance <= 0 || !convex_) return Unit{};
    if (options_.polish) {
      if (worth_certifying()) certify_state();
      return Unit{};
    }
    if (relative_estimate() > (estimate_is_exact_ ? 1 : kEstimateMayExceed) * options_.tolerance) return Unit{};
    return certify_by_sums();
  }

  /// Of the present state. The certificate's terms are those of the shards held here.
  Status certify_by_sums() {
    shares_.clear();
    parts_.clear();
    for (const auto& shard : shards_) {
      shares_.push_back(shard_certificate(shard));
      parts_.push_back(shares_.back().sums);
    }
    const Result<SteeringSums> total = exchange_.sum(parts_);
    if (!total) return total.error();
    proved_ = *total;
    best_.certificate = convex_ ? certificate_of(proved_, problem_.lambda(), size_at_start_) : residual_of(proved_);
    progress_.certified = is_bound(best_.certificate) ? best_.certificate.relative : kInfinity;
    return Unit{};
  }

  /// A certificate costs as much as many iterations, so it is asked for when the cheap estimate, corrected by how the
  /// last certificate compared with it, promises success, and now and then, ever more rarely, to correct the estimate
  /// and to try the second-order gear.
  [[nodiscard]] bool worth_certifying() const {
    const std::int64_t k = progress_.iteration;
    const bool promising = promise() <= options_.tolerance;
    if (promising && k >= last_attempt_ + std::max<std::int64_t>(kCheckEvery, last_attempt_ / 10)) return true;
    return k >= next_attempt_;
  }

  void certify_state() {
    last_attempt_ = progress_.iteration;
    const bool scheduled = progress_.iteration >= next_attempt_;
    if (promise() <= (estimate_is_exact_ ? 1 : kEstimateMayExceed) * options_.tolerance) {
      Pair pair = collect();
      auto certified = certify(problem_, pair.w, std::move(pair.u),
                               worthwhile_effort(problem_, options_.tolerance, progress_.iteration));
      estimate_ratio_ = certified.certificate.relative / relative_estimate();
      keep_if_better({std::move(pair.w), std::move(certified.u), std::move(certified.certificate), false});
    }
    const bool certified = best_.bound() <= options_.tolerance;
    if (second_order_.available() && (certified ? !best_.polished : scheduled)) polish_state();
    if (!scheduled) return;
    // When the bounds so far say that it will be good enough, but not too soon and not too late.
    bounds_.add(progress_.iteration, best_.bound());
    const auto soon = static_cast<double>(progress_.iteration + std::min(progress_.iteration, 2 * kCheckEvery));
    const double late = std::max(soon, 1.5 * static_cast<double>(progress_.iteration));
    const double wait = bounds_.iterations_to(options_.tolerance);
    next_attempt_ = std::llround(std::clamp(static_cast<double>(progress_.iteration) + wait, soon, late));
  }

  void polish_state() {
    const Pair pair = collect();
    // A warm start is worth what the iterations to get there would have been.
    const std::int64_t spent = progress_.iteration + (warm_ != nullptr ? 2 * kCheckEvery : 0);
    second_order_.polish(pair.w, pair.u, spent, iterations_left(), [&](Polished polished) {
      if (coarse_start_) balance_weight(polished.certificate);
      keep_if_better({std::move(polished.w), std::move(polished.u), std::move(polished.certificate), true});
      // A tighter certificate than asked for is worth a try where it is cheap.
      return best_.polished && best_.bound() <= std::min(options_.tolerance, 1e-10);
    });
  }

  /// How many iterations message passing alone still needs.
  [[nodiscard]] double iterations_left() const {
    return estimates_.iterations_to(options_.tolerance / std::min(1.0, estimate_ratio_));
  }

  /// Once, when message passing has had its chance and a long way is left to go.
  [[nodiscard]] bool worth_a_coarse_start() const {
    const bool may = options_.method == Method::kAdaptive && options_.polish && warm_ == nullptr && convex_;
    if (!may || progress_.iteration != kCoarseStartAt || best_.bound() <= options_.tolerance) return false;
    return problem_.nodes() > 500 && iterations_left() > 150;
  }

  void start_from_coarse() {
    auto start = coarse_to_fine_start(problem_, team_);
    if (!start) return;
    for (auto& shard : shards_) set_state(shard, start->w, start->u);
    weight_.restart(weight_.matched() * start->slowness);
    coarse_start_ = true;
    next_attempt_ = progress_.iteration + 4 * kCheckEvery;
    estimates_.restart();
  }

  /// Once: where losses have kinks and nothing is proved soon.
  [[nodiscard]] bool worth_smoothing() const {
    const bool may = options_.method == Method::kAdaptive && options_.polish && options_.tolerance > 0 && has_kinks_;
    return may && progress_.iteration == kSmoothingAt && best_.bound() > options_.tolerance;
  }

  void start_from_smoothed() {
    SolverOptions left = options_;
    const double spent = seconds_now(context_) - start_seconds_;
    if (options_.time_limit > 0) left.time_limit = std::max(1e-3, options_.time_limit - spent);
    auto pair = solve_smoothed(problem_, progress_.objective, left, context_.seconds);
    if (!pair) return;
    smoothed_newton_steps_ = pair->newton_steps;
    for (auto& shard : shards_) set_state(shard, pair->w, pair->certified.u);
    keep_if_better({std::move(pair->w), std::move(pair->certified.u), std::move(pair->certified.certificate), true});
    estimates_.restart();
  }

  /// After a coarse start the parts of a polished certificate tell more about ω than movements do: a small ω aligns the
  /// flows with the differences (edges), a large one damps what nodes miss. The effect of a change takes time to show.
  void balance_weight(const Certificate& certificate) {
    constexpr double kNodeShare = 3;  // the nodes' part of a balanced certificate, in edges' parts
    if (progress_.iteration < next_balance_) return;
    const double nodes = certificate.node_terms.sum();
    const double edges = certificate.edge_terms.sum();
    if (!(nodes > 0) || !(edges > 0)) return;
    const double change = std::clamp(std::cbrt(nodes / (kNodeShare * edges)), 0.5, 2.0);
    const bool settled = certificate.relative < 1e-3;  // before, the nodes lead anyway
    if (std::abs(std::log(change)) < 0.15 || (change > 1 && !settled)) return;
    weight_.restart(weight_.value() * change);
    next_balance_ = progress_.iteration + std::max(4 * kCheckEvery, progress_.iteration / 4);
  }

  void keep_if_better(Pair pair) {
    const bool both_certified = pair.bound() <= options_.tolerance && best_.bound() <= options_.tolerance;
    const bool better =
        both_certified && pair.polished != best_.polished ? pair.polished : pair.bound() < best_.bound();
    if (better) best_ = std::move(pair);
    progress_.certified = best_.bound();
  }

  [[nodiscard]] Pair collect() const {
    Pair pair{
        Matrix(problem_.dimension(), problem_.nodes()), Matrix(problem_.dimension(), problem_.edges()), {}, false};
    for (const auto& shard : shards_) get_state(shard, pair.w, pair.u);
    return pair;
  }

  void report() {
    progress_.seconds = seconds_now(context_) - start_seconds_;
    IterationRecord record = new_record();
    record.seconds = progress_.seconds;
    record.objective = progress_.objective;
    record.loss = sums_[SteeringSums::kLoss];
    record.gtv = sums_[SteeringSums::kVariation];
    record.relative = convex_ ? promise() : kInfinity;
    record.certificate = convex_ ? estimate_ * std::min(1.0, estimate_ratio_) : kInfinity;
    trace_.push_back(record);
    if (context_.observe && !context_.observe(record)) progress_.interrupted = true;
  }

  /// What the solver itself knows after this many iterations.
  [[nodiscard]] IterationRecord new_record() const {
    IterationRecord record;
    record.iteration = progress_.iteration;
    record.primal_weight = omega();
    record.restarts = weight_.changes();
    record.newton_steps = newton_steps();
    return record;
  }
  [[nodiscard]] std::int64_t newton_steps() const { return second_order_.newton_steps() + smoothed_newton_steps_; }

  SolveResult finish(SolveStatus status) {
    if (options_.method == Method::kAlgorithm1 || best_.bound() > options_.tolerance) {
      Pair pair = collect();
      auto certified = certify(problem_, pair.w, pair.u);
      pair.certificate = std::move(certified.certificate);
      if (options_.method == Method::kAdaptive) pair.u = std::move(certified.u);
      const bool keep = best_.bound() < kInfinity && best_.bound() <= pair.bound();
      if (options_.method == Method::kAlgorithm1 || !keep) best_ = std::move(pair);
    }
    SolveResult result;
    result.loss = total_loss(problem_, best_.w);
    result.gtv = total_variation(problem_, best_.w);
    result.clusters = clusters_of(problem_, best_.w, best_.u, best_.polished);
    return complete(status, std::move(result));
  }

  /// The present state, with what the sums prove about it.
  Result<SolveResult> finish_by_sums(SolveStatus status) {
    if (const Status certified = certify_by_sums(); !certified) return certified.error();
    SolveResult result;
    result.loss = proved_[SteeringSums::kLoss];
    result.gtv = proved_[SteeringSums::kVariation];
    if (holds_everything()) {
      Pair pair = collect();
      result.clusters = clusters_of(problem_, pair.w, pair.u, false);
      pair.certificate = std::move(best_.certificate);
      pair.certificate.node_terms = Vector::Zero(problem_.nodes());
      pair.certificate.edge_terms = Vector::Zero(problem_.edges());
      for (std::size_t k = 0; k < shares_.size(); ++k) add_terms(shards_[k], shares_[k], pair.certificate);
      best_ = std::move(pair);
    }
    return complete(status, std::move(result));
  }

  SolveResult complete(SolveStatus status, SolveResult result) {
    result.status = status;
    result.objective = result.loss + problem_.lambda() * result.gtv;
    result.w = std::move(best_.w);
    result.u = std::move(best_.u);
    result.certificate = std::move(best_.certificate);
    result.iterations = progress_.iteration;
    result.newton_steps = newton_steps();
    result.polished = best_.polished;
    result.primal_weight = omega();
    result.seconds = seconds_now(context_) - start_seconds_;
    for (NodeId i = 0; i < problem_.nodes(); ++i) {
      if (std::string text = problem_.loss(i).warning(); !text.empty()) warnings_.push_back({i, std::move(text)});
    }
    result.warnings = std::move(warnings_);
    IterationRecord last = new_record();
    last.seconds = result.seconds;
    last.objective = result.objective;
    last.loss = result.loss;
    last.gtv = result.gtv;
    last.certificate = result.certificate.value;
    last.relative = result.certificate.relative;
    trace_.push_back(last);
    result.trace = std::move(trace_);
    return result;
  }

  /// What is known before the first iteration, and the shards ready for it.
  Status prepare() {
    if (options_.method == Method::kAdaptive) {
      for (auto& shard : shards_) set_weight_scales(shard);
    }
    if (context_.resume != nullptr) {
      state_ = *context_.resume;
      progress_.interrupted = false;
      start_seconds_ -= progress_.seconds;
      return Unit{};
    }
    progress_.previous_objective = std::numeric_limits<double>::quiet_NaN();
    progress_.objective = std::numeric_limits<double>::quiet_NaN();
    progress_.certified = kInfinity;
    trace_.reserve(expected_checks());
    if (const Status agreed = agree_on_losses(); !agreed) return agreed;
    train_uncoupled_nodes();
    parts_.clear();
    for (const auto& shard : shards_) parts_.push_back(measure_stiffness(shard));
    const Result<SteeringSums> stiffness = exchange_.sum(parts_);
    if (!stiffness) return stiffness.error();
    scale_ = (*stiffness)[SteeringSums::kScale];
    weight_ = PrimalWeight(*stiffness);
    if (warm_ == nullptr) return Unit{};
    if (warm_->primal_weight > 0) weight_.restart(warm_->primal_weight);
    if (second_order_.available() && options_.tolerance > 0) polish_state();
    return Unit{};
  }

  /// What all must know of the losses, which others may hold.
  Status agree_on_losses() {
    parts_.clear();
    Vector start(problem_.dimension());
    for (const auto& shard : shards_) {
      auto& sums = parts_.emplace_back().sums;
      for (Index i = 0; i < shard.owned(); ++i) {
        const LocalLoss& loss = problem_.loss(shard.nodes[i]);
        loss.start(start);
        sums[SteeringSums::kLoss].add(loss.value(start));
        sums[SteeringSums::kNonconvexNodes].add(loss.is_convex() ? 0 : 1);
      }
    }
    const Result<SteeringSums> total = exchange_.sum(parts_);
    if (!total) return total.error();
    size_at_start_ = std::abs((*total)[SteeringSums::kLoss]);
    convex_ = (*total)[SteeringSums::kNonconvexNodes] == 0;
    return Unit{};
  }

  /// Isolated nodes, and all if nothing pulls them together.
  void train_uncoupled_nodes() {
    const bool sweeps_train_the_others = problem_.lambda() > 0 || !convex_;
    for (auto& shard : shards_) {
      for (Index i = 0; i < shard.owned(); ++i) {
        const NodeId node = shard.nodes[i];
        if (problem_.graph().degree(node) > 0 && sweeps_train_the_others) continue;
        auto [w, attained] = minimise_locally(problem_.loss(node));
        shard.w.col(i) = w;
        if (!attained && problem_.loss(node).is_convex()) {
          warnings_.push_back({node,
                               "its loss has no minimiser (it keeps falling towards infinity); the parameters are "
                               "cut off far out, a ridge term gives it one"});
        }
      }
    }
  }

  [[nodiscard]] bool holds_everything() const {
    Index owned = 0;
    for (const auto& shard : shards_) owned += shard.owned();
    return owned == problem_.nodes();
  }

  /// Enough that nothing is allocated at a check for long.
  [[nodiscard]] std::size_t expected_checks() const {
    return static_cast<std::size_t>(std::min<std::int64_t>(options_.max_iterations / kCheckEvery, 10'000)) + 4;
  }

  /// More threads than sweeps can feed only cost: below some hundred microseconds an iteration one is best.
  static int thread_count(const Problem& problem, std::span<const Shard> shards, const SolverOptions& options) {
    double numbers = 0;
    for (const auto& shard : shards) {
      const auto edges = static_cast<double>(shard.local_edges());
      numbers += static_cast<double>(problem.dimension()) * (3 * edges + 20 * static_cast<double>(shard.owned()));
    }
    if (numbers < 2e5 && is_convex(problem)) return 1;
    return threads_or_all(options.threads);
  }

  const Problem& problem_;
  std::span<Shard> shards_;
  Exchange& exchange_;
  const SolverOptions& options_;
  const SolveContext& context_;
  double start_seconds_;
  const WarmStart* warm_;
  bool has_kinks_;
  SolverState state_;
  Progress& progress_ = state_.progress;
  PrimalWeight& weight_ = state_.weight;
  bool& convex_ = state_.convex;
  double& scale_ = state_.scale;
  double& size_at_start_ = state_.size_at_start;
  double& inner_scale_ = state_.inner_scale;
  std::vector<IterationRecord>& trace_ = state_.trace;
  std::vector<NodeWarning> warnings_;
  bool coarse_start_ = false;
  std::int64_t next_balance_ = 0;
  std::int64_t smoothed_newton_steps_ = 0;
  ThreadTeam team_;
  std::vector<Workspace> workspaces_;
  SecondOrderGear second_order_;
  Forecast estimates_;  // the relative estimate at checks
  Forecast bounds_;     // what was proved at scheduled attempts
  std::vector<SteeringSums> parts_;
  std::vector<ShardCertificate> shares_;
  SteeringSums sums_;
  SteeringSums proved_;  // those of the last certificate by sums
  double estimate_ = kInfinity;
  bool estimate_is_exact_ = false;  // the estimate is what a certificate will say
  double estimate_ratio_ = 1;
  std::int64_t last_attempt_ = 0;
  std::int64_t next_attempt_ = 0;
  Pair best_;
};

}  // namespace

Partition clusters_of(const Problem& problem, const Matrix& w, const Matrix& u, bool exactly) {
  const auto& graph = problem.graph();
  const Partition room = groups_with_room(problem, u);
  std::vector<char> joined(problem.edges());
  for (EdgeId e = 0; e < problem.edges(); ++e) {
    const bool equal = w.col(graph.head(e)) == w.col(graph.tail(e));
    const bool same_group = room.group_of[graph.head(e)] == room.group_of[graph.tail(e)];
    joined[e] = equal || (!exactly && same_group) ? 1 : 0;
  }
  return connected_groups(graph, joined);
}

Result<SolveResult> solve(const Problem& problem, std::span<Shard> shards, Exchange& exchange,
                          const SolverOptions& options, const SolveContext& context) {
  return Solver(problem, shards, exchange, options, context, seconds_now(context), nullptr).run();
}

SolveResult solve(const Problem& problem, const SolverOptions& options, const SolveContext& context) {
  const double start_seconds = seconds_now(context);
  Shard whole = Shard::whole(problem);
  SelfExchange exchange;
  return Solver(problem, {&whole, 1}, exchange, options, context, start_seconds, nullptr).run().value();
}

SolveResult solve(const Problem& problem, const SolverOptions& options, const WarmStart& start,
                  const SolveContext& context) {
  assert(options.method == Method::kAdaptive);
  assert(start.w.cols() == problem.nodes() && start.u.cols() == problem.edges());
  const double start_seconds = seconds_now(context);
  Matrix u = start.lambda > 0 ? Matrix(problem.lambda() / start.lambda * start.u) : start.u;
  project_flow(problem, u);
  Shard whole = Shard::whole(problem);
  set_state(whole, start.w, u);
  SelfExchange exchange;
  return Solver(problem, {&whole, 1}, exchange, options, context, start_seconds, &start).run().value();
}

}  // namespace gtvmin
