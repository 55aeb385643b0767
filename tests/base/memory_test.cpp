#include "gtvmin/base/memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace gtvmin {
namespace {

constexpr double kGibibyte = 1024.0 * 1024 * 1024;

TEST(Memory, IsRefusedByNameBeforeItIsTaken) {
  EXPECT_TRUE(require_memory(24 * kGibibyte, "a problem", 24 * kGibibyte));
  const Status refused = require_memory(31 * kGibibyte, "a problem", 24 * kGibibyte);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Error::Kind::kRuntime);
  EXPECT_EQ(refused.error().messages.front(), "a problem needs about 31 GiB of memory, 24 GiB are available");
  EXPECT_TRUE(require_memory(31 * kGibibyte, "a problem", std::nullopt));
}

TEST(Memory, NoMachineHasAnExbibyte) {
  ASSERT_TRUE(available_memory());
  EXPECT_GT(*available_memory(), 0);
  EXPECT_FALSE(require_memory(kGibibyte * kGibibyte, "a problem"));
  EXPECT_TRUE(require_memory(0, "nothing"));
}

TEST(Memory, CountsTheLimitOnAddressSpace) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers map memory of their own";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "sanitizers map memory of their own";
#endif
#endif
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  rlimit narrow = before;
  narrow.rlim_cur = rlim_t{1} << 45U;  // far above what the process has mapped, far below what a machine can address
  if (before.rlim_max != RLIM_INFINITY) GTEST_SKIP();
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &narrow), 0);
  EXPECT_TRUE(available_memory());
  narrow.rlim_cur = 1;
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &narrow), 0);
  const auto none = available_memory();
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(none, 0);
}

TEST(Memory, IsWrittenInPowersOf1024) {
  EXPECT_EQ(memory_text(0), "0.0 KiB");
  EXPECT_EQ(memory_text(1536 * 1024), "1.5 MiB");
  EXPECT_EQ(memory_text(31 * kGibibyte), "31 GiB");
}

}  // namespace
}  // namespace gtvmin
