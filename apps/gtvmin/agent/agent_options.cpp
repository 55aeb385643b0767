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
  options.path("certificate", settings.certificate, "Certificate of this site (PEM), signed by --authority")
      .required("the certificate of this site, e.g. --certificate site.crt")
      .unless("insecure-loopback");
  options.path("key", settings.key, "Private key of --certificate (PEM)")
      .required("the secret key of this site, e.g. --key site.key")
      .unless("insecure-loopback");
  options.path("authority", settings.authority, "Certificate of the federation's authority (PEM)")
      .required("the certificate of the federation's authority, e.g. --authority authority.crt")
      .unless("insecure-loopback");
  options.flag("insecure-loopback", settings.insecure_loopback,
               "No encryption and no certificates; loopback addresses only, for testing");
}

void declare_privacy(OptionSet& options, PrivacySettings& settings) {
  options.group("Privacy");
  options.real("privacy-epsilon", settings.epsilon, Range::at_least(0),
               "ε of the differential privacy of everything sent, over all runs with the same --privacy-ledger: "
               "Gaussian noise is added to sent parameters. 0: no noise. Needs a federation with sums = false");
  options.real("privacy-delta", settings.delta, {.low = 0, .high = 1, .high_open = true},
               "δ of the differential privacy; needed with --privacy-epsilon");
  options.real("privacy-clip", settings.clip, Range::between(0, 1e100),
               "Clipping norm C: parameter vectors are scaled to norm at most C before noise is added. Must not depend "
               "on the data");
  options.real("privacy-noise", settings.noise, Range::between(0, 1e100),
               "Noise multiplier σ: the noise of every coordinate has standard deviation σC; 0: the smallest σ with "
               "which the run fits the budget");
  options.path("privacy-ledger", settings.ledger,
               "File that records the privacy budget spent and holds the secret key of the noise; created if missing");
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
  options.text("site", s.site, "Name of this site in the federation file")
      .required("the name of this site in the federation file");
  options.path("data", s.data, "CSV with one row per sample of this site's nodes")
      .required("the samples of this site, e.g. --data data.csv");
  options.path("out", s.out, "Directory for the results of this site's nodes; written atomically")
      .required("where the results go, e.g. --out results");
  options.flag("force", s.force, "Replace the results of an earlier run in --out");
  options.text("listen", s.listen,
               "host:port to listen on, if different from the address in the federation file, e.g. behind a router");
  options.integer("threads", s.threads, Range::between(0, 1024), "Number of threads; 0: one per processor");
  declare_credentials(options, s.credentials);
  options.group("Interruptions");
  options.path("checkpoint", s.checkpoint,
               "Directory for checkpoints; the same command resumes from it after a crash. Without it, a site that "
               "crashed cannot rejoin the run");
  options
      .integer("checkpoint-every", s.checkpoint_every, Range::between(1, 1'000'000),
               "Iterations between checkpoints; neighbours keep the messages sent in between. With noise, every "
               "iteration ends with a checkpoint")
      .needs("checkpoint");
  options.real("keep", s.keep, Range::between(1e-6, 1e6),
               "Limit in megabytes of the messages kept for one neighbour. At the limit this site waits until the "
               "neighbour has saved a checkpoint");
  options.choice<AbsencePolicy>("policy", s.policy, policies(),
                                "Reaction to an absent neighbour. wait: no time limit, the result stays exact; freeze: "
                                "after --patience, use its last parameters; drop: after --patience, remove the edges "
                                "to it. freeze and drop are permanent and are stated in the result");
  options.real("patience", s.patience, Range::at_least(0),
               "Seconds without contact after which --policy freeze or drop applies");
  options.real("linger", s.linger, Range::at_least(0),
               "Seconds for which a finished site keeps serving neighbours that may still need its messages");
  declare_privacy(options, s.privacy);
  options.group("Output");
  options.flag("json", s.json, "Print summary.json to stdout and nothing else");
  return options;
}

Status check_agent_options(OptionSet& options, const AgentSettings& s) {
  if (options.find("patience")->given && s.policy == AbsencePolicy::kWait) {
    return usage_error("--patience needs --policy freeze or drop; --policy wait has no time limit");
  }
  if (!s.listen.empty() && !is_address(s.listen)) {
    return usage_error(
        fmt::format("--listen: '{}' is not an address: expected host:port, e.g. 0.0.0.0:7443 or [::]:7443", s.listen));
  }
  return Unit{};
}

OptionSet declare_status_options(StatusSettings& s) {
  OptionSet options;
  options.path("federation", s.federation, "Federation file, identical at every site")
      .required("the federation file, e.g. --federation federation.toml");
  options.text("site", s.site, "Site to query").required("the name of the site to query");
  options.real("timeout", s.timeout, Range::above(0), "Seconds to wait for the answer");
  declare_credentials(options, s.credentials);
  options.group("Output");
  options.flag("json", s.json, "Print the answer as JSON");
  return options;
}

}  // namespace gtvmin::app
