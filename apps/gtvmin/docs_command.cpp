#include <fmt/format.h>

#include <iterator>
#include <memory>

#include "command.h"
#include "gtvmin/io/text_file.h"
#include "options_page.h"
#include "reproduce/driver.h"
#include "reproduce/earlier_page.h"
#include "reproduce/experiment_list.h"
#include "reproduce/page.h"
#include "reproduce_options.h"
#include "standard_streams.h"

namespace gtvmin::app {
namespace {

/// Options of `docs reproduction`.
struct PageSources {
  std::string results;
  std::string paper_results;
  std::string data = ReproduceSettings{}.data;
  std::string earlier;
  bool quick = false;
};

/// In the order of the experiments; those without results have their section of the earlier page, if it has one.
std::vector<PageSection> page_sections(const std::vector<Experiment>& experiments,
                                       const std::vector<ReadingResult>& readings, const std::string& earlier) {
  std::vector<PageSection> sections;
  sections.reserve(experiments.size());
  for (const Experiment& experiment : experiments) {
    PageSection section{.experiment = &experiment, .earlier = {}};
    for (const ReadingResult& reading : readings) {
      if (reading.experiment->name != experiment.name) continue;
      (reading.summary.reading == Reading::kAsWritten ? section.as_written : section.as_run) = &reading;
    }
    const bool has_results = section.as_written != nullptr || section.as_run != nullptr;
    if (!has_results) section.earlier = earlier_section(experiment, earlier);
    if (has_results || !section.earlier.empty()) sections.push_back(std::move(section));
  }
  return sections;
}

/// Of one experiment, which must outlive them.
Result<std::vector<ReadingResult>> load_results(std::vector<Experiment>& experiment, const PageSources& sources) {
  if (!take_out_without_data(experiment, sources.data).empty()) {
    return usage_error("there are no samples in " + sources.data);
  }
  return load_experiments(experiment, {.out = sources.results,
                                       .paper_results = sources.paper_results,
                                       .data = sources.data,
                                       .readings = {kReadings.begin(), kReadings.end()},
                                       .quick = sources.quick});
}

int print_reproduction_page(const PageSources& sources) {
  if (const Status there = check_paper_results(sources.paper_results); !there) return report(there.error());
  const Result<std::vector<Experiment>> all = find_experiments("all");
  if (!all) return report(all.error());
  std::string earlier;
  if (!sources.earlier.empty()) {
    const Result<TextFile> page = TextFile::open(sources.earlier);
    if (!page) return report(page.error());
    earlier = page->content();
  }
  std::vector<std::vector<Experiment>> each;  // what results point into
  for (const Experiment& experiment : *all) each.push_back({experiment});
  std::vector<ReadingResult> readings;
  for (std::vector<Experiment>& one : each) {
    const std::string name = one.front().name;
    Result<std::vector<ReadingResult>> found = load_results(one, sources);
    if (found) {
      std::move(found->begin(), found->end(), std::back_inserter(readings));
      continue;
    }
    // Not everybody has the samples; cells that are missing are an oversight.
    const bool lacks_samples = one.empty();
    if (earlier.empty() && !lacks_samples) return report(found.error());
    tell(stderr, "gtvmin: {} {}: {}\n", name, earlier.empty() ? "left out" : "as on the earlier page",
         found.error().messages.front());
  }
  fmt::print("{}", reproduction_page(page_sections(*all, readings, earlier), sources.quick));
  return kSolved;
}

int print_option_page() {
  fmt::print("{}", options_page());
  return kSolved;
}

}  // namespace

void add_docs_command(CLI::App& app, Action& action) {
  // For developers of this project; an empty group hides the command from the help.
  CLI::App* docs = app.add_subcommand("docs", "Print pages of the documentation")->group("");
  docs->require_subcommand(1);
  docs->add_subcommand("options", "docs/options.md")->callback([&action] { action = print_option_page; });
  CLI::App* page = docs->add_subcommand("reproduction", "docs/reproduction.md");
  const auto sources = std::make_shared<PageSources>();
  page->add_option("--results", sources->results, "Results: the --out of gtvmin reproduce all")->required();
  page->add_option("--paper-results", sources->paper_results, "As for gtvmin reproduce");
  page->add_option("--data", sources->data, "As for gtvmin reproduce");
  page->add_option("--earlier", sources->earlier,
                   "Page generated earlier; experiments without results or input files keep their section");
  page->add_flag("--quick", sources->quick, "The results are of reproduce all --quick");
  page->callback([&action, sources] { action = [sources] { return print_reproduction_page(*sources); }; });
}

}  // namespace gtvmin::app
