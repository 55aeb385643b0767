#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>

#include "../command.h"
#include "../federation/commands.h"
#include "../federation/federation_settings.h"
#include "../interrupt.h"
#include "agent_options.h"
#ifdef GTVMIN_HAS_FEDERATION
#include <sys/resource.h>

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "credentials.h"
#include "gtvmin/io/text_file.h"
#include "gtvmin/pki/digest.h"
#include "gtvmin/theory/influence.h"
#include "site_report.h"
#include "site_run.h"
#endif

namespace gtvmin::app {
namespace {

#ifdef GTVMIN_HAS_FEDERATION

Result<std::string> data_digest(const std::string& path) {
  const Result<TextFile> file = TextFile::open(path);
  if (!file) return file.error();
  return sha256_hex(file->content());
}

/// Chooses the noise of a new run, or takes that of the run that goes on; nothing is sent if the budget is gone.
Status settle_noise(SitePrivacy* privacy, bool goes_on, std::int64_t iterations,
                    const std::function<void(const std::string&)>& log) {
  if (privacy == nullptr) return Unit{};
  if (Status settled = goes_on ? privacy->go_on() : privacy->plan(iterations); !settled) return settled;
  const PrivacyRecord record = privacy->record();
  log(fmt::format("noise {:g} on parameters of norm at most {:g}, in {} vectors: epsilon {:.6g} of {:g} at delta {:g}",
                  record.noise, record.clip, record.vectors, record.spent, record.epsilon, record.delta));
  return Unit{};
}

/// What a site can know before it joins: how far other nodes can move its own, see influence_bound.
std::string influence_text(const SiteInput& input, const std::string& penalty) {
  const std::vector<std::string>& own = input.own_dataset.node_names;
  const std::vector<std::string>& all = input.dataset.node_names;
  double largest = 0;
  std::vector<std::string> unbounded;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (std::find(own.begin(), own.end(), all[i]) == own.end()) continue;
    const std::optional<double> bound = influence_bound(input.problem, static_cast<NodeId>(i));
    if (!bound) unbounded.push_back(all[i]);
    largest = std::max(largest, bound.value_or(0));
  }
  std::string text;
  if (unbounded.size() < own.size()) {
    text = fmt::format("neighbours can move {} of {} nodes by at most {:.4g} in {}, whatever they send",
                       own.size() - unbounded.size(), own.size(), largest, penalty);
  }
  if (unbounded.empty()) return text;
  return fmt::format("{}{}no bound on the influence of neighbours for {} of {} nodes, first '{}'", text,
                     text.empty() ? "" : "; ", unbounded.size(), own.size(), unbounded.front());
}

/// Callers must not be able to use up what neighbours and files need.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));  // what there was is enough for who is left in peace
}

// parse → options → read → run → write → serve the neighbours → exit code; everything that can be wrong with the input
// is found before the run.
int run_agent(const AgentSettings& settings) {
  const Result<Federation> federation = read_federation(settings.federation);
  if (!federation) return report(federation.error());
  Result<FederationSettings> agreed = federation_settings(*federation, settings.federation);
  if (!agreed) return report(agreed.error());
  agreed->solve.solver.threads = settings.threads;
  const std::optional<SiteId> site = find_site(*federation, settings.site);
  if (!site) {
    return report(usage_error(fmt::format("--site: '{}' is not a site of {}", settings.site, settings.federation)));
  }
  const auto credentials = read_credentials(settings.credentials, *federation, *site);
  if (!credentials) return report(credentials.error());
  const Result<SiteInput> input = read_site_input(*federation, *site, *agreed, settings.data);
  if (!input) return report(input.error());
  const Result<std::string> digest_of_data = data_digest(settings.data);
  if (!digest_of_data) return report(digest_of_data.error());

  const auto logger = spdlog::stderr_color_mt(settings.site);
  logger->set_pattern("%Y-%m-%d %H:%M:%S.%e %n: %v");
  const auto log = [logger](const std::string& line) { logger->info("{}", line); };

  const InterruptGuard guard;
  raise_descriptor_limit();
  const SiteIdentity identity{*federation, *site, federation_digest(*federation), *digest_of_data};
  const auto privacy = SitePrivacy::open(settings.privacy, *federation, *site, identity.digest);
  if (!privacy) return report(privacy.error());
  const auto run = SiteRun::prepare(identity, settings, *agreed, *input, privacy->get(), log);
  if (!run) return report(run.error());
  SiteRun& agent = **run;
  const std::int64_t iterations = agreed->solve.solver.max_iterations;
  if (const Status allowed = settle_noise(privacy->get(), agent.resumes(), iterations, log); !allowed) {
    return report(allowed.error());
  }
  const bool replace = settings.force || agent.resumes();
  if (const Status writable = check_output_directory(settings.out, replace); !writable) return report(writable.error());
  log(influence_text(*input, penalty_name(input->problem.penalty())));
  if (const Status connected = agent.connect(*credentials); !connected) return report(connected.error());
  if (const Status entered = agent.enter(); !entered) return report(entered.error());
  if (agent.finished()) {
    log("an earlier run wrote the results; serving neighbours that still need messages");
    const Status served = agent.finish(agent.exit_code());
    return served ? agent.exit_code() : report(served.error());
  }
  const Result<SolveResult> result = agent.solve();
  if (!result) return report(result.error());
  const Matrix parameters = all_parameters(input->own_problem, agent.own_parameters());
  const std::vector<LinkReport> links = agent.link_reports();
  const SiteRecord record{.federation = *federation,
                          .site = *site,
                          .digest = identity.digest,
                          .settings = *agreed,
                          .input = *input,
                          .parameters = parameters,
                          .result = *result,
                          .links = links,
                          .absences = agent.absences(),
                          .inexact = agent.is_inexact(),
                          .policy = policy_name(settings.policy),
                          .privacy = *privacy ? std::optional((*privacy)->record()) : std::nullopt};
  WritingGuard writing;
  const Status written =
      write_result_directory(settings.out, replace, site_files(record), kResultMarker, writing.stop());
  if (!written) return report(written.error());
  const int exit_code = result->status == SolveStatus::kSolved && !record.inexact ? kSolved : kLimit;
  if (const Status finished = agent.finish(exit_code); !finished) return report(finished.error());
  fmt::print("{}", settings.json ? site_summary(record) : site_report(record, settings.out));
  return exit_code;
}

#else

int run_agent(const AgentSettings& /*settings*/) { return report(built_without_federations()); }

#endif

}  // namespace

void add_agent_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("agent", "Train the models of one site of a federation; its data stay at the site");
  const auto settings = std::make_shared<AgentSettings>();
  const auto options = std::make_shared<OptionSet>(declare_agent_options(*settings));
  const auto bound = std::make_shared<CommandOptions>(*options);
  command->add_option("FEDERATION.toml", settings->federation, "Federation file, identical at every site")->required();
  bound->bind(*command);
  command->callback([&action, settings, options, bound] {
    action = [settings, options, bound] {
      if (const Status applied = bound->apply(); !applied) return report(applied.error());
      if (const Status checked = check_agent_options(*options, *settings); !checked) return report(checked.error());
      return run_agent(*settings);
    };
  });
}

}  // namespace gtvmin::app
