#include "gtvmin/runtime/cluster_solve.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "gtvmin/base/bytes.h"
#include "gtvmin/solver/shard_certificate.h"

namespace gtvmin {
namespace {

/// Columns of a matrix over all nodes or edges, those of one process.
struct Columns {
  std::vector<Index> ids;
  Matrix values;
};

void put(const Columns& columns, ByteWriter& out) {
  out.integer(static_cast<std::int64_t>(columns.ids.size()));
  for (const Index id : columns.ids) out.integer(id);
  out.matrix(columns.values);
}

/// Puts the columns into their places; false if there is no such place.
bool get_columns(ByteReader& in, Matrix& whole) {
  const std::int64_t count = in.integer();
  if (count < 0 || count > in.numbers_left()) return false;
  std::vector<Index> ids(static_cast<std::size_t>(count));
  for (Index& id : ids) {
    id = in.integer();
    if (id < 0 || id >= whole.cols()) return false;
  }
  const Matrix values = in.matrix();
  if (values.cols() != count || (count > 0 && values.rows() != whole.rows())) return false;
  for (std::size_t k = 0; k < ids.size(); ++k) whole.col(ids[k]) = values.col(static_cast<Index>(k));
  return in.ok();
}

/// The edges that this shard counts, because it owns their first end.
std::vector<Index> counted_edges(const Shard& shard) {
  std::vector<Index> edges;
  edges.reserve(shard.edge_ids.size());
  for (std::size_t k = 0; k + 1 < shard.runs.size(); ++k) {
    if (shard.runs[k].slot < 0) continue;
    for (EdgeId e = shard.runs[k].first; e < shard.runs[k + 1].first; ++e) edges.push_back(e);
  }
  return edges;
}

Columns node_columns(const Shard& shard, Matrix values) {
  return {{shard.nodes.begin(), shard.nodes.begin() + shard.owned()}, std::move(values)};
}

/// Columns of counted edges; `values` are those of all local edges.
Columns edge_columns(const Shard& shard, const Matrix& values) {
  const std::vector<Index> local = counted_edges(shard);
  Columns columns{{}, values(Eigen::all, local)};
  columns.ids.reserve(local.size());
  for (const Index e : local) columns.ids.push_back(shard.edge_ids[e]);
  return columns;
}

/// Flows of local edges in the directions of the graph.
Matrix flows(const Shard& shard, Matrix u) {
  for (Index e = 0; e < u.cols(); ++e) u.col(e) *= shard.signs[e];
  return u;
}

void put_state(std::span<const Shard> shards, ByteWriter& out) {
  for (const Shard& shard : shards) {
    put(node_columns(shard, shard.w.leftCols(shard.owned())), out);
    put(edge_columns(shard, flows(shard, shard.u)), out);
  }
}

void put_window(std::span<const Shard> shards, ByteWriter& out) {
  for (const Shard& shard : shards) {
    put(node_columns(shard, shard.w_window), out);
    put(edge_columns(shard, flows(shard, shard.u_window)), out);
  }
}

Error garbled() { return runtime_failure("protocol error: malformed message from another process"); }

/// What belongs to single nodes and edges, so far as this process knows it.
std::string local_results(const Problem& problem, std::span<const Shard> shards, const SolveResult& result) {
  ByteWriter out;
  put_state(shards, out);
  for (const Shard& shard : shards) {
    Matrix parameters(problem.loss(0).parameters(), shard.owned());
    Matrix losses(1, shard.owned());
    for (Index i = 0; i < shard.owned(); ++i) {
      const LocalLoss& loss = problem.loss(shard.nodes[i]);
      const Vector w = shard.w.col(i);
      Vector all(parameters.rows());
      loss.complete(w, all);
      parameters.col(i) = all;
      losses(0, i) = loss.value(w);
    }
    put(node_columns(shard, std::move(parameters)), out);
    put(node_columns(shard, std::move(losses)), out);
    const ShardTerms& terms = result.shard_terms[static_cast<std::size_t>(&shard - shards.data())];
    put(node_columns(shard, terms.nodes.transpose()), out);
    put(edge_columns(shard, terms.edges.transpose()), out);
  }
  out.integer(static_cast<std::int64_t>(result.warnings.size()));
  for (const NodeWarning& warning : result.warnings) {
    out.integer(warning.node);
    out.text(warning.text);
  }
  return out.take();
}

class ClusterRun {
 public:
  ClusterRun(Cluster& cluster, const Problem& problem, const Owners& owners, const Checkpointing& checkpointing)
      : cluster_(cluster), problem_(problem), checkpointing_(checkpointing), has_nodes_(cluster.size(), 0) {
    std::vector<NodeId> mine;
    for (NodeId i = 0; i < problem.nodes(); ++i) {
      has_nodes_[owners[i]] = 1;
      if (owners[i] == cluster.rank()) mine.push_back(i);
    }
    if (!mine.empty()) shards_.emplace_back(problem, std::move(mine));
    exchange_ = cluster.join(shards_, owners);
  }

  Result<SolveResult> run(const SolverOptions& options, SolveContext context) {
    if (const Status begun = restore(); !begun) return begun.error();
    if (resumed_) context.resume = &*resumed_;
    if (checkpointing_.every > 0) {
      context.save = [this](const SolverState& state, std::span<const Shard> /*shards*/) { return save(state); };
    }
    Result<SolveResult> result = solve(problem_, shards_, *exchange_, options, context);
    if (!result) return result;
    if (const Status complete = gather(*result); !complete) return complete.error();
    return result;
  }

 private:
  /// Everyone begins where rank 0 says.
  Status restore() {
    const Result<std::string> stored = cluster_.broadcast(checkpointing_.stored);
    if (!stored) return stored.error();
    if (stored->empty()) return Unit{};
    Result<Checkpoint> checkpoint = unpack_checkpoint(*stored);
    if (!checkpoint) return checkpoint.error();
    const Index d = problem_.dimension();
    const auto fits = [d](const Matrix& part, Index columns) { return part.rows() == d && part.cols() == columns; };
    if (checkpoint->problem != checkpointing_.problem || !fits(checkpoint->w, problem_.nodes()) ||
        !fits(checkpoint->u, problem_.edges()) || !fits(checkpoint->w_window, problem_.nodes()) ||
        !fits(checkpoint->u_window, problem_.edges())) {
      return bad_input("belongs to a run with other data or other options");
    }
    for (Shard& shard : shards_) {
      set_state(shard, checkpoint->w, checkpoint->u);
      set_window(shard, checkpoint->w_window, checkpoint->u_window);
    }
    resumed_ = std::move(checkpoint->state);
    return Unit{};
  }

  Status save(const SolverState& state) {
    if (state.progress.iteration % checkpointing_.every != 0) return Unit{};
    ByteWriter out;
    put_state(shards_, out);
    put_window(shards_, out);
    const auto parts = cluster_.gather(out.take());
    if (!parts) return parts.error();
    const Status stored = cluster_.rank() == 0 ? store(state, *parts) : Status(Unit{});
    // Nobody goes on if it failed.
    const Result<std::string> failure = cluster_.broadcast(stored ? "" : stored.error().messages.front());
    if (!failure) return failure.error();
    return failure->empty() ? Status(Unit{}) : Status(runtime_failure(*failure));
  }

  [[nodiscard]] Status store(const SolverState& state, const std::vector<std::string>& parts) const {
    const Matrix w(problem_.dimension(), problem_.nodes());
    const Matrix u(problem_.dimension(), problem_.edges());
    Checkpoint checkpoint{checkpointing_.problem, state, w, u, w, u};
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
      if (has_nodes_[rank] == 0) continue;
      ByteReader in(parts[rank]);
      for (Matrix* part : {&checkpoint.w, &checkpoint.u, &checkpoint.w_window, &checkpoint.u_window}) {
        if (!get_columns(in, *part)) return garbled();
      }
    }
    return checkpointing_.store(pack(checkpoint));
  }

  Status gather(SolveResult& result) {
    const auto parts = cluster_.gather(local_results(problem_, shards_, result));
    if (!parts) return parts.error();
    if (cluster_.rank() != 0) return Unit{};
    result.w = Matrix(problem_.dimension(), problem_.nodes());
    result.u = Matrix(problem_.dimension(), problem_.edges());
    result.parameters = Matrix(problem_.loss(0).parameters(), problem_.nodes());
    Matrix losses(1, problem_.nodes());
    Matrix node_terms(1, problem_.nodes());
    Matrix edge_terms(1, problem_.edges());
    result.warnings.clear();
    for (std::size_t rank = 0; rank < parts->size(); ++rank) {
      ByteReader in((*parts)[rank]);
      if (has_nodes_[rank] != 0) {
        for (Matrix* whole : {&result.w, &result.u, &result.parameters, &losses, &node_terms, &edge_terms}) {
          if (!get_columns(in, *whole)) return garbled();
        }
      }
      const std::int64_t warnings = in.integer();
      for (std::int64_t k = 0; k < warnings && in.ok(); ++k) {
        const auto node = static_cast<NodeId>(in.integer());
        result.warnings.push_back({node, std::string(in.text())});
      }
      if (!in.ok() || !in.at_end()) return garbled();
    }
    std::stable_sort(result.warnings.begin(), result.warnings.end(),
                     [](const NodeWarning& a, const NodeWarning& b) { return a.node < b.node; });
    result.node_losses = losses.row(0);
    result.certificate.node_terms = node_terms.row(0);
    result.certificate.edge_terms = edge_terms.row(0);
    result.clusters = estimated_clusters(problem_, result.u);
    result.edge_status.assign(problem_.edges(), EdgeStatus::kUndecided);
    result.fewest_clusters = connected_groups(problem_.graph()).groups;
    result.most_clusters = problem_.nodes();
    return Unit{};
  }

  Cluster& cluster_;
  const Problem& problem_;
  const Checkpointing& checkpointing_;
  std::vector<char> has_nodes_;  // of every rank
  std::vector<Shard> shards_;    // one, or none where there are more processes than nodes
  std::unique_ptr<Exchange> exchange_;
  std::optional<SolverState> resumed_;
};

}  // namespace

std::vector<Index> node_work(const Dataset& dataset, const EmpiricalGraph& graph, const LocalModel& model) {
  std::vector<Index> work(static_cast<std::size_t>(graph.nodes()));
  for (NodeId i = 0; i < graph.nodes(); ++i) {
    const Index samples = dataset.samples_of(i);
    work[i] = 4 + 2 * static_cast<Index>(graph.degree(i)) + (samples > 0 ? model.update_work(samples) : 0);
  }
  return work;
}

Result<SolveResult> solve_on(Cluster& cluster, const Problem& problem, const Owners& owners,
                             const SolverOptions& options, const Checkpointing& checkpointing,
                             const SolveContext& context) {
  assert(!options.accelerators.any());
  return ClusterRun(cluster, problem, owners, checkpointing).run(options, context);
}

}  // namespace gtvmin
