#include "agent_options.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "gtvmin/federation/federation.h"

namespace gtvmin::app {
namespace {

const std::vector<std::pair<std::string, AbsencePolicy>>& policies() {
  static const std::vector<std::pair<std::string, AbsencePolicy>> names = {
      {"wait", AbsencePolicy::kWait}, {"freeze", AbsencePolicy::kFreeze}, {"drop", AbsencePolicy::kDrop}};
  return names;
}

void declare_credentials(OptionSet& options, CredentialSettings& settings) {
  options.group("Credentials");
  options.path("certificate", settings.certificate, "The certificate of this site, in PEM form, signed by --authority")
      .required("the certificate of this site, e.g. --certificate site.crt")
      .unless("insecure-loopback");
  options.path("key", settings.key, "The secret key of --certificate, in PEM form")
      .required("the secret key of this site, e.g. --key site.key")
      .unless("insecure-loopback");
  options.path("authority", settings.authority, "The certificate of the federation's authority, in PEM form")
      .required("the certificate of the federation's authority, e.g. --authority authority.crt")
      .unless("insecure-loopback");
  options.flag("insecure-loopback", settings.insecure_loopback,
               "Plain text without certificates, for trials; only between loopback addresses");
}

void declare_privacy(OptionSet& options, PrivacySettings& settings) {
  options.group("Privacy");
  options.real(
      "privacy-epsilon", settings.epsilon, Range::at_least(0),
      "Add noise to what is sent, so that all of it together is (ε, δ)-differentially private, in this run and "
      "all others with the same --privacy-ledger; 0: no noise. Only in a federation with sums = false");
  options.real("privacy-delta", settings.delta, {.low = 0, .high = 1, .high_open = true}, "δ of --privacy-epsilon");
  options.real("privacy-clip", settings.clip, Range::between(0, 1e100),
               "C: parameters of a node that are longer are shortened to it before noise is added. Must not be chosen "
               "by looking at the data");
  options.real("privacy-noise", settings.noise, Range::between(0, 1e100),
               "σ: the noise of every number has the standard deviation σC; 0: the least that the budget allows for "
               "the whole run");
  options.path("privacy-ledger", settings.ledger,
               "The file that keeps what has been spent, and the secret key of the noise; made if it is not there");
}

}  // namespace

std::string policy_name(AbsencePolicy policy) {
  for (const auto& [name, value] : policies()) {
    if (value == policy) return name;
  }
  return {};
}

OptionSet declare_agent_options(AgentSettings& s) {
  OptionSet options;
  options.group("Site");
  options.text("site", s.site, "The site that this is").required("the name of this site in the federation file");
  options.path("data", s.data, "CSV with one row per sample of this site's nodes")
      .required("the samples of this site, e.g. --data data.csv");
  options.path("out", s.out, "Directory for the results of this site's nodes; written whole or not at all")
      .required("where the results go, e.g. --out results");
  options.flag("force", s.force, "Replace the results of an earlier run in --out");
  options.text("listen", s.listen,
               "host:port to listen on, if it is not the address in the federation file, e.g. behind a router");
  options.integer("threads", s.threads, Range::between(0, 1024), "Number of threads; 0: as many as the machine has");
  declare_credentials(options, s.credentials);
  options.group("Interruptions");
  options.path("checkpoint", s.checkpoint,
               "Directory for checkpoints, from which the same command goes on after a crash. Without it a site that "
               "went down cannot come back into the run");
  options
      .integer("checkpoint-every", s.checkpoint_every, Range::between(1, 1'000'000),
               "Iterations between two checkpoints; neighbours keep what they sent in between. With noise there is "
               "one after every iteration")
      .needs("checkpoint");
  options.real("keep", s.keep, Range::between(1e-6, 1e6),
               "Megabytes of messages that this site keeps for a neighbour until that has saved; then it waits for it, "
               "so that no neighbour can fill the memory of this site");
  options.choice<AbsencePolicy>("policy", s.policy, policies(),
                                "What to do about a neighbour that is away: wait for it, which keeps the result exact; "
                                "after --patience freeze its last parameters; or drop the edges to it. The last two "
                                "are for good, and the result says so");
  options.real("patience", s.patience, Range::at_least(0),
               "Seconds that a neighbour may be away with --policy freeze or drop");
  options.real("linger", s.linger, Range::at_least(0),
               "Seconds that a site with its results written waits for neighbours that may still need its messages");
  declare_privacy(options, s.privacy);
  options.group("Output");
  options.flag("json", s.json, "Print summary.json to stdout, and nothing else");
  return options;
}

Status check_agent_options(OptionSet& options, const AgentSettings& s) {
  if (options.find("patience")->given && s.policy == AbsencePolicy::kWait) {
    return usage_error("--patience: --policy wait has no end; it is for --policy freeze and drop");
  }
  if (!s.listen.empty() && !is_address(s.listen)) {
    return usage_error(
        fmt::format("--listen: '{}' is no address: host:port, e.g. 0.0.0.0:7443 or [::]:7443", s.listen));
  }
  return Unit{};
}

OptionSet declare_status_options(StatusSettings& s) {
  OptionSet options;
  options.path("federation", s.federation, "The federation file, the same at every site")
      .required("the federation file, e.g. --federation federation.toml");
  options.text("site", s.site, "The site to ask").required("the name of the site to ask");
  options.real("timeout", s.timeout, Range::above(0), "Seconds to wait for the answer");
  declare_credentials(options, s.credentials);
  options.group("Output");
  options.flag("json", s.json, "Print the answer as JSON");
  return options;
}

}  // namespace gtvmin::app
