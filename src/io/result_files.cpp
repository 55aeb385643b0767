#include "gtvmin/io/result_files.h"

#include "gtvmin/io/csv_writer.h"

namespace gtvmin {
namespace {

double flow_norm(const Penalty& penalty, ConstVectorRef u) {
  const std::string name = penalty_name(penalty);
  if (name == "l1") {
    return u.lpNorm<Eigen::Infinity>();
  }
  if (name == "linf") {
    return u.lpNorm<1>();
  }
  return u.norm();
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
  CsvWriter out({"source", "target", "weight", "flow_norm", "saturated", "difference", "certificate"});
  const EmpiricalGraph& graph = run.trained.problem.graph();
  const bool norm = is_norm(run.trained.problem.penalty());
  for (EdgeId e = 0; e < graph.edges() && !poll(); ++e) {
    const double flow = flow_norm(run.trained.problem.penalty(), run.result.u.col(e));
    const bool saturated = norm && flow >= (1 - 1e-9) * run.trained.problem.kappa(e);
    const double difference = (run.result.w.col(graph.head(e)) - run.result.w.col(graph.tail(e))).norm();
    out.text(run.trained.dataset.node_names[static_cast<std::size_t>(graph.head(e))]);
    out.text(run.trained.dataset.node_names[static_cast<std::size_t>(graph.tail(e))]);
    out.number(graph.weight(e)).number(flow).text(saturated ? "true" : "false").number(difference);
    out.number(term(run.result.certificate.edge_terms, e)).end_row();
  }
  return out.take();
}

std::string nodes_csv(const RunRecord& run, const Stop& stop) {
  StopPoll poll(stop);
  CsvWriter out({"node", "samples", "loss", "certificate"});
  for (NodeId i = 0; i < run.trained.problem.nodes() && !poll(); ++i) {
    out.text(run.trained.dataset.node_names[static_cast<std::size_t>(i)]).integer(run.trained.dataset.samples_of(i));
    out.number(run.result.node_losses[i]).number(term(run.result.certificate.node_terms, i));
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
                                                            {"trace.csv", trace_csv(run, stop)},
                                                            {"summary.json", summary_json(run)}};
  if (stopped(stop)) return interrupted();
  return files;
}

}  // namespace gtvmin
