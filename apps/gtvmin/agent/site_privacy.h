#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "agent_options.h"
#include "gtvmin/federation/federation.h"
#include "gtvmin/privacy/gaussian_mechanism.h"
#include "gtvmin/privacy/privacy_ledger.h"

namespace gtvmin::app {

/// What summary.json says about noise.
struct PrivacyRecord {
  double epsilon = 0;
  double delta = 0;
  double clip = 0;
  double noise = 0;
  std::int64_t vectors = 0;  ///< that this run may send
  double spent = 0;          ///< ε at δ, of all runs in the ledger
  std::string ledger;
};

/// The noise on what a site sends, and the account of it.
///
/// A run is entered in the ledger as a whole, with a key of its own, before it sends anything. One that goes on from a
/// checkpoint sends the same bytes again: its key is that of the ledger's last run, and it costs nothing more.
class SitePrivacy {
 public:
  /// Null if no noise is asked for. Fails if options are missing, if the federation has sums, and if the ledger cannot
  /// be read or is one of another budget.
  static Result<std::unique_ptr<SitePrivacy>> open(const PrivacySettings& settings, const Federation& federation,
                                                   SiteId site, std::string digest);

  /// Names the ledger's last run: a checkpoint goes on only with the noise it began with.
  [[nodiscard]] std::string run_name() const;

  /// A new run of so many iterations. Fails if the budget does not allow it. Nothing is written yet.
  [[nodiscard]] Status plan(std::int64_t iterations);
  /// The ledger's last run goes on. Fails if the options say something else than it had.
  [[nodiscard]] Status go_on();
  /// Enters the planned run; to be called before anything is sent.
  [[nodiscard]] Status enter();

  /// Clips and adds noise, the same whenever it is the same run, iteration and node.
  void release(std::uint64_t iteration, NodeId node, VectorRef update) const;

  [[nodiscard]] PrivacyRecord record() const;

 private:
  SitePrivacy(const PrivacySettings& settings, const Federation& federation, SiteId site, std::string digest,
              LedgerFile file)
      : settings_(settings),
        federation_(federation),
        site_(site),
        digest_(std::move(digest)),
        file_(std::move(file)),
        ledger_(file_.ledger().value_or(PrivacyLedger{})) {}

  [[nodiscard]] std::int64_t boundary_size() const;
  [[nodiscard]] Error too_little_noise(const PrivacyBudget& budget, std::int64_t iterations) const;

  const PrivacySettings& settings_;
  const Federation& federation_;
  SiteId site_;
  std::string digest_;
  LedgerFile file_;
  PrivacyLedger ledger_;  // with the planned run
};

}  // namespace gtvmin::app
