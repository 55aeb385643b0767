#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gtvmin/problem/model.h"
#include "gtvmin/problem/standardize.h"
#include "solve_options.h"

namespace gtvmin::app {

/// What a command that trains has read: samples ready for the model, the model and the problem they make.
struct SolveInput {
  Dataset dataset;
  ModelPtr model;
  Problem problem;
  std::optional<Standardization> standardization;
  std::vector<std::string> warnings;
};

/// Which nodes keep their samples in this process: 1 per node that does, given all samples and the model.
using ChooseNodes = std::function<Result<std::vector<char>>(const Dataset& dataset, const LocalModel& model)>;

/// Reads all files that the settings name. Everything that can be wrong with the input is found here. Fails with
/// interrupted() once an InterruptGuard has noted a signal. With `choose` the problem knows only the samples of the
/// chosen nodes.
[[nodiscard]] Result<SolveInput> read_solve_input(const SolveSettings& settings, const ChooseNodes& choose = {});

/// The same with samples that are at hand. What is known about them already stands in `warnings`.
[[nodiscard]] Result<SolveInput> make_solve_input(const SolveSettings& settings, Dataset dataset,
                                                  std::vector<std::string> warnings = {},
                                                  const ChooseNodes& choose = {});

/// The samples as the model wants them, from --data or --data-dir; of time series, what an autoregressive model learns
/// from. What was left out goes to `warnings`.
[[nodiscard]] Result<Dataset> read_samples(const SolveSettings& settings, std::vector<std::string>& warnings);

}  // namespace gtvmin::app
