#include "gtvmin/runtime/message_log.h"

#include <gtest/gtest.h>

#include <deque>

#include "gtvmin/base/rng.h"

namespace gtvmin {
namespace {

std::string message(std::uint64_t number) { return "message " + std::to_string(number); }

TEST(OutLog, KeepsWhatIsNotCovered) {
  OutLog log;
  for (std::uint64_t k = 0; k < 5; ++k) log.append(message(k));
  log.cover(3);
  EXPECT_EQ(log.first(), 3U);
  EXPECT_EQ(log.end(), 5U);
  EXPECT_EQ(log.at(4), message(4));
  EXPECT_EQ(log.kept_bytes(), message(3).size() + message(4).size());
  log.cover(1);  // an old frame that came late
  EXPECT_EQ(log.first(), 3U);
  EXPECT_FALSE(log.all_covered());
  log.cover(5);
  EXPECT_TRUE(log.all_covered());
  EXPECT_EQ(log.kept_bytes(), 0U);
}

TEST(OutLog, OfASiteThatWentDownForgetsAtOnceWhatItsNeighbourHasCovered) {
  OutLog log(2, {message(1)});
  EXPECT_EQ(log.first(), 1U);
  EXPECT_EQ(log.kept_bytes(), message(1).size());
  log.cover(4);  // the neighbour has long had messages that this site computes again
  log.append(message(2));
  log.append(message(3));
  EXPECT_EQ(log.first(), 4U);
  log.append(message(4));
  EXPECT_EQ(log.first(), 4U);
  EXPECT_EQ(log.at(4), message(4));
}

TEST(InLog, TakesMessagesOnceAndInTheirOrder) {
  InLog log(2);
  EXPECT_EQ(log.offer(1, message(1)), InLog::Offer::kAhead);
  EXPECT_EQ(log.offer(0, message(0)), InLog::Offer::kAccepted);
  EXPECT_EQ(log.offer(0, message(0)), InLog::Offer::kRepeated);
  EXPECT_EQ(log.offer(1, message(1)), InLog::Offer::kAccepted);
  EXPECT_EQ(log.offer(2, message(2)), InLog::Offer::kFull);
  EXPECT_EQ(log.take(), message(0));
  EXPECT_EQ(log.offer(0, message(0)), InLog::Offer::kRepeated);
  EXPECT_EQ(log.next(), 2U);
  log.forget_waiting();
  EXPECT_EQ(log.next(), 1U);
}

TEST(Logs, BringEveryMessageOverANetworkThatLosesRepeatsAndReorders) {
  Rng rng(5);
  constexpr std::uint64_t kMessages = 500;
  OutLog out;
  InLog in(8);
  std::deque<std::pair<std::uint64_t, std::string>> network;
  std::uint64_t used = 0;
  std::uint64_t kept = 0;
  while (used < kMessages) {
    if (out.end() < kMessages && rng.uniform() < 0.3) out.append(message(out.end()));
    for (std::uint64_t k = std::max(out.first(), in.next()); k < out.end() && network.size() < 20; ++k) {
      if (rng.uniform() < 0.3) continue;
      network.emplace_back(k, out.at(k));
      if (rng.uniform() < 0.3) network.emplace_back(k, out.at(k));
    }
    while (!network.empty() && rng.uniform() < 0.9) {
      const std::size_t pick = rng.below(network.size());
      in.offer(network[pick].first, network[pick].second);
      network.erase(network.begin() + static_cast<std::ptrdiff_t>(pick));
    }
    while (!in.empty() && rng.uniform() < 0.8) {
      ASSERT_EQ(in.take(), message(used));
      ++used;
    }
    if (rng.uniform() < 0.1) out.cover(in.used());
    if (rng.uniform() < 0.01) in = InLog(8, out.first());  // the receiver went down; all it may want again is kept
    used = in.used();
    kept = std::max<std::uint64_t>(kept, out.kept().size());
  }
  EXPECT_LT(kept, kMessages);
}

}  // namespace
}  // namespace gtvmin
