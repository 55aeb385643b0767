#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <vector>

#include "../federation/commands.h"
#include "../federation/federation_options.h"
#include "../federation/federation_settings.h"
#include "demo_processes.h"
#include "demo_sites.h"
#include "gtvmin/io/output_file.h"
#include "gtvmin/io/table.h"
#include "gtvmin/io/text_file.h"
#ifdef GTVMIN_HAS_FEDERATION
#include "gtvmin/pki/issue.h"
#endif

namespace gtvmin::app {
namespace {

#ifdef GTVMIN_HAS_FEDERATION

constexpr int kSites = 7;
constexpr std::int64_t kNeighbours = 5;
constexpr UnixSeconds kDay = 86400;

/// What `gtvmin demo sacramento` chooses by cross-validation.
FederationSettings demo_settings() {
  FederationSettings settings;
  settings.solve.lambda = 3.2;
  settings.solve.model.ridge = 0.01;
  settings.solve.model.intercept = true;
  settings.solve.columns.label = "price";
  settings.solve.columns.features = {"beds", "baths", "sqft"};
  settings.solve.solver.tolerance = 1e-4;
  settings.solve.solver.accelerators = Accelerators::none();
  return settings;
}

std::vector<std::string> solve_arguments(const std::string& folder) {
  return {"solve",
          "--data",
          folder + "/all.csv",
          "--edges",
          folder + "/edges.csv",
          "--out",
          folder + "/alone",
          "--label",
          "price",
          "--lambda",
          "3.2",
          "--ridge",
          "0.01",
          "--tol",
          "1e-4",
          "--intercept",
          "--accelerators",
          "none"};
}

/// Everybody's key, request and certificate, the way `gtvmin federation` makes them one by one.
Status write_credentials(const Federation& federation, const std::string& folder) {
  const auto now =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  const Validity validity{now - kDay, now + kDay};
  const Result<KeyPair> authority = make_authority(federation.name, validity);
  if (!authority) return authority.error();
  if (Status kept = write_secret_file(folder + "/authority.key", authority->key); !kept) return kept;
  if (Status kept = write_output_file(folder + "/authority.crt", false, authority->certificate); !kept) return kept;
  const Signer signer{{"authority.crt", authority->certificate}, {"authority.key", authority->key}};
  for (SiteId site = 0; site < federation.site_count(); ++site) {
    const Result<KeyAndRequest> request = make_request(federation, site);
    if (!request) return request.error();
    const auto granted = sign_request(federation, signer, {"request", request->request}, validity);
    if (!granted) return granted.error();
    const std::string own = folder + "/" + federation.sites[site].name;
    if (Status kept = write_secret_file(own + "/site.key", request->key); !kept) return kept;
    if (Status kept = write_output_file(own + "/site.crt", false, granted->certificate); !kept) return kept;
  }
  return Unit{};
}

/// Everything that founders and sites would have written.
Result<DemoSites> write_federation(const DemoSettings& settings) {
  namespace fs = std::filesystem;
  const Result<TextFile> file = TextFile::open(settings.data);
  if (!file) return file.error();
  const Result<std::vector<House>> houses = parse_houses(settings.data, file->content());
  if (!houses) return houses.error();
  Result<DemoSites> demo = split_by_city(*houses, kSites, kNeighbours);
  if (!demo) return bad_input(fmt::format("{}: {}", settings.data, demo.error().messages.front()));
  const auto addresses = free_loopback_addresses(demo->federation.sites.size());
  if (!addresses) return addresses.error();
  demo->federation.solve = complete_settings(demo_settings());
  std::error_code failed;
  if (!fs::create_directory(settings.out, failed)) {
    return usage_error(fs::exists(settings.out)
                           ? fmt::format("--out: {} exists already", settings.out)
                           : fmt::format("--out: {} cannot be created: {}", settings.out, failed.message()));
  }
  for (std::size_t k = 0; k < demo->data.size(); ++k) {
    Site& site = demo->federation.sites[k];
    site.address = (*addresses)[k];
    const std::string own = settings.out + "/" + site.name;
    fs::create_directory(own, failed);
    if (Status kept = write_output_file(own + "/data.csv", false, demo->data[k]); !kept) return kept.error();
  }
  for (const auto& [name, content] : {std::pair("federation.toml", federation_text(demo->federation)),
                                      std::pair("all.csv", demo->all_data), std::pair("edges.csv", demo->edges)}) {
    if (Status kept = write_output_file(fmt::format("{}/{}", settings.out, name), false, content); !kept) {
      return kept.error();
    }
  }
  if (Status kept = write_credentials(demo->federation, settings.out); !kept) return kept.error();
  return demo;
}

/// One process per site, until all have ended.
Status run_sites(const Federation& federation, const std::string& folder) {
  std::vector<DemoProcess> agents;
  agents.reserve(federation.sites.size());
  for (const Site& site : federation.sites) {
    const std::string own = folder + "/" + site.name;
    auto started = DemoProcess::start({"agent", folder + "/federation.toml", "--site", site.name, "--data",
                                       own + "/data.csv", "--out", own + "/results", "--certificate", own + "/site.crt",
                                       "--key", own + "/site.key", "--authority", folder + "/authority.crt"},
                                      own + "/log");
    if (!started) return started.error();
    agents.push_back(*std::move(started));
  }
  // The others would wait for an agent that failed; they end with this scope.
  std::vector<bool> ended(agents.size(), false);
  while (std::find(ended.begin(), ended.end(), false) != ended.end()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    for (std::size_t k = 0; k < agents.size(); ++k) {
      const std::optional<int> code = ended[k] ? std::nullopt : agents[k].poll();
      ended[k] = ended[k] || code.has_value();
      if (code.value_or(kSolved) == kSolved) continue;
      const std::string& name = federation.sites[k].name;
      return runtime_failure(fmt::format("the agent of {} ended with {}; see {}/{}/log", name, *code, folder, name));
    }
  }
  return Unit{};
}

Result<nlohmann::json> read_summary(const std::string& folder) {
  const Result<TextFile> file = TextFile::open(folder + "/summary.json");
  if (!file) return file.error();
  return nlohmann::json::parse(file->content());
}

struct Comparison {
  std::string table;
  std::int64_t bytes = 0;
  bool same = true;
};

/// What the sites found beside what one process found.
Result<Comparison> compare(const Federation& federation, const std::string& folder) {
  const Result<Table> alone = read_table(folder + "/alone/parameters.csv", {"node"});
  if (!alone) return alone.error();
  Comparison comparison;
  for (const Site& site : federation.sites) {
    const std::string results = fmt::format("{}/{}/results", folder, site.name);
    const Result<Table> own = read_table(results + "/parameters.csv", {"node"});
    if (!own) return own.error();
    const Result<nlohmann::json> summary = read_summary(results);
    if (!summary) return summary.error();
    std::int64_t sent = 0;
    for (const auto& neighbour : (*summary)["neighbours"]) sent += neighbour["bytes_sent"].get<std::int64_t>();
    const auto count = static_cast<Index>(site.nodes.size());
    const bool same = own->rows() == count && own->numbers == alone->numbers.middleCols(site.nodes.front(), count);
    comparison.same = comparison.same && same;
    comparison.bytes += sent;
    comparison.table += fmt::format("  {:<16} {:>6} {:>11} {:>13}   {:<10} {:.10g}\n", site.name, count,
                                    (*summary)["neighbours"].size(), sent, same ? "equal" : "DIFFERENT",
                                    (*summary)["objective"].get<double>());
  }
  return comparison;
}

int run_demo(const DemoSettings& settings) {
  const Result<DemoSites> demo = write_federation(settings);
  if (!demo) return report(demo.error());
  const Federation& federation = demo->federation;
  fmt::print("Sacramento house sales: {} houses at {} sites, which keep their data, {} edges.\n", federation.nodes(),
             federation.sites.size(), federation.edges.size());
  std::fflush(stdout);
  if (const Status ended = run_sites(federation, settings.out); !ended) return report(ended.error());
  auto alone = DemoProcess::start(solve_arguments(settings.out), settings.out + "/alone.log");
  if (!alone) return report(alone.error());
  if (const int code = alone->wait(); code != kSolved) {
    return report(runtime_failure(fmt::format("gtvmin solve ended with {}; see {}/alone.log", code, settings.out)));
  }
  const Result<Comparison> comparison = compare(federation, settings.out);
  if (!comparison) return report(comparison.error());
  const Result<nlohmann::json> summary = read_summary(settings.out + "/alone");
  if (!summary) return report(summary.error());
  fmt::print("\n  {:<16} {:>6} {:>11} {:>13}   {:<10} {}\n{}\n", "site", "houses", "neighbours", "bytes sent",
             "parameters", "objective of all", comparison->table);
  const auto iterations = (*summary)["iterations"].get<std::int64_t>();
  fmt::print(
      "One process with all data, gtvmin solve --accelerators none: objective {:.10g} after {} iterations.\n"
      "The sites' parameters {} the same to the last bit. They sent {} bytes, {} in an iteration.\n"
      "Polishing is off, because it needs the curvature of everybody's loss, which stays where it is.\n"
      "Everything is in {}: federation.toml, and of each site its data, certificate, log and results.\n",
      (*summary)["objective"].get<double>(), iterations, comparison->same ? "are" : "are NOT", comparison->bytes,
      comparison->bytes / std::max<std::int64_t>(1, iterations), settings.out);
  return comparison->same ? kSolved : kCheckFailed;
}

#else

int run_demo(const DemoSettings& /*settings*/) { return report(built_without_federations()); }

#endif

}  // namespace

void add_federation_demo_command(CLI::App& federation, Action& action) {
  add_declared_command<DemoSettings>(
      federation, action, "demo", "Train seven sites as seven processes on this machine and compare with one process",
      &declare_demo_options, run_demo);
}

}  // namespace gtvmin::app
