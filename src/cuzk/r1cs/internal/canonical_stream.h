#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cuzk/hash/blake2.h"
#include "cuzk/hash/sha256.h"
#include "cuzk/r1cs/linear_combination.h"

namespace cuzk::r1cs_internal {

/// Hashes the canonical stream of rows (constraint-system-and-gadgets 1.4) and, on request, the same without
/// the header, for checkpoints.
class RowHasher {
 public:
  RowHasher(bool blake2s, bool headerless);

  void header(std::uint64_t inputs, std::uint64_t aux, std::uint64_t constraints);
  /// `terms` must be canonical.
  void add(std::span<const Term> terms) {
    begin(terms.size());
    for (const Term& t : terms) add_term(t.variable, big_endian(t.coefficient));
  }
  /// The same in pieces: begin(number of terms), then add_term for each.
  void begin(std::uint64_t terms) {
    if (buffer_.size() - used_ < 8) flush();
    store_be64(buffer_.data() + used_, terms);
    used_ += 8;
  }
  void add_term(Variable v, const Bytes32& coefficient) {
    constexpr std::size_t kTermBytes = 41;
    if (buffer_.size() - used_ < kTermBytes) flush();
    std::uint8_t* p = buffer_.data() + used_;
    *p = v.is_aux() ? 'A' : 'I';
    store_be64(p + 1, v.index());
    std::memcpy(p + 9, coefficient.data(), 32);
    used_ += kTermBytes;
  }
  /// First eight bytes of the digest of all rows so far, without header. Needs `headerless`.
  std::array<std::uint8_t, 8> rows_so_far();

  Bytes32 finish_sha256();
  std::optional<Bytes32> finish_blake2s();

  static Bytes32 to_big_endian(const Fr& x);

 private:
  /// Canonical big-endian bytes, through a direct-mapped cache: circuits use few distinct coefficients.
  const Bytes32& big_endian(const Fr& x) {
    const std::uint64_t mixed = (x.limb[0] * 0x9e3779b97f4a7c15ULL) ^ (x.limb[1] * 0xc2b2ae3d27d4eb4fULL) ^
                                (x.limb[3] * 0x165667b19e3779f9ULL);
    Cached& entry = cache_[mixed >> (64 - kCacheLog)];
    if (!(entry.key == x)) entry = {x, to_big_endian(x)};
    return entry.bytes;
  }
  void flush();

  struct Cached {
    Fr key{};  // zero, whose bytes are zero
    Bytes32 bytes{};
  };
  static constexpr unsigned kCacheLog = 12;

  std::vector<Cached> cache_;
  std::vector<std::uint8_t> buffer_;
  std::size_t used_ = 0;
  Sha256 sha256_;
  std::optional<Sha256> headerless_;
  std::optional<Blake2s> blake2s_;
};

/// SHA-256 of a sequence of scalars in canonical little-endian bytes.
class ValueHasher {
 public:
  ValueHasher() : buffer_(kBufferBytes) {}

  void add(const Fr& x) {
    const auto bytes = x.to_bytes_le();
    std::memcpy(next(), bytes.data(), 32);
  }
  void add(bool bit) {
    std::uint8_t* p = next();
    std::memset(p, 0, 32);
    *p = bit ? 1 : 0;
  }
  std::array<std::uint8_t, 8> so_far();
  Bytes32 finish();

 private:
  static constexpr std::size_t kBufferBytes = 16384;

  std::uint8_t* next() {
    if (used_ == buffer_.size()) flush();
    used_ += 32;
    return buffer_.data() + used_ - 32;
  }
  void flush();

  std::vector<std::uint8_t> buffer_;
  std::size_t used_ = 0;
  Sha256 hash_;
};

}  // namespace cuzk::r1cs_internal
