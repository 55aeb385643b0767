#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/io/result_files.h"

namespace gtvmin::app {

/// What a person is told at the end of a run.
[[nodiscard]] std::string solve_report(const RunRecord& run, const std::string& directory);

/// In which units parameters are, and the first few warnings: the end of a report.
[[nodiscard]] std::string notes_text(const TrainedModels& trained, const std::vector<std::string>& warnings);

/// "certified within 3.1e-07 (relative) of the optimum — duality gap", or what else the certificate says.
[[nodiscard]] std::string certificate_text(const Certificate& certificate);

/// What a user should know about the input, though it is no error: constant features that were to be standardised, and
/// parts of the graph in which no node has data, by name; `untrained` says what their parameters are.
[[nodiscard]] std::vector<std::string> input_warnings(const Dataset& dataset, const EmpiricalGraph& graph,
                                                      const std::optional<Standardization>& standardization,
                                                      std::string_view untrained);

/// An error about input with the file that it is about in front of each message; other errors as they are.
[[nodiscard]] Error in_file(const std::string& path, Error error);

}  // namespace gtvmin::app
