#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cell.h"
#include "gtvmin/base/fingerprint.h"
#include "gtvmin/io/text_file.h"
#include "gtvmin/version.h"
#include "source_fingerprint.h"

namespace gtvmin::app {
namespace {

using Json = nlohmann::ordered_json;

/// Seeds of neighbouring values of x are this far apart: more than anybody will run.
constexpr std::int64_t kSeedsPerValue = 1000;

/// What the driver decides; an experiment must not.
constexpr std::array kOwnOptions = {"data", "data-dir", "edges",        "out",     "force",    "progress",
                                    "json", "shards",   "network-loss", "threads", "clusters", "seed"};

Status apply(OptionSet& options, const SetOptions& settings, const std::string& file) {
  Error wrong{Error::Kind::kBadInput, {}};
  for (const SetOption& setting : settings) {
    const std::string where = fmt::format("{}:{}: ", file, setting.line);
    Option* option = options.find(setting.name);
    if (option == nullptr) {
      const std::string meant = options.closest(setting.name);
      wrong.messages.push_back(fmt::format("{}unknown option '{}'{}", where, setting.name,
                                           meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant)));
      continue;
    }
    if (std::find(kOwnOptions.begin(), kOwnOptions.end(), setting.name) != kOwnOptions.end()) {
      wrong.messages.push_back(
          fmt::format("{}'{}' is decided by the command, not by an experiment", where, setting.name));
      continue;
    }
    const auto* text = std::get_if<std::string>(&setting.value);
    const Status set = text != nullptr ? option->set_text(*text) : option->set(setting.value);
    if (!set) {
      wrong.messages.push_back(fmt::format("{}'{}' {}", where, setting.name, set.error().messages.front()));
    }
  }
  return wrong.messages.empty() ? Status(Unit{}) : Status(std::move(wrong));
}

Error in_experiment(const std::string& file, Error error) {
  for (std::string& message : error.messages) message = fmt::format("{}: {}", file, message);
  error.kind = Error::Kind::kBadInput;
  return error;
}

Json settings_json(const OptionSet& options) {
  Json json = Json::parse(to_json(options));
  for (const char* name : kOwnOptions) {
    if (std::string_view(name) != "seed") json.erase(name);
  }
  return json;
}

void append(SetOptions& to, const SetOptions& more) { to.insert(to.end(), more.begin(), more.end()); }

void append_if_any(SetOptions& to, const std::map<std::string, SetOptions>& more, const std::string& key) {
  if (const auto it = more.find(key); it != more.end()) append(to, it->second);
}

/// The options that x sets in `command` ("generate" or "solve"), for one value.
SetOptions options_of_x(const XAxis& x, std::string_view command, double value) {
  const std::string prefix = std::string(command) + ".";
  if (!x.sets.starts_with(prefix)) return {};
  return {{x.sets.substr(prefix.size()), fill_in(x.pattern, fmt::format("{}", value)), 1}};
}

class Planner {
 public:
  Planner(const Experiment& experiment, Reading reading, const std::string& data_folder)
      : experiment_(experiment), reading_(reading), changes_(experiment.changes(reading)) {
    if (!experiment.files) return;
    folder_ = fmt::format("{}/{}", data_folder, experiment.files->folder);
    edges_ = fmt::format("{}/{}", folder_, changes_.edges.empty() ? experiment.files->edges : changes_.edges);
  }

  /// To be called before the first plan: files must be there, and their contents tell cells apart.
  Status read_files() {
    if (!experiment_.files) return Unit{};
    for (const std::string& path :
         {folder_ + "/data.csv", folder_ + "/heldout.csv", folder_ + "/clusters.csv", edges_}) {
      const Result<TextFile> file = TextFile::open(path);
      if (!file) return file.error();
      contents_[std::filesystem::path(path).filename().string()] = fingerprint(file->content());
    }
    return Unit{};
  }

  Result<Cell> plan(const SeriesId& series, double x, std::int64_t run) const {
    Cell cell;
    cell.experiment = experiment_.name;
    cell.reading = reading_;
    cell.series = series;
    cell.x = x;
    cell.run = run;
    cell.seed = seed(cell);
    cell.metric = changes_.metric;
    cell.watched = experiment_.x.is_iteration();
    const std::string at = cell.watched ? "" : fmt::format("{}={}", experiment_.x.column, x);
    cell.key = fmt::format("{}{}{}_run{}", at, at.empty() ? "" : "_", series.key(), run);
    cell.label = fmt::format("{} {} {}{}{} run {}", experiment_.name, to_string(reading_), at, at.empty() ? "" : " ",
                             series.name(), run);
    const Result<Json> data = plan_data(cell);
    if (!data) return data.error();
    const Result<Json> method = plan_method(cell);
    if (!method) return method.error();
    cell.settings = Json{
        {"version", version_string()},
        {"sources", source_fingerprint()},
        {"metric", to_string(cell.metric)},
        {"graph", experiment_.graph},
        {"generate", *data},
        {"method",
         *method}}.dump();
    return cell;
  }

 private:
  [[nodiscard]] Result<Json> plan_data(Cell& cell) const {
    if (experiment_.files) {
      cell.folder = folder_;
      return contents_;
    }
    const auto& kinds = graph_kinds();
    const auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](const GraphKind& k) { return k.name == experiment_.graph; });
    if (kind == kinds.end()) {
      return bad_input(fmt::format("{}: unknown graph '{}'", experiment_.file, experiment_.graph));
    }
    cell.data.graph = &*kind;
    OptionSet options = declare_generate_options(*kind, cell.data.generate);
    SetOptions settings = experiment_.generate;
    append(settings, cell.series.variant->generate);
    append(settings, changes_.generate);
    append_if_any(settings, changes_.variants, cell.series.variant->key);
    append(settings, options_of_x(experiment_.x, "generate", cell.x));
    if (const Status applied = apply(options, settings, experiment_.file); !applied) return applied.error();
    cell.data.generate.seed = cell.seed;
    Result<SyntheticParameters> parameters = synthetic_parameters(cell.data.generate, options);
    if (!parameters) return in_experiment(experiment_.file, parameters.error());
    cell.data.parameters = *std::move(parameters);
    Json json = settings_json(options);
    const MethodKind method = cell.series.method->kind;
    if (method == MethodKind::kSolve || method == MethodKind::kCriticalLambda) {
      cell.data.loss_weights = changes_.loss_weights;
    }
    json["loss-weights"] = to_string(cell.data.loss_weights);
    return json;
  }

  [[nodiscard]] Result<Json> plan_method(Cell& cell) const {
    const ExperimentMethod& method = *cell.series.method;
    SetOptions settings = method.kind == MethodKind::kBaseline ? changes_.baseline : changes_.solve;
    settings.insert(settings.begin(), method.options.begin(), method.options.end());
    append_if_any(settings, changes_.methods, method.key);
    append(settings, options_of_x(experiment_.x, "solve", cell.x));
    switch (method.kind) {
      case MethodKind::kSolve:
        return plan_solve(cell, settings, "solve");
      case MethodKind::kCriticalLambda:
        return plan_solve(cell, settings, "critical-lambda");
      case MethodKind::kBaseline:
        return plan_baseline(cell, std::move(settings));
      case MethodKind::kTruth:
        break;
    }
    return Json{{"truth", true}};
  }

  Result<Json> plan_solve(Cell& cell, const SetOptions& settings, const char* what) const {
    OptionSet options = declare_solve_options(cell.solve);
    set_files(cell.solve);
    // Of generated data the draw is all that is random; of files, the first weights of a net.
    if (!cell.folder.empty()) cell.solve.seed = cell.seed = cell.run - 1;
    if (const Status applied = apply(options, settings, experiment_.file); !applied) return applied.error();
    if (!options.find("lambda")->given) return without_lambda(cell);
    apply_dependent_defaults(options, cell.solve);
    if (const Status fits = check_combinations(cell.solve); !fits) return in_experiment(experiment_.file, fits.error());
    const bool squared = cell.solve.model.name == "linear" && cell.solve.model.residual_loss == ResidualLoss::kSquared;
    if (cell.data.loss_weights != LossWeights::kEqual && !squared) {
      return bad_input(fmt::format("{}: the method '{}' has no squared loss, which loss-weights needs",
                                   experiment_.file, cell.series.method->key));
    }
    // Cells run side by side; a solve inside one of them has a thread to itself.
    cell.solve.solver.threads = 1;
    return Json{{what, settings_json(options)}};
  }

  /// The name of the method stands among its options, under a name that no option has.
  Result<Json> plan_baseline(Cell& cell, SetOptions settings) const {
    const auto name =
        std::find_if(settings.begin(), settings.end(), [](const SetOption& s) { return s.name == "name"; });
    const auto* text = name != settings.end() ? std::get_if<std::string>(&name->value) : nullptr;
    if (text == nullptr) {
      return bad_input(fmt::format("{}: the method '{}' needs a 'name', e.g. baseline = {{name = \"fedavg\"}}",
                                   experiment_.file, cell.series.method->key));
    }
    cell.baseline = find_baseline(*text);
    if (cell.baseline == nullptr) {
      return bad_input(fmt::format("{}:{}: there is no baseline '{}'", experiment_.file, name->line, *text));
    }
    settings.erase(name);
    OptionSet options = declare_baseline_options(*cell.baseline, cell.rival);
    set_files(cell.rival.input);
    if (const Status applied = apply(options, settings, experiment_.file); !applied) return applied.error();
    if (cell.baseline->needs_lambda && !options.find("lambda")->given) return without_lambda(cell);
    cell.rival.seed = cell.seed;
    apply_dependent_defaults(options, cell.rival);
    if (const Status fits = check_combinations(cell.rival.input); !fits) {
      return in_experiment(experiment_.file, fits.error());
    }
    cell.rival.options.threads = 1;
    return Json{{"baseline", cell.baseline->name}, {"options", settings_json(options)}};
  }

  void set_files(SolveSettings& settings) const {
    if (!experiment_.files) return;
    settings.data = folder_ + "/data.csv";
    settings.edges = edges_;
  }

  [[nodiscard]] Error without_lambda(const Cell& cell) const {
    return bad_input(fmt::format("{}: the method '{}' has no 'lambda'", experiment_.file, cell.series.method->key));
  }

  /// All series see the same draws; every value of x has its own.
  [[nodiscard]] std::int64_t seed(const Cell& cell) const {
    const auto& values = experiment_.x.values;
    const auto place = std::find(values.begin(), values.end(), cell.x) - values.begin();
    return experiment_.seed + kSeedsPerValue * place + cell.run - 1;
  }

  const Experiment& experiment_;
  std::string folder_;
  std::string edges_;
  Json contents_;
  Reading reading_;
  const ReadingChanges& changes_;
};

std::vector<double> values_of(const Experiment& experiment, const ExperimentMethod& method, bool quick) {
  if (experiment.x.is_iteration()) return {experiment.x.values.back()};
  const std::vector<double>& wanted =
      quick && !experiment.quick_values.empty() ? experiment.quick_values : experiment.x.values;
  if (method.values.empty()) return wanted;
  std::vector<double> both;
  std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(both), [&](double x) {
    return std::find(method.values.begin(), method.values.end(), x) != method.values.end();
  });
  return both;
}

}  // namespace

Result<std::vector<Cell>> plan_cells(const Experiment& experiment, Reading reading, bool quick,
                                     const std::string& data_folder) {
  Planner planner(experiment, reading, data_folder);
  const std::int64_t runs = quick ? std::min(experiment.quick_runs, experiment.runs) : experiment.runs;
  std::vector<Cell> cells;
  for (const SeriesId& series : series_of(experiment, reading)) {
    if (quick && series.method->full_only) continue;
    if (cells.empty()) {
      if (const Status read = planner.read_files(); !read) return read.error();
    }
    for (const double x : values_of(experiment, *series.method, quick)) {
      for (std::int64_t run = 1; run <= runs; ++run) {
        Result<Cell> cell = planner.plan(series, x, run);
        if (!cell) return cell.error();
        cells.push_back(*std::move(cell));
      }
    }
  }
  return cells;
}

}  // namespace gtvmin::app
