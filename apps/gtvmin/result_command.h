#pragma once

#include <memory>
#include <string>

#include "command.h"

namespace gtvmin::app {

/// Adds a subcommand whose first argument is what `gtvmin solve` wrote; `Settings` has a member `directory` for it.
template <class Settings>
void add_result_command(CLI::App& app, Action& action, const std::string& name, const std::string& help,
                        OptionSet (*declare)(Settings&), int (*run)(const Settings&)) {
  CLI::App* command = app.add_subcommand(name, help);
  const auto settings = std::make_shared<Settings>();
  const auto options = std::make_shared<OptionSet>(declare(*settings));
  const auto bound = std::make_shared<CommandOptions>(*options);
  command->add_option("RESULT_DIR", settings->directory, "Result directory written by gtvmin solve")->required();
  bound->bind(*command);
  command->callback([&action, settings, options, bound, run] {
    action = [settings, options, bound, run] {
      if (const Status applied = bound->apply(); !applied) return report(applied.error());
      return run(*settings);
    };
  });
}

}  // namespace gtvmin::app
