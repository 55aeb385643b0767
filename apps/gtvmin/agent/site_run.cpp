#include "site_run.h"

#include <fmt/format.h>

#include <utility>

#include "../clock.h"
#include "../interrupt.h"
#include "transport_library.h"

namespace gtvmin::app {
namespace {

std::vector<std::string> identity_lines(const SiteIdentity& identity) {
  return {"federation " + identity.digest, "site " + identity.federation.sites[identity.site].name,
          "data " + identity.data_digest};
}

std::vector<LinkState> link_states(const std::optional<SiteCheckpoint>& checkpoint, std::size_t links) {
  return checkpoint ? checkpoint->links : std::vector<LinkState>(links);
}

}  // namespace

Result<std::unique_ptr<SiteRun>> SiteRun::prepare(const SiteIdentity& identity, const AgentSettings& settings,
                                                  const SolverOptions& solver, const SiteInput& input,
                                                  std::function<void(const std::string&)> log) {
  std::optional<CheckpointFolder> folder;
  std::optional<SiteCheckpoint> checkpoint;
  if (!settings.checkpoint.empty()) {
    auto opened = CheckpointFolder::open(settings.checkpoint);
    if (!opened) return opened.error();
    folder = *std::move(opened);
    std::string warning;
    auto loaded = folder->load(warning);
    if (!loaded) return loaded.error();
    if (!warning.empty()) log(warning);
    checkpoint = *std::move(loaded);
  }
  if (checkpoint && checkpoint->identity != identity_lines(identity)) {
    Error error = bad_input(fmt::format("{}: is a checkpoint of another run; this one is of", settings.checkpoint));
    for (const std::string& line : identity_lines(identity)) error.messages.push_back("  " + line);
    error.messages.emplace_back("and the checkpoint of");
    for (const std::string& line : checkpoint->identity) error.messages.push_back("  " + line);
    return error;
  }
  std::unique_ptr<SiteRun> run(
      new SiteRun(identity, settings, solver, input, std::move(folder), std::move(checkpoint), std::move(log)));
  if (run->resumes() && !restore_shard(*run->checkpoint_, run->shard_)) {
    return bad_input(fmt::format("{}: does not fit this site's nodes", settings.checkpoint));
  }
  return run;
}

SiteRun::SiteRun(const SiteIdentity& identity, const AgentSettings& settings, const SolverOptions& solver,
                 const SiteInput& input, std::optional<CheckpointFolder> folder,
                 std::optional<SiteCheckpoint> checkpoint, std::function<void(const std::string&)> log)
    : identity_(identity),
      settings_(settings),
      solver_(solver),
      log_(std::move(log)),
      folder_(std::move(folder)),
      checkpoint_(std::move(checkpoint)),
      shard_(input.problem, identity.federation.sites[identity.site].nodes),
      neighbours_(site_neighbours(identity.federation, identity.site)),
      links_(link_specs(identity.federation, neighbours_, input.problem.dimension()),
             {.seconds = seconds_now, .restartable = folder_.has_value()},
             link_states(checkpoint_, neighbours_.size())),
      exchange_(shard_, neighbours_, links_, {.log = log_, .interrupted = InterruptGuard::interrupted},
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

void SiteRun::set_state(const char* state) {
  const std::lock_guard lock(progress_mutex_);
  progress_.state = state;
}

Result<SolveResult> SiteRun::solve() {
  set_state("running");
  SolveContext context{.seconds = seconds_now, .observe = [this](const IterationRecord& record) {
                         const std::lock_guard lock(progress_mutex_);
                         progress_.objective = record.objective;
                         progress_.relative_gap = record.relative;
                         return true;
                       }};
  context.save = [this](const SolverState& state, std::span<const Shard> /*shards*/) -> Status {
    {
      const std::lock_guard lock(progress_mutex_);
      progress_.iteration = static_cast<std::uint64_t>(state.progress.iteration);
    }
    const bool due = folder_ && state.progress.iteration % settings_.checkpoint_every == 0;
    return due ? save(&state, false) : Status(Unit{});
  };
  if (checkpoint_ && checkpoint_->state) context.resume = &*checkpoint_->state;
  auto result = gtvmin::solve(*shard_.problem, {&shard_, 1}, exchange_, solver_, context);
  if (!result && InterruptGuard::interrupted() && folder_) {
    Error error = result.error();
    error.messages.push_back(
        fmt::format("the same command goes on from the last checkpoint in {}", settings_.checkpoint));
    return error;
  }
  if (result) {
    const NodeId first = identity_.federation.sites[identity_.site].nodes.front();
    for (NodeWarning& warning : result->warnings) warning.node -= first;
  }
  return result;
}

Status SiteRun::save(const SolverState* state, bool finished) {
  SiteCheckpoint checkpoint;
  checkpoint.identity = identity_lines(identity_);
  checkpoint.finished = finished;
  checkpoint.iterations = exchange_.iterations();
  checkpoint.sums = exchange_.sums();
  if (state != nullptr) checkpoint.state = *state;
  checkpoint.w = shard_.w;
  checkpoint.u = shard_.u;
  checkpoint.links = links_.states();
  if (Status saved = folder_->save(checkpoint); !saved) return saved;
  links_.cover(checkpoint.links);
  return Unit{};
}

Status SiteRun::finish() {
  set_state("finished");
  log_("the results are written");
  if (folder_ && !finished()) {
    if (Status saved = save(nullptr, true); !saved) return saved;
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
    log_(fmt::format("{} has not said that it has all {} last messages; it was last heard of {:.0f} s ago", report.site,
                     report.kept_messages, seconds_now() - report.changed_at));
  }
  transport_.reset();
  return Unit{};
}

Matrix SiteRun::own_parameters() const {
  const std::vector<NodeId>& nodes = identity_.federation.sites[identity_.site].nodes;
  Matrix own(shard_.w.rows(), static_cast<Index>(nodes.size()));
  for (Index i = 0; i < shard_.owned(); ++i) own.col(shard_.nodes[i] - nodes.front()) = shard_.w.col(i);
  return own;
}

}  // namespace gtvmin::app
