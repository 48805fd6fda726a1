#include "cuzk/hash/blake2.h"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "cuzk/base/result.h"

namespace cuzk {
namespace {

constexpr std::uint8_t kSigma[10][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                         {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
                                         {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
                                         {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
                                         {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
                                         {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
                                         {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
                                         {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
                                         {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
                                         {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

template <class Word>
struct Parameters;

template <>
struct Parameters<std::uint64_t> {
  static constexpr int kRounds = 12;
  static constexpr int kRotation[4] = {32, 24, 16, 63};
  static constexpr std::uint64_t kIv[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                           0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                           0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
};

template <>
struct Parameters<std::uint32_t> {
  static constexpr int kRounds = 10;
  static constexpr int kRotation[4] = {16, 12, 8, 7};
  static constexpr std::uint32_t kIv[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
};

}  // namespace

template <class Word>
Blake2<Word>::Blake2(std::size_t digest_bytes, ByteSpan key) : digest_bytes_(digest_bytes) {
  CUZK_CHECK(digest_bytes >= 1 && digest_bytes <= kMaxBytes && key.size() <= kMaxBytes);
  std::copy_n(Parameters<Word>::kIv, 8, state_.begin());
  // Parameter block of RFC 7693 section 2.5: digest length, key length, fan-out 1, depth 1.
  state_[0] ^= static_cast<Word>(0x01010000U ^ key.size() << 8 ^ digest_bytes);
  if (!key.empty()) {
    std::copy(key.begin(), key.end(), buffer_.begin());
    used_ = kBlockBytes;
  }
}

template <class Word>
void Blake2<Word>::update(ByteSpan bytes) {
  while (!bytes.empty()) {
    if (used_ == kBlockBytes) {
      length_ += kBlockBytes;
      compress(buffer_.data(), false);
      used_ = 0;
    }
    const std::size_t n = std::min(bytes.size(), kBlockBytes - used_);
    std::copy_n(bytes.begin(), n, buffer_.begin() + static_cast<std::ptrdiff_t>(used_));
    used_ += n;
    bytes = bytes.subspan(n);
  }
}

template <class Word>
void Blake2<Word>::finish(std::span<std::uint8_t> out) {
  CUZK_CHECK(out.size() == digest_bytes_);
  length_ += used_;
  std::fill(buffer_.begin() + static_cast<std::ptrdiff_t>(used_), buffer_.end(), std::uint8_t{0});
  compress(buffer_.data(), true);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::uint8_t>(state_[i / sizeof(Word)] >> (8 * (i % sizeof(Word))));
}

template <class Word>
void Blake2<Word>::compress(const std::uint8_t* block, bool last) {
  using P = Parameters<Word>;
  Word m[16];
  for (std::size_t i = 0; i < 16; ++i) m[i] = load_le<Word>(block + sizeof(Word) * i);
  Word v[16];
  std::copy_n(state_.begin(), 8, v);
  std::copy_n(P::kIv, 8, v + 8);
  v[12] ^= static_cast<Word>(length_);
  if constexpr (sizeof(Word) == 4) v[13] ^= static_cast<Word>(length_ >> 32);
  if (last) v[14] = static_cast<Word>(~v[14]);
  const auto mix = [&v](int a, int b, int c, int d, Word x, Word y) {
    v[a] = v[a] + v[b] + x;
    v[d] = std::rotr(static_cast<Word>(v[d] ^ v[a]), P::kRotation[0]);
    v[c] = v[c] + v[d];
    v[b] = std::rotr(static_cast<Word>(v[b] ^ v[c]), P::kRotation[1]);
    v[a] = v[a] + v[b] + y;
    v[d] = std::rotr(static_cast<Word>(v[d] ^ v[a]), P::kRotation[2]);
    v[c] = v[c] + v[d];
    v[b] = std::rotr(static_cast<Word>(v[b] ^ v[c]), P::kRotation[3]);
  };
#pragma GCC unroll 12  // message indexes become constants
  for (int round = 0; round < P::kRounds; ++round) {
    const std::uint8_t* s = kSigma[round % 10];
    mix(0, 4, 8, 12, m[s[0]], m[s[1]]);
    mix(1, 5, 9, 13, m[s[2]], m[s[3]]);
    mix(2, 6, 10, 14, m[s[4]], m[s[5]]);
    mix(3, 7, 11, 15, m[s[6]], m[s[7]]);
    mix(0, 5, 10, 15, m[s[8]], m[s[9]]);
    mix(1, 6, 11, 12, m[s[10]], m[s[11]]);
    mix(2, 7, 8, 13, m[s[12]], m[s[13]]);
    mix(3, 4, 9, 14, m[s[14]], m[s[15]]);
  }
  for (std::size_t i = 0; i < 8; ++i) state_[i] ^= v[i] ^ v[i + 8];
}

template class Blake2<std::uint64_t>;
template class Blake2<std::uint32_t>;

std::array<std::uint8_t, 64> blake2b_512(ByteSpan message) {
  std::array<std::uint8_t, 64> out;
  Blake2b hash;
  hash.update(message);
  hash.finish(out);
  return out;
}

Bytes32 blake2b_256(ByteSpan message, ByteSpan key) {
  Bytes32 out;
  Blake2b hash(32, key);
  hash.update(message);
  hash.finish(out);
  return out;
}

Bytes32 blake2s_256(ByteSpan message, ByteSpan key) {
  Bytes32 out;
  Blake2s hash(32, key);
  hash.update(message);
  hash.finish(out);
  return out;
}

}  // namespace cuzk
