#pragma once

#include "../command.h"

namespace gtvmin::app {

// One line per command `gtvmin federation …`.
void add_init_command(CLI::App& federation, Action& action);
void add_authority_command(CLI::App& federation, Action& action);
void add_certificate_command(CLI::App& federation, Action& action);
void add_sign_command(CLI::App& federation, Action& action);
void add_status_command(CLI::App& federation, Action& action);
void add_federation_demo_command(CLI::App& federation, Action& action);

/// What commands say that need OpenSSL or gRPC if this gtvmin was built without.
[[nodiscard]] inline Error built_without_federations() {
  return usage_error(
      "this gtvmin was built without OpenSSL, gRPC and protobuf; install the packages of cmake/packages/federation.txt "
      "and build it again");
}

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
