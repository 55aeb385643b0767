#include "site_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gtvmin/io/result_files.h"

namespace gtvmin::app {
namespace {

using Json = nlohmann::ordered_json;

RunRecord run_record(const SiteRecord& record, const Partition& clusters) {
  FederationSettings settings = record.settings;
  return {.trained = {.dataset = record.input.own_dataset,
                      .model_name = settings.solve.model.name,
                      .model = *record.input.model,
                      .problem = record.input.own_problem,
                      .parameters = record.parameters,
                      .clusters = clusters,
                      .method = method_name(settings.solve.solver.method),
                      .seed = settings.solve.seed,
                      .options_json = to_json(declare_federation_settings(settings)),
                      .standardization = std::nullopt,
                      .warnings = {}},
          .result = record.result};
}

Json link_json(const LinkReport& link) {
  return {{"site", link.site},
          {"bytes_sent", link.bytes_sent},
          {"bytes_received", link.bytes_received},
          {"messages_sent", link.messages_sent},
          {"messages_received", link.messages_received},
          {"retransmissions", link.retransmissions},
          {"connections", link.connections},
          {"refusals", link.refusals},
          {"repeats", link.repeats},
          {"waits", link.waits},
          {"waited_seconds", link.waited_seconds}};
}

Json privacy_json(const PrivacyRecord& privacy) {
  return {{"epsilon", privacy.epsilon}, {"delta", privacy.delta},      {"clip", privacy.clip},
          {"noise", privacy.noise},     {"releases", privacy.vectors}, {"spent_epsilon", privacy.spent},
          {"ledger", privacy.ledger}};
}

std::string objective_text(const SiteRecord& record) {
  const SolveResult& result = record.result;
  if (!record.federation.sums) {
    return fmt::format("no certificate, because sites send no sums; objective of this site alone {:.10g}",
                       result.objective);
  }
  if (record.inexact) {
    return fmt::format("no certificate, because sites are absent; objective of the remaining sites {:.10g}",
                       result.objective);
  }
  return fmt::format("objective of all sites {:.10g}, certificate {} {:.3g} (relative {:.2g})", result.objective,
                     to_string(result.certificate.kind), result.certificate.value, result.certificate.relative);
}

std::string privacy_text(const PrivacyRecord& privacy) {
  return fmt::format(
      "Noise {:g} on parameters of norm at most {:g}, in {} vectors; epsilon {:.6g} of {:g} at delta {:g} is spent, by "
      "{}.\n",
      privacy.noise, privacy.clip, privacy.vectors, privacy.spent, privacy.epsilon, privacy.delta, privacy.ledger);
}

}  // namespace

std::string site_summary(const SiteRecord& record) {
  const Partition none;
  Json json = Json::parse(summary_json(run_record(record, none)));
  json.erase("clusters");  // no site sees enough of the graph for that
  json["site"] = record.federation.sites[record.site].name;
  json["federation"] = {{"name", record.federation.name},     {"digest", record.digest},
                        {"sums", record.federation.sums},     {"sites", record.federation.sites.size()},
                        {"nodes", record.federation.nodes()}, {"edges", record.federation.edges.size()}};
  if (!record.federation.sums) json["certificate"] = {{"kind", "none-without-sums"}};
  if (record.privacy) json["privacy"] = privacy_json(*record.privacy);
  json["policy"] = record.policy;
  json["neighbours"] = Json::array();
  for (std::size_t k = 0; k < record.links.size(); ++k) {
    Json link = link_json(record.links[k]);
    if (record.absences[k].since > 0) link["absent_since_iteration"] = record.absences[k].since;
    json["neighbours"].push_back(std::move(link));
  }
  if (record.inexact) {
    json["status"] = "inexact";
    json["certificate"] = {{"kind", "none-inexact"}};
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

NamedFiles site_files(const SiteRecord& record) {
  const Partition none;
  const RunRecord run = run_record(record, none);
  return {{"parameters.csv", parameters_csv(run.trained)},
          {"trace.csv", trace_csv(run)},
          {"summary.json", site_summary(record)}};
}

std::string site_report(const SiteRecord& record, const std::string& out) {
  std::int64_t sent = 0;
  std::int64_t received = 0;
  for (const LinkReport& link : record.links) {
    sent += link.bytes_sent;
    received += link.bytes_received;
  }
  return fmt::format(
      "Site {} of federation {}: {} after {} iterations; {}.\nSent {} bytes, received {}. The parameters of its nodes "
      "({}) are in {}.\n{}",
      record.federation.sites[record.site].name, record.federation.name,
      record.inexact ? "inexact" : to_string(record.result.status), record.result.iterations, objective_text(record),
      sent, received, record.federation.sites[record.site].nodes.size(), out,
      record.privacy ? privacy_text(*record.privacy) : std::string());
}

}  // namespace gtvmin::app
