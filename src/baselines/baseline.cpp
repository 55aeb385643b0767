#include "gtvmin/baselines/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "methods.h"
#include "tuning.h"

namespace gtvmin {
namespace {

/// A run that has run away must not look like one that has arrived.
void judge_end(const Problem& problem, BaselineResult& result) {
  constexpr double kRunaway = 1e6;
  const double at_start = total_loss(problem, start_point(problem));
  const double at_end = result.w.allFinite() ? total_loss(problem, result.w) : std::nan("");
  result.diverged = !std::isfinite(at_end) || (at_start > 0 && at_end > kRunaway * at_start);
  const bool grown = at_end > at_start + 1e-9 * std::abs(at_start);
  if (!result.diverged && !grown) return;
  result.notes.push_back(fmt::format("{}the loss is {:.6g}, where it was {:.6g} at the start{}",
                                     result.diverged ? "diverged: " : "", at_end, at_start,
                                     result.options.learning_rate > 0 ? "; try a smaller learning rate" : ""));
}

}  // namespace

std::span<const Baseline> baselines() {
  // clang-format off
  static const std::array list = {
      // Minimisers of the losses as they are.
      local_baseline(),
      pooled_baseline(),
      oracle_baseline(),
      // Clients that train in rounds.
      fedavg_baseline(),
      fedavg_per_cluster_baseline(),
      dfedavgm_baseline(),
      ifca_baseline(),
      pfedme_baseline(),
      ditto_baseline(),
      // Methods that use the graph.
      mocha_baseline(),
      mocha_cocoa_baseline(),
      nlasso_admm_baseline(),
      gradient_baseline(),
  };
  // clang-format on
  return list;
}

const Baseline* find_baseline(std::string_view name) {
  const auto list = baselines();
  const auto found = std::find_if(list.begin(), list.end(), [&](const Baseline& b) { return b.name == name; });
  return found == list.end() ? nullptr : &*found;
}

Result<BaselineResult> run_baseline(const Baseline& baseline, const BaselineInput& input,
                                    const BaselineOptions& options, const BaselineContext& context) {
  if (baseline.needs_clusters && input.clusters == nullptr) {
    return usage_error(fmt::format("{} needs the true clusters", baseline.name));
  }
  if (const std::string why = baseline.refusal(input, options); !why.empty()) {
    return usage_error(fmt::format("{}: {}", baseline.name, why));
  }
  const Result<Tuning> tuning = tune(baseline, input, options, context.interrupted);
  if (!tuning) return tuning.error();
  BaselineResult result = baseline.run(input, tuning->options, context);
  result.tuning = tuning->rows;
  result.tuned_by = tuning->by;
  result.notes.insert(result.notes.end(), tuning->notes.begin(), tuning->notes.end());
  judge_end(input.problem, result);
  return result;
}

}  // namespace gtvmin
