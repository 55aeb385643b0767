#include "gtvmin/io/baseline_files.h"

#include <cmath>

#include "gtvmin/io/csv_writer.h"
#include "summary_fields.h"

namespace gtvmin {
namespace {

SummaryJson tuning_json(const BaselineResult& result) {
  SummaryJson settings = SummaryJson::array();
  for (const TuningRow& row : result.tuning) {
    SummaryJson entry;
    for (const auto& [name, value] : row.values) entry[name] = value;
    entry["score"] = std::isfinite(row.score) ? SummaryJson(row.score) : SummaryJson();
    entry["chosen"] = row.chosen;
    settings.push_back(std::move(entry));
  }
  return {{"by", result.tuned_by}, {"tried", std::move(settings)}};
}

}  // namespace

std::string_view status_of(const BaselineResult& result) {
  if (result.interrupted) return "interrupted";
  return result.diverged ? "diverged" : "finished";
}

std::string rounds_csv(const BaselineResult& result) {
  CsvWriter out({"round", "seconds", "loss", "objective"});
  for (const RoundRecord& record : result.trace) {
    out.integer(record.round).number(record.seconds).number(record.loss).number(record.objective).end_row();
  }
  return out.take();
}

std::string tuning_csv(const BaselineResult& result) {
  CsvWriter out;
  for (const auto& [name, value] : result.tuning.front().values) out.text(name);
  out.text("score").text("chosen").end_row();
  for (const TuningRow& row : result.tuning) {
    for (const auto& [name, value] : row.values) out.number(value);
    out.number(row.score).text(row.chosen ? "true" : "false").end_row();
  }
  return out.take();
}

std::string baseline_json(const BaselineRecord& run) {
  SummaryJson json;
  json["status"] = status_of(run.result);
  json["objective"] = objective(run.trained.problem, run.result.w);
  json["loss"] = total_loss(run.trained.problem, run.result.w);
  json["gtv"] = total_variation(run.trained.problem, run.result.w);
  json["rounds"] = run.result.rounds;
  json["seconds"] = run.seconds;
  if (run.result.certificate) json["certificate"] = certificate_json(*run.result.certificate);
  if (!run.result.tuning.empty()) json["tuning"] = tuning_json(run.result);
  json["notes"] = run.result.notes;
  add_trained_models(run.trained, run.trained.warnings, json);
  return to_text(json);
}

std::vector<std::pair<std::string, std::string>> baseline_files(const BaselineRecord& run) {
  std::vector<std::pair<std::string, std::string>> files = {{"parameters.csv", parameters_csv(run.trained)},
                                                            {"clusters.csv", clusters_csv(run.trained)},
                                                            {"trace.csv", rounds_csv(run.result)},
                                                            {"summary.json", baseline_json(run)}};
  if (!run.result.tuning.empty()) files.emplace_back("tuning.csv", tuning_csv(run.result));
  return files;
}

}  // namespace gtvmin
