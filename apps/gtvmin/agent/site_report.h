#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../federation/federation_settings.h"
#include "gtvmin/io/result_directory.h"
#include "gtvmin/runtime/site_exchange.h"
#include "gtvmin/runtime/site_links.h"
#include "gtvmin/solver/solver.h"
#include "site_input.h"
#include "site_privacy.h"

namespace gtvmin::app {

/// All that is to be told about the run of one site.
struct SiteRecord {
  const Federation& federation;
  SiteId site = 0;
  std::string digest;
  const FederationSettings& settings;
  const SiteInput& input;
  const Matrix& parameters;  ///< all parameters of the site's own nodes
  const SolveResult& result;
  const std::vector<LinkReport>& links;
  const std::vector<SiteExchange::Absence>& absences;  ///< one per link
  bool inexact = false;  ///< the run went on without some site: the result is not that of the whole federation
  std::string policy;
  std::optional<PrivacyRecord> privacy;  ///< where what was sent is noised
};

/// parameters.csv, trace.csv and summary.json of a site.
[[nodiscard]] NamedFiles site_files(const SiteRecord& record);
[[nodiscard]] std::string site_summary(const SiteRecord& record);
/// For people.
[[nodiscard]] std::string site_report(const SiteRecord& record, const std::string& out);

}  // namespace gtvmin::app
