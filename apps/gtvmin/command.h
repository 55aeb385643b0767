#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/options/option_set.h"

namespace gtvmin::app {

/// What the shell is told.
enum ExitCode : int {
  kSolved = 0,
  kBug = 1,
  kCheckFailed = 1,  ///< a statement that `reproduce` tests does not hold
  kUsage = 2,
  kBadInput = 3,
  kLimit = 4,  ///< stopped at a limit, interrupted or diverged; the results so far are written, if there are any
  kRuntimeFailure = 5
};

/// What the chosen command does once the command line has been read; the result is the exit code.
using Action = std::function<int()>;

/// Prints the messages to stderr and gives the exit code.
int report(const Error& error);

/// The library calls a parameter by the name of its option, without the dashes; this adds them to errors of usage.
[[nodiscard]] Error as_options(Error error);

/// Joins an OptionSet and a command of the command line. First bind, then, after the command line has been read, apply.
class CommandOptions {
 public:
  explicit CommandOptions(OptionSet& options) : options_(&options) {}

  /// Adds one --name per option; flags get --no-name too.
  void bind(CLI::App& command);
  /// The same, and a first argument FILE.toml with the same names.
  void bind_with_file(CLI::App& command);

  /// Sets what the file says, then what the command line says (it wins), then checks that nothing required is missing.
  [[nodiscard]] Status apply();

 private:
  OptionSet* options_;
  std::string file_;
  std::vector<std::pair<std::string, std::string>> given_;
};

// One line per command; each stands in a file of its own, <name>_command.cpp. It adds a subcommand to `app` whose
// callback sets `action`.
void add_solve_command(CLI::App& app, Action& action);
void add_baseline_command(CLI::App& app, Action& action);
void add_generate_command(CLI::App& app, Action& action);
void add_graph_command(CLI::App& app, Action& action);
void add_evaluate_command(CLI::App& app, Action& action);
void add_theory_command(CLI::App& app, Action& action);
void add_predict_command(CLI::App& app, Action& action);
void add_demo_command(CLI::App& app, Action& action);
void add_reproduce_command(CLI::App& app, Action& action);
void add_federation_command(CLI::App& app, Action& action);
void add_agent_command(CLI::App& app, Action& action);
void add_docs_command(CLI::App& app, Action& action);

}  // namespace gtvmin::app
