#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "gtvmin/base/result.h"

namespace gtvmin {

using RandomKey = std::array<unsigned char, 32>;

/// A key from the operating system's randomness.
[[nodiscard]] Result<RandomKey> make_random_key();

/// 64 random bits at a time that nobody without the key can guess (ChaCha20, RFC 8439). The same key, round and node
/// give the same bits: a site that restarts sends the same noise again, not a second release. Models RandomBits.
class KeyedRandom {
 public:
  KeyedRandom(const RandomKey& key, std::uint64_t round, std::uint32_t node);

  std::uint64_t operator()();

 private:
  struct State;
  std::shared_ptr<State> state_;  // a copy goes on where the other one is: std::function copies what it holds
};

}  // namespace gtvmin
