#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "agent/agent_options.h"
#include "baseline_options.h"
#include "command.h"
#include "evaluate_options.h"
#include "federation/federation_options.h"
#include "generate_options.h"
#include "graph_options.h"
#include "predict_options.h"
#include "reproduce/driver.h"
#include "reproduce/experiment_list.h"
#include "reproduce/page.h"
#include "reproduce_options.h"
#include "solve_options.h"

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
  bool quick = false;
};

int print_reproduction_page(const PageSources& sources) {
  Result<std::vector<Experiment>> experiments = find_experiments("all");
  if (!experiments) return report(experiments.error());
  const std::vector<std::string> missing = take_out_without_data(*experiments, sources.data);
  if (!missing.empty()) {
    fmt::print(stderr, "gtvmin: left out {}: no samples in {}\n", fmt::join(missing, ", "), sources.data);
  }
  const auto readings = load_experiments(*experiments, {.out = sources.results,
                                                        .paper_results = sources.paper_results,
                                                        .data = sources.data,
                                                        .readings = {kReadings.begin(), kReadings.end()},
                                                        .quick = sources.quick});
  if (!readings) return report(readings.error());
  fmt::print("{}", reproduction_page(*readings, sources.quick));
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
  page->add_flag("--quick", sources->quick, "The results are those of reproduce all --quick");
  page->callback([&action, sources] { action = [sources] { return print_reproduction_page(*sources); }; });
}

}  // namespace gtvmin::app
