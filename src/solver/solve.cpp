#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "gtvmin/base/errand.h"
#include "gtvmin/base/thread_team.h"
#include "gtvmin/certify/certify.h"
#include "gtvmin/certify/fit_slopes.h"
#include "gtvmin/certify/rounding.h"
#include "gtvmin/solver/accelerator.h"
#include "gtvmin/solver/contracted_solve.h"
#include "gtvmin/solver/gap_estimate.h"
#include "gtvmin/solver/incumbent.h"
#include "gtvmin/solver/local_minimiser.h"
#include "gtvmin/solver/problem_facts.h"
#include "gtvmin/solver/shard_certificate.h"
#include "gtvmin/solver/solver.h"
#include "gtvmin/solver/solver_state.h"
#include "gtvmin/solver/steering.h"
#include "gtvmin/solver/sweeps.h"
#include "gtvmin/solver/termination.h"
#include "gtvmin/solver/tuning.h"

namespace gtvmin {
namespace {

// What a flow may miss at a node, relative to the largest flow, and still count as answered by its loss: rounding.
constexpr double kInRange = 1e-9;

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
        team_(thread_count(problem, shards, options)),
        workspaces_(make_workspaces(problem, team_.size())),
        estimate_(expected_checks()),
        tuning_(context.tuning != nullptr ? *context.tuning : SolverTuning()) {
    assert(holds_everything() || !options.accelerators.any());
    assert(!options.accelerators.any() || (!context.save && context.resume == nullptr));
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
        if (incumbent_) {
          accelerate();
          certify_iterate();
        } else if (worth_certifying()) {
          if (const Status certified = certify_by_sums(); !certified) return certified.error();
        }
        report();
        reason = termination(options_, progress_);
        if (worth_adapting()) adapt_weight();
      }
      if (!context_.save) continue;
      if (const Status saved = context_.save(state_, shards_); !saved) return saved.error();
    }
    return incumbent_ ? finish(*reason) : finish_by_sums(*reason);
  }

 private:
  /// One iteration of Algorithm 1, over-relaxed by the adaptive method except where it is inspected.
  Status iterate(bool check) {
    const Step step{.omega = omega(),
                    .dual_scale = options_.dual_scale,
                    .relaxation = check ? 1 : relaxation(),
                    .inner_tolerance = inner_tolerance(),
                    .measure = check};
    for (auto& shard : shards_) primal_sweep_boundary(shard, step, team_, workspaces_);
    exchange_.send(shards_);
    sweep_interior(step);
    if (Status swapped = exchange_.swap(shards_); !swapped) return swapped;
    for (auto& shard : shards_) {
      advance_nodes(shard, step, team_);
      dual_sweep(shard, step, team_, workspaces_);
    }
    exchange_.settle(shards_);
    ++progress_.iteration;
    return Unit{};
  }

  /// What was sent gets on meanwhile.
  void sweep_interior(const Step& step) {
    const Errand errand([this] { exchange_.progress(); });
    for (auto& shard : shards_) primal_sweep_interior(shard, step, team_, workspaces_);
  }

  [[nodiscard]] double omega() const {
    if (options_.method == Method::kAlgorithm1) return 1;
    return options_.primal_weight > 0 ? options_.primal_weight : weight_.value();
  }

  [[nodiscard]] double relaxation() const {
    return !convex_ || options_.method == Method::kAlgorithm1 ? 1 : tuning_.relaxation;
  }

  /// Displacements tell about ω, except where nets are trained: they go on moving while they learn, long after the
  /// balance of displacements has said what it can.
  [[nodiscard]] bool worth_adapting() const {
    if (options_.method != Method::kAdaptive || options_.primal_weight > 0) return false;
    return weight_.due(progress_.iteration) && (convex_ || progress_.iteration <= kCheckEvery / 2);
  }

  void adapt_weight() {
    weight_.adapt(sums_, progress_.iteration, tuning_);
    for (auto& shard : shards_) start_window(shard);
  }

  /// An iterative prox may err by a fixed fraction of what w moved at the last check, times a summable factor;
  /// Algorithm 1 asks for exact ones.
  [[nodiscard]] double inner_tolerance() const {
    if (options_.inner_solves == InnerSolves::kExact || options_.method == Method::kAlgorithm1) return 0;
    const auto k = static_cast<double>(progress_.iteration + 1);
    return inner_scale_ / (k * std::sqrt(k));
  }

  [[nodiscard]] bool next_check() const {
    const std::int64_t k = progress_.iteration + 1;
    const bool early = k == kCheckEvery / 4 || k == kCheckEvery / 2 || k == 3 * kCheckEvery / 2;
    const std::int64_t every = kCheckEvery * (k > 50 * kCheckEvery ? 4 : k > 10 * kCheckEvery ? 2 : 1);
    return early || k % every == 0 || k >= options_.max_iterations || (holds_everything() && out_of_time());
  }

  /// True once the run has to end; a process of several asks at checks, so that all agree.
  [[nodiscard]] bool out_of_time() const {
    if (context_.stop && context_.stop()) return true;
    return options_.time_limit > 0 && seconds_now(context_) - start_seconds_ >= options_.time_limit;
  }

  /// Runs the methods that are due. They offer what they find to the incumbent; the iterate stays as it is.
  void accelerate() {
    const RunStatus status = run_status();
    for (auto& method : accelerators_) {
      if (is_proved()) break;
      if (method->due(status)) method->propose(status, *incumbent_);
    }
    note_bound();
  }

  /// A certificate costs as much as many iterations, so it is asked for when the cheap estimate, corrected by how the
  /// last certificate compared with it, promises success.
  void certify_iterate() {
    if (is_proved() || options_.tolerance <= 0) return;
    if (!estimate_.may_prove(options_.tolerance) || state_work() < next_certificate_) return;
    const Pair pair = collect();
    const Matrix parameters = all_parameters(problem_, pair.w);
    incumbent_->offer(parameters);
    incumbent_->offer(fit_dual(*facts_->samples, parameters, facts_->samples->gather_flows(pair.u), team_));
    estimate_.compare(incumbent_->promised());
    // Certificates that fail come at growing distances, so that their share of the work falls.
    ++certificates_;
    next_certificate_ =
        state_work() + std::max(certificates_ * facts_->certificate_work, tuning_.certificate_interval * state_work());
    note_bound();
  }

  [[nodiscard]] bool is_proved() const { return incumbent_->proved() <= options_.tolerance; }
  void note_bound() { progress_.certified = incumbent_->proved(); }
  [[nodiscard]] double state_work() const { return facts_->iteration_work * static_cast<double>(progress_.iteration); }

  [[nodiscard]] RunStatus run_status() const {
    RunStatus status;
    status.iteration = progress_.iteration;
    status.tolerance = options_.tolerance;
    status.work = state_work();
    status.work_left = estimate_.iterations_to(options_.tolerance) * facts_->iteration_work;
    status.parameters = [this] { return all_parameters(problem_, collect().w); };
    status.flows = [this] { return facts_->samples->gather_flows(collect().u); };
    status.stop = [this] { return out_of_time(); };
    return status;
  }

  struct Pair {
    Matrix w;
    Matrix u;
  };
  /// The iterate of shards that together hold everything.
  [[nodiscard]] Pair collect() const {
    Pair pair{Matrix(problem_.dimension(), problem_.nodes()), Matrix(problem_.dimension(), problem_.edges())};
    for (const auto& shard : shards_) get_state(shard, pair.w, pair.u);
    return pair;
  }

  Status inspect_state() {
    parts_.clear();
    for (const auto& shard : shards_) parts_.push_back(inspect(shard, team_, workspaces_));
    if (worth_adapting()) {
      for (std::size_t k = 0; k < shards_.size(); ++k) add_displacement(shards_[k], parts_[k]);
    }
    note_clock_and_signals();
    const Result<SteeringSums> total = exchange_.sum(parts_);
    if (!total) return total.error();
    sums_ = *total;
    progress_.seconds = sums_.maxima[SteeringSums::kSeconds];
    progress_.interrupted = sums_[SteeringSums::kInterrupted] > 0;
    progress_.previous_objective = progress_.objective;
    progress_.objective = sums_.objective(problem_.lambda());
    estimate_.take(sums_, state_);
    const double move = scale_ > 0 ? std::sqrt(sums_[SteeringSums::kPrimalMove2] / scale_) : 0;
    inner_scale_ = std::min(inner_scale_, 0.1 * move);
    if (inner_scale_ == 0) inner_scale_ = 0.1 * move;
    return Unit{};
  }

  /// Processes differ in their clocks and in the signals they get, but must agree on when to stop.
  void note_clock_and_signals() {
    if (parts_.empty()) parts_.emplace_back();
    parts_.front().raise(SteeringSums::kSeconds, seconds_now(context_) - start_seconds_);
    if (context_.stop && context_.stop()) told_to_stop_ = true;
    parts_.front().sums[SteeringSums::kInterrupted].add(told_to_stop_ ? 1 : 0);
  }

  [[nodiscard]] bool worth_certifying() const {
    return options_.tolerance > 0 && convex_ && estimate_.may_prove(options_.tolerance);
  }

  /// Of the present state. The certificate's terms are those of the shards held here.
  Status certify_by_sums() {
    if (!sum_certifier_) sum_certifier_.emplace(problem_, known_losses_ && convex_);
    Result<SumCertifier::Outcome> outcome = sum_certifier_->certify(shards_, exchange_, size_at_start_);
    if (!outcome) return outcome.error();
    proved_ = outcome->sums;
    shares_ = std::move(outcome->terms);
    by_sums_ = convex_ ? std::move(outcome->certificate) : residual_of(proved_);
    progress_.certified = is_bound(by_sums_) ? by_sums_.relative : kInfinity;
    const bool unknown = by_sums_.kind == Certificate::Kind::kNoneUnknownLoss;
    progress_.estimated = unknown && options_.tolerance > 0 && by_sums_.relative <= options_.tolerance;
    estimate_.compare(by_sums_.relative);
    return Unit{};
  }

  void report() {
    IterationRecord record = new_record();
    record.seconds = progress_.seconds;
    record.objective = progress_.objective;
    record.loss = sums_[SteeringSums::kLoss];
    record.gtv = sums_[SteeringSums::kVariation];
    const auto known = [this](double estimate) { return convex_ && estimate >= 0 ? estimate : kInfinity; };
    record.relative = known(estimate_.promise());
    record.certificate = known(estimate_.promised_value());
    trace_.push_back(record);
    told_to_stop_ = context_.observe && !context_.observe(record);
    // A single process stops immediately; no consensus round is needed.
    if (told_to_stop_ && holds_everything()) progress_.interrupted = true;
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

  /// The best parameters and the best bound; Algorithm 1 ends where it ends.
  SolveResult finish(SolveStatus status) {
    SolveResult result;
    const SampleProblem& samples = *facts_->samples;
    const bool adaptive = options_.method == Method::kAdaptive;
    const bool hurried = status == SolveStatus::kTimeLimit || status == SolveStatus::kInterrupted;
    if (hurried && !incumbent_->has_dual() && facts_->certificate_work > tuning_.hurried_work) {
      return finish_without_bound(status);
    }
    if (!incumbent_->has_dual() || incumbent_->proved() > options_.tolerance) {
      const Pair last = collect();
      const Matrix parameters = all_parameters(problem_, last.w);
      if (!adaptive) incumbent_.emplace(*facts_, size_at_start_, options_.tolerance, team_);
      incumbent_->offer(parameters);
      incumbent_->offer(fit_dual(samples, incumbent_->parameters(), samples.gather_flows(last.u), team_));
      if (!hurried) incumbent_->prove();
    }
    std::optional<ContractedSolution> fused;
    const bool completes = adaptive && facts_->norm && !hurried;
    const bool averaged = completes && !samples.couples_all() && average_groups();
    const auto is_solved = [&] {
      return is_bound(result.certificate) && result.certificate.relative <= options_.tolerance;
    };
    if (completes && samples.couples_all() && is_bound_within_tolerance()) {
      const Incumbent before = *incumbent_;
      fused = fuse();
      result.certificate = incumbent_->certificate();
      if (!is_solved()) {  // the fused parameters prove less: keep those that were proved
        incumbent_.emplace(before);
        fused.reset();
      }
    }
    result.certificate = incumbent_->certificate();
    if (adaptive && is_solved()) status = SolveStatus::kSolved;
    if (status == SolveStatus::kSolved && !is_solved()) status = SolveStatus::kEstimated;
    result.w = coupled_rows(incumbent_->parameters());
    result.parameters = incumbent_->parameters();
    result.u = samples.scatter_flows(incumbent_->dual().u);
    expand_edge_terms(result.certificate);
    describe(result);
    result.clusters_exact = fused.has_value() || averaged || !facts_->norm;
    decide(fused, result);
    result.clusters =
        result.clusters_exact ? equal_clusters(problem_.graph(), result.w) : estimated_clusters(problem_, result.u);
    return complete(status, std::move(result));
  }

  /// The last iterate of a run that had to end before there was a dual point, with what is known for nothing.
  SolveResult finish_without_bound(SolveStatus status) {
    SolveResult result;
    Pair last = collect();
    result.parameters = all_parameters(problem_, last.w);
    result.w = std::move(last.w);
    result.u = std::move(last.u);
    Certificate& certificate = result.certificate;
    certificate.kind = Certificate::Kind::kNoneUnfinished;
    certificate.value = estimate_.promised_value();
    certificate.relative = estimate_.promise();
    certificate.node_terms = Vector::Zero(problem_.nodes());
    certificate.edge_terms = Vector::Zero(problem_.edges());
    describe(result);
    certificate.dual_value = -kInfinity;
    result.kkt = {kInfinity, kInfinity, kInfinity, kInfinity};
    result.clusters = estimated_clusters(problem_, result.u);
    return complete(status, std::move(result));
  }

  [[nodiscard]] bool is_bound_within_tolerance() const {
    return options_.tolerance > 0 && incumbent_->proved() <= options_.tolerance;
  }

  /// Gives nodes that edges with slack connect the mean of their coupled parameters; private ones follow. True if that
  /// is proved to be within the tolerance. Contraction is for problems without private parameters.
  bool average_groups() {
    const SampleProblem& samples = *facts_->samples;
    const Vector utilisation = edge_utilisation(samples, incumbent_->dual().u, team_);
    const Partition groups = slack_groups(*facts_, utilisation, tuning_.contraction_slack);
    Matrix w = coupled_rows(incumbent_->parameters());
    Matrix means = Matrix::Zero(w.rows(), groups.groups);
    Vector sizes = Vector::Zero(groups.groups);
    for (NodeId i = 0; i < problem_.nodes(); ++i) {
      means.col(groups.group_of[i]) += w.col(i);
      ++sizes[groups.group_of[i]];
    }
    for (NodeId i = 0; i < problem_.nodes(); ++i) w.col(i) = means.col(groups.group_of[i]) / sizes[groups.group_of[i]];
    const Incumbent before = *incumbent_;
    incumbent_->fuse(all_parameters(problem_, w));
    const Certificate& certificate = incumbent_->certificate();
    if (is_bound(certificate) && certificate.relative <= options_.tolerance) return true;
    if (incumbent_->objective() > before.objective()) incumbent_.emplace(before);
    return false;
  }

  /// Completes the fusion as long as that is a small part of the run.
  std::optional<ContractedSolution> fuse() {
    double spent = state_work();
    for (const auto& method : accelerators_) spent += method->work();
    ContractedBudget budget{.work = tuning_.fusion_work + tuning_.fusion_share * spent, .aim = 1e-14, .stop = [this] {
                              return out_of_time();
                            }};
    const Matrix flows = incumbent_->dual().u;
    auto fused = complete_fusion(*facts_, *incumbent_, flows, options_.tolerance, tuning_, team_, budget);
    if (fused) fusion_steps_ = fused->newton_steps;
    return fused;
  }

  [[nodiscard]] Matrix coupled_rows(const Matrix& parameters) const {
    Matrix w(problem_.dimension(), problem_.nodes());
    for (Index k = 0; k < w.rows(); ++k) w.row(k) = parameters.row(facts_->samples->coupled(k));
    return w;
  }

  /// Terms of the edges that have a weight, as terms of all edges.
  void expand_edge_terms(Certificate& certificate) const {
    Vector terms = Vector::Zero(problem_.edges());
    for (EdgeId e = 0; e < problem_.edges(); ++e) {
      const auto image = facts_->samples->image(e);
      if (image.edge >= 0) terms[e] = certificate.edge_terms[image.edge];
    }
    certificate.edge_terms = std::move(terms);
  }

  /// What is proved about every edge, and the number of clusters that follows.
  void decide(const std::optional<ContractedSolution>& fused, SolveResult& result) {
    const SampleProblem& samples = *facts_->samples;
    result.edge_status.assign(problem_.edges(), EdgeStatus::kUndecided);
    if (fused && is_bound(result.certificate)) {
      result.edge_status = decide_edges(samples, equal_clusters(samples.graph(), result.parameters), result.parameters,
                                        incumbent_->dual(), result.certificate.value, team_);
    }
    std::vector<char> certain(problem_.edges());
    std::vector<char> possible(problem_.edges());
    for (EdgeId e = 0; e < problem_.edges(); ++e) {
      certain[e] = result.edge_status[e] == EdgeStatus::kFused ? 1 : 0;
      possible[e] = result.edge_status[e] == EdgeStatus::kSeparate ? 0 : 1;
    }
    result.most_clusters = connected_groups(problem_.graph(), certain).groups;
    result.fewest_clusters = connected_groups(problem_.graph(), possible).groups;
    measure_kkt(result);
  }

  /// Residuals of the optimality conditions at (w, u), and the paper's gap.
  void measure_kkt(SolveResult& result) {
    const SampleProblem& samples = *facts_->samples;
    const DualPoint& dual = incumbent_->dual();
    const Balance missed = balance(samples, dual, team_);
    result.kkt.stationarity = missed.residual.size() > 0 ? missed.residual.cwiseAbs().maxCoeff() : 0;
    const Vector utilisation = edge_utilisation(samples, dual.u, team_);
    result.kkt.dual_feasibility = utilisation.size() > 0 ? std::max(0.0, utilisation.maxCoeff() - 1) : 0;
    result.kkt.complementarity = result.certificate.edge_terms.sum();
    // The paper's conjugates are finite only where −(Dᵀu)_i lies in the range of a node's gradients.
    const double size = dual.u.size() > 0 ? dual.u.cwiseAbs().maxCoeff() : 0;
    const bool finite = (missed.residual.array().abs() <= kInRange * size).all();
    result.kkt.paper_gap = finite ? result.certificate.gap : kInfinity;
  }

  void describe(SolveResult& result) {
    const std::vector<long double> losses = facts_->samples->group_losses(result.parameters, team_);
    result.node_losses.resize(problem_.nodes());
    long double sum = 0;
    for (NodeId i = 0; i < problem_.nodes(); ++i) {
      result.node_losses[i] = static_cast<double>(losses[i]);
      sum += losses[i];
    }
    result.loss = static_cast<double>(sum);
    result.gtv = total_variation(problem_, result.w);
    result.objective = static_cast<double>(facts_->samples->objective(result.parameters, team_));
  }

  /// The present state, with what the sums prove about it.
  Result<SolveResult> finish_by_sums(SolveStatus status) {
    if (const Status certified = certify_by_sums(); !certified) return certified.error();
    SolveResult result;
    result.loss = proved_[SteeringSums::kLoss];
    result.gtv = proved_[SteeringSums::kVariation];
    result.objective = result.loss + problem_.lambda() * result.gtv;
    if (holds_everything()) {
      Pair pair = collect();
      result.clusters = estimated_clusters(problem_, pair.u);
      result.parameters = all_parameters(problem_, pair.w);
      result.node_losses = node_losses(problem_, pair.w);
      result.w = std::move(pair.w);
      result.u = std::move(pair.u);
      by_sums_.node_terms = Vector::Zero(problem_.nodes());
      by_sums_.edge_terms = Vector::Zero(problem_.edges());
      for (std::size_t k = 0; k < shares_.size(); ++k) add_terms(shards_[k], shares_[k], by_sums_);
    }
    result.shard_terms = std::move(shares_);
    result.certificate = std::move(by_sums_);
    return complete(status, std::move(result));
  }

  SolveResult complete(SolveStatus status, SolveResult result) {
    result.status = status;
    if (result.edge_status.empty() && holds_everything()) {  // nothing is proved
      result.edge_status.assign(problem_.edges(), EdgeStatus::kUndecided);
      result.fewest_clusters = connected_groups(problem_.graph()).groups;
      result.most_clusters = problem_.nodes();
    }
    result.iterations = progress_.iteration;
    result.newton_steps = newton_steps();
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

  [[nodiscard]] std::int64_t newton_steps() const {
    std::int64_t steps = fusion_steps_;
    for (const auto& method : accelerators_) steps += method->newton_steps();
    return steps;
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
    if (warm_ != nullptr && warm_->primal_weight > 0) weight_.restart(warm_->primal_weight);
    if (options_.accelerators.any() && convex_) prepare_accelerators();
    return Unit{};
  }

  void prepare_accelerators() {
    facts_.emplace(problem_);
    if (!facts_->samples) return;
    incumbent_.emplace(*facts_, size_at_start_, options_.tolerance, team_);
    if (options_.method != Method::kAdaptive || options_.tolerance <= 0) return;
    if (options_.accelerators.newton) accelerators_.push_back(make_newton_method(*facts_, tuning_, team_));
    if (options_.accelerators.contraction) accelerators_.push_back(make_contraction(*facts_, tuning_, team_));
    std::erase_if(accelerators_, [this](const auto& method) { return !method->applies(*facts_); });
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
        const SampleForm* form = loss.sample_form();
        const bool known = form != nullptr && form->dimension == problem_.dimension();
        sums[SteeringSums::kUnknownLosses].add(known ? 0 : 1);
      }
    }
    const Result<SteeringSums> total = exchange_.sum(parts_);
    if (!total) return total.error();
    size_at_start_ = std::abs((*total)[SteeringSums::kLoss]);
    convex_ = (*total)[SteeringSums::kNonconvexNodes] == 0;
    known_losses_ = (*total)[SteeringSums::kUnknownLosses] == 0;
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
  SolverState state_;
  Progress& progress_ = state_.progress;
  PrimalWeight& weight_ = state_.weight;
  bool& convex_ = state_.convex;
  bool& known_losses_ = state_.known_losses;
  double& scale_ = state_.scale;
  double& size_at_start_ = state_.size_at_start;
  double& inner_scale_ = state_.inner_scale;
  std::vector<IterationRecord>& trace_ = state_.trace;
  std::vector<NodeWarning> warnings_;
  bool told_to_stop_ = false;
  ThreadTeam team_;
  std::vector<Workspace> workspaces_;
  GapEstimate estimate_;
  SolverTuning tuning_;
  std::optional<ProblemFacts> facts_;
  std::optional<Incumbent>
      incumbent_;  // where this process holds the whole problem and all losses are sums over samples
  std::vector<std::unique_ptr<Accelerator>> accelerators_;
  std::int64_t fusion_steps_ = 0;
  double certificates_ = 0;      // of iterates, so far
  double next_certificate_ = 0;  // work of message passing before which there is no further one
  std::vector<SteeringSums> parts_;
  std::optional<SumCertifier> sum_certifier_;
  std::vector<ShardTerms> shares_;
  SteeringSums sums_;
  SteeringSums proved_;  // those of the last certificate by sums
  Certificate by_sums_;
};

}  // namespace

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
