#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/base/types.h"
#include "gtvmin/io/file_lock.h"
#include "gtvmin/runtime/site_exchange.h"
#include "gtvmin/runtime/site_links.h"
#include "gtvmin/solver/shard.h"
#include "gtvmin/solver/solver_state.h"

namespace gtvmin {

/// Where a site stands between two messages. A site that starts from it, with neighbours that have kept what it does
/// not cover, computes the bits that it would have computed without an interruption.
struct SiteCheckpoint {
  /// What must be the same for the checkpoint to mean anything: federation, site, data. Text for people.
  std::vector<std::string> identity;
  bool finished = false;  ///< the results are written; only neighbours may still need something
  int exit_code = 0;      ///< of the process that has finished
  std::uint64_t iterations = 0;
  std::uint64_t sums = 0;
  std::optional<SolverState> state;
  Matrix w;         ///< of the shard's nodes, ghosts included
  Matrix u;         ///< of the shard's edges
  Matrix w_window;  ///< both when the primal weight last changed, w without ghosts
  Matrix u_window;
  std::vector<LinkState> links;
  std::vector<SiteExchange::Absence> absences;  ///< one per link
  std::string policy;                           ///< by which they were given up; empty if nobody was
  SiteExchange::Sent sent;
};

/// As bytes with a checksum, and back. Whatever the bytes are, nothing worse than an error comes of them.
[[nodiscard]] std::string encode_checkpoint(const SiteCheckpoint& checkpoint);
[[nodiscard]] Result<SiteCheckpoint> decode_checkpoint(std::string_view bytes);

/// Puts the state of a checkpoint into a shard. False if it is that of another shard.
[[nodiscard]] bool restore_shard(const SiteCheckpoint& checkpoint, Shard& shard);

/// A folder with the last checkpoint and the one before, for one process at a time.
class CheckpointFolder {
 public:
  /// Makes the folder if it is not there. Fails if another process has it.
  static Result<CheckpointFolder> open(std::string path);

  /// Returns once the checkpoint is on the disk. At every moment, also in the middle of this, one is.
  [[nodiscard]] Status save(const SiteCheckpoint& checkpoint) const;
  /// The last one, nothing if there is none. If it is damaged, the one before, and `warning` says so.
  [[nodiscard]] Result<std::optional<SiteCheckpoint>> load(std::string& warning) const;

 private:
  CheckpointFolder(std::string path, FileLock lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  [[nodiscard]] std::string last() const { return path_ + "/checkpoint"; }
  [[nodiscard]] std::string before() const { return path_ + "/checkpoint.before"; }
  std::string path_;
  FileLock lock_;
};

}  // namespace gtvmin
