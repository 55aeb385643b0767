#include "site_privacy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "gtvmin/pki/digest.h"
#include "gtvmin/pki/keyed_random.h"

namespace gtvmin::app {
namespace {

/// What every option of the group needs.
std::vector<std::string> missing_options(const PrivacySettings& settings) {
  std::vector<std::string> missing;
  if (settings.epsilon == 0) missing.emplace_back("--privacy-epsilon");
  if (settings.delta == 0) missing.emplace_back("--privacy-delta");
  if (settings.clip == 0) missing.emplace_back("--privacy-clip");
  if (settings.ledger.empty()) missing.emplace_back("--privacy-ledger");
  return missing;
}

std::string spent_text(const PrivacyBudget& budget) {
  return fmt::format("epsilon {:.6g} of {:g} at delta {:g} is spent", budget.spent(), budget.epsilon(), budget.delta());
}

/// How many vectors a run may send; more than 2⁶² never will.
std::int64_t vectors_of(std::int64_t iterations, std::int64_t nodes) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  return iterations > kMost / nodes ? kMost : iterations * nodes;
}

Error budget_gone(const std::string& ledger, const PrivacyBudget& budget) {
  return bad_input(fmt::format("{}: the privacy budget is exhausted: {}, by {} vectors; nothing was sent", ledger,
                               spent_text(budget), budget.released()));
}

}  // namespace

Result<std::unique_ptr<SitePrivacy>> SitePrivacy::open(const PrivacySettings& settings, const Federation& federation,
                                                       SiteId site, std::string digest) {
  const std::vector<std::string> missing = missing_options(settings);
  if (missing.size() == 4 && settings.noise == 0) return std::unique_ptr<SitePrivacy>();
  if (!missing.empty()) return usage_error(fmt::format("noise also needs {}", fmt::join(missing, ", ")));
  if (federation.sums) {
    return usage_error(
        fmt::format("--privacy-epsilon: the sites of {} send exact sums of losses and gradients, which no noise "
                    "covers; noise needs "
                    "a federation with sums = false",
                    federation.name));
  }
  Result<LedgerFile> file = LedgerFile::open(settings.ledger);
  if (!file) return file.error();
  std::unique_ptr<SitePrivacy> privacy(
      new SitePrivacy(settings, federation, site, std::move(digest), *std::move(file)));
  if (privacy->boundary_size() == 0) {
    return usage_error("--privacy-epsilon: this site has no neighbours and sends nothing");
  }
  PrivacyLedger& ledger = privacy->ledger_;
  if (ledger.runs.empty()) {
    ledger.epsilon = settings.epsilon;
    ledger.delta = settings.delta;
  }
  if (ledger.epsilon != settings.epsilon || ledger.delta != settings.delta) {
    return bad_input(fmt::format("{}: has the budget epsilon {:g} at delta {:g}, not {:g} at {:g}", settings.ledger,
                                 ledger.epsilon, ledger.delta, settings.epsilon, settings.delta));
  }
  return privacy;
}

std::string SitePrivacy::run_name() const {
  if (ledger_.runs.empty()) return "noise of no run in the privacy ledger";
  const std::string key(ledger_.key.begin(), ledger_.key.end());
  return fmt::format("noise of run {} in the privacy ledger, key {}", ledger_.runs.size(), sha256_hex(key));
}

std::int64_t SitePrivacy::boundary_size() const {
  std::set<NodeId> nodes;
  for (const SiteId other : neighbours(federation_, site_)) {
    const std::vector<NodeId> seen = boundary_nodes(federation_, site_, other);
    nodes.insert(seen.begin(), seen.end());
  }
  return static_cast<std::int64_t>(nodes.size());
}

Error SitePrivacy::too_little_noise(const PrivacyBudget& budget, std::int64_t iterations) const {
  const std::int64_t nodes = boundary_size();
  const double multiplier = budget.least_multiplier(vectors_of(iterations, nodes));
  if (std::isinf(multiplier)) return budget_gone(file_.path(), budget);
  return bad_input(fmt::format(
      "{}: with --privacy-noise {:g} the privacy budget allows {} iterations, not {}, of {} vectors each; {} so far. "
      "{} iterations need --privacy-noise {:g}",
      file_.path(), settings_.noise, budget.left(settings_.noise / 2) / nodes, iterations, nodes, spent_text(budget),
      iterations, 2 * multiplier));
}

Status SitePrivacy::plan(std::int64_t iterations) {
  Result<PrivacyBudget> budget = ledger_.budget();
  if (!budget) return budget.error();
  const std::int64_t vectors = vectors_of(iterations, boundary_size());
  const double noise = settings_.noise > 0 ? settings_.noise : 2 * budget->least_multiplier(vectors);
  if (std::isinf(noise)) return budget_gone(file_.path(), *budget);
  if (!budget->spend(noise / 2, vectors)) return too_little_noise(*budget, iterations);
  const Result<RandomKey> key = make_random_key();
  if (!key) return key.error();
  ledger_.key = *key;
  ledger_.runs.push_back({.federation = digest_,
                          .site = federation_.sites[site_].name,
                          .clip = settings_.clip,
                          .noise = noise,
                          .vectors = vectors});
  return Unit{};
}

Status SitePrivacy::go_on() {
  const PrivacyLedger::Run& run = ledger_.runs.back();
  const bool same = settings_.clip == run.clip && (settings_.noise == 0 || settings_.noise == run.noise);
  if (same) return Unit{};
  return usage_error(
      fmt::format("the run to resume has --privacy-clip {} and --privacy-noise {}", run.clip, run.noise));
}

Status SitePrivacy::enter() { return file_.save(ledger_); }

void SitePrivacy::release(std::uint64_t iteration, NodeId node, VectorRef update) const {
  const PrivacyLedger::Run& run = ledger_.runs.back();
  const GaussianMechanism mechanism{.clip = run.clip, .noise = run.noise};
  mechanism.release(update, KeyedRandom(ledger_.key, iteration, static_cast<std::uint32_t>(node)));
}

PrivacyRecord SitePrivacy::record() const {
  const PrivacyLedger::Run& run = ledger_.runs.back();
  return {.epsilon = ledger_.epsilon,
          .delta = ledger_.delta,
          .clip = run.clip,
          .noise = run.noise,
          .vectors = run.vectors,
          .spent = ledger_.budget()->spent(),
          .ledger = file_.path()};
}

}  // namespace gtvmin::app
