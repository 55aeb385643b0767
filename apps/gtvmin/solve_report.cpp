#include "solve_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "progress.h"
#include "wording.h"

namespace gtvmin::app {
namespace {

std::string status_text(SolveStatus status) {
  switch (status) {
    case SolveStatus::kSolved:
      return "solved";
    case SolveStatus::kIterationLimit:
      return "stopped at the iteration limit, before the tolerance was reached";
    case SolveStatus::kTimeLimit:
      return "stopped at the time limit, before the tolerance was reached";
    case SolveStatus::kEstimated:
      return "stopped with an estimated gap within the tolerance; no bound can be proved for this loss";
    case SolveStatus::kCompleted:
      return "completed the iterations that were asked for";
    case SolveStatus::kSmallDecrease:
      return "stopped because the objective hardly fell any more";
    case SolveStatus::kInterrupted:
      return "interrupted; these are the results so far";
  }
  return {};
}

std::string network_text(const NamedCounts& network) {
  std::string text;
  for (const auto& [name, number] : network) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", number, name);
  return text;
}

/// The number of clusters, and what is proved about it.
std::string clusters_text(const SolveResult& result) {
  if (!result.clusters_exact) return fmt::format("{} (estimated)", result.clusters.groups);
  if (result.fewest_clusters == result.most_clusters) return fmt::format("{}, proved", result.clusters.groups);
  const auto decided = std::count_if(result.edge_status.begin(), result.edge_status.end(),
                                     [](EdgeStatus status) { return status != EdgeStatus::kUndecided; });
  return fmt::format("{}; {} of {} edges are proved to be fused or separate", result.clusters.groups, decided,
                     result.edge_status.size());
}

}  // namespace

std::string notes_text(const TrainedModels& trained, const std::vector<std::string>& warnings) {
  std::string text;
  if (trained.standardization) {
    text += "  units        parameters are those of the standardised features; summary.json has means and scales\n";
  }
  return text + warnings_text(warnings, "summary.json");
}

std::string certificate_text(const Certificate& certificate) {
  switch (certificate.kind) {
    case Certificate::Kind::kGap:
      return fmt::format("certified within {:.1e} (relative) of the optimum — duality gap", certificate.relative);
    case Certificate::Kind::kNoneCollinear:
      return fmt::format("no bound: collinear or missing features leave parameters undetermined; estimated gap {:.1e}",
                         certificate.relative);
    case Certificate::Kind::kNoneUnbounded:
      return fmt::format("no bound: no optimum can be located (separable classes? --ridge helps); estimated gap {:.1e}",
                         certificate.relative);
    case Certificate::Kind::kNoneUnknownLoss:
      return fmt::format("no bound for this loss; estimated gap {:.1e}", certificate.relative);
    case Certificate::Kind::kNoneUnfinished:
      return "no bound: the run ended before one was found";
    case Certificate::Kind::kNoneNonconvex:
      return fmt::format("not convex, hence no certificate; norm of the optimality residual {:.1e}", certificate.value);
  }
  return {};
}

std::string solve_report(const RunRecord& run, const std::string& directory) {
  const SolveResult& result = run.result;
  const bool trained = result.certificate.kind == Certificate::Kind::kNoneNonconvex;
  std::string text = trained && result.status == SolveStatus::kIterationLimit
                         ? "completed the iterations that were asked for\n"
                         : status_text(result.status) + "\n";
  text += fmt::format("  certificate  {}\n", certificate_text(result.certificate));
  text += fmt::format("  objective    {:.10g} = loss {:.6g} + {:g} · total variation {:.6g}\n", result.objective,
                      result.loss, run.trained.problem.lambda(), result.gtv);
  text += fmt::format("  problem      {}, {}, dimension {}\n", count(run.trained.problem.nodes(), "node"),
                      count(run.trained.problem.edges(), "edge"), run.trained.problem.dimension());
  text += fmt::format("  clusters     {}\n", clusters_text(result));
  text += fmt::format("  effort       {}, {}, {}\n", count(result.iterations, "iteration"),
                      count(result.newton_steps, "Newton step"), duration_text(result.seconds));
  if (!run.network.empty()) text += fmt::format("  network      {}\n", network_text(run.network));
  text += fmt::format("  results      {}\n", directory);
  return text + notes_text(run.trained, warning_texts(run));
}

std::vector<std::string> input_warnings(const Dataset& dataset, const EmpiricalGraph& graph,
                                        const std::optional<Standardization>& standardization,
                                        std::string_view untrained) {
  std::vector<std::string> warnings;
  if (standardization) {
    for (const std::string& name : standardization->constant_features) {
      warnings.push_back(fmt::format("feature '{}' is constant; standardised, it is 0 everywhere", name));
    }
  }
  const Partition components = connected_groups(graph);
  std::vector<Index> samples(components.groups, 0);
  std::vector<std::vector<NodeId>> members(components.groups);
  for (NodeId i = 0; i < graph.nodes(); ++i) {
    samples[components.group_of[i]] += dataset.samples_of(i);
    members[components.group_of[i]].push_back(i);
  }
  for (NodeId component = 0; component < components.groups; ++component) {
    if (samples[component] > 0) {
      continue;
    }
    constexpr std::size_t kNamed = 3;
    std::string names;
    for (std::size_t k = 0; k < std::min(kNamed, members[component].size()); ++k) {
      names += fmt::format("{}'{}'", k > 0 ? ", " : "", dataset.node_names[members[component][k]]);
    }
    if (members[component].size() > kNamed) {
      names += fmt::format(" and {} more", members[component].size() - kNamed);
    }
    warnings.push_back(fmt::format("no node with data is connected to {}; parameters there are {}", names, untrained));
  }
  return warnings;
}

Error in_file(const std::string& path, Error error) {
  if (error.kind != Error::Kind::kBadInput) {
    return error;
  }
  for (std::string& message : error.messages) {
    message = path + ": " + message;
  }
  return error;
}

}  // namespace gtvmin::app
