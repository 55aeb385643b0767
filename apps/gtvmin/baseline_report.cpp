#include "baseline_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "progress.h"
#include "solve_report.h"
#include "wording.h"

namespace gtvmin::app {
namespace {

std::string tuning_text(const BaselineResult& result) {
  const auto chosen =
      std::find_if(result.tuning.begin(), result.tuning.end(), [](const TuningRow& row) { return row.chosen; });
  std::string values;
  for (const auto& [name, value] : chosen->values) values += fmt::format("{} {:.4g}, ", name, value);
  return fmt::format("{}the best of {} by {}", values,
                     count(static_cast<std::int64_t>(result.tuning.size()), "setting"), result.tuned_by);
}

}  // namespace

std::string baseline_report(const Baseline& baseline, const BaselineRecord& run, const std::string& directory) {
  const Problem& problem = run.trained.problem;
  const double loss = total_loss(problem, run.result.w);
  std::string text = fmt::format("{}: {}\n", baseline.name, status_of(run.result));
  if (run.result.certificate) text += fmt::format("  certificate  {}\n", certificate_text(*run.result.certificate));
  text += fmt::format("  loss         {:.10g}\n", loss);
  if (baseline.needs_lambda) {
    const double variation = total_variation(problem, run.result.w);
    text +=
        fmt::format("  objective    {:.10g} = loss + {:g} · total variation {:.6g} ({})\n",
                    loss + problem.lambda() * variation, problem.lambda(), variation, penalty_name(problem.penalty()));
  }
  text += fmt::format("  problem      {}, {}, dimension {}\n", count(problem.nodes(), "node"),
                      count(problem.edges(), "edge"), problem.dimension());
  text += fmt::format("  models       {} different\n", run.trained.clusters.groups);
  if (!run.result.tuning.empty()) text += fmt::format("  tuned        {}\n", tuning_text(run.result));
  const std::string rounds = run.result.rounds > 0 ? count(run.result.rounds, "round") + ", " : "";
  text += fmt::format("  effort       {}{}{}\n", rounds, duration_text(run.seconds),
                      run.result.tuning.empty() ? "" : " with tuning");
  text += fmt::format("  results      {}\n", directory);
  text += notes_text(run.trained, run.trained.warnings);
  for (const std::string& note : run.result.notes) text += fmt::format("note: {}\n", note);
  if (run.result.certificate) return text;
  return text + "This method computes no certificate; `gtvmin solve` does.\n";
}

}  // namespace gtvmin::app
