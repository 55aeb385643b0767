#include "solve_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "gtvmin/base/bytes.h"
#include "gtvmin/base/fingerprint.h"
#include "gtvmin/base/thread_team.h"
#include "gtvmin/io/output_file.h"
#include "gtvmin/io/result_directory.h"
#include "gtvmin/io/text_file.h"
#include "gtvmin/runtime/cluster_solve.h"
#include "gtvmin/theory/influence.h"
#include "solve_report.h"
#include "solve_run.h"

namespace gtvmin::app {
namespace {

std::string_view bytes_of(const double* numbers, Index count) {
  return {reinterpret_cast<const char*>(numbers), static_cast<std::size_t>(count) * sizeof(double)};
}

/// Tells runs apart that must not go on from each other's checkpoints: all data, what the other input files hold, and
/// every option but those that change nothing, or only where files are and when to stop.
Result<std::string> fingerprint_of(const Dataset& dataset, const SolveSettings& settings, const OptionSet& options) {
  nlohmann::json told = nlohmann::json::parse(to_json(options));
  for (const char* name :
       {"data", "data-dir", "edges", "quadratic-matrix", "node-weights", "covariance", "module", "out", "force",
        "threads", "engine", "checkpoint", "checkpoint-every", "max-iterations", "time-limit", "json", "progress"}) {
    told.erase(name);
  }
  std::string facts = told.dump();
  for (const std::string& path :
       {settings.quadratic_matrix, settings.node_weights, settings.covariance, settings.net.module}) {
    if (path.empty()) continue;
    const Result<TextFile> file = TextFile::open(path);
    if (!file) return file.error();
    facts += fingerprint(file->content());
  }
  for (const auto& names : {dataset.node_names, dataset.feature_names, dataset.class_names}) {
    facts += fmt::format("{}:", names.size());
    for (const std::string& name : names) facts += name + "\n";
  }
  for (const Index first : dataset.first_sample) facts += std::to_string(first) + ",";
  for (const WeightedEdge& edge : dataset.edges) facts += fmt::format("{}-{}:{};", edge.a, edge.b, edge.weight);
  facts += fingerprint(bytes_of(dataset.features.data(), dataset.features.size()));
  facts += fingerprint(bytes_of(dataset.labels.data(), dataset.labels.size()));
  return fingerprint(facts);
}

std::string checkpoint_file(const std::string& folder) { return folder + "/checkpoint"; }

Status make_folder(const std::string& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) return usage_error(fmt::format("{}: cannot be created as a directory: {}", folder, code.message()));
  return check_output_file(checkpoint_file(folder), /*force=*/true);
}

/// The bytes of the checkpoint that is there; empty if there is none.
Result<std::string> read_checkpoint(const std::string& folder) {
  if (!std::filesystem::exists(checkpoint_file(folder))) return std::string();
  const Result<TextFile> file = TextFile::open(checkpoint_file(folder));
  if (!file) return file.error();
  if (file->content().empty()) return in_file(checkpoint_file(folder), bad_input("is empty, not a checkpoint"));
  return std::string(file->content());
}

struct Files {
  std::optional<FileLock> lock;
  std::string stored;  ///< the bytes of the checkpoint to go on from; empty: from the start
};

/// What rank 0 alone looks at before everybody starts.
Result<Files> prepare_files(const SolveSettings& settings) {
  if (const Status writable = check_output_directory(settings.out, settings.force); !writable) return writable.error();
  Files files;
  if (settings.checkpoint.empty()) return files;
  if (const Status folder = make_folder(settings.checkpoint); !folder) return folder.error();
  Result<FileLock> lock = FileLock::take(
      settings.checkpoint + "/lock",
      fmt::format("{}: in use by another run; after mpirun was killed, its processes may need some seconds to end",
                  settings.checkpoint));
  if (!lock) return lock.error();
  files.lock.emplace(*std::move(lock));
  remove_partial_files(checkpoint_file(settings.checkpoint));
  Result<std::string> stored = read_checkpoint(settings.checkpoint);
  if (!stored) return stored.error();
  files.stored = *std::move(stored);
  return files;
}

/// Every process knows the losses of its own nodes.
Result<Vector> gather_influence(Cluster& cluster, const Problem& problem, const Owners& owners, int threads) {
  ThreadTeam team(threads_or_all(threads));
  ByteWriter mine;
  mine.matrix(influence_bounds(problem, team));
  const auto parts = cluster.gather(mine.take());
  if (!parts) return parts.error();
  Vector whole(problem.nodes());
  for (std::size_t rank = 0; rank < parts->size(); ++rank) {
    ByteReader in((*parts)[rank]);
    const Matrix bounds = in.matrix();
    if (!in.ok() || bounds.size() != whole.size()) {
      return runtime_failure("protocol error: malformed message from another process");
    }
    for (NodeId i = 0; i < problem.nodes(); ++i) {
      if (owners[static_cast<std::size_t>(i)] == static_cast<int>(rank)) whole[i] = bounds(i);
    }
  }
  return whole;
}

}  // namespace

Result<ClusterOutcome> solve_on_cluster(Cluster& cluster, const SolveSettings& settings, const OptionSet& options) {
  Result<Files> files = cluster.rank() == 0 ? prepare_files(settings) : Result<Files>(Files{});
  if (const Status ready = agree(cluster, files ? Status(Unit{}) : Status(files.error())); !ready) {
    return ready.error();
  }
  Owners owners;
  std::string run;
  const auto choose = [&](const Dataset& dataset, const LocalModel& model) -> Result<std::vector<char>> {
    if (!settings.checkpoint.empty()) {
      Result<std::string> known = fingerprint_of(dataset, settings, options);
      if (!known) return known.error();
      run = *std::move(known);
    }
    Result<EmpiricalGraph> graph = EmpiricalGraph::make(dataset.nodes(), dataset.edges);
    if (!graph) return graph.error();
    Result<Owners> found = cluster.partition(*graph, node_work(dataset, *graph, model));
    if (!found) return found.error();
    owners = *std::move(found);
    std::vector<char> mine(owners.size());
    std::transform(owners.begin(), owners.end(), mine.begin(),
                   [&](int owner) { return static_cast<char>(owner == cluster.rank() ? 1 : 0); });
    return mine;
  };
  Result<SolveInput> input = read_solve_input(settings, choose);
  if (const Status read = agree(cluster, input ? Status(Unit{}) : Status(input.error())); !read) return read.error();

  const Checkpointing checkpointing{.problem = run,
                                    .every = settings.checkpoint.empty() ? 0 : settings.checkpoint_every,
                                    .store =
                                        [&](const std::string& bytes) {
                                          return write_output_file(checkpoint_file(settings.checkpoint), /*force=*/true,
                                                                   bytes);
                                        },
                                    .stored = std::move(files->stored)};
  Result<SolveResult> result =
      observed(cluster.rank() == 0 && settings.progress, settings.solver, [&](const SolveContext& context) {
        return solve_on(cluster, input->problem, owners, settings.solver, checkpointing, context);
      });
  if (!result) {
    return result.error().kind == Error::Kind::kBadInput ? in_file(checkpoint_file(settings.checkpoint), result.error())
                                                         : result.error();
  }
  Result<Vector> influence = gather_influence(cluster, input->problem, owners, settings.solver.threads);
  if (!influence) return influence.error();
  return ClusterOutcome{*std::move(input), *std::move(result), *std::move(influence), std::move(files->lock)};
}

}  // namespace gtvmin::app
