#include "gtvmin/pki/keyed_random.h"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <cstring>
#include <exception>

#include "openssl.h"

namespace gtvmin {

struct KeyedRandom::State {
  static constexpr std::size_t kWords = 8;  // one block of the cipher
  std::unique_ptr<EVP_CIPHER_CTX, Release<EVP_CIPHER_CTX_free>> cipher{EVP_CIPHER_CTX_new()};
  std::array<std::uint64_t, kWords> block{};
  std::size_t used = kWords;
};

Result<RandomKey> make_random_key() {
  RandomKey key;
  if (RAND_priv_bytes(key.data(), static_cast<int>(key.size())) != 1) return openssl_failure("making a random key");
  return key;
}

KeyedRandom::KeyedRandom(const RandomKey& key, std::uint64_t round, std::uint32_t node)
    : state_(std::make_shared<State>()) {
  // OpenSSL's 16 bytes: the counter of blocks, which starts at 0, and a nonce of 12 bytes.
  std::array<unsigned char, 16> start{};
  for (std::size_t k = 0; k < 8; ++k) start[4 + k] = static_cast<unsigned char>(round >> (8 * k));
  for (std::size_t k = 0; k < 4; ++k) start[12 + k] = static_cast<unsigned char>(node >> (8 * k));
  if (!state_->cipher ||
      EVP_EncryptInit_ex2(state_->cipher.get(), EVP_chacha20(), key.data(), start.data(), nullptr) != 1) {
    std::terminate();  // no noise, no release
  }
}

std::uint64_t KeyedRandom::operator()() {
  State& state = *state_;
  if (state.used == State::kWords) {
    std::array<unsigned char, 8 * State::kWords> bytes{};
    int size = 0;
    if (EVP_EncryptUpdate(state.cipher.get(), bytes.data(), &size, bytes.data(), bytes.size()) != 1) std::terminate();
    std::memcpy(state.block.data(), bytes.data(), bytes.size());
    state.used = 0;
  }
  return state.block[state.used++];
}

}  // namespace gtvmin
