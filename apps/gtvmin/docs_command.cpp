#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <memory>

#include "agent/agent_options.h"
#include "baseline_options.h"
#include "command.h"
#include "evaluate_options.h"
#include "federation/federation_options.h"
#include "generate_options.h"
#include "graph_options.h"
#include "gtvmin/io/text_file.h"
#include "predict_options.h"
#include "reproduce/driver.h"
#include "reproduce/earlier_page.h"
#include "reproduce/experiment_list.h"
#include "reproduce/page.h"
#include "reproduce_options.h"
#include "solve_options.h"
#include "standard_streams.h"

namespace gtvmin::app {
namespace {

void print_solve_options() {
  SolveSettings settings;
  fmt::print(
      "## gtvmin solve\n\n"
      "`gtvmin solve [FILE.toml] [options]`. Every option can stand on the command line as `--name value` or in a "
      "flat\n"
      "TOML file as `name = value`; the command line wins. In the file, relative paths start at the folder of the "
      "file.\n\n{}",
      markdown_table(declare_solve_options(settings)));
}

void print_generate_options() {
  for (const GraphKind& kind : graph_kinds()) {
    GenerateSettings settings;
    fmt::print("\n## gtvmin generate {}\n\n{}.\n\n{}", kind.name, kind.help,
               markdown_table(declare_generate_options(kind, settings)));
  }
}

void print_graph_options() {
  GraphSettings settings;
  fmt::print(
      "\n## gtvmin graph\n\n`gtvmin graph [FILE.toml] [options]`, as for `gtvmin solve`. See "
      "[graphs](graphs.md).\n\n{}",
      markdown_table(declare_graph_options(settings)));
}

void print_evaluate_options() {
  EvaluateSettings settings;
  fmt::print("\n## gtvmin evaluate\n\n`gtvmin evaluate RESULT_DIR [options]`.\n\n{}",
             markdown_table(declare_evaluate_options(settings)));
}

void print_predict_options() {
  PredictSettings settings;
  fmt::print("\n## gtvmin predict\n\n`gtvmin predict RESULT_DIR [options]`.\n\n{}",
             markdown_table(declare_predict_options(settings)));
}

void print_baseline_options() {
  fmt::print(
      "\n## gtvmin baseline\n\n`gtvmin baseline NAME [FILE.toml] [options]`: files, problem, nets, columns and output "
      "as of `gtvmin solve`.\nSee [baselines](baselines.md).\n");
  for (const Baseline& baseline : baselines()) {
    BaselineSettings settings;
    fmt::print("\n### gtvmin baseline {}\n\n{}.\n\n{}", baseline.name, baseline.help,
               markdown_table(declare_baseline_options(baseline, settings), "Method"));
  }
}

void print_reproduce_options() {
  ReproduceSettings settings;
  fmt::print(
      "\n## gtvmin reproduce\n\n`gtvmin reproduce NAME [options]`: an experiment of the paper, `FILE.toml` with one, "
      "`all`, or\n`list`. See [experiments](experiments.md) and [reproduction](reproduction.md).\n\n{}",
      markdown_table(declare_reproduce_options(settings)));
}

void print_federation_options() {
  InitSettings init;
  AuthoritySettings authority;
  CertificateSettings certificate;
  SignSettings sign;
  StatusSettings status;
  DemoSettings demo;
  AgentSettings agent;
  fmt::print(
      "\n## gtvmin federation\n\nSee [federations](federation.md).\n\n"
      "### gtvmin federation init\n\n`gtvmin federation init TOPOLOGY.toml [options]`.\n\n{}",
      markdown_table(declare_init_options(init)));
  fmt::print("\n### gtvmin federation authority\n\n{}", markdown_table(declare_authority_options(authority)));
  fmt::print("\n### gtvmin federation certificate\n\n{}", markdown_table(declare_certificate_options(certificate)));
  fmt::print("\n### gtvmin federation sign\n\n{}", markdown_table(declare_sign_options(sign)));
  fmt::print("\n### gtvmin federation status\n\n{}", markdown_table(declare_status_options(status)));
  fmt::print("\n### gtvmin federation demo\n\n{}", markdown_table(declare_demo_options(demo)));
  fmt::print("\n## gtvmin agent\n\n`gtvmin agent FEDERATION.toml [options]`.\n\n{}",
             markdown_table(declare_agent_options(agent)));
}

/// What `docs reproduction` is told.
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
  fmt::print("# Options\n\nGenerated by `gtvmin docs options`; do not edit.\n\n");
  print_solve_options();
  print_baseline_options();
  print_generate_options();
  print_graph_options();
  print_evaluate_options();
  print_predict_options();
  print_reproduce_options();
  print_federation_options();
  return kSolved;
}

}  // namespace

void add_docs_command(CLI::App& app, Action& action) {
  // Of use to those who build this project, and to nobody else: an empty group hides it.
  CLI::App* docs = app.add_subcommand("docs", "Print pages of the documentation")->group("");
  docs->require_subcommand(1);
  docs->add_subcommand("options", "docs/options.md")->callback([&action] { action = print_option_page; });
  CLI::App* page = docs->add_subcommand("reproduction", "docs/reproduction.md");
  const auto sources = std::make_shared<PageSources>();
  page->add_option("--results", sources->results, "The --out of gtvmin reproduce all")->required();
  page->add_option("--paper-results", sources->paper_results, "As of gtvmin reproduce");
  page->add_option("--data", sources->data, "As of gtvmin reproduce");
  page->add_option("--earlier", sources->earlier,
                   "A page generated earlier, for the experiments that have no results or no samples in --data");
  page->add_flag("--quick", sources->quick, "The results are those of reproduce all --quick");
  page->callback([&action, sources] { action = [sources] { return print_reproduction_page(*sources); }; });
}

}  // namespace gtvmin::app
