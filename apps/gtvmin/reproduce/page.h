#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver.h"

namespace gtvmin::app {

/// An experiment with those of its readings that there are or, without results, its section of an earlier page.
struct PageSection {
  const Experiment* experiment = nullptr;
  const ReadingResult* as_written = nullptr;
  const ReadingResult* as_run = nullptr;
  std::string earlier;
};

/// docs/reproduction.md: findings and an overview, then per experiment explanations, checks and numbers (the paper's,
/// ours in both readings, their ratio).
[[nodiscard]] std::string reproduction_page(const std::vector<PageSection>& sections, bool is_quick);

/// The line that begins what depends on results in the section of an experiment.
inline constexpr std::string_view kChecksHeading = "**Checks**";

/// The first part of a section, which depends on the experiment alone: title, error measures and explanations. `remark`
/// is a sentence of its own; it may be empty.
[[nodiscard]] std::string section_head(const Experiment& experiment, std::string_view quick, std::string_view remark);

/// Three digits.
[[nodiscard]] std::string number_text(double x);

}  // namespace gtvmin::app
