#include "tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "gtvmin/base/rng.h"

namespace gtvmin {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Calls `visit` with every combination of the values of the tunables.
template <class Visit>
void for_each_setting(const std::vector<Tunable>& tunables, const BaselineOptions& options, const Visit& visit) {
  std::vector<std::size_t> chosen(tunables.size(), 0);
  while (true) {
    BaselineOptions setting = options;
    TuningRow row;
    for (std::size_t k = 0; k < tunables.size(); ++k) {
      const double value = tunables[k].grid[chosen[k]];
      setting.*tunables[k].value = value;
      row.values.emplace_back(tunables[k].option, value);
    }
    visit(setting, std::move(row));
    std::size_t k = 0;
    while (k < tunables.size() && ++chosen[k] == tunables[k].grid.size()) chosen[k++] = 0;
    if (k == tunables.size()) return;
  }
}

/// The row that differs from `row` in parameter k alone, which has `value`; null: it was not tried.
const TuningRow* find_neighbour(const std::vector<TuningRow>& rows, const TuningRow& row, std::size_t k, double value) {
  auto wanted = row.values;
  wanted[k].second = value;
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const TuningRow& r) { return r.values == wanted; });
  return found == rows.end() ? nullptr : &*found;
}

/// `refuses(options)` says whether the method refuses them; `chosen` are the best.
template <class Refuses>
std::vector<std::string> notes_about_ends(const std::vector<Tunable>& tunables, const std::vector<TuningRow>& rows,
                                          const TuningRow& best, const BaselineOptions& chosen,
                                          const Refuses& refuses) {
  constexpr double kAsGood = 0.01;  // scores that differ by less say nothing about what lies beyond
  std::vector<std::string> notes;
  for (std::size_t k = 0; k < tunables.size(); ++k) {
    std::vector<double> grid = tunables[k].grid;
    std::sort(grid.begin(), grid.end());
    const double value = best.values[k].second;
    if (grid.size() < 2 || (value != grid.front() && value != grid.back())) continue;
    const bool least = value == grid.front();
    const double next = least ? grid[1] : grid[grid.size() - 2];
    const TuningRow* inside = find_neighbour(rows, best, k, next);
    if (inside != nullptr && inside->score - best.score <= kAsGood * std::abs(best.score)) continue;
    BaselineOptions beyond = chosen;
    beyond.*tunables[k].value = value * (value / next);
    if (refuses(beyond)) continue;
    notes.push_back(
        fmt::format("the best {0}, {1:.4g}, is the {2} value tried: a {3} value may be better; set it explicitly",
                    tunables[k].option, value, least ? "smallest" : "largest", least ? "smaller" : "larger"));
  }
  return notes;
}

/// `score` of every setting, trained on `input`.
template <class Score>
Result<Tuning> try_all(const Baseline& baseline, const BaselineInput& input, const BaselineOptions& options,
                       const std::vector<Tunable>& tunables, const std::function<bool()>& interrupted,
                       const Score& score) {
  const BaselineContext silent{.seconds = {}, .observe = {}, .interrupted = interrupted, .records = false};
  Tuning tuning{.options = options, .rows = {}, .by = {}, .notes = {}};
  double least = kNever;
  std::size_t best = 0;
  std::string refusal;
  for_each_setting(tunables, options, [&](const BaselineOptions& setting, TuningRow row) {
    std::string why = baseline.refusal(input, setting);
    if (!why.empty()) {
      refusal = std::move(why);
      return;
    }
    const Matrix w = baseline.run(input, setting, silent).w;
    row.score = w.allFinite() ? score(w) : kNever;
    if (!std::isfinite(row.score)) row.score = kNever;
    if (row.score < least || tuning.rows.empty()) {
      least = row.score;
      best = tuning.rows.size();
      tuning.options = setting;
    }
    tuning.rows.push_back(std::move(row));
  });
  if (tuning.rows.empty()) return usage_error(fmt::format("{}: {}", baseline.name, refusal));
  tuning.rows[best].chosen = true;
  if (std::isfinite(least)) {
    tuning.notes =
        notes_about_ends(tunables, tuning.rows, tuning.rows[best], tuning.options,
                         [&](const BaselineOptions& beyond) { return !baseline.refusal(input, beyond).empty(); });
  }
  return tuning;
}

}  // namespace

HeldOutSplit hold_out(const Dataset& dataset, double share, std::uint64_t seed) {
  constexpr std::uint64_t kStream = 0x7e57;
  std::vector<std::vector<Index>> kept(dataset.nodes());
  std::vector<std::vector<Index>> held(dataset.nodes());
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    const Index samples = dataset.samples_of(i);
    const auto wanted = static_cast<Index>(std::lround(share * static_cast<double>(samples)));
    const Index count = std::clamp<Index>(wanted, 0, std::max<Index>(samples - 1, 0));
    Rng rng(seed, kStream + static_cast<std::uint64_t>(i));
    const auto chosen = rng.choose(static_cast<std::uint64_t>(samples), static_cast<std::uint64_t>(count));
    auto next = chosen.begin();
    for (Index r = 0; r < samples; ++r) {
      const bool is_held = next != chosen.end() && *next == static_cast<std::uint64_t>(r);
      if (is_held) ++next;
      (is_held ? held : kept)[i].push_back(dataset.first_sample[i] + r);
    }
  }
  std::vector<NodeId> everybody(dataset.nodes());
  std::iota(everybody.begin(), everybody.end(), 0);
  HeldOutSplit split{select_samples(dataset, everybody, kept), select_samples(dataset, everybody, held)};
  split.training.edges = dataset.edges;
  split.held_out.edges = dataset.edges;
  return split;
}

Result<Tuning> tune(const Baseline& baseline, const BaselineInput& input, const BaselineOptions& options,
                    const std::function<bool()>& interrupted) {
  const std::vector<Tunable> tunables = baseline.tunables(input, options);
  if (tunables.empty()) return Tuning{.options = options, .rows = {}, .by = {}, .notes = {}};

  if (baseline.tune_by == TuneBy::kObjective) {
    Result<Tuning> tuning = try_all(baseline, input, options, tunables, interrupted,
                                    [&](const Matrix& w) { return objective(input.problem, w); });
    if (tuning) tuning->by = "objective at the end";
    return tuning;
  }
  if (input.dataset == nullptr || input.model == nullptr) {
    return usage_error(fmt::format("{}: there are no samples to tune {} with; set it explicitly", baseline.name,
                                   tunables.front().option));
  }
  const HeldOutSplit split = hold_out(*input.dataset, options.validation_share, options.seed);
  if (split.held_out.samples() == 0) {
    return usage_error(fmt::format("{}: no node has enough samples to hold one out for tuning {}; set it explicitly",
                                   baseline.name, tunables.front().option));
  }
  // Methods that are tuned this way see graph and λ at most; penalties cannot be copied.
  const Result<Problem> training =
      make_problem(split.training, *input.model, {}, *make_penalty("l2"), input.problem.lambda());
  if (!training) return training.error();
  const Result<Problem> held_out = make_problem(split.held_out, *input.model, {}, *make_penalty("l2"), 0);
  if (!held_out) return held_out.error();
  const BaselineInput part{
      .problem = *training, .dataset = &split.training, .model = input.model, .clusters = input.clusters};
  Result<Tuning> tuning = try_all(baseline, part, options, tunables, interrupted,
                                  [&](const Matrix& w) { return total_loss(*held_out, w); });
  if (tuning) tuning->by = fmt::format("loss of {} held-out samples", split.held_out.samples());
  return tuning;
}

}  // namespace gtvmin
