#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtvmin/baselines/baseline.h"
#include "gtvmin/io/trained_models.h"

namespace gtvmin {

/// All that is to be told about one run of a rival method.
struct BaselineRecord {
  TrainedModels trained;
  const BaselineResult& result;
  double seconds = 0;  ///< with tuning
};

/// How it ended: finished, interrupted or diverged.
[[nodiscard]] std::string_view status_of(const BaselineResult& result);

/// One row per round: `round,seconds,loss,objective`.
[[nodiscard]] std::string rounds_csv(const BaselineResult& result);
/// One row per setting that was tried: the tuned parameters by name, `score,chosen`.
[[nodiscard]] std::string tuning_csv(const BaselineResult& result);
/// The run in one JSON object, with the fields that the solver's has where they make sense; a certificate of a
/// method that has one.
[[nodiscard]] std::string baseline_json(const BaselineRecord& run);

/// All of them, parameters and clusters too: file names with contents. tuning.csv only if something was tuned.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> baseline_files(const BaselineRecord& run);

}  // namespace gtvmin
