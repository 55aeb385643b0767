#include "gtvmin/io/result_files.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <type_traits>
#include <utility>
#include <variant>

#include "gtvmin/io/csv_writer.h"

namespace gtvmin {
namespace {

/// ‖u‖_* of a norm penalty, the Euclidean norm for any other.
double flow_norm(const Penalty& penalty, const Vector& u) {
  return std::visit(
      [&](const auto& p) {
        if constexpr (std::decay_t<decltype(p)>::kIsNorm)
          return p.dual_norm(u.data(), u.size());
        else
          return u.norm();
      },
      penalty);
}

// A certificate that is no bound need not have terms.
double term(const Vector& terms, Index i) { return i < terms.size() ? terms(i) : 0.0; }

}  // namespace

std::vector<std::string> warning_texts(const RunRecord& run) {
  std::vector<std::string> texts = run.trained.warnings;
  for (const NodeWarning& warning : run.result.warnings) {
    texts.push_back("node '" + run.trained.dataset.node_names[static_cast<std::size_t>(warning.node)] +
                    "': " + warning.text);
  }
  return texts;
}

std::string edges_csv(const RunRecord& run, const Stop& stop) {
  StopPoll poll(stop);
  CsvWriter out({"source", "target", "weight", "flow_norm", "utilisation", "difference", "status", "certificate"});
  const EmpiricalGraph& graph = run.trained.problem.graph();
  const bool norm = is_norm(run.trained.problem.penalty());
  for (EdgeId e = 0; e < graph.edges() && !poll(); ++e) {
    const double flow = flow_norm(run.trained.problem.penalty(), run.result.u.col(e));
    const double kappa = run.trained.problem.kappa(e);
    const auto at = static_cast<std::size_t>(e);
    const EdgeStatus status = at < run.result.edge_status.size() ? run.result.edge_status[at] : EdgeStatus::kUndecided;
    const double difference = (run.result.w.col(graph.head(e)) - run.result.w.col(graph.tail(e))).norm();
    out.text(run.trained.dataset.node_names[static_cast<std::size_t>(graph.head(e))]);
    out.text(run.trained.dataset.node_names[static_cast<std::size_t>(graph.tail(e))]);
    out.number(graph.weight(e)).number(flow).number(norm && kappa > 0 ? flow / kappa : 0).number(difference);
    out.text(std::string(to_string(status)));
    out.number(term(run.result.certificate.edge_terms, e)).end_row();
  }
  return out.take();
}

std::string flows_csv(const RunRecord& run, const Stop& stop) {
  StopPoll poll(stop);
  CsvWriter out;
  out.text("source").text("target");
  const Index d = run.result.u.rows();
  const std::vector<std::string> names = run.trained.model.parameter_names();
  const bool all = static_cast<Index>(names.size()) == d;
  for (Index j = 0; j < d; ++j) out.text(all ? names[static_cast<std::size_t>(j)] : "flow" + std::to_string(j + 1));
  out.end_row();
  const EmpiricalGraph& graph = run.trained.problem.graph();
  for (EdgeId e = 0; e < graph.edges() && !poll(); ++e) {
    out.text(run.trained.dataset.node_names[static_cast<std::size_t>(graph.head(e))]);
    out.text(run.trained.dataset.node_names[static_cast<std::size_t>(graph.tail(e))]);
    for (Index j = 0; j < d; ++j) out.number(run.result.u(j, e));
    out.end_row();
  }
  return out.take();
}

std::string clustergraph_csv(const RunRecord& run, const Stop& stop) {
  StopPoll poll(stop);
  struct Boundary {
    Index edges = 0;
    double weight = 0;
    Vector flow;
  };
  const EmpiricalGraph& graph = run.trained.problem.graph();
  const Partition& clusters = run.result.clusters;
  const Index d = run.result.u.rows();
  std::vector<Index> sizes(clusters.groups, 0);
  std::vector<double> losses(clusters.groups, 0);
  std::vector<double> weights(clusters.groups, 0);
  for (NodeId i = 0; i < graph.nodes(); ++i) {
    ++sizes[clusters.group_of[i]];
    losses[clusters.group_of[i]] += run.result.node_losses[i];
  }
  std::map<std::pair<NodeId, NodeId>, Boundary> pairs;
  for (EdgeId e = 0; e < graph.edges() && !poll(); ++e) {
    const NodeId a = clusters.group_of[graph.head(e)];
    const NodeId b = clusters.group_of[graph.tail(e)];
    if (a == b) continue;
    Boundary& boundary = pairs[std::minmax(a, b)];
    if (boundary.edges++ == 0) boundary.flow = Vector::Zero(d);
    boundary.weight += graph.weight(e);
    boundary.flow += (a < b ? 1 : -1) * run.result.u.col(e);
    weights[a] += graph.weight(e);
    weights[b] += graph.weight(e);
  }
  CsvWriter out({"cluster", "neighbour", "size", "loss", "edges", "weight", "flow_norm"});
  for (NodeId c = 0; c < clusters.groups && !poll(); ++c) {
    out.integer(c).text("").integer(sizes[c]).number(losses[c]).text("").number(weights[c]).text("").end_row();
  }
  for (const auto& [ends, boundary] : pairs) {
    out.integer(ends.first).integer(ends.second).text("").text("").integer(boundary.edges);
    out.number(boundary.weight).number(flow_norm(run.trained.problem.penalty(), boundary.flow)).end_row();
  }
  return out.take();
}

std::string nodes_csv(const RunRecord& run, const Stop& stop) {
  StopPoll poll(stop);
  CsvWriter out({"node", "samples", "loss", "certificate", "influence"});
  for (NodeId i = 0; i < run.trained.problem.nodes() && !poll(); ++i) {
    out.text(run.trained.dataset.node_names[static_cast<std::size_t>(i)]).integer(run.trained.dataset.samples_of(i));
    out.number(run.result.node_losses[i]).number(term(run.result.certificate.node_terms, i));
    const bool bounded = i < run.influence.size() && !std::isnan(run.influence[i]);
    bounded ? out.number(run.influence[i]) : out.text("");
    out.end_row();
  }
  return out.take();
}

std::string trace_csv(const RunRecord& run, const Stop& stop) {
  StopPoll poll(stop);
  CsvWriter out({"iteration", "seconds", "objective", "loss", "gtv", "certificate", "relative", "primal_weight",
                 "restarts", "newton_steps"});
  for (const IterationRecord& record : run.result.trace) {
    if (poll()) break;
    out.integer(record.iteration).number(record.seconds).number(record.objective).number(record.loss);
    out.number(record.gtv).number(record.certificate).number(record.relative).number(record.primal_weight);
    out.integer(record.restarts).integer(record.newton_steps).end_row();
  }
  return out.take();
}

Result<std::vector<std::pair<std::string, std::string>>> result_files(const RunRecord& run, const Stop& stop) {
  const Matrix& parameters = run.trained.parameters;
  for (NodeId i = 0; i < parameters.cols(); ++i) {
    if (parameters.col(i).allFinite()) continue;
    return runtime_failure("the parameters of node '" + run.trained.dataset.node_names[static_cast<std::size_t>(i)] +
                           "' are not finite numbers; rescale features, labels or weights");
  }
  std::vector<std::pair<std::string, std::string>> files = {{"parameters.csv", parameters_csv(run.trained, stop)},
                                                            {"clusters.csv", clusters_csv(run.trained, stop)},
                                                            {"edges.csv", edges_csv(run, stop)},
                                                            {"nodes.csv", nodes_csv(run, stop)},
                                                            {"clustergraph.csv", clustergraph_csv(run, stop)},
                                                            {"trace.csv", trace_csv(run, stop)},
                                                            {"summary.json", summary_json(run)}};
  if (run.write_flows) files.emplace_back("flows.csv", flows_csv(run, stop));
  if (stopped(stop)) return interrupted();
  return files;
}

}  // namespace gtvmin
