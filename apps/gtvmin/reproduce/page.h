#pragma once

#include <string>
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

/// docs/reproduction.md: for every number or curve the paper's, ours in both readings, the ratio, and why they differ.
[[nodiscard]] std::string reproduction_page(const std::vector<PageSection>& sections, bool is_quick);

/// What the experiment says about a series: about itself before what is said about all series of its method.
[[nodiscard]] std::string note_about(const Experiment& experiment, const std::string& series,
                                     const std::string& method);

/// Three digits.
[[nodiscard]] std::string number_text(double x);

}  // namespace gtvmin::app
