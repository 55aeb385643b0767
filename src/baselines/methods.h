#pragma once

#include "gtvmin/baselines/baseline.h"

namespace gtvmin {

// One line per method; each stands in a file of its own.
[[nodiscard]] Baseline local_baseline();
[[nodiscard]] Baseline pooled_baseline();
[[nodiscard]] Baseline oracle_baseline();
[[nodiscard]] Baseline mocha_baseline();
[[nodiscard]] Baseline mocha_cocoa_baseline();
[[nodiscard]] Baseline nlasso_admm_baseline();
[[nodiscard]] Baseline gradient_baseline();
[[nodiscard]] Baseline fedavg_baseline();
[[nodiscard]] Baseline fedavg_per_cluster_baseline();
[[nodiscard]] Baseline dfedavgm_baseline();
[[nodiscard]] Baseline ifca_baseline();
[[nodiscard]] Baseline pfedme_baseline();
[[nodiscard]] Baseline ditto_baseline();

// Pieces of a Baseline for methods that have nothing special to say.
[[nodiscard]] inline std::string serves_all(const BaselineInput& /*input*/, const BaselineOptions& /*options*/) {
  return {};
}
[[nodiscard]] inline std::vector<Tunable> nothing_to_tune(const BaselineInput& /*input*/,
                                                          const BaselineOptions& /*options*/) {
  return {};
}

}  // namespace gtvmin
