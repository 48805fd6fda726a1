#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "cuzk/base/bytes.h"
#include "cuzk/base/result.h"
#include "cuzk/curve/point.h"

namespace cuzk::groth16 {

/// A Groth16 proof. On the wire: A (48 bytes), B (96), C (48), compressed.
struct Proof {
  G1Affine a;
  G2Affine b;
  G1Affine c;
};

inline constexpr std::size_t kProofBytes = 192;
using ProofBytes = std::array<std::uint8_t, kProofBytes>;

[[nodiscard]] ProofBytes encode_proof(const Proof& proof);

/// Reads exactly 192 bytes. Every point is checked: encoding, coordinates below p, curve, subgroup, not
/// infinity. kBadInput names the element (A, B or C), its offset and the reason.
Result<Proof> decode_proof(ByteSpan bytes);

/// Reads a proof of `count` partitions: the plain concatenation, in partition order, of exactly count * 192
/// bytes. Errors name the partition as well.
Result<std::vector<Proof>> decode_proofs(ByteSpan bytes, std::size_t count);

}  // namespace cuzk::groth16
