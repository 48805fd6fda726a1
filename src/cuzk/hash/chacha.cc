#include "cuzk/hash/chacha.h"

#include <bit>

#include "cuzk/base/result.h"

namespace cuzk {

ChaCha::ChaCha(unsigned rounds, const Bytes32& key, bool wide_counter)
    : input_{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, rounds_(rounds), wide_counter_(wide_counter) {
  CUZK_CHECK(rounds == 8 || rounds == 12 || rounds == 20);
  for (std::size_t i = 0; i < 8; ++i) input_[4 + i] = load_le<std::uint32_t>(key.data() + 4 * i);
}

ChaCha ChaCha::with_stream(unsigned rounds, const Bytes32& key, std::uint64_t stream) {
  ChaCha chacha(rounds, key, true);
  chacha.input_[14] = static_cast<std::uint32_t>(stream);
  chacha.input_[15] = static_cast<std::uint32_t>(stream >> 32);
  return chacha;
}

ChaCha ChaCha::ietf(unsigned rounds, const Bytes32& key, const std::array<std::uint8_t, 12>& nonce) {
  ChaCha chacha(rounds, key, false);
  for (std::size_t i = 0; i < 3; ++i) chacha.input_[13 + i] = load_le<std::uint32_t>(nonce.data() + 4 * i);
  return chacha;
}

std::array<std::uint8_t, 64> ChaCha::block(std::uint64_t index) const {
  std::array<std::uint32_t, 16> start = input_;
  start[12] = static_cast<std::uint32_t>(index);
  if (wide_counter_) {
    start[13] = static_cast<std::uint32_t>(index >> 32);
  } else {
    CUZK_CHECK(index >> 32 == 0);
  }
  std::array<std::uint32_t, 16> x = start;
  const auto quarter = [&x](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
    x[a] += x[b];
    x[d] = std::rotl(x[d] ^ x[a], 16);
    x[c] += x[d];
    x[b] = std::rotl(x[b] ^ x[c], 12);
    x[a] += x[b];
    x[d] = std::rotl(x[d] ^ x[a], 8);
    x[c] += x[d];
    x[b] = std::rotl(x[b] ^ x[c], 7);
  };
  for (unsigned round = 0; round < rounds_; round += 2) {
    quarter(0, 4, 8, 12);
    quarter(1, 5, 9, 13);
    quarter(2, 6, 10, 14);
    quarter(3, 7, 11, 15);
    quarter(0, 5, 10, 15);
    quarter(1, 6, 11, 12);
    quarter(2, 7, 8, 13);
    quarter(3, 4, 9, 14);
  }
  std::array<std::uint8_t, 64> out;
  for (std::size_t i = 0; i < 16; ++i) store_le(out.data() + 4 * i, x[i] + start[i]);
  return out;
}

}  // namespace cuzk
