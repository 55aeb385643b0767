#pragma once

#include <string>

#include "gtvmin/options/option_set.h"

namespace gtvmin::app {

/// What the commands `gtvmin federation …` can be told; the values here are the defaults.
struct InitSettings {
  std::string topology;  ///< the first argument
  std::string out;
  bool force = false;
};
struct AuthoritySettings {
  std::string federation;
  std::string out;
  int days = 3650;
};
struct CertificateSettings {
  std::string federation;
  std::string site;
  std::string out;
};
struct SignSettings {
  std::string federation;
  std::string authority;
  std::string request;
  std::string out;
  bool force = false;
  int days = 365;
};

struct DemoSettings {
  std::string data;
  std::string out;
};

// The one place where these options are declared. `settings` must outlive the set.
[[nodiscard]] OptionSet declare_init_options(InitSettings& settings);
[[nodiscard]] OptionSet declare_authority_options(AuthoritySettings& settings);
[[nodiscard]] OptionSet declare_certificate_options(CertificateSettings& settings);
[[nodiscard]] OptionSet declare_sign_options(SignSettings& settings);
[[nodiscard]] OptionSet declare_demo_options(DemoSettings& settings);

}  // namespace gtvmin::app
