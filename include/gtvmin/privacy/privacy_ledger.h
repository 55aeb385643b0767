#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/io/file_lock.h"
#include "gtvmin/privacy/privacy_budget.h"

namespace gtvmin {

using NoiseKey = std::array<unsigned char, 32>;

/// What a site has told under one budget, by all its runs. A run is entered as a whole before its first release, and
/// stays entered whatever becomes of it.
struct PrivacyLedger {
  struct Run {
    std::string federation;  ///< digest; not empty, no spaces
    std::string site;        ///< likewise
    double clip = 0;         ///< C of the mechanism
    double noise = 0;        ///< σ of the mechanism
    std::int64_t vectors = 0;
  };
  double epsilon = 0;
  double delta = 0;
  std::vector<Run> runs;
  NoiseKey key{};  ///< of the last run's noise; as secret as the samples

  /// With all runs counted. Fails if they are more than the budget allows, or none that can be.
  [[nodiscard]] Result<PrivacyBudget> budget() const;
};

/// As text with a checksum, and back. A text is read if it is just what ledger_text writes, else refused; the error
/// lacks its subject.
[[nodiscard]] std::string ledger_text(const PrivacyLedger& ledger);
[[nodiscard]] Result<PrivacyLedger> parse_ledger(std::string_view text);

/// The file of a ledger, for one process at a time.
class LedgerFile {
 public:
  /// Reads the file, if there is one. Fails if it is damaged, if others than its owner may read it, and if another
  /// process has it: two that do not know of each other would spend the budget twice. `<path>.lock` says who has it.
  static Result<LedgerFile> open(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Nothing before the first run.
  [[nodiscard]] const std::optional<PrivacyLedger>& ledger() const { return ledger_; }
  /// Returns once the ledger is on the disk; nothing may be released before.
  [[nodiscard]] Status save(PrivacyLedger ledger);

 private:
  LedgerFile(std::string path, FileLock lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  std::string path_;
  FileLock lock_;
  std::optional<PrivacyLedger> ledger_;
};

}  // namespace gtvmin
