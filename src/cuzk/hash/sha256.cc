#include "cuzk/hash/sha256.h"

#include <algorithm>
#include <bit>

#include "cuzk/cpu/features.h"

namespace cuzk {
namespace detail {

alignas(64) const std::uint32_t kSha256RoundConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

void sha256_compress_portable(Sha256State& state, const std::uint8_t* blocks, std::size_t count) {
  for (std::size_t block = 0; block < count; ++block, blocks += 64) {
    std::uint32_t w[64];
    for (int i = 0; i < 16; ++i) w[i] = load_be32(blocks + 4 * i);
    for (int i = 16; i < 64; ++i) {
      const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
      const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (int i = 0; i < 64; ++i) {
      const std::uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
      const std::uint32_t t1 = h + sum1 + ((e & f) ^ (~e & g)) + kSha256RoundConstants[i] + w[i];
      const std::uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
      const std::uint32_t t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = d + t1;
      d = c;
      c = b;
      b = a;
      a = t1 + t2;
    }
    const Sha256State out{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state[i] += out[i];
  }
}

}  // namespace detail

void sha256_compress(Sha256State& state, const std::uint8_t* blocks, std::size_t count) {
#if defined(__x86_64__)
  if (cpu_features().sha_ni) {
    detail::sha256_compress_sha_ni(state, blocks, count);
    return;
  }
#endif
  detail::sha256_compress_portable(state, blocks, count);
}

void Sha256::update(ByteSpan bytes) {
  const std::size_t used = length_ % 64;
  length_ += bytes.size();
  if (used + bytes.size() < 64) {
    std::copy(bytes.begin(), bytes.end(), buffer_.begin() + static_cast<std::ptrdiff_t>(used));
    return;
  }
  if (used > 0) {
    const std::size_t fill = 64 - used;
    std::copy_n(bytes.begin(), fill, buffer_.begin() + static_cast<std::ptrdiff_t>(used));
    sha256_compress(state_, buffer_.data(), 1);
    bytes = bytes.subspan(fill);
  }
  const std::size_t whole = bytes.size() / 64;
  if (whole > 0) sha256_compress(state_, bytes.data(), whole);
  bytes = bytes.subspan(whole * 64);
  std::copy(bytes.begin(), bytes.end(), buffer_.begin());
}

Bytes32 Sha256::finish() {
  const std::size_t used = length_ % 64;
  std::array<std::uint8_t, 128> tail{};
  std::copy_n(buffer_.begin(), used, tail.begin());
  tail[used] = 0x80;
  const std::size_t blocks = used < 56 ? 1 : 2;
  store_be64(tail.data() + 64 * blocks - 8, length_ * 8);
  sha256_compress(state_, tail.data(), blocks);
  Bytes32 out;
  for (std::size_t i = 0; i < 8; ++i) store_be32(out.data() + 4 * i, state_[i]);
  return out;
}

Bytes32 sha256(ByteSpan bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

Bytes32 sha256_pair(const Bytes32& left, const Bytes32& right) {
  std::array<std::uint8_t, 128> message{};
  std::copy(left.begin(), left.end(), message.begin());
  std::copy(right.begin(), right.end(), message.begin() + 32);
  message[64] = 0x80;
  store_be64(message.data() + 120, 512);
  Sha256State state = kSha256InitialState;
  sha256_compress(state, message.data(), 2);
  Bytes32 out;
  for (std::size_t i = 0; i < 8; ++i) store_be32(out.data() + 4 * i, state[i]);
  return out;
}

}  // namespace cuzk
