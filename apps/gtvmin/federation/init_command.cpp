#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "../wording.h"
#include "commands.h"
#include "federation_options.h"
#include "federation_settings.h"
#include "gtvmin/federation/topology.h"
#include "gtvmin/io/output_file.h"
#ifdef GTVMIN_HAS_FEDERATION
#include "gtvmin/pki/digest.h"
#endif

namespace gtvmin::app {
namespace {

std::string site_line(const Federation& federation, SiteId site) {
  std::string line =
      fmt::format("  {:<16} {:>6}", federation.sites[site].name, count(federation.sites[site].nodes.size(), "node"));
  for (const SiteId other : neighbours(federation, site)) {
    line += fmt::format("; to {}: {}", federation.sites[other].name, boundary_nodes(federation, site, other).size());
  }
  return line + "\n";
}

std::string init_report(const Federation& federation, const std::string& path) {
  const auto between = std::count_if(federation.edges.begin(), federation.edges.end(), [&](const WeightedEdge& edge) {
    return federation.owner[edge.a] != federation.owner[edge.b];
  });
  std::string text = fmt::format("Federation {}: {}, {}, {}, {} of them between sites.\n", federation.name,
                                 count(federation.sites.size(), "site"), count(federation.node_names.size(), "node"),
                                 count(federation.edges.size(), "edge"), between);
  text += "Sites, and the number of nodes whose parameters they send to each neighbour:\n";
  for (SiteId site = 0; site < federation.site_count(); ++site) text += site_line(federation, site);
  if (!federation.sums) {
    text += "No sums: sites send parameters only; the objective is unknown and there is no certificate.\n";
  }
#ifdef GTVMIN_HAS_FEDERATION
  text += fmt::format("Digest of the file, which sites compare: {}\n", federation_digest(federation));
#endif
  return text + fmt::format("{} is public; give the same file to every site.\n", path);
}

int run_init(const InitSettings& settings) {
  if (const Status writable = check_output_file(settings.out, settings.force); !writable) {
    return report(writable.error());
  }
  Result<Federation> federation = read_topology(settings.topology);
  if (!federation) return report(federation.error());
  Result<FederationSettings> solve = federation_settings(*federation, settings.topology);
  if (!solve) return report(solve.error());
  federation->solve = complete_settings(*std::move(solve));
  const Status written = write_output_file(settings.out, settings.force, federation_text(*federation));
  if (!written) return report(written.error());
  fmt::print("{}", init_report(*federation, settings.out));
  return kSolved;
}

}  // namespace

void add_init_command(CLI::App& federation, Action& action) {
  CLI::App* command = federation.add_subcommand("init", "Create the public federation file from sites and edges");
  const auto settings = std::make_shared<InitSettings>();
  const auto options = std::make_shared<OptionSet>(declare_init_options(*settings));
  const auto bound = std::make_shared<CommandOptions>(*options);
  command->add_option("TOPOLOGY.toml", settings->topology, "Sites, their nodes, the edge file and [solve]")->required();
  bound->bind(*command);
  command->callback([&action, settings, options, bound] {
    action = [settings, options, bound] {
      if (const Status applied = bound->apply(); !applied) return report(applied.error());
      return run_init(*settings);
    };
  });
}

}  // namespace gtvmin::app
