#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cuzk/base/bytes.h"

namespace cuzk {

/// The chaining value of SHA-256 (FIPS 180-4): eight 32-bit words a..h.
using Sha256State = std::array<std::uint32_t, 8>;

inline constexpr Sha256State kSha256InitialState{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/// Applies the compression function to `count` consecutive blocks of 64 bytes. Uses the processor's SHA
/// extensions where it has them.
void sha256_compress(Sha256State& state, const std::uint8_t* blocks, std::size_t count);

/// Streaming SHA-256. A value: copies continue independently. Not for concurrent use of one object.
class Sha256 {
 public:
  void update(ByteSpan bytes);
  /// The digest of everything so far. The object is spent afterwards.
  Bytes32 finish();

 private:
  Sha256State state_ = kSha256InitialState;
  std::uint64_t length_ = 0;  // bytes
  std::array<std::uint8_t, 64> buffer_{};
};

Bytes32 sha256(ByteSpan bytes);

/// SHA-256 of the 64 bytes left || right, the inner node of a binary tree (not truncated).
Bytes32 sha256_pair(const Bytes32& left, const Bytes32& right);

namespace detail {
/// The two implementations behind sha256_compress. The second may be called only on processors with the SHA
/// extensions (cpu_features().sha_ni).
void sha256_compress_portable(Sha256State& state, const std::uint8_t* blocks, std::size_t count);
void sha256_compress_sha_ni(Sha256State& state, const std::uint8_t* blocks, std::size_t count);
extern const std::uint32_t kSha256RoundConstants[64];
}  // namespace detail

}  // namespace cuzk
