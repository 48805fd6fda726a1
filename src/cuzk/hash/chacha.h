#pragma once

#include <array>
#include <cstdint>

#include "cuzk/base/bytes.h"

namespace cuzk {

/// The keystream of ChaCha with a 256-bit key, addressed by block. Immutable, so safe to share between
/// threads. Words 12 to 15 of the ChaCha input block are a block counter and a nonce; the two layouts in use
/// differ in how they divide them.
class ChaCha {
 public:
  /// Original layout: 64-bit block counter, 64-bit stream number. `rounds` is 8, 12 or 20.
  static ChaCha with_stream(unsigned rounds, const Bytes32& key, std::uint64_t stream);
  /// IETF layout (RFC 8439): 32-bit block counter, 96-bit nonce.
  static ChaCha ietf(unsigned rounds, const Bytes32& key, const std::array<std::uint8_t, 12>& nonce);

  /// Keystream bytes 64 * index .. 64 * index + 63.
  [[nodiscard]] std::array<std::uint8_t, 64> block(std::uint64_t index) const;

 private:
  ChaCha(unsigned rounds, const Bytes32& key, bool wide_counter);

  std::array<std::uint32_t, 16> input_;
  unsigned rounds_;
  bool wide_counter_;
};

/// Reads 64-bit words from a keystream in order, the first of two 32-bit words being the low half.
class ChaChaReader {
 public:
  explicit ChaChaReader(const ChaCha& chacha) : chacha_(chacha) {}
  std::uint64_t next_u64() {
    if (used_ == 8) {
      block_ = chacha_.block(next_block_++);
      used_ = 0;
    }
    return load_le<std::uint64_t>(block_.data() + 8 * used_++);
  }

 private:
  ChaCha chacha_;
  std::array<std::uint8_t, 64> block_{};
  std::uint64_t next_block_ = 0;
  unsigned used_ = 8;  // 64-bit words of block_ already handed out
};

}  // namespace cuzk
