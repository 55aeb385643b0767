#pragma once

#include <string>
#include <vector>

#include "checks.h"
#include "gtvmin/report/figure.h"
#include "paper_numbers.h"
#include "summary.h"

namespace gtvmin::app {

// What a reading of an experiment leaves behind, as text: functions of their arguments alone.

/// One row per x, the paper's names of columns, and a last column `metric` that says in words what the numbers are.
[[nodiscard]] std::string summary_csv(const Experiment& experiment, const Summary& summary);

/// One row per node, two columns per series that has a cloud: `<key>_0`, `<key>_1`, and `metric`. Empty if none has.
[[nodiscard]] std::string cloud_csv(const Summary& summary);

/// All settings, all seeds and every single number.
[[nodiscard]] std::string results_json(const Experiment& experiment, const Summary& summary,
                                       const std::vector<FinishedCell>& cells);

/// The curves, or the clouds; the paper's dashed.
[[nodiscard]] Figure figure(const Experiment& experiment, const Summary& summary, const PaperNumbers& paper);

/// For the terminal: a line per series, then how many checks hold, which do not and which could not be tested.
[[nodiscard]] std::string summary_text(const Summary& summary, const PaperNumbers& paper,
                                       const std::vector<CheckOutcome>& checks);

}  // namespace gtvmin::app
