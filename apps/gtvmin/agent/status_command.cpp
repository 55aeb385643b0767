#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "../federation/commands.h"
#include "agent_options.h"
#include "gtvmin/federation/federation.h"
#ifdef GTVMIN_HAS_FEDERATION
#include "credentials.h"
#include "transport_library.h"
#endif

namespace gtvmin::app {
namespace {

#ifdef GTVMIN_HAS_FEDERATION

std::string neighbour_line(const nlohmann::json& neighbour) {
  const bool connected = neighbour["connected"];
  const bool finished = neighbour["finished"];
  const std::string abandoned = neighbour["abandoned"];
  std::string line = fmt::format("  {:<16} {} for {:.0f} s", neighbour["site"].get<std::string>(),
                                 !abandoned.empty() ? "given up"
                                 : connected        ? "connected"
                                 : finished         ? "finished"
                                                    : "away",
                                 neighbour["seconds"].get<double>());
  if (neighbour["waiting"])
    line += fmt::format("; waiting for it since {:.1f} s", neighbour["waiting_seconds"].get<double>());
  line += fmt::format("; {} bytes sent, {} received", neighbour["bytes_sent"].get<std::int64_t>(),
                      neighbour["bytes_received"].get<std::int64_t>());
  if (!abandoned.empty()) return line + "; " + abandoned + "\n";
  const std::string problem = neighbour["last_problem"];
  if (!connected && !finished && !problem.empty()) line += "; " + problem;
  return line + "\n";
}

std::string objective_text(const nlohmann::json& answer, bool sums) {
  if (!sums) return "objective unknown, because sites send no sums";
  if (answer["objective"].is_null()) return "objective not yet known";
  const std::string objective = fmt::format("objective {:.10g}", answer["objective"].get<double>());
  if (!answer["proved_gap"].is_null()) {
    return fmt::format("{}, proved to be within {:.2g} of the optimum", objective, answer["proved_gap"].get<double>());
  }
  if (answer["relative_gap"].is_null()) return objective;  // nothing can be said about it
  return fmt::format("{}, relative gap about {:.2g}", objective, answer["relative_gap"].get<double>());
}

std::string status_text(const nlohmann::json& answer, bool sums) {
  std::string text = fmt::format("Site {} of federation {}: {}, iteration {}, {}, up for {:.0f} s\n",
                                 answer["site"].get<std::string>(), answer["federation"].get<std::string>(),
                                 answer["state"].get<std::string>(), answer["iteration"].get<std::uint64_t>(),
                                 objective_text(answer, sums), answer["seconds"].get<double>());
  for (const nlohmann::json& neighbour : answer["neighbours"]) text += neighbour_line(neighbour);
  return text;
}

int run_status(const StatusSettings& settings) {
  const Result<Federation> federation = read_federation(settings.federation);
  if (!federation) return report(federation.error());
  const std::optional<SiteId> site = find_site(*federation, settings.site);
  if (!site) {
    return report(usage_error(fmt::format("--site: '{}' is not a site of {}", settings.site, settings.federation)));
  }
  const auto credentials = read_credentials(settings.credentials, *federation, std::nullopt);
  if (!credentials) return report(credentials.error());
  const Result<std::string> answer = ask_site({.address = federation->sites[*site].address,
                                               .site = settings.site,
                                               .federation = federation->name,
                                               .credentials = *credentials,
                                               .seconds = settings.timeout});
  if (!answer) return report(answer.error());
  fmt::print("{}", settings.json ? *answer : status_text(nlohmann::json::parse(*answer), federation->sums));
  return kSolved;
}

#else

int run_status(const StatusSettings& /*settings*/) { return report(built_without_federations()); }

#endif

}  // namespace

void add_status_command(CLI::App& federation, Action& action) {
  add_declared_command<StatusSettings>(federation, action, "status",
                                       "Query a site: its iteration, objective, and the neighbours that it waits for",
                                       &declare_status_options, run_status);
}

}  // namespace gtvmin::app
