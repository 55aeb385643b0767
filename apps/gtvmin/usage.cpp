#include "usage.h"

#include <fmt/format.h>

#include "gtvmin/options/option_set.h"

namespace gtvmin::app {
namespace {

// The command that was being read when the error came up: the innermost one.
const CLI::App& innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.front());
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

std::string unknown_argument(const CLI::App& command) {
  const std::vector<std::string> extras = command.remaining();
  const std::string argument = extras.empty() ? std::string{} : extras.front();
  if (!argument.starts_with('-')) {
    return fmt::format("unexpected argument '{}'", argument);
  }
  const std::string name = argument.substr(0, argument.find('='));
  const std::string meant = closest_name(name, option_names(command));
  return fmt::format("unknown option '{}'{}", name, meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant));
}

std::string missing_command(const CLI::App& command, const std::vector<std::string>& extras) {
  std::vector<std::string> names;
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App* a) { return !a->get_group().empty(); })) {
    names.push_back(sub->get_name());
  }
  const std::string known = fmt::format("{}", fmt::join(names, ", "));
  if (extras.empty() || extras.front().starts_with('-')) {
    return fmt::format("a command is missing: one of {}", known);
  }
  const std::string meant = closest_name(extras.front(), names);
  return fmt::format("unknown command '{}'; {}", extras.front(),
                     meant.empty() ? "the commands are " + known : fmt::format("did you mean '{}'?", meant));
}

}  // namespace

std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = innermost(app);
  std::string what = error.what();
  if (command.get_require_subcommand_min() > 0) {
    what = missing_command(command, command.remaining());
  } else if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    what = unknown_argument(command);
  } else if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    what = fmt::format("{} needs one value", what.substr(0, what.find(':')));
  }
  std::string name = command.get_name();
  for (const CLI::App* outer = command.get_parent(); outer != nullptr; outer = outer->get_parent()) {
    name = fmt::format("{} {}", outer->get_name(), name);
  }
  return fmt::format("{} (see {} --help)", what, name);
}

}  // namespace gtvmin::app
