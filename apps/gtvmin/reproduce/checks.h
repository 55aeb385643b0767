#pragma once

#include <string>
#include <vector>

#include "paper_numbers.h"
#include "summary.h"

namespace gtvmin::app {

enum class CheckState {
  kHolds,
  kFails,
  kUntested  ///< the results lack what it is about, or the paper's numbers are not at hand
};

struct CheckOutcome {
  std::string text;
  CheckState state = CheckState::kUntested;
  std::string detail;  ///< where it fails, by how much
  /// Where it would fail but for one draw: that draw, and what is left of its error when the problem is solved.
  std::vector<std::string> exceptions;
};

/// The checks of the experiment that are about this reading, in the order of the file.
[[nodiscard]] std::vector<CheckOutcome> run_checks(const Experiment& experiment, const Summary& summary,
                                                   const PaperNumbers& paper);

}  // namespace gtvmin::app
