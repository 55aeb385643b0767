#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "experiment.h"

namespace gtvmin::app {
namespace {

constexpr std::array kMetrics = {Metric::kParameters,   Metric::kPerCoordinate, Metric::kLabels,
                                 Metric::kUnseenLabels, Metric::kScatter,       Metric::kAccuracy};

std::optional<Reading> read_reading(TableReader& table, std::string_view key, InputProblems& problems) {
  const std::string name = table.text(key);
  if (name.empty()) return std::nullopt;
  for (const Reading reading : kReadings) {
    if (to_string(reading) == name) return reading;
  }
  problems.add(table.line_of(key), fmt::format("'{}' must be as-written or as-run, not '{}'", key, name));
  return std::nullopt;
}

Metric read_metric(TableReader& table, InputProblems& problems) {
  const std::string name = table.text("metric", to_string(Metric::kParameters));
  std::vector<std::string> names;
  names.reserve(kMetrics.size());
  for (const Metric metric : kMetrics) {
    if (to_string(metric) == name) return metric;
    names.emplace_back(to_string(metric));
  }
  problems.add(table.line(), fmt::format("'metric' must be one of {}, not '{}'", fmt::join(names, ", "), name));
  return Metric::kParameters;
}

LossWeights read_loss_weights(TableReader& table, InputProblems& problems) {
  const std::string name = table.text("loss-weights", to_string(LossWeights::kEqual));
  for (const LossWeights weights : {LossWeights::kEqual, LossWeights::kClusterDegree}) {
    if (to_string(weights) == name) return weights;
  }
  problems.add(table.line_of("loss-weights"),
               fmt::format("'loss-weights' must be equal or cluster-degree, not '{}'", name));
  return LossWeights::kEqual;
}

XAxis read_x(TableReader table, InputProblems& problems) {
  XAxis x;
  x.column = table.required_text("column");
  x.sets = table.text("sets");
  x.pattern = table.text("pattern", x.pattern);
  x.values = table.numbers("values");
  if (x.values.empty()) problems.add(table.line(), "'values' is missing or empty");
  if (!x.sets.empty() && !x.is_iteration() && !x.sets.starts_with("generate.") && !x.sets.starts_with("solve.")) {
    problems.add(table.line(),
                 fmt::format("'sets' must be generate.OPTION, solve.OPTION or iteration, not '{}'", x.sets));
  }
  table.refuse_the_rest();
  return x;
}

ExperimentMethod read_method(TableReader table, InputProblems& problems) {
  ExperimentMethod method;
  method.key = table.required_text("key");
  method.name = table.text("name", method.key);
  const std::array<std::pair<const char*, MethodKind>, 4> kinds = {{{"solve", MethodKind::kSolve},
                                                                    {"baseline", MethodKind::kBaseline},
                                                                    {"critical-lambda", MethodKind::kCriticalLambda},
                                                                    {"truth", MethodKind::kTruth}}};
  int given = 0;
  for (const auto& [name, kind] : kinds) {
    if (table.has(name)) {
      method.kind = kind;
      ++given;
    }
    SetOptions options = table.options(name);
    if (!options.empty()) method.options = std::move(options);
  }
  if (given != 1) problems.add(table.line(), "a method needs one of solve, baseline, critical-lambda, truth");
  method.values = table.numbers("values");
  method.only = read_reading(table, "only", problems);
  method.seconds = table.number("seconds").value_or(0);
  method.full_only = table.flag("full-only");
  method.solved_by = table.text("solved-by");
  table.refuse_the_rest();
  return method;
}

Variant read_variant(TableReader table) {
  Variant variant{.key = table.required_text("key"), .name = table.text("name"), .generate = table.options("generate")};
  table.refuse_the_rest();
  return variant;
}

ReadingChanges read_changes(TableReader table, InputProblems& problems) {
  ReadingChanges changes;
  changes.metric = read_metric(table, problems);
  changes.generate = table.options("generate");
  changes.loss_weights = read_loss_weights(table, problems);
  changes.edges = table.text("edges");
  changes.solve = table.options("solve");
  changes.baseline = table.options("baseline");
  changes.methods = table.named_options("method");
  changes.variants = table.named_options("variant");
  table.refuse_the_rest();
  return changes;
}

PrintedCurve read_printed(TableReader table, InputProblems& problems) {
  PrintedCurve curve{.series = table.required_text("series"), .x = table.numbers("x"), .y = table.numbers("y")};
  if (curve.x.size() != curve.y.size() || curve.x.empty()) {
    problems.add(table.line(), "'x' and 'y' must have the same number of entries, at least one");
  }
  table.refuse_the_rest();
  return curve;
}

Check read_check(TableReader table, InputProblems& problems) {
  Check check{.text = table.required_text("text"),
              .reading = read_reading(table, "reading", problems),
              .series = table.texts("series"),
              .x = table.numbers("x"),
              .at_most = table.number("at-most"),
              .at_least = table.number("at-least"),
              .ratio_at_most = table.number("ratio-at-most"),
              .ratio_at_least = table.number("ratio-at-least"),
              .where_paper_below = table.number("where-paper-below"),
              .typical = table.flag("typical"),
              .but_for_draws = table.has("but-for-draws") ? table.count("but-for-draws", 1) : 0,
              .median_ratio_at_most = table.number("median-ratio-at-most"),
              .ascending = table.flag("ascending"),
              .within = table.number("within"),
              .papers_order = table.flag("papers-order"),
              .but_for_ties = table.flag("but-for-ties")};
  const bool bounded = check.within || check.at_most || check.at_least || check.ratio_at_most || check.ratio_at_least ||
                       check.median_ratio_at_most;
  if (!bounded && !check.ascending && !check.papers_order) {
    problems.add(
        table.line(),
        "a check needs at-most, at-least, ratio-at-most, ratio-at-least, median-ratio-at-most, within, ascending "
        "or papers-order");
  }
  if (check.but_for_draws > 0 && (check.typical || !check.ratio_at_most)) {
    problems.add(table.line(), "'but-for-draws' needs ratio-at-most, of means");
  }
  if (check.but_for_ties && !check.papers_order) problems.add(table.line(), "'but-for-ties' needs papers-order");
  if (check.within && check.series.size() != 2) problems.add(table.line(), "'within' needs two series");
  if (check.ascending && check.series.size() < 2) problems.add(table.line(), "'ascending' needs two series or more");
  table.refuse_the_rest();
  return check;
}

FileData read_files(TableReader table) {
  FileData files{.folder = table.required_text("folder")};
  files.edges = table.text("edges", files.edges);
  table.refuse_the_rest();
  return files;
}

void read_quick(TableReader table, Experiment& experiment) {
  experiment.quick_runs = table.count("runs", experiment.quick_runs);
  experiment.quick_values = table.numbers("values");
  table.refuse_the_rest();
}

void read_columns(TableReader table, Experiment& experiment) {
  experiment.mean_column = table.text("mean", experiment.mean_column);
  experiment.deviation_column = table.text("deviation", experiment.deviation_column);
  table.refuse_the_rest();
}

void read_body(TableReader& table, Experiment& experiment, InputProblems& problems) {
  experiment.title = table.required_text("title");
  experiment.origin = table.text("origin");
  experiment.runs = table.count("runs", 1);
  experiment.seed = table.count("seed", 1);
  experiment.recovered_file = table.text("recovered");
  experiment.panel_per_method = table.flag("panel-per-method");
  if (!table.has("x")) problems.add(1, "the table [x] is missing");
  for (TableReader& x : table.tables("x")) experiment.x = read_x(x, problems);
  if (!table.has("method")) problems.add(1, "there is no [[method]]");
  for (TableReader& method : table.tables("method")) experiment.methods.push_back(read_method(method, problems));
  for (TableReader& variant : table.tables("variant")) experiment.variants.push_back(read_variant(variant));
  if (experiment.variants.empty()) experiment.variants.emplace_back();
  experiment.generate = table.options("generate");
  for (TableReader& files : table.tables("files")) experiment.files = read_files(files);
  for (std::size_t r = 0; r < kReadings.size(); ++r) {
    for (TableReader& changes : table.tables(to_string(kReadings[r]))) {
      experiment.readings[r] = read_changes(changes, problems);
    }
  }
  for (TableReader& quick : table.tables("quick")) read_quick(quick, experiment);
  for (TableReader& columns : table.tables("columns")) read_columns(columns, experiment);
  for (TableReader& curve : table.tables("printed")) experiment.printed.push_back(read_printed(curve, problems));
  for (TableReader& check : table.tables("check")) experiment.checks.push_back(read_check(check, problems));
  for (TableReader& note : table.tables("note")) {
    experiment.notes.push_back({note.required_text("about"), note.required_text("text")});
    note.refuse_the_rest();
  }
  table.refuse_the_rest();
}

/// The kind of graph stands among the options of [generate], under a name that no option has.
void take_graph(Experiment& experiment, InputProblems& problems) {
  if (experiment.files) {
    if (!experiment.generate.empty()) problems.add(1, "[files] and [generate] exclude each other");
    return;
  }
  const auto graph = std::find_if(experiment.generate.begin(), experiment.generate.end(),
                                  [](const SetOption& option) { return option.name == "graph"; });
  if (graph == experiment.generate.end() || !std::holds_alternative<std::string>(graph->value)) {
    problems.add(1, "[generate] needs a 'graph', e.g. graph = \"sbm\", or [files] a folder");
    return;
  }
  experiment.graph = std::get<std::string>(graph->value);
  experiment.generate.erase(graph);
}

bool is_among(double value, const std::vector<double>& values) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

void check_values(const Experiment& experiment, const std::vector<double>& values, const std::string& what,
                  InputProblems& problems) {
  for (const double value : values) {
    if (!is_among(value, experiment.x.values)) {
      problems.add(1, fmt::format("{}: {} is none of the values of [x]", what, value));
    }
  }
}

/// Changes must be those of a method or variant that there is.
template <class Keyed>
void check_keys(const std::vector<Keyed>& all, const std::map<std::string, SetOptions>& changes, const char* what,
                InputProblems& problems) {
  for (const auto& change : changes) {
    const auto has_key = [&](const Keyed& one) { return one.key == change.first; };
    if (std::none_of(all.begin(), all.end(), has_key)) {
      problems.add(1, fmt::format("there is no {} '{}'", what, change.first));
    }
  }
}

/// What one part of the file says of another.
void check_references(const Experiment& experiment, InputProblems& problems) {
  std::set<std::string> keys;
  std::set<std::pair<Reading, std::string>> taken;  // what is one in the paper may be two methods, one in each reading
  for (const ExperimentMethod& method : experiment.methods) {
    for (const Variant& variant : experiment.variants) {
      const std::string key = method.key + variant.key;
      keys.insert(key);
      bool is_new = true;
      for (const Reading reading : kReadings) {
        if (method.only.value_or(reading) == reading) is_new = taken.emplace(reading, key).second && is_new;
      }
      if (!is_new) problems.add(1, fmt::format("there are two series '{}'", key));
    }
    check_values(experiment, method.values, "method " + method.key, problems);
    const auto solves = [&](const ExperimentMethod& other) { return other.key == method.solved_by; };
    if (!method.solved_by.empty() && std::none_of(experiment.methods.begin(), experiment.methods.end(), solves)) {
      problems.add(1, fmt::format("method {}: there is no method '{}'", method.key, method.solved_by));
    }
  }
  check_values(experiment, experiment.quick_values, "[quick]", problems);
  const auto known = [&](const std::string& series, const std::string& where) {
    if (!keys.contains(series)) problems.add(1, fmt::format("{}: there is no series '{}'", where, series));
  };
  for (const PrintedCurve& curve : experiment.printed) known(curve.series, "[[printed]]");
  for (const Check& check : experiment.checks) {
    for (const std::string& series : check.series) known(series, fmt::format("[[check]] '{}'", check.text));
    check_values(experiment, check.x, fmt::format("[[check]] '{}'", check.text), problems);
  }
  for (const Note& note : experiment.notes) {
    const bool is_method = std::any_of(experiment.methods.begin(), experiment.methods.end(),
                                       [&](const ExperimentMethod& method) { return method.key == note.about; });
    if (!is_method) known(note.about, "[[note]]");
  }
  for (const ReadingChanges& changes : experiment.readings) {
    check_keys(experiment.methods, changes.methods, "method", problems);
    check_keys(experiment.variants, changes.variants, "variant", problems);
  }
}

}  // namespace

Result<Experiment> parse_experiment(const std::string& file, std::string_view content) {
  const Result<TomlNode::Table> tree = parse_toml_tree(file, content);
  if (!tree) return tree.error();
  InputProblems problems(file);
  Experiment experiment;
  experiment.file = file;
  experiment.name = std::filesystem::path(file).stem().string();
  TableReader table(*tree, 1, problems);
  read_body(table, experiment, problems);
  take_graph(experiment, problems);
  if (problems.empty()) check_references(experiment, problems);
  if (!problems.empty()) return problems.to_error();
  return experiment;
}

}  // namespace gtvmin::app
