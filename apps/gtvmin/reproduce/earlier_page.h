#pragma once

#include <string>
#include <string_view>

#include "experiment.h"

namespace gtvmin::app {

/// The section of an experiment in a page that was generated earlier, for when its results are not at hand: its numbers
/// as they stand there, which a sentence says, the notes of today, and a row without numbers for every series that has
/// been added. Empty if the page has no such section.
[[nodiscard]] std::string earlier_section(const Experiment& experiment, std::string_view page);

}  // namespace gtvmin::app
