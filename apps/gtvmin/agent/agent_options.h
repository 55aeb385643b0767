#pragma once

#include <cstdint>
#include <string>

#include "gtvmin/options/option_set.h"

namespace gtvmin::app {

/// How a site shows who it is; for all commands that talk to sites.
struct CredentialSettings {
  std::string authority;
  std::string certificate;
  std::string key;
  bool insecure_loopback = false;
};

/// What a site does about a neighbour that is away.
enum class AbsencePolicy {
  kWait,    ///< for as long as it takes
  kFreeze,  ///< after a while its last parameters stand in
  kDrop     ///< after a while the edges to it are removed
};
[[nodiscard]] std::string policy_name(AbsencePolicy policy);

/// Noise on what a site sends; 0 and empty: not given.
struct PrivacySettings {
  double epsilon = 0;
  double delta = 0;
  double clip = 0;
  double noise = 0;
  std::string ledger;
};

/// All that `gtvmin agent` can be told; the values here are the defaults.
struct AgentSettings {
  std::string federation;  ///< the first argument
  std::string site;
  std::string data;
  std::string out;
  bool force = false;
  CredentialSettings credentials;
  std::string listen;
  std::string checkpoint;
  std::int64_t checkpoint_every = 100;
  double keep = 1024;  ///< megabytes
  AbsencePolicy policy = AbsencePolicy::kWait;
  double patience = 60;
  PrivacySettings privacy;
  int threads = 0;
  double linger = 30;
  bool json = false;
};

struct StatusSettings {
  std::string federation;
  std::string site;
  CredentialSettings credentials;
  double timeout = 5;
  bool json = false;
};

// The one place where these options are declared. `settings` must outlive the set.
[[nodiscard]] OptionSet declare_agent_options(AgentSettings& settings);
/// What no option alone can say: what is given must have an effect, and an address be one.
[[nodiscard]] Status check_agent_options(OptionSet& options, const AgentSettings& settings);
[[nodiscard]] OptionSet declare_status_options(StatusSettings& settings);

}  // namespace gtvmin::app
