#include "gtvmin/pki/keyed_random.h"

#include <gtest/gtest.h>

#include <set>

#include "gtvmin/privacy/gaussian_mechanism.h"

namespace gtvmin {
namespace {

TEST(KeyedRandom, IsChaCha20) {
  // RFC 8439, appendix A.1, first vector: key, nonce and counter 0. Words are read in the byte order of the machine.
  KeyedRandom random(RandomKey{}, 0, 0);
  EXPECT_EQ(random(), 0x903df1a0ade0b876ULL);
  EXPECT_EQ(random(), 0x28bd8653e56a5d40ULL);
}

TEST(KeyedRandom, GivesTheSameBitsAgainAndOthersElsewhere) {
  const RandomKey key = *make_random_key();
  EXPECT_NE(key, *make_random_key());
  const auto third = [&](std::uint64_t round, std::uint32_t node) {
    RandomBits random = KeyedRandom(key, round, node);
    for (int k = 0; k < 20; ++k) random();
    return random();
  };
  EXPECT_EQ(third(5, 7), third(5, 7));
  EXPECT_EQ((std::set<std::uint64_t>{third(5, 7), third(7, 5), third(5, 8), third(1ULL << 40, 7)}.size()), 4);
}

}  // namespace
}  // namespace gtvmin
