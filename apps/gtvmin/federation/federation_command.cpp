#include "commands.h"

namespace gtvmin::app {

void add_federation_command(CLI::App& app, Action& action) {
  CLI::App* federation =
      app.add_subcommand("federation", "Set up a federation: sites that train together and keep their data");
  federation->require_subcommand(1);
  add_init_command(*federation, action);
  add_authority_command(*federation, action);
  add_certificate_command(*federation, action);
  add_sign_command(*federation, action);
  add_status_command(*federation, action);
  add_federation_demo_command(*federation, action);
}

}  // namespace gtvmin::app
