#include "federation_options.h"

namespace gtvmin::app {
namespace {

constexpr double kMostDays = 7300;

void declare_federation(OptionSet& options, std::string& path) {
  options.path("federation", path, "Federation file, identical at every site")
      .required("the federation file, e.g. --federation federation.toml");
}

}  // namespace

OptionSet declare_init_options(InitSettings& settings) {
  OptionSet options;
  options.path("out", settings.out, "Federation file to write, for every site")
      .required("where the federation file goes, e.g. --out federation.toml");
  options.flag("force", settings.force, "Replace the file --out");
  return options;
}

OptionSet declare_authority_options(AuthoritySettings& settings) {
  OptionSet options;
  declare_federation(options, settings.federation);
  options.path("out", settings.out, "Directory for authority.key, which is secret, and authority.crt")
      .required("where the authority's key is kept, e.g. --out authority");
  options.integer("days", settings.days, Range::between(1, kMostDays), "Validity of the authority in days");
  return options;
}

OptionSet declare_certificate_options(CertificateSettings& settings) {
  OptionSet options;
  declare_federation(options, settings.federation);
  options.text("site", settings.site, "Name of the site").required("the name of this site in the federation file");
  options.path("out", settings.out, "Directory for SITE.key, which is secret and stays here, and SITE.csr")
      .required("where the key of this site is kept, e.g. --out keys");
  return options;
}

OptionSet declare_sign_options(SignSettings& settings) {
  OptionSet options;
  declare_federation(options, settings.federation);
  options.path("authority", settings.authority, "Directory with authority.key and authority.crt")
      .required("the directory that gtvmin federation authority wrote");
  options.path("request", settings.request, "Certificate request of a site, SITE.csr")
      .required("the request to be signed");
  options.path("out", settings.out, "Certificate to write, e.g. north.crt")
      .required("where the certificate goes, e.g. --out north.crt");
  options.flag("force", settings.force, "Replace the file --out");
  options.integer("days", settings.days, Range::between(1, kMostDays),
                  "Validity of the certificate in days; at most that of the authority");
  return options;
}

OptionSet declare_demo_options(DemoSettings& settings) {
  OptionSet options;
  options.path("data", settings.data, "CSV of the Sacramento house sales").required("e.g. --data data/sacramento.csv");
  options.path("out", settings.out, "Directory for all files of the founder and the sites; must not exist")
      .required("e.g. --out federation-demo");
  return options;
}

}  // namespace gtvmin::app
