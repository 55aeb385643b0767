#include "federation_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "../local_models.h"
#include "gtvmin/options/toml_options.h"

namespace gtvmin::app {
namespace {

struct Refused {
  std::string_view option;
  std::string_view reason;
};

constexpr std::string_view kOwnBusiness = "is chosen by each site when it starts its agent";
constexpr std::string_view kIsAFile = "names a file; a federation file must be self-contained";

/// What no federation can be told, and why.
constexpr std::array kRefused = {
    Refused{"data", kOwnBusiness},
    Refused{"data-dir", kOwnBusiness},
    Refused{"out", kOwnBusiness},
    Refused{"force", kOwnBusiness},
    Refused{"json", kOwnBusiness},
    Refused{"progress", kOwnBusiness},
    Refused{"threads", kOwnBusiness},
    Refused{"write", kOwnBusiness},
    Refused{"checkpoint", kOwnBusiness},
    Refused{"checkpoint-every", kOwnBusiness},
    Refused{"edges", "does not belong here: the edges of a federation are declared next to its sites"},
    Refused{"engine", "is not available in a federation: every site is a process"},
    Refused{"shards", "is not available in a federation: its sites are the shards"},
    Refused{"network-loss", "is not available in a federation: its network is real"},
    Refused{"quadratic-matrix", kIsAFile},
    Refused{"covariance", kIsAFile},
    Refused{"module", kIsAFile},
    Refused{"standardize",
            "needs means and scales over the samples of all sites, which are not shared; agree on units and scale the "
            "columns beforehand"},
    Refused{"time-limit", "is not available in a federation: the clocks of its sites differ; use max-iterations"},
};

const Refused* refusal(std::string_view option) {
  const auto* const found =
      std::find_if(kRefused.begin(), kRefused.end(), [&](const Refused& refused) { return refused.option == option; });
  return found != kRefused.end() ? found : nullptr;
}

/// Collects what is wrong with [solve].
class SettingsProblems {
 public:
  SettingsProblems(const Federation& federation, const std::string& path) : federation_(federation), path_(path) {}

  /// About one option, at its line if it was given.
  void add(std::string_view option, std::string_view what) {
    for (const SetOption& setting : federation_.solve) {
      if (setting.name != option) continue;
      messages_.push_back(fmt::format("{}:{}: '{}' {}", path_, setting.line, option, what));
      return;
    }
    messages_.push_back(fmt::format("{}: [solve]: '{}' {}", path_, option, what));
  }
  /// What other checks found; where they did not say it, with the file.
  void append(const Error& error) {
    for (const std::string& message : error.messages) {
      messages_.push_back(message.starts_with(path_) ? message : fmt::format("{}: [solve]: {}", path_, message));
    }
  }
  [[nodiscard]] bool empty() const { return messages_.empty(); }
  [[nodiscard]] Error to_error() const { return {Error::Kind::kBadInput, messages_}; }

 private:
  const Federation& federation_;
  const std::string& path_;
  std::vector<std::string> messages_;
};

/// What stands there and must not.
void refuse_options(const Federation& federation, SettingsProblems& problems) {
  for (const SetOption& setting : federation.solve) {
    if (const Refused* refused = refusal(setting.name)) problems.add(setting.name, refused->reason);
  }
}

void refuse_values(const SolveSettings& settings, SettingsProblems& problems) {
  if (settings.solver.accelerators.any()) {
    problems.add("accelerators", "must be none: they need the samples of all sites, which stay where they are");
  }
  if (settings.polish == "on") {
    problems.add("polish", "must be off: accelerators need the samples of all sites, which stay where they are");
  }
  if (settings.penalty == "quadratic") problems.add("penalty", "must not be quadratic: its matrix is a file");
  if (settings.model.name == "torchscript") problems.add("model", "must not be torchscript: its module is a file");
}

/// Without sums nothing may depend on what sites would have to tell each other: all do the same number of iterations.
void check_without_sums(const SolverOptions& solver, bool tolerance_given, SettingsProblems& problems) {
  if (solver.method != Method::kAlgorithm1) {
    problems.add("method", "must be algorithm1 with sums = false: the adaptive method chooses its step sizes by sums");
  }
  if (tolerance_given && solver.tolerance > 0) {
    problems.add("tol", "must be 0 with sums = false: without sums there is no certificate; use max-iterations");
  }
  if (solver.min_decrease > 0) {
    problems.add("min-decrease", "must be 0 with sums = false: the objective is unknown; use max-iterations");
  }
}

void check_classes(const FederationSettings& settings, SettingsProblems& problems) {
  const bool wanted = local_label_domain(settings.solve.model, settings.solve.net) == LabelDomain::kClass;
  if (!wanted) {
    if (!settings.classes.empty()) {
      problems.add("classes", fmt::format("is for models with classes, not for {}", settings.solve.model.name));
    }
    return;
  }
  const std::set<std::string> different(settings.classes.begin(), settings.classes.end());
  if (different.size() < 2 || different.size() < settings.classes.size()) {
    problems.add("classes",
                 "must list the classes of the label, at least two, each once: a single site may not have all of them");
  }
}

void check_features(const FederationSettings& settings, SettingsProblems& problems) {
  const std::vector<std::string>& features = settings.solve.columns.features;
  if (features.empty() && settings.solve.model.name != "autoregressive") {
    problems.add("features", "is missing: the columns that every site must have, in the order of the parameters");
  }
  if (std::set<std::string>(features.begin(), features.end()).size() < features.size()) {
    problems.add("features", "names a column twice");
  }
}

/// A required option with a wrong value is not missing as well.
void check_required(const Federation& federation, const OptionSet& options, SettingsProblems& problems) {
  for (const Option& option : options.options()) {
    const auto stands_there = [&](const SetOption& setting) { return setting.name == option.name; };
    if (option.required_hint.empty() || refusal(option.name) != nullptr) continue;
    if (std::any_of(federation.solve.begin(), federation.solve.end(), stands_there)) continue;
    problems.add(option.name, "is missing: " + option.required_hint);
  }
}

/// The settings that are allowed; others have been refused already.
SetOptions allowed(const SetOptions& settings) {
  SetOptions rest;
  std::copy_if(settings.begin(), settings.end(), std::back_inserter(rest),
               [](const SetOption& setting) { return refusal(setting.name) == nullptr; });
  return rest;
}

}  // namespace

OptionSet declare_federation_settings(FederationSettings& settings) {
  settings.solve.solver.accelerators = Accelerators::none();
  OptionSet options = declare_solve_options(settings.solve);
  options.group("Columns of the data file");
  options.list("classes", settings.classes, "The classes of the label, in order, where the model has classes");
  return options;
}

Result<FederationSettings> federation_settings(const Federation& federation, const std::string& path) {
  FederationSettings settings;
  OptionSet options = declare_federation_settings(settings);
  SettingsProblems problems(federation, path);
  refuse_options(federation, problems);
  if (const Status set = set_options(options, path, allowed(federation.solve)); !set) problems.append(set.error());
  check_required(federation, options, problems);
  refuse_values(settings.solve, problems);
  if (!federation.sums) check_without_sums(settings.solve.solver, options.find("tol")->given, problems);
  check_features(settings, problems);
  check_classes(settings, problems);
  if (!problems.empty()) return problems.to_error();
  if (const Status fits = check_combinations(settings.solve); !fits) problems.append(fits.error());
  if (!problems.empty()) return problems.to_error();
  apply_dependent_defaults(options, settings.solve);
  return settings;
}

SetOptions complete_settings(FederationSettings settings) {
  const bool net = is_neural_net(settings.solve.model.name);
  const OptionSet options = declare_federation_settings(settings);
  SetOptions all;
  for (const Option& option : options.options()) {
    if (refusal(option.name) != nullptr || (option.group == "Neural nets" && !net)) continue;
    if (option.name == "classes" && settings.classes.empty()) continue;
    if (option.name == "polish") continue;  // accelerators say it
    all.push_back({option.name, option.load(), 0});
  }
  return all;
}

}  // namespace gtvmin::app
