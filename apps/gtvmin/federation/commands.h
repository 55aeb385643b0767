#pragma once

#include "../command.h"

namespace gtvmin::app {

// One line per command `gtvmin federation …`.
void add_init_command(CLI::App& federation, Action& action);
void add_authority_command(CLI::App& federation, Action& action);
void add_certificate_command(CLI::App& federation, Action& action);
void add_sign_command(CLI::App& federation, Action& action);

/// Adds a command whose options are all declared; `run` gets its settings.
template <class Settings>
void add_declared_command(CLI::App& parent, Action& action, const char* name, const char* help,
                          OptionSet (*declare)(Settings&), int (*run)(const Settings&)) {
  CLI::App* command = parent.add_subcommand(name, help);
  const auto settings = std::make_shared<Settings>();
  const auto options = std::make_shared<OptionSet>(declare(*settings));
  const auto bound = std::make_shared<CommandOptions>(*options);
  bound->bind(*command);
  command->callback([&action, run, settings, options, bound] {
    action = [run, settings, options, bound] {
      if (const Status applied = bound->apply(); !applied) return report(applied.error());
      return run(*settings);
    };
  });
}

}  // namespace gtvmin::app
