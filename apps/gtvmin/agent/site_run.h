#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent_options.h"
#include "gtvmin/federation/federation.h"
#include "gtvmin/grpc/transport.h"
#include "gtvmin/runtime/site_checkpoint.h"
#include "gtvmin/runtime/site_exchange.h"
#include "gtvmin/solver/solver.h"
#include "site_input.h"
#include "site_privacy.h"

namespace gtvmin::app {

/// Who this site is.
struct SiteIdentity {
  const Federation& federation;
  SiteId site = 0;
  std::string digest;       ///< of the federation
  std::string data_digest;  ///< of the data file
};

/// The run of one site, from the start or from its last checkpoint, until its neighbours need it no more.
class SiteRun {
 public:
  /// Reads the checkpoint, if there is one. `privacy` is null where nothing is noised.
  static Result<std::unique_ptr<SiteRun>> prepare(const SiteIdentity& identity, const AgentSettings& settings,
                                                  const FederationSettings& agreed, const SiteInput& input,
                                                  SitePrivacy* privacy, std::function<void(const std::string&)> log);

  /// It goes on from a checkpoint.
  [[nodiscard]] bool resumes() const { return checkpoint_.has_value(); }
  /// The results have been written before; only neighbours may need something.
  [[nodiscard]] bool finished() const { return checkpoint_ && checkpoint_->finished; }

  [[nodiscard]] Status connect(std::optional<TransportCredentials> credentials);
  /// Enters a private run that does not go on from a checkpoint in its ledger, and saves that it has begun.
  [[nodiscard]] Status enter();
  /// Without sums, all that is told is about this site: of the result the loss and the total variation of its own nodes
  /// and the edges between them, of the trace its share of the sums. There is no certificate then. Warnings number the
  /// site's own nodes, from 0.
  [[nodiscard]] Result<SolveResult> solve();
  /// The results are safe: tells the neighbours, and serves them for as long as they need, but for at most
  /// --linger seconds after the last of them was heard of.
  /// `exit_code` is what the process will end with, and end with again if it is started again.
  [[nodiscard]] Status finish(int exit_code);
  /// Of the results that have been written before.
  [[nodiscard]] int exit_code() const { return checkpoint_->exit_code; }

  /// The parameters of the site's own nodes, before noise.
  [[nodiscard]] Matrix own_parameters() const;
  [[nodiscard]] std::vector<LinkReport> link_reports() const { return links_.reports(); }
  /// The run went on without some site: the result is not that of the whole federation.
  [[nodiscard]] bool is_inexact() const { return exchange_.is_inexact(); }
  /// The neighbours that the run went on without, one entry per link.
  [[nodiscard]] const std::vector<SiteExchange::Absence>& absences() const { return exchange_.absences(); }

 private:
  SiteRun(const SiteIdentity& identity, const AgentSettings& settings, const FederationSettings& agreed,
          const SiteInput& input, SitePrivacy* privacy, std::optional<CheckpointFolder> folder,
          std::optional<SiteCheckpoint> checkpoint, std::function<void(const std::string&)> log);

  [[nodiscard]] Status after_iteration(const SolverState& state);
  [[nodiscard]] Status save(const SolverState* state);
  [[nodiscard]] Status save(SiteCheckpoint checkpoint);
  /// Reduces what a run without sums says to what it knows.
  void tell_own_share(SolveResult& result) const;
  [[nodiscard]] std::size_t absent_count() const;
  /// Removes the edges to absent neighbours, keeps the state of all others.
  [[nodiscard]] Status drop_absent();
  void set_state(const char* state);
  void tell_proved_gap(double relative);

  SiteIdentity identity_;
  const AgentSettings& settings_;
  const FederationSettings& agreed_;
  const SiteInput& input_;
  SitePrivacy* privacy_;
  std::function<void(const std::string&)> log_;
  std::optional<CheckpointFolder> folder_;
  std::optional<SiteCheckpoint> checkpoint_;
  std::unique_ptr<const Problem> reduced_;  // without the edges that were dropped
  std::unique_ptr<Shard> shard_;
  std::vector<SiteNeighbour> neighbours_;
  SiteLinks links_;
  SiteExchange exchange_;
  std::size_t dropped_ = 0;                 // absent neighbours without whose edges the problem is
  std::optional<SolverState> before_drop_;  // the run goes on from here once edges are dropped
  std::mutex progress_mutex_;
  SiteProgress progress_;
  double started_;
  std::unique_ptr<Transport> transport_;
};

}  // namespace gtvmin::app
