#include "gtvmin/privacy/privacy_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "gtvmin/base/rng.h"
#include "io/temporary_directory.h"

namespace gtvmin {
namespace {

using ::testing::HasSubstr;

PrivacyLedger some_ledger() {
  PrivacyLedger ledger;
  ledger.epsilon = 8;
  ledger.delta = 1e-6;
  ledger.runs = {{"0a1b", "north", 2.5, 100.25, 300}, {"0a1b", "north", 1, 0.1 + 300, 70}};
  for (std::size_t k = 0; k < ledger.key.size(); ++k) ledger.key[k] = static_cast<unsigned char>(7 * k + 1);
  return ledger;
}

std::string problem_of(std::string_view text) {
  const auto ledger = parse_ledger(text);
  return ledger ? "" : ledger.error().messages.front();
}

TEST(PrivacyLedger, GivesItselfBack) {
  const PrivacyLedger written = some_ledger();
  const auto read = parse_ledger(ledger_text(written));
  ASSERT_TRUE(read.ok()) << read.error().messages.front();
  EXPECT_EQ(ledger_text(*read), ledger_text(written));
  EXPECT_EQ(read->key, written.key);
  ASSERT_EQ(read->runs.size(), 2);
  EXPECT_EQ(read->runs[1].noise, 0.1 + 300);
  EXPECT_EQ(read->budget()->released(), 370);
  RenyiAccountant accountant;
  accountant.add(100.25 / 2, 300);
  accountant.add((0.1 + 300) / 2, 70);
  EXPECT_EQ(read->budget()->spent(), accountant.spent(1e-6));
}

TEST(PrivacyLedger, IsRefusedWhereverItBreaksOff) {
  const std::string text = ledger_text(some_ledger());
  for (std::size_t size = 0; size < text.size(); ++size) ASSERT_NE(problem_of(text.substr(0, size)), "") << size;
}

TEST(PrivacyLedger, IsRefusedWhateverIsChanged) {
  const std::string text = ledger_text(some_ledger());
  Rng rng(9);
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = text;
    const std::size_t at = rng.below(text.size());
    switch (rng.below(3)) {
      case 0:
        damaged[at] = static_cast<char>(rng.below(256));
        break;
      case 1:
        damaged.erase(at, 1 + rng.below(20));
        break;
      default:
        damaged.insert(at, text.substr(rng.below(text.size()), 1 + rng.below(20)));
    }
    if (damaged == text) continue;
    ASSERT_NE(problem_of(damaged), "") << damaged;
  }
  EXPECT_THAT(problem_of("epsilon = 3\n"), HasSubstr("is not a privacy ledger"));
}

TEST(PrivacyLedger, WithMoreSpentThanItsBudgetIsRefused) {
  PrivacyLedger ledger = some_ledger();
  ledger.runs[0].vectors = 1'000'000;
  EXPECT_THAT(problem_of(ledger_text(ledger)), HasSubstr("is damaged: the privacy budget is exhausted"));
  ledger = some_ledger();
  ledger.runs[0].noise = 0;
  EXPECT_THAT(problem_of(ledger_text(ledger)), HasSubstr("impossible run"));
  ledger = some_ledger();
  ledger.delta = 0;
  EXPECT_THAT(problem_of(ledger_text(ledger)), HasSubstr("delta must be > 0"));
}

TEST(LedgerFile, IsForItsOwnerAloneAndForOneProcess) {
  const TemporaryDirectory folder;
  const std::string path = folder.path("ledger");
  {
    auto file = LedgerFile::open(path);
    ASSERT_TRUE(file.ok()) << file.error().messages.front();
    EXPECT_FALSE(file->ledger().has_value());
    ASSERT_TRUE(file->save(some_ledger()).ok());
    const auto second = LedgerFile::open(path);
    ASSERT_FALSE(second.ok());
    EXPECT_THAT(second.error().messages.front(), HasSubstr("another agent uses this privacy ledger"));
  }
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600);
  EXPECT_EQ(folder.read("ledger"), ledger_text(some_ledger()));
  EXPECT_EQ(LedgerFile::open(path)->ledger()->runs.size(), 2);
  ::chmod(path.c_str(), 0640);
  const auto open_to_others = LedgerFile::open(path);
  ASSERT_FALSE(open_to_others.ok());
  EXPECT_THAT(open_to_others.error().messages.front(), HasSubstr("chmod 600"));
}

TEST(LedgerFile, ThatIsDamagedStaysAsItIs) {
  const TemporaryDirectory folder;
  const std::string path = folder.write("ledger", "gtvmin privacy ledger 1\nepsilon 8\n");
  ::chmod(path.c_str(), 0600);
  const auto file = LedgerFile::open(path);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().kind, Error::Kind::kBadInput);
  EXPECT_THAT(file.error().messages.front(), HasSubstr("ledger: is damaged"));
  EXPECT_EQ(folder.read("ledger"), "gtvmin privacy ledger 1\nepsilon 8\n");
}

}  // namespace
}  // namespace gtvmin
