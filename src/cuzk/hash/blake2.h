#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "cuzk/base/bytes.h"

namespace cuzk {

/// BLAKE2 (RFC 7693), sequential, keyed or not, streaming. `Word` is uint64_t for BLAKE2b (digest up to 64
/// bytes, blocks of 128) and uint32_t for BLAKE2s (up to 32 bytes, blocks of 64). A value: copies continue
/// independently.
template <class Word>
class Blake2 {
 public:
  static constexpr std::size_t kMaxBytes = 8 * sizeof(Word);
  static constexpr std::size_t kBlockBytes = 16 * sizeof(Word);

  /// `digest_bytes` in 1..kMaxBytes, key at most kMaxBytes long; anything else is the programmer's error.
  explicit Blake2(std::size_t digest_bytes = kMaxBytes, ByteSpan key = {});
  void update(ByteSpan bytes);
  /// Writes digest_bytes bytes; `out` must have that size. The object is spent afterwards.
  void finish(std::span<std::uint8_t> out);

 private:
  void compress(const std::uint8_t* block, bool last);

  std::array<Word, 8> state_;
  std::uint64_t length_ = 0;  // bytes given to compress, the key's block included
  std::array<std::uint8_t, kBlockBytes> buffer_{};
  std::size_t used_ = 0;  // bytes waiting in buffer_; the last block is kept back until finish
  std::size_t digest_bytes_;
};

extern template class Blake2<std::uint64_t>;
extern template class Blake2<std::uint32_t>;
using Blake2b = Blake2<std::uint64_t>;
using Blake2s = Blake2<std::uint32_t>;

std::array<std::uint8_t, 64> blake2b_512(ByteSpan message);
/// BLAKE2b with a 32-byte digest (not a truncated BLAKE2b-512).
Bytes32 blake2b_256(ByteSpan message, ByteSpan key = {});
Bytes32 blake2s_256(ByteSpan message, ByteSpan key = {});

}  // namespace cuzk
