#include "gtvmin/io/result_directory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>

#include "temporary_directory.h"

namespace gtvmin {
namespace {

using FileNames = std::set<std::string>;
namespace fs = std::filesystem;

Status write_results(const std::string& path, bool force, std::string_view content) {
  auto directory = ResultDirectory::create(path, force);
  if (!directory) return directory.error();
  for (const std::string_view name : {"summary.json", "parameters.csv"}) {
    if (Status status = directory->add(name, content); !status) return status;
  }
  return directory->commit();
}

std::string message(const Status& status) { return status ? "" : status.error().messages.front(); }

void expect_usage_error(const Status& status, const std::string& expected) {
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, Error::Kind::kUsage);
  EXPECT_EQ(message(status), expected);
}

TEST(ResultDirectory, AppearsWholeOnCommit) {
  const TemporaryDirectory home;
  {
    auto directory = ResultDirectory::create(home.path("out/"), false);
    ASSERT_TRUE(directory.ok()) << directory.error().messages.front();
    EXPECT_FALSE(home.names().contains("out"));
    ASSERT_TRUE(directory->add("summary.json", "{}").ok());
    ASSERT_TRUE(directory->add("empty.csv", "").ok());
    EXPECT_FALSE(home.names().contains("out"));
    ASSERT_TRUE(directory->commit().ok());
  }
  EXPECT_EQ(home.names(), FileNames{"out"});
  EXPECT_EQ(home.read("out/summary.json"), "{}");
  EXPECT_TRUE(fs::exists(home.path("out/empty.csv")));
}

TEST(ResultDirectory, LeavesNoTraceWithoutCommit) {
  const TemporaryDirectory home;
  {
    auto directory = ResultDirectory::create(home.path("out"), false);
    ASSERT_TRUE(directory.ok());
    ASSERT_TRUE(directory->add("summary.json", "{}").ok());
    EXPECT_EQ(home.names().size(), 1U);
    EXPECT_EQ(home.names().begin()->rfind(".out.partial-", 0), 0U) << *home.names().begin();
  }
  EXPECT_EQ(home.names(), FileNames{});
}

TEST(ResultDirectory, ReplacesAnOldResultOnlyByForce) {
  const TemporaryDirectory home;
  const std::string out = home.path("out");
  ASSERT_TRUE(write_results(out, false, "first").ok());
  expect_usage_error(write_results(out, false, "second"), out + ": exists already; use --force to replace it");
  expect_usage_error(check_output_directory(out, false), out + ": exists already; use --force to replace it");
  EXPECT_EQ(home.read("out/summary.json"), "first");

  EXPECT_TRUE(check_output_directory(out, true).ok());
  EXPECT_EQ(message(write_results(out, true, "third")), "");
  EXPECT_EQ(home.read("out/summary.json"), "third");
  EXPECT_EQ(home.names(), FileNames{"out"});
}

TEST(ResultDirectory, KeepsTheOldResultWhenAForcedRunIsNotCommitted) {
  const TemporaryDirectory home;
  ASSERT_TRUE(write_results(home.path("out"), false, "first").ok());
  {
    auto directory = ResultDirectory::create(home.path("out"), true);
    ASSERT_TRUE(directory.ok());
    ASSERT_TRUE(directory->add("summary.json", "half").ok());
  }
  EXPECT_EQ(home.read("out/summary.json"), "first");
  EXPECT_EQ(home.names(), FileNames{"out"});
}

TEST(ResultDirectory, NeverReplacesWhatDoesNotLookLikeAResult) {
  const TemporaryDirectory home;
  fs::create_directory(home.path("thesis"));
  home.write("thesis/chapter.tex", "precious");
  expect_usage_error(
      write_results(home.path("thesis"), true, "x"),
      home.path("thesis") + ": not replaced, because it contains no summary.json and does not look like a result");
  const std::string file = home.write("file", "precious");
  expect_usage_error(write_results(file, true, "x"), file + ": exists and is not a directory");
  EXPECT_EQ(home.read("thesis/chapter.tex"), "precious");
  EXPECT_EQ(home.read("file"), "precious");
  EXPECT_EQ(home.names(), (FileNames{"file", "thesis"}));
}

TEST(ResultDirectory, ReplacesAnEmptyDirectoryByForce) {
  const TemporaryDirectory home;
  fs::create_directory(home.path("out"));
  EXPECT_FALSE(write_results(home.path("out"), false, "x").ok());
  EXPECT_EQ(message(write_results(home.path("out"), true, "x")), "");
  EXPECT_EQ(home.read("out/parameters.csv"), "x");
}

TEST(ResultDirectory, DoesNotOverwriteWhatAppearedWhileItWasWritten) {
  const TemporaryDirectory home;
  auto directory = ResultDirectory::create(home.path("out"), false);
  ASSERT_TRUE(directory.ok());
  ASSERT_TRUE(write_results(home.path("out"), false, "other").ok());
  expect_usage_error(directory->commit(), home.path("out") + ": exists already; use --force to replace it");
  EXPECT_EQ(home.read("out/summary.json"), "other");
}

TEST(ResultDirectory, FollowsASymbolicLink) {
  const TemporaryDirectory home;
  ASSERT_TRUE(write_results(home.path("real"), false, "first").ok());
  fs::create_symlink("real", home.path("link"));
  fs::create_symlink("nothing", home.path("dangling"));
  EXPECT_EQ(message(write_results(home.path("link"), true, "second")), "");
  EXPECT_TRUE(fs::is_symlink(home.path("link")));
  EXPECT_EQ(home.read("real/summary.json"), "second");
  expect_usage_error(write_results(home.path("dangling"), true, "x"),
                     home.path("dangling") + ": is a dangling symbolic link");
}

TEST(ResultDirectory, RefusesPlacesThatCannotBeWrittenBeforeAnythingIsComputed) {
  const TemporaryDirectory home;
  expect_usage_error(check_output_directory(home.path("no/out"), false),
                     home.path("no/out") + ": the directory " + home.path("no") + " does not exist");
  for (const std::string path : {"", ".", "..", "/", "x/.."}) {
    expect_usage_error(check_output_directory(path, true),
                       (path.empty() ? "\"\"" : path) + ": is not a name for an output directory");
  }
  const Status nothing_can_be_made_here = check_output_directory("/proc/out", false);
  ASSERT_FALSE(nothing_can_be_made_here.ok());
  EXPECT_EQ(nothing_can_be_made_here.error().kind, Error::Kind::kUsage);
  EXPECT_TRUE(check_output_directory(home.path("out"), false).ok());
  EXPECT_EQ(home.names(), FileNames{});
}

TEST(ResultDirectory, RefusesADirectoryWithoutTheRightToWrite) {
  if (::geteuid() == 0) GTEST_SKIP() << "the superuser may write anywhere";
  const TemporaryDirectory home;
  fs::create_directory(home.path("locked"));
  ASSERT_EQ(::chmod(home.path("locked").c_str(), 0500), 0);
  expect_usage_error(
      check_output_directory(home.path("locked/out"), false),
      home.path("locked/out") + ": cannot write to the directory " + home.path("locked") + ": Permission denied");
  ASSERT_EQ(::chmod(home.path("locked").c_str(), 0700), 0);
}

TEST(ResultDirectory, IsCompleteOrLeavesNoTraceWhereverItIsStopped) {
  const NamedFiles files = {{"parameters.csv", std::string(3 << 20, 'x')}, {"summary.json", "{}"}};
  for (int last = 1;; ++last) {
    const TemporaryDirectory home;
    int asked = 0;
    const Status written =
        write_result_directory(home.path("out"), false, files, kResultMarker, [&] { return ++asked >= last; });
    if (written) {
      EXPECT_GE(last, 6);  // once per mebibyte, and before the directory is put into place
      EXPECT_EQ(fs::file_size(home.path("out/parameters.csv")), 3U << 20U);
      break;
    }
    EXPECT_EQ(written.error().kind, Error::Kind::kInterrupted);
    EXPECT_TRUE(fs::is_empty(home.path(""))) << "stopped at poll " << last;
  }
}

}  // namespace
}  // namespace gtvmin
