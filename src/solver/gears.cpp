#include "gtvmin/solver/gears.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gtvmin/certify/certify.h"
#include "gtvmin/solver/coarse_start.h"
#include "gtvmin/solver/polish.h"
#include "gtvmin/solver/smoothed_start.h"

namespace gtvmin {
namespace {

constexpr std::int64_t kCoarseStartAt = 3 * kCheckEvery;
constexpr std::int64_t kSmoothingAt = 5 * kCheckEvery;
// Relative certificates: of a later or warm start that is kept, and of a pair of which only details are open.
constexpr double kGoodStart = 0.1;
constexpr double kNearlyProved = 1e-3;

}  // namespace

Gears::Gears(const Problem& problem, const SolverOptions& options, const SolveContext& context, std::span<Shard> shards,
             ThreadTeam& team, SolverState& state, GapEstimate& estimate)
    : problem_(problem),
      options_(options),
      context_(context),
      shards_(shards),
      team_(team),
      state_(state),
      estimate_(estimate),
      second_order_(problem, options, team),
      has_kinks_(has_kinks(problem)),
      is_curved_(is_curved_everywhere(problem)),
      is_forest_(is_forest(problem.graph())) {
  const bool cheap = problem.edges() * problem.dimension() < 1'000'000;
  next_attempt_ = cheap ? kCheckEvery : 2 * kCheckEvery;
}

void Gears::use_warm_start() {
  warm_start_ = true;
  next_attempt_ = 2 * kCheckEvery;  // the start is an attempt already
  if (!second_order_.available() || options_.tolerance <= 0 || !state_.convex) return;
  CertifiedPair pair = collect(problem_, shards_);
  Partition clusters = clusters_of(problem_, pair.w, pair.u, /*exactly=*/true);
  take_start(start_from_clusters(problem_, std::move(clusters), std::move(pair.w), std::move(pair.u), team_));
  if (!is_proved()) polish_state();
}

void Gears::use_cold_start() {
  if (!second_order_.available() || options_.tolerance <= 0 || !state_.convex) return;
  take_start(start_from_one_cluster(problem_, team_));
}

void Gears::take_start(std::optional<ClusterStart> start) {
  if (!start) return;
  start_newton_steps_ += start->newton_steps;
  CertifyEffort effort = worthwhile_effort(problem_, options_.tolerance, 0, &team_);
  effort.routing_first = true;
  auto certified = certify(problem_, start->w, std::move(start->u), effort);
  const CertifiedPair pair{std::move(start->w), std::move(certified.u), std::move(certified.certificate), true};
  if (pair.bound() >= best_.bound()) return;
  // To begin with, even clusters that nothing holds together yet are better than no clusters.
  const bool is_all_there_is = iteration() == 0 && !warm_start_;
  if (pair.bound() > kGoodStart && !is_all_there_is) return;
  for (auto& shard : shards_) set_state(shard, pair.w, pair.u);
  estimate_.restart();
  keep_if_better(pair);
}

void Gears::use() {
  if (options_.tolerance > 0 && state_.convex) {
    if (only_flow_is_missing()) prove_polished();
    if (!is_proved() && worth_certifying()) certify_state();
  }
  if (worth_a_coarse_start()) start_from_coarse();
  if (worth_smoothing()) start_from_smoothed();
}

/// A certificate costs as much as many iterations, so it is asked for when the cheap estimate, corrected by how the
/// last certificate compared with it, promises success, and now and then, ever more rarely, to correct the estimate
/// and to try the second-order gear.
bool Gears::worth_certifying() const {
  const bool promising = estimate_.promise() <= options_.tolerance;
  if (promising && iteration() >= last_attempt_ + std::max(kCheckEvery, last_attempt_ / 10)) return true;
  return iteration() >= next_attempt_;
}

void Gears::certify_state() {
  last_attempt_ = iteration();
  const bool scheduled = iteration() >= next_attempt_;
  if (estimate_.may_prove(options_.tolerance)) {
    CertifiedPair pair = collect(problem_, shards_);
    auto certified = certify(problem_, pair.w, std::move(pair.u),
                             worthwhile_effort(problem_, options_.tolerance, iteration(), &team_));
    estimate_.compare(certified.certificate.relative);
    keep_if_better({std::move(pair.w), std::move(certified.u), std::move(certified.certificate), false});
  }
  if (second_order_.available() && (is_proved() ? !best_.polished : scheduled)) polish_state();
  if (scheduled) schedule_next_attempt();
}

/// When the bounds so far say that it will be good enough, but not too soon and not too late. Where proofs without
/// Newton's method go on meanwhile, there is time.
void Gears::schedule_next_attempt() {
  bounds_.add(iteration(), best_.bound());
  if (only_flow_is_missing()) {
    next_attempt_ = iteration() + std::max(4 * kCheckEvery, iteration() / 2);
    return;
  }
  const auto now = static_cast<double>(iteration());
  const auto soon = static_cast<double>(iteration() + std::min(iteration(), 2 * kCheckEvery));
  const double late = std::max(soon, 1.5 * now);
  next_attempt_ = std::llround(std::clamp(now + bounds_.iterations_to(options_.tolerance), soon, late));
}

void Gears::polish_state() {
  const CertifiedPair pair = collect(problem_, shards_);
  // A warm start is worth what the iterations to get there would have been.
  const std::int64_t spent = iteration() + (warm_start_ ? 2 * kCheckEvery : 0);
  const double left = estimate_.iterations_to(options_.tolerance);
  second_order_.polish(pair.w, pair.u, spent, left, [&](Polished polished) {
    note_polished_objective(objective(problem_, polished.w));
    if (coarse_start_) balance_weight(polished.certificate);
    keep_if_better({std::move(polished.w), std::move(polished.u), std::move(polished.certificate), true});
    // A tighter certificate than asked for is worth a try where it is cheap.
    return best_.polished && best_.bound() <= std::min(options_.tolerance, 1e-10);
  });
  if (is_forest_ && !is_proved() && iteration() >= next_cut_) cut_forest(pair);
}

/// The one flow that holds the clusters of a forest together shows where they do not hold.
void Gears::cut_forest(const CertifiedPair& pair) {
  take_start(start_from_clusters(problem_, groups_with_room(problem_, pair.u), pair.w, pair.u, team_));
  next_cut_ = 4 * iteration();
}

/// Where Newton's method finds the same optimum again, the clusters are right as far as it matters.
void Gears::note_polished_objective(double objective) {
  constexpr double kSame = 0.1;  // of what is asked for
  polished_is_settled_ = std::abs(objective - polished_objective_) <= kSame * options_.tolerance * std::abs(objective);
  polished_objective_ = objective;
}

/// Then a proof needs nothing but a better flow, which message passing brings: as long as curved losses absorb what it
/// misses, the proof costs no more than a few iterations, and no Newton step.
bool Gears::only_flow_is_missing() const {
  const bool known = best_.polished && best_.bound() <= kNearlyProved && !is_proved();
  return known && polished_is_settled_ && is_curved_;
}

void Gears::prove_polished() {
  CertifyEffort effort = worthwhile_effort(problem_, options_.tolerance, iteration(), &team_);
  effort.exact = false;
  auto certified = certify(problem_, best_.w, collect(problem_, shards_).u, effort);
  if (coarse_start_) balance_weight(certified.certificate);
  keep_if_better({best_.w, std::move(certified.u), std::move(certified.certificate), true});
}

/// After a coarse start the parts of a polished certificate tell more about ω than movements do: a small ω aligns the
/// flows with the differences (edges), a large one damps what nodes miss. The effect of a change takes time to show.
void Gears::balance_weight(const Certificate& certificate) {
  constexpr double kNodeShare = 3;  // the nodes' part of a balanced certificate, in edges' parts
  if (iteration() < next_balance_) return;
  const double nodes = certificate.node_terms.sum();
  const double edges = certificate.edge_terms.sum();
  if (!(nodes > 0) || !(edges > 0)) return;
  const double change = std::clamp(std::cbrt(nodes / (kNodeShare * edges)), 0.5, 2.0);
  const bool settled = certificate.relative < kNearlyProved;  // before, the nodes lead anyway
  if (std::abs(std::log(change)) < 0.15 || (change > 1 && !settled)) return;
  state_.weight.restart(state_.weight.value() * change);
  next_balance_ = iteration() + std::max(4 * kCheckEvery, iteration() / 4);
}

void Gears::keep_if_better(CertifiedPair pair) {
  const bool both_certified = pair.bound() <= options_.tolerance && is_proved();
  const bool better = both_certified && pair.polished != best_.polished ? pair.polished : pair.bound() < best_.bound();
  if (better) best_ = std::move(pair);
  state_.progress.certified = best_.bound();
}

/// Once, when message passing has had its chance and a long way is left to go.
bool Gears::worth_a_coarse_start() const {
  if (options_.method != Method::kAdaptive || warm_start_ || !state_.convex) return false;
  if (iteration() != kCoarseStartAt || is_proved()) return false;
  return problem_.nodes() > 500 && estimate_.iterations_to(options_.tolerance) > 150;
}

void Gears::start_from_coarse() {
  const auto start = coarse_to_fine_start(problem_, team_);
  if (!start) return;
  for (auto& shard : shards_) set_state(shard, start->w, start->u);
  state_.weight.restart(state_.weight.matched() * start->slowness);
  coarse_start_ = true;
  next_attempt_ = iteration() + 4 * kCheckEvery;
  estimate_.restart();
}

/// Once: where losses have kinks and nothing is proved soon.
bool Gears::worth_smoothing() const {
  const bool may = options_.method == Method::kAdaptive && options_.tolerance > 0 && has_kinks_;
  return may && iteration() == kSmoothingAt && !is_proved();
}

void Gears::start_from_smoothed() {
  SolverOptions left = options_;
  if (options_.time_limit > 0) left.time_limit = std::max(1e-3, options_.time_limit - state_.progress.seconds);
  auto pair = solve_smoothed(problem_, state_.progress.objective, left, context_.seconds);
  if (!pair) return;
  start_newton_steps_ += pair->newton_steps;
  for (auto& shard : shards_) set_state(shard, pair->w, pair->certified.u);
  keep_if_better({std::move(pair->w), std::move(pair->certified.u), std::move(pair->certified.certificate), true});
  estimate_.restart();
}

}  // namespace gtvmin
