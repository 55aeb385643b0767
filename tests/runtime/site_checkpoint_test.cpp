#include "gtvmin/runtime/site_checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace gtvmin {
namespace {

using ::testing::HasSubstr;

SiteCheckpoint some_checkpoint(std::uint64_t iterations) {
  SiteCheckpoint checkpoint;
  checkpoint.identity = {"federation abc", "site north"};
  checkpoint.iterations = iterations;
  checkpoint.sums = 3;
  checkpoint.exit_code = 4;
  checkpoint.policy = "drop";
  SolverState& state = checkpoint.state.emplace();
  state.progress.iteration = 12;
  state.progress.certified = 0.25;
  state.weight = PrimalWeight({.omega = 4, .window_end = 17, .changes = 1});
  state.trace.resize(2);
  state.trace[1].objective = 1.5;
  checkpoint.w = Matrix::Random(2, 3);
  checkpoint.u = Matrix::Random(2, 4);
  checkpoint.w_window = Matrix::Random(2, 2);
  checkpoint.u_window = Matrix::Random(2, 4);
  checkpoint.links.push_back({.used = 5, .iterations = 4, .sums = 1, .sent = 9, .kept = {"seven", "eight"}});
  checkpoint.absences.push_back({.since = 11, .last_parameters = "last"});
  checkpoint.sent[7] = Vector::Random(2);
  return checkpoint;
}

class CheckpointFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = (std::filesystem::temp_directory_path() /
             ("gtvmin-checkpoint-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name())))
                .string();
    std::filesystem::remove_all(path_);
  }
  void TearDown() override { std::filesystem::remove_all(path_); }

  std::string path_;
};

TEST(SiteCheckpoint, ComesBackAsItWas) {
  const SiteCheckpoint checkpoint = some_checkpoint(12);
  const auto back = decode_checkpoint(encode_checkpoint(checkpoint));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->identity, checkpoint.identity);
  EXPECT_EQ(back->iterations, 12U);
  EXPECT_EQ(back->sums, 3U);
  EXPECT_EQ(back->exit_code, 4);
  EXPECT_EQ(back->policy, "drop");
  EXPECT_EQ(back->state->progress.iteration, 12);
  EXPECT_EQ(back->state->progress.certified, 0.25);
  const PrimalWeight::State& weight = back->state->weight.state();
  EXPECT_EQ(weight.omega, 4);
  EXPECT_EQ(weight.window_end, 17);
  EXPECT_EQ(weight.changes, 1);
  ASSERT_EQ(back->state->trace.size(), 2U);
  EXPECT_EQ(back->state->trace[1].objective, 1.5);
  EXPECT_EQ(back->w, checkpoint.w);
  EXPECT_EQ(back->u, checkpoint.u);
  EXPECT_EQ(back->w_window, checkpoint.w_window);
  EXPECT_EQ(back->u_window, checkpoint.u_window);
  ASSERT_EQ(back->links.size(), 1U);
  EXPECT_EQ(back->links[0].used, 5U);
  EXPECT_EQ(back->links[0].sent, 9U);
  EXPECT_EQ(back->links[0].kept, checkpoint.links[0].kept);
  ASSERT_EQ(back->absences.size(), 1U);
  EXPECT_EQ(back->absences[0].since, 11U);
  EXPECT_EQ(back->absences[0].last_parameters, "last");
  EXPECT_EQ(back->sent, checkpoint.sent);
}

TEST(SiteCheckpoint, NoticesEveryDamage) {
  const std::string bytes = encode_checkpoint(some_checkpoint(1));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(decode_checkpoint(std::string_view(bytes).substr(0, length)).ok()) << length;
  }
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    EXPECT_FALSE(decode_checkpoint(damaged).ok()) << at;
  }
}

TEST_F(CheckpointFolderTest, IsEmptyAtFirstAndThenHoldsTheLast) {
  const auto folder = CheckpointFolder::open(path_);
  ASSERT_TRUE(folder.ok());
  std::string warning;
  EXPECT_FALSE(folder->load(warning)->has_value());
  for (std::uint64_t k = 1; k <= 3; ++k) ASSERT_TRUE(folder->save(some_checkpoint(k)).ok());
  EXPECT_EQ((*folder->load(warning))->iterations, 3U);
  EXPECT_EQ(warning, "");
}

TEST_F(CheckpointFolderTest, FallsBackOnTheOneBeforeADamagedOne) {
  const auto folder = CheckpointFolder::open(path_);
  for (std::uint64_t k = 1; k <= 2; ++k) ASSERT_TRUE(folder->save(some_checkpoint(k)).ok());
  std::ofstream(path_ + "/checkpoint") << "half a checkp";
  std::string warning;
  const auto loaded = folder->load(warning);
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ((*loaded)->iterations, 1U);
  EXPECT_THAT(warning, HasSubstr("/checkpoint: is not a checkpoint of a site"));

  std::ofstream(path_ + "/checkpoint.before") << "";
  EXPECT_FALSE(folder->load(warning).ok());
}

TEST_F(CheckpointFolderTest, IsForOneAtATime) {
  {
    const auto folder = CheckpointFolder::open(path_);
    ASSERT_TRUE(folder.ok());
    const auto second = CheckpointFolder::open(path_);
    ASSERT_FALSE(second.ok());
    EXPECT_THAT(second.error().messages.front(), HasSubstr("another agent saves its checkpoints here"));
  }
  EXPECT_TRUE(CheckpointFolder::open(path_).ok());
}

TEST_F(CheckpointFolderTest, ForgetsWhatWasLeftBehindInTheMiddleOfASave) {
  ASSERT_TRUE(CheckpointFolder::open(path_)->save(some_checkpoint(1)).ok());
  const std::string left = path_ + "/.checkpoint.partial-7";
  std::ofstream(left) << "half";
  const auto folder = CheckpointFolder::open(path_);
  EXPECT_FALSE(std::filesystem::exists(left));
  std::string warning;
  EXPECT_EQ((*folder->load(warning))->iterations, 1U);
}

}  // namespace
}  // namespace gtvmin
