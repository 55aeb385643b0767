#include "gtvmin/privacy/privacy_ledger.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <utility>

#include "gtvmin/base/fingerprint.h"
#include "gtvmin/io/output_file.h"

namespace gtvmin {
namespace {

constexpr std::string_view kFormat = "gtvmin privacy ledger 1";

std::string key_text(const NoiseKey& key) {
  std::string text;
  for (const unsigned char byte : key) text += fmt::format("{:02x}", byte);
  return text;
}

/// Takes words off a text. What is not there reads as empty or 0; that is noticed in the end.
class Words {
 public:
  explicit Words(std::string_view text) : left_(text) {}

  [[nodiscard]] std::string_view next() {
    const std::size_t start = std::min(left_.find_first_not_of(" \n"), left_.size());
    const std::size_t end = std::min(left_.find_first_of(" \n", start), left_.size());
    const std::string_view word = left_.substr(start, end - start);
    left_.remove_prefix(end);
    return word;
  }
  template <class T>
  [[nodiscard]] T number() {
    const std::string_view word = next();
    T value{};
    std::from_chars(word.data(), word.data() + word.size(), value);
    return value;
  }

 private:
  std::string_view left_;
};

NoiseKey read_key(std::string_view digits) {
  NoiseKey key{};
  for (std::size_t k = 0; k < key.size() && 2 * k + 2 <= digits.size(); ++k) {
    std::from_chars(digits.data() + 2 * k, digits.data() + 2 * k + 2, key[k], 16);
  }
  return key;
}

}  // namespace

Result<PrivacyBudget> PrivacyLedger::budget() const {
  Result<PrivacyBudget> budget = PrivacyBudget::make(epsilon, delta);
  if (!budget) return budget;
  for (const Run& run : runs) {
    const bool counts = std::isfinite(run.noise) && run.noise > 0 && std::isfinite(run.clip) && run.clip > 0;
    if (!counts || run.vectors < 0) return bad_input("contains an impossible run");
    if (Status spent = budget->spend(run.noise / 2, run.vectors); !spent) return spent.error();
  }
  return budget;
}

std::string ledger_text(const PrivacyLedger& ledger) {
  std::string text = fmt::format("{}\nepsilon {}\ndelta {}\n", kFormat, ledger.epsilon, ledger.delta);
  for (const PrivacyLedger::Run& run : ledger.runs) {
    text += fmt::format("run {} {} clip {} noise {} vectors {}\n", run.federation, run.site, run.clip, run.noise,
                        run.vectors);
  }
  text += fmt::format("key {}\n", key_text(ledger.key));
  return text + fmt::format("checksum {}\n", fingerprint(text));
}

Result<PrivacyLedger> parse_ledger(std::string_view text) {
  if (!text.starts_with(kFormat)) return bad_input("is not a privacy ledger of this version");
  Words words(text.substr(kFormat.size()));
  PrivacyLedger ledger;
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (word == "epsilon") ledger.epsilon = words.number<double>();
    if (word == "delta") ledger.delta = words.number<double>();
    if (word == "key") ledger.key = read_key(words.next());
    if (word != "run") continue;
    PrivacyLedger::Run& run = ledger.runs.emplace_back();
    run.federation = words.next();
    run.site = words.next();
    for (double* value : {&run.clip, &run.noise}) {
      (void)words.next();
      *value = words.number<double>();
    }
    (void)words.next();
    run.vectors = words.number<std::int64_t>();
  }
  if (ledger_text(ledger) != text) return bad_input("is damaged");
  const Result<PrivacyBudget> budget = ledger.budget();
  if (!budget) return bad_input("is damaged: " + budget.error().messages.front());
  return ledger;
}

Result<LedgerFile> LedgerFile::open(const std::string& path) {
  if (const Status place = check_output_file(path, true); !place) return place.error();
  Result<FileLock> lock = FileLock::take(path + ".lock", path + ": another agent uses this privacy ledger");
  if (!lock) return lock.error();
  LedgerFile file(path, *std::move(lock));
  std::error_code ignored;  // the folder is there and can be searched
  if (!std::filesystem::exists(path, ignored)) return file;
  const Result<std::string> text = read_secret_file(path);
  if (!text) return text.error();
  Result<PrivacyLedger> ledger = parse_ledger(*text);
  if (!ledger) {
    return bad_input(fmt::format("{}: {}; the budget spent is unknown, so the file is not replaced", path,
                                 ledger.error().messages.front()));
  }
  file.ledger_ = *std::move(ledger);
  return file;
}

Status LedgerFile::save(PrivacyLedger ledger) {
  if (Status written = replace_secret_file(path_, ledger_text(ledger)); !written) return written;
  ledger_ = std::move(ledger);
  return Unit{};
}

}  // namespace gtvmin
