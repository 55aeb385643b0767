#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "command.h"
#include "demo_files.h"
#include "demo_options.h"
#include "gtvmin/base/thread_team.h"
#include "gtvmin/demo/sacramento.h"
#include "gtvmin/io/result_directory.h"
#include "gtvmin/io/text_file.h"
#include "gtvmin/theory/influence.h"
#include "interrupt.h"
#include "solve_options.h"
#include "solve_report.h"
#include "solve_run.h"

namespace gtvmin::app {
namespace {

std::vector<HousingCandidate> candidates() {
  std::vector<HousingCandidate> grid;
  for (const double ridge : {0.001, 0.01, 0.1}) {
    for (const double lambda : {0.4, 0.8, 1.6, 3.2, 6.4, 12.8}) {
      grid.push_back({.lambda = lambda, .ridge = ridge});
    }
  }
  return grid;
}

// The squared error of a price is known to two digits; more accuracy would cost time and change no choice.
constexpr SolverOptions kComparison = {.tolerance = 1e-3, .accelerators = Accelerators::none()};

Result<Matrix> train(const Dataset& dataset, ModelSpec spec, double ridge, double lambda) {
  spec.ridge = ridge;
  const Result<Problem> problem = make_problem(dataset, spec, *make_penalty("l2"), lambda);
  if (!problem) {
    return problem.error();
  }
  return solve(*problem, kComparison).w;
}

Result<HousingCandidate> choose(const HousingProblem& housing, const ModelSpec& spec,
                                const HouseDemoSettings& settings) {
  const Result<ModelPtr> model = make_model(spec, shape_of(housing.known));
  if (!model) {
    return model.error();
  }
  const Result<std::vector<HousingCandidate>> compared = cross_validate_housing(
      housing.known, candidates(), **model, settings.folds, static_cast<std::uint64_t>(settings.seed),
      [&](const Dataset& part, double ridge, double lambda) { return train(part, spec, ridge, lambda); });
  if (!compared) {
    return compared.error();
  }
  return *std::min_element(compared->begin(), compared->end(),
                           [](const auto& a, const auto& b) { return a.error < b.error; });
}

void print_table(const HouseDemoSettings& settings, const HousingProblem& housing, const HousingCandidate& chosen,
                 const RunRecord& run) {
  const HousingBaselines baselines = housing_baselines(housing, settings.neighbours);
  const double error = housing_error(run.trained.model, run.result.w, run.trained.dataset.node_names, housing.withheld);
  fmt::print(
      "Sacramento house prices: {} sales, {} of them withheld and predicted from house and neighbourhood\n\n"
      "  mean squared error on the withheld houses (1 = the variance of the known prices)\n"
      "    the mean price                     {:.3f}\n"
      "    one linear model for all           {:.3f}\n"
      "    the mean of the {} nearest sales    {:.3f}\n"
      "    GTV: one model per house           {:.3f}\n\n",
      housing.known.nodes(), settings.withheld, baselines.mean_price, baselines.pooled_linear, settings.neighbours,
      baselines.nearest_sales, error);
  fmt::print("lambda {:g} and ridge {:g} were chosen by {}-fold cross-validation among the known houses\n\n{}",
             chosen.lambda, chosen.ridge, settings.folds, solve_report(run, settings.out));
  fmt::print("\nRepeat the run: gtvmin solve {}/run.toml --out {}-again\n", settings.out, settings.out);
}

Result<HousingProblem> read_problem(const HouseDemoSettings& settings) {
  const Result<TextFile> file = TextFile::open(settings.data);
  if (!file) {
    return file.error();
  }
  const Result<std::vector<House>> houses = parse_houses(settings.data, file->content());
  if (!houses) {
    return houses.error();
  }
  if (settings.withheld + settings.folds > static_cast<std::int64_t>(houses->size())) {
    return usage_error(fmt::format("--withheld {} leaves too few of {} houses", settings.withheld, houses->size()));
  }
  return make_housing_problem(*houses, settings.withheld, settings.neighbours,
                              static_cast<std::uint64_t>(settings.seed));
}

// How `gtvmin solve` would be told to do what the demo does.
SolveSettings solve_settings(const HouseDemoSettings& settings) {
  SolveSettings solve;
  solve.data = "data.csv";
  solve.edges = "graph.csv";
  solve.out = settings.out;
  solve.columns.label = "price";
  solve.model.intercept = true;
  solve.seed = settings.seed;
  return solve;
}

int run_demo(const HouseDemoSettings& settings) {
  if (const Status writable = check_output_directory(settings.out, settings.force); !writable) {
    return report(writable.error());
  }
  const Result<HousingProblem> housing = read_problem(settings);
  if (!housing) {
    return report(housing.error());
  }
  SolveSettings solve = solve_settings(settings);
  const Result<HousingCandidate> chosen = choose(*housing, solve.model, settings);
  if (!chosen) {
    return report(chosen.error());
  }
  solve.lambda = chosen->lambda;
  solve.model.ridge = chosen->ridge;

  NamedFiles files = {{"data.csv", samples_csv(housing->known, solve.columns.label)},
                      {"graph.csv", graph_csv(housing->known)},
                      {"heldout.csv", samples_csv(housing->withheld, solve.columns.label)},
                      {"run.toml", run_toml(solve)}};
  // Read back as `gtvmin solve` reads them: the order of the nodes decides the last bits.
  const Result<Dataset> dataset = parse_dataset({solve.data, files[0].second}, {solve.edges, files[1].second},
                                                solve.columns, label_domain(solve.model.name));
  if (!dataset) {
    return report(dataset.error());
  }
  const Result<ModelPtr> model = make_model(solve.model, shape_of(*dataset));
  if (!model) {
    return report(model.error());
  }
  const Result<Problem> problem = make_problem(*dataset, **model, {}, *make_penalty(solve.penalty), solve.lambda);
  if (!problem) {
    return report(problem.error());
  }

  const InterruptGuard guard;
  const Result<SolveResult> result = run_solver(*problem, solve);
  if (!result) {
    return report(result.error());
  }
  ThreadTeam team(threads_or_all(solve.solver.threads));
  const RunRecord run{.trained = {.dataset = *dataset,
                                  .model_name = solve.model.name,
                                  .model = **model,
                                  .problem = *problem,
                                  .parameters = result->parameters,
                                  .clusters = result->clusters,
                                  .method = method_name(solve.solver.method),
                                  .seed = solve.seed,
                                  .options_json = to_json(declare_solve_options(solve)),
                                  .standardization = {},
                                  .warnings = {}},
                      .result = *result,
                      .influence = influence_bounds(*problem, team)};
  WritingGuard writing;
  Result<NamedFiles> results = result_files(run, writing.stop());
  if (!results) {
    return report(results.error());
  }
  for (auto& file : *results) {
    files.push_back(std::move(file));
  }
  const Status written = write_result_directory(settings.out, settings.force, files, kResultMarker, writing.stop());
  if (!written) {
    return report(written.error());
  }
  print_table(settings, *housing, *chosen, run);
  return result->status == SolveStatus::kSolved ? kSolved : kLimit;
}

}  // namespace

OptionSet declare_house_demo_options(HouseDemoSettings& s) {
  OptionSet options;
  options.path("data", s.data, "CSV of the Sacramento house sales").required("e.g. --data data/sacramento.csv");
  options.path("out", s.out, "Directory for the results").required("e.g. --out results/sacramento");
  options.flag("force", s.force, "Replace the results of an earlier run");
  options.integer("withheld", s.withheld, Range::at_least(1), "Number of houses whose price is withheld and predicted");
  options.integer("neighbours", s.neighbours, Range::at_least(1), "Nearest houses that each house is connected to");
  options.integer("folds", s.folds, Range::between(2, 100), "Folds of the cross-validation that selects λ and ridge");
  options.integer("seed", s.seed, Range::at_least(0), "Random seed of the withheld houses and of the folds");
  return options;
}

void add_demo_command(CLI::App& app, Action& action) {
  CLI::App* demo = app.add_subcommand("demo", "Examples on real data");
  demo->require_subcommand(1);
  CLI::App* sacramento = demo->add_subcommand("sacramento", "Predict house prices from features and location");
  const auto settings = std::make_shared<HouseDemoSettings>();
  const auto options = std::make_shared<OptionSet>(declare_house_demo_options(*settings));
  const auto bound = std::make_shared<CommandOptions>(*options);
  bound->bind(*sacramento);
  sacramento->callback([&action, settings, options, bound] {
    action = [settings, options, bound] {
      if (const Status applied = bound->apply(); !applied) {
        return report(applied.error());
      }
      return run_demo(*settings);
    };
  });
}

}  // namespace gtvmin::app
