#pragma once

#include <string>
#include <vector>

#include "cuzk/base/bytes.h"
#include "cuzk/base/result.h"
#include "cuzk/cpu/thread_pool.h"
#include "cuzk/curve/point.h"
#include "cuzk/groth16/point_codec.h"

namespace cuzk::groth16 {

/// A Groth16 verifying key. `ic` has one point per public input, the constant ONE first.
struct VerifyingKey {
  G1Affine alpha_g1;
  G1Affine beta_g1;
  G2Affine beta_g2;
  G2Affine gamma_g2;
  G1Affine delta_g1;
  G2Affine delta_g2;
  std::vector<G1Affine> ic;
};

/// File layout (.vk, and the start of .params): alpha_g1, beta_g1, beta_g2, gamma_g2, delta_g1, delta_g2, the
/// number of ic points as big-endian u32, the ic points; all uncompressed, no padding.
inline constexpr std::size_t kVkFixedBytes = 3 * kG1Bytes + 3 * kG2Bytes;
[[nodiscard]] constexpr std::size_t vk_bytes(std::size_t n_ic) {
  return kVkFixedBytes + 4 + kG1Bytes * n_ic;
}

/// Reads the key at the start of `bytes` and ignores what follows. Every point is checked: canonical
/// uncompressed encoding, curve, subgroup, not infinity. `name` (a path) begins every error; kParams names
/// field, offset, reason.
Result<VerifyingKey> parse_verifying_key_prefix(ThreadPool& pool, ByteSpan bytes, const std::string& name);

/// The same for a whole `.vk`: bytes after the last ic point are an error.
Result<VerifyingKey> parse_verifying_key(ThreadPool& pool, ByteSpan bytes, const std::string& name);

/// Reads a `.vk` file.
Result<VerifyingKey> read_verifying_key(ThreadPool& pool, const std::string& path);

/// The bytes of a `.vk`. CUZK_CHECKs that no point is infinity.
std::vector<std::uint8_t> encode_verifying_key(const VerifyingKey& vk);

}  // namespace cuzk::groth16
