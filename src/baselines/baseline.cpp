#include "gtvmin/baselines/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "methods.h"
#include "tuning.h"

namespace gtvmin {

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
    return usage_error(fmt::format("{} needs to be told the clusters", baseline.name));
  }
  if (const std::string why = baseline.refusal(input, options); !why.empty()) {
    return usage_error(fmt::format("{}: {}", baseline.name, why));
  }
  const Result<Tuning> tuning = tune(baseline, input, options, context.interrupted);
  if (!tuning) return tuning.error();
  BaselineResult result = baseline.run(input, tuning->options, context);
  result.tuning = tuning->rows;
  result.tuned_by = tuning->by;
  return result;
}

}  // namespace gtvmin
