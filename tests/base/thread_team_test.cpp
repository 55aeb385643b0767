#include "gtvmin/base/thread_team.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <numeric>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "gtvmin/base/errand.h"

namespace gtvmin {
namespace {

/// Runs one job that marks its items and checks that each was done once, by a worker of the team, in chunks that fit.
void expect_every_item_once(ThreadTeam& team, Index items, Index chunk) {
  std::vector<int> done(items, 0);  // every entry is written by one worker; the team makes the writes visible
  std::atomic<bool> fits{true};
  team.run(items, chunk, [&](int worker, Index begin, Index end) {
    if (worker < 0 || worker >= team.size() || begin >= end || end > items) fits = false;
    for (Index k = begin; k < end; ++k) ++done[k];
  });
  EXPECT_TRUE(fits);
  EXPECT_TRUE(std::all_of(done.begin(), done.end(), [](int times) { return times == 1; }));
}

TEST(ThreadTeam, DoesEveryItemOnce) {
  for (const int threads : {1, 2, 3, 4 * static_cast<int>(std::max(1U, std::thread::hardware_concurrency()))}) {
    ThreadTeam team(threads);
    EXPECT_EQ(team.size(), threads);
    for (const Index items : {0, 1, 2, 7, 100, 1001}) {
      for (const Index chunk : {1, 3, 64, 5000}) expect_every_item_once(team, items, chunk);
    }
  }
}

TEST(ThreadTeam, WhatOneRunWritesTheNextOneSees) {
  constexpr Index kItems = 257;
  ThreadTeam team(3);
  std::vector<Index> numbers(kItems, 0);
  std::vector<Index> sums(team.size());
  for (Index round = 1; round <= 2000; ++round) {
    team.run(kItems, 4, [&](int /*worker*/, Index begin, Index end) {
      for (Index k = begin; k < end; ++k) numbers[k] += k;
    });
    std::fill(sums.begin(), sums.end(), 0);
    team.run(kItems, 16, [&](int worker, Index begin, Index end) {
      for (Index k = begin; k < end; ++k) sums[worker] += numbers[k];
    });
    ASSERT_EQ(std::accumulate(sums.begin(), sums.end(), Index{0}), round * kItems * (kItems - 1) / 2);
  }
}

TEST(ThreadTeam, HasAsManyThreadsAsTheMachineUnlessTold) {
  EXPECT_EQ(threads_or_all(0), static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
  EXPECT_EQ(threads_or_all(3), 3);
}

TEST(ThreadTeam, TheFirstWorkerIsTheCaller) {
  ThreadTeam team(3);
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> right{true};
  for (int repeat = 0; repeat < 200; ++repeat) {
    team.run(64, 1, [&](int worker, Index /*begin*/, Index /*end*/) {
      if ((worker == 0) != (std::this_thread::get_id() == caller)) right = false;
    });
  }
  EXPECT_TRUE(right);
}

TEST(ThreadTeam, TheCallerRunsItsErrandBetweenChunksAsLongAsItHasOne) {
  const auto caller = std::this_thread::get_id();
  for (const int threads : {1, 3}) {
    ThreadTeam team(threads);
    std::atomic<Index> of_caller{0};
    const auto count_chunks = [&](int worker, Index /*begin*/, Index /*end*/) { of_caller += worker == 0 ? 1 : 0; };
    Index errands = 0;
    {
      const Errand errand([&] {
        ++errands;
        EXPECT_EQ(std::this_thread::get_id(), caller);
      });
      team.run(640, 10, count_chunks);
      EXPECT_EQ(errands, of_caller);
      EXPECT_TRUE(threads > 1 || errands == 64);
      expect_every_item_once(team, 101, 10);
    }
    const Index before = errands;
    team.run(640, 10, count_chunks);
    EXPECT_EQ(errands, before);
  }
}

TEST(ThreadTeam, GoesOnWithoutHelpersThatCannotBeStarted) {
  for (const int startable : {0, 1, 2}) {
    int started = 0;
    ThreadTeam team(5, [&](std::function<void()> body) {
      if (started++ == startable) {
        throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
      }
      return std::thread(std::move(body));
    });
    EXPECT_EQ(team.size(), startable + 1);
    expect_every_item_once(team, 1001, 3);
  }
  ThreadTeam alone(3, [](const std::function<void()>&) -> std::thread { throw std::bad_alloc(); });
  EXPECT_EQ(alone.size(), 1);
}

TEST(ThreadTeam, AnExceptionOfAnyWorkerReachesTheCallerAndTheTeamLives) {
  ThreadTeam team(3);
  for (int repeat = 0; repeat < 200; ++repeat) {
    // The caller throws in one half of the runs, whichever worker comes to the item in the other.
    const auto fail = [&](int worker, Index begin, Index /*end*/) {
      if (repeat % 2 == 0 ? worker == 0 : begin == 40) throw std::bad_alloc();
    };
    if (repeat % 2 == 0) {
      try {
        team.run(64, 1, fail);  // the helpers may have done it all
      } catch (const std::bad_alloc&) {
      }
    } else {
      EXPECT_THROW(team.run(64, 1, fail), std::bad_alloc);
    }
    expect_every_item_once(team, 101, 1);
  }
}

TEST(ThreadTeam, TeamsComeAndGoAlsoWithoutWorkAndInsideOneAnother) {
  for (int repeat = 0; repeat < 50; ++repeat) const ThreadTeam idle(4);
  ThreadTeam outer(2);
  std::atomic<Index> total{0};
  outer.run(8, 1, [&](int /*worker*/, Index begin, Index end) {
    ThreadTeam inner(2);
    for (Index k = begin; k < end; ++k) {
      inner.run(10, 1, [&](int /*w*/, Index first, Index last) { total += last - first; });
    }
  });
  EXPECT_EQ(total, 80);
}

}  // namespace
}  // namespace gtvmin
