#include "site_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "../clock.h"
#include "../interrupt.h"
#include "gtvmin/solver/local_minimiser.h"
#include "transport_library.h"

namespace gtvmin::app {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();
constexpr double kMegabyte = 1e6;

std::vector<std::string> identity_lines(const SiteIdentity& identity, const SitePrivacy* privacy) {
  std::vector<std::string> lines = {"federation " + identity.digest,
                                    "site " + identity.federation.sites[identity.site].name,
                                    "data " + identity.data_digest};
  if (privacy != nullptr) lines.push_back(privacy->run_name());
  return lines;
}

/// Puts a shard with fewer edges into the state of another; nodes that have lost all their edges learn alone.
void keep_state(const Shard& from, Shard& to) {
  const EmpiricalGraph& old_graph = from.problem->graph();
  const EmpiricalGraph& graph = to.problem->graph();
  std::map<std::pair<NodeId, NodeId>, Vector> flows;  // by the ends, in the direction of the graph
  for (Index e = 0; e < from.local_edges(); ++e) {
    const EdgeId id = from.edge_ids[e];
    flows[{old_graph.head(id), old_graph.tail(id)}] = from.signs[e] * from.u.col(e);
  }
  Matrix w = Matrix::Zero(from.w.rows(), graph.nodes());
  Matrix u = Matrix::Zero(from.u.rows(), graph.edges());
  for (Index i = 0; i < from.local_nodes(); ++i) w.col(from.nodes[i]) = from.w.col(i);
  for (const EdgeId id : to.edge_ids) u.col(id) = flows.at({graph.head(id), graph.tail(id)});
  for (Index i = 0; i < to.owned(); ++i) {
    if (graph.degree(to.nodes[i]) == 0) w.col(to.nodes[i]) = minimise_locally(to.problem->loss(to.nodes[i])).w;
  }
  set_state(to, w, u);
}

std::function<void(std::uint64_t, NodeId, VectorRef)> release_by(const SitePrivacy* privacy) {
  if (privacy == nullptr) return {};
  return
      [privacy](std::uint64_t iteration, NodeId node, VectorRef update) { privacy->release(iteration, node, update); };
}

std::vector<LinkState> link_states(const std::optional<SiteCheckpoint>& checkpoint, std::size_t links) {
  return checkpoint ? checkpoint->links : std::vector<LinkState>(links);
}

}  // namespace

Result<std::unique_ptr<SiteRun>> SiteRun::prepare(const SiteIdentity& identity, const AgentSettings& settings,
                                                  const FederationSettings& agreed, const SiteInput& input,
                                                  SitePrivacy* privacy, std::function<void(const std::string&)> log) {
  std::optional<CheckpointFolder> folder;
  std::optional<SiteCheckpoint> checkpoint;
  if (!settings.checkpoint.empty()) {
    auto opened = CheckpointFolder::open(settings.checkpoint);
    if (!opened) return opened.error();
    folder = *std::move(opened);
    std::string warning;
    auto loaded = folder->load(warning);
    if (!loaded) return loaded.error();
    if (!warning.empty() && privacy != nullptr) {
      return bad_input(
          fmt::format("{}: the last checkpoint cannot be read. A run with noise must not resume from the previous one: "
                      "it could send different parameters with the same noise",
                      settings.checkpoint));
    }
    if (!warning.empty()) log(warning);
    checkpoint = *std::move(loaded);
  }
  const std::vector<std::string> lines = identity_lines(identity, privacy);
  if (checkpoint && checkpoint->identity != lines) {
    Error error = bad_input(fmt::format("{}: is a checkpoint of another run; this one is of", settings.checkpoint));
    for (const std::string& line : lines) error.messages.push_back("  " + line);
    error.messages.emplace_back("and the checkpoint of");
    for (const std::string& line : checkpoint->identity) error.messages.push_back("  " + line);
    return error;
  }
  if (checkpoint && !checkpoint->policy.empty() && checkpoint->policy != policy_name(settings.policy)) {
    return usage_error(fmt::format(
        "--policy {}: the run in {} gave up a neighbour under --policy {}, which is permanent; resume with that policy",
        policy_name(settings.policy), settings.checkpoint, checkpoint->policy));
  }
  std::unique_ptr<SiteRun> run(new SiteRun(identity, settings, agreed, input, privacy, std::move(folder),
                                           std::move(checkpoint), std::move(log)));
  if (!run->resumes()) return run;
  const Error misfit = bad_input(fmt::format("{}: does not fit this site's nodes", settings.checkpoint));
  if (run->checkpoint_->absences.size() != run->neighbours_.size()) return misfit;
  run->exchange_.restore_absences(run->checkpoint_->absences);
  run->exchange_.restore_sent(run->checkpoint_->sent);
  if (settings.policy == AbsencePolicy::kDrop && run->absent_count() > 0) {
    if (const Status dropped = run->drop_absent(); !dropped) return dropped.error();
  }
  if (!restore_shard(*run->checkpoint_, *run->shard_)) return misfit;
  return run;
}

SiteRun::SiteRun(const SiteIdentity& identity, const AgentSettings& settings, const FederationSettings& agreed,
                 const SiteInput& input, SitePrivacy* privacy, std::optional<CheckpointFolder> folder,
                 std::optional<SiteCheckpoint> checkpoint, std::function<void(const std::string&)> log)
    : identity_(identity),
      settings_(settings),
      agreed_(agreed),
      input_(input),
      privacy_(privacy),
      log_(std::move(log)),
      folder_(std::move(folder)),
      checkpoint_(std::move(checkpoint)),
      shard_(std::make_unique<Shard>(input.problem, identity.federation.sites[identity.site].nodes)),
      neighbours_(site_neighbours(identity.federation, identity.site)),
      links_(link_specs(identity.federation, neighbours_, input.problem.dimension()),
             {.seconds = seconds_now,
              .restartable = folder_.has_value(),
              .most_kept = static_cast<std::size_t>(settings.keep * kMegabyte)},
             link_states(checkpoint_, neighbours_.size())),
      exchange_(*shard_, neighbours_, links_,
                {.log = log_,
                 .interrupted = InterruptGuard::interrupted,
                 .patience = settings.policy == AbsencePolicy::kWait ? std::nullopt : std::optional(settings.patience),
                 .consequence = settings.policy == AbsencePolicy::kDrop ? "the edges to it are dropped"
                                                                        : "its last parameters are used",
                 .release = release_by(privacy)},
                checkpoint_ ? checkpoint_->iterations : 0, checkpoint_ ? checkpoint_->sums : 0),
      started_(seconds_now()) {
  progress_.state = "starting";
}

Status SiteRun::connect(std::optional<TransportCredentials> credentials) {
  const Site& site = identity_.federation.sites[identity_.site];
  std::vector<std::string> addresses;
  addresses.reserve(neighbours_.size());
  for (const SiteNeighbour& neighbour : neighbours_) {
    addresses.push_back(identity_.federation.sites[neighbour.site].address);
  }
  auto started = start_transport({.site = site.name,
                                  .federation = identity_.federation.name,
                                  .digest = identity_.digest,
                                  .listen = settings_.listen.empty() ? site.address : settings_.listen,
                                  .addresses = std::move(addresses),
                                  .credentials = std::move(credentials),
                                  .log = log_,
                                  .progress =
                                      [this] {
                                        const std::lock_guard lock(progress_mutex_);
                                        SiteProgress now = progress_;
                                        now.seconds = seconds_now() - started_;
                                        return now;
                                      }},
                                 links_);
  if (!started) return started.error();
  transport_ = *std::move(started);
  return Unit{};
}

Status SiteRun::enter() {
  if (privacy_ == nullptr || resumes()) return Unit{};
  if (Status entered = privacy_->enter(); !entered) return entered;
  return folder_ ? save(nullptr) : Status(Unit{});
}

void SiteRun::set_state(const char* state) {
  const std::lock_guard lock(progress_mutex_);
  progress_.state = state;
}

Result<SolveResult> SiteRun::solve() {
  set_state("running");
  SolveContext context{.seconds = seconds_now, .observe = [this](const IterationRecord& record) {
                         if (!identity_.federation.sums) return true;  // what is this site's alone stays here
                         const std::lock_guard lock(progress_mutex_);
                         progress_.objective = record.objective;
                         progress_.relative_gap = record.relative;
                         return true;
                       }};
  context.save = [this](const SolverState& state, std::span<const Shard> /*shards*/) { return after_iteration(state); };
  if (checkpoint_ && checkpoint_->state) context.resume = &*checkpoint_->state;
  for (;;) {
    auto result = gtvmin::solve(*shard_->problem, {shard_.get(), 1}, exchange_, agreed_.solve.solver, context);
    if (before_drop_) {
      checkpoint_.emplace().state = std::exchange(before_drop_, std::nullopt);
      context.resume = &*checkpoint_->state;
      if (const Status dropped = drop_absent(); !dropped) return dropped.error();
      // What is sent from now on depends on it: after a crash the neighbour must not be back.
      if (const Status saved = folder_ ? save(context.resume) : Status(Unit{}); !saved) return saved.error();
      continue;
    }
    if (!result) {
      Error error = result.error();
      if (InterruptGuard::interrupted() && folder_) {
        error.messages.push_back(
            fmt::format("the same command resumes from the last checkpoint in {}", settings_.checkpoint));
      }
      return error;
    }
    const NodeId first = identity_.federation.sites[identity_.site].nodes.front();
    for (NodeWarning& warning : result->warnings) warning.node -= first;
    if (!identity_.federation.sums) tell_own_share(*result);
    const std::lock_guard lock(progress_mutex_);
    tell_proved_gap(is_bound(result->certificate) ? result->certificate.relative : kUnknown);
    return result;
  }
}

Status SiteRun::after_iteration(const SolverState& state) {
  {
    const std::lock_guard lock(progress_mutex_);
    progress_.iteration = static_cast<std::uint64_t>(state.progress.iteration);
    tell_proved_gap(state.progress.certified);
  }
  if (settings_.policy == AbsencePolicy::kDrop && absent_count() > dropped_) {
    before_drop_ = state;
    return runtime_failure("edges are to be dropped");
  }
  if (InterruptGuard::interrupted()) {
    if (folder_) {
      if (Status saved = save(&state); !saved) return saved;
    }
    return runtime_failure(fmt::format("interrupted after iteration {}", state.progress.iteration));
  }
  // What a private site sends next is then a function of its checkpoint alone. Otherwise a neighbour could, after a
  // crash, answer in another way than before, and see how other parameters look under the same noise.
  const bool due = folder_ && (privacy_ != nullptr || state.progress.iteration % settings_.checkpoint_every == 0);
  return due ? save(&state) : Status(Unit{});
}

/// With the lock held. What is proved without a site holds for those that remain, at best.
void SiteRun::tell_proved_gap(double relative) {
  progress_.proved_gap.reset();
  if (relative < kUnknown && !exchange_.is_inexact()) progress_.proved_gap = relative;
}

std::size_t SiteRun::absent_count() const {
  const auto& absences = exchange_.absences();
  return static_cast<std::size_t>(
      std::count_if(absences.begin(), absences.end(), [](const auto& absence) { return absence.since > 0; }));
}

Status SiteRun::drop_absent() {
  const Federation& federation = identity_.federation;
  std::vector<char> absent(federation.sites.size(), 0);
  for (std::size_t k = 0; k < neighbours_.size(); ++k) {
    absent[neighbours_[k].site] = exchange_.absences()[k].since > 0 ? 1 : 0;
  }
  Dataset rest = input_.dataset;
  std::erase_if(rest.edges, [&](const WeightedEdge& edge) {
    return absent[federation.owner[edge.a]] != 0 || absent[federation.owner[edge.b]] != 0;
  });
  Result<Problem> reduced = site_problem(rest, *input_.model, agreed_);
  if (!reduced) return reduced.error();
  // The old shard points into the old problem, which the drop before may have made: both live until the end of this.
  const std::unique_ptr<const Problem> before =
      std::exchange(reduced_, std::make_unique<const Problem>(*std::move(reduced)));
  const std::unique_ptr<Shard> whole = std::move(shard_);
  shard_ = std::make_unique<Shard>(*reduced_, federation.sites[identity_.site].nodes);
  keep_state(*whole, *shard_);
  dropped_ = absent_count();
  exchange_.rejoin(*shard_);
  return Unit{};
}

Status SiteRun::save(const SolverState* state) {
  SiteCheckpoint checkpoint;
  if (state != nullptr) checkpoint.state = *state;
  return save(std::move(checkpoint));
}

Status SiteRun::save(SiteCheckpoint checkpoint) {
  checkpoint.identity = identity_lines(identity_, privacy_);
  checkpoint.iterations = exchange_.iterations();
  checkpoint.sums = exchange_.sums();
  checkpoint.w = shard_->w;
  checkpoint.u = shard_->u;
  checkpoint.w_window = shard_->w_window;
  checkpoint.u_window = shard_->u_window;
  checkpoint.links = links_.states();
  checkpoint.absences = exchange_.absences();
  if (absent_count() > 0) checkpoint.policy = policy_name(settings_.policy);
  checkpoint.sent = exchange_.sent();
  if (Status saved = folder_->save(checkpoint); !saved) return saved;
  links_.cover(checkpoint.links);
  return Unit{};
}

Status SiteRun::finish(int exit_code) {
  set_state("finished");
  if (!finished()) {
    log_("the results are written");
    if (folder_) {
      SiteCheckpoint checkpoint;
      checkpoint.finished = true;
      checkpoint.exit_code = exit_code;
      if (Status saved = save(std::move(checkpoint)); !saved) return saved;
    }
  }
  links_.finish();
  constexpr double kSlice = 0.2;
  double alone = 0;  // seconds since a neighbour was heard of that still needs something
  while (alone < settings_.linger && !InterruptGuard::interrupted()) {
    if (links_.wait_until_covered(kSlice)) break;
    bool connected = false;
    for (const LinkReport& report : links_.reports()) connected = connected || (report.connected && !report.finished);
    alone = connected ? 0 : alone + kSlice;
  }
  for (const LinkReport& report : links_.reports()) {
    if (report.kept_messages == 0) continue;
    log_(fmt::format("{} has not acknowledged the last messages ({}); last contact {:.0f} s ago", report.site,
                     report.kept_messages, seconds_now() - report.changed_at));
  }
  transport_.reset();
  return Unit{};
}

Matrix SiteRun::own_parameters() const {
  const std::vector<NodeId>& nodes = identity_.federation.sites[identity_.site].nodes;
  Matrix own(shard_->w.rows(), static_cast<Index>(nodes.size()));
  for (Index i = 0; i < shard_->owned(); ++i) own.col(shard_->nodes[i] - nodes.front()) = shard_->w.col(i);
  return own;
}

void SiteRun::tell_own_share(SolveResult& result) const {
  const Matrix w = own_parameters();
  result.loss = total_loss(input_.own_problem, w);
  result.gtv = total_variation(input_.own_problem, w);
  result.objective = result.loss + input_.own_problem.lambda() * result.gtv;
  result.certificate = {};
  result.certificate.value = kUnknown;
  result.certificate.relative = kUnknown;
  for (IterationRecord& record : result.trace) record.certificate = record.relative = kUnknown;
}

}  // namespace gtvmin::app
