#pragma once

#include <optional>
#include <span>

#include "cuzk/base/bytes.h"
#include "cuzk/curve/point.h"
#include "cuzk/field/kernels.h"

namespace cuzk::groth16 {

/// Long runs of uncompressed points (groth16-and-formats 1.8), as parameter files hold them by the million:
/// big-endian canonical coordinates, G1 x, y in 96 bytes, G2 x.c1, x.c0, y.c1, y.c0 in 192. The conversion to
/// and from Montgomery form and the curve equation run in batches. Single points, compressed points and
/// subgroup checks are in curve/encoding.h.

/// All functions: stateless, thread-safe, one core; `isa` must be supported here.

inline constexpr std::size_t kG1Bytes = 96;
inline constexpr std::size_t kG2Bytes = 192;
template <class F>
inline constexpr std::size_t kPointBytes = sizeof(Affine<F>);

/// The first point of a run that is not acceptable, and why.
struct PointFault {
  std::size_t index = 0;
  const char* reason = "";
};

/// Decodes out.size() points from `bytes` (exactly that many times kPointBytes). Checks of every point: no
/// flag bit set (so neither a compressed point nor infinity), coordinates below p, the curve equation; not
/// the subgroup. On a fault the contents of `out` are unspecified.
std::optional<PointFault> decode_points(ByteSpan bytes, std::span<G1Affine> out, Isa isa);
std::optional<PointFault> decode_points(ByteSpan bytes, std::span<G2Affine> out, Isa isa);

/// The same without any check, for bytes that decode_points has accepted before. Other bytes give points off
/// the curve, nothing worse.
void decode_checked_points(ByteSpan bytes, std::span<G1Affine> out, Isa isa);
void decode_checked_points(ByteSpan bytes, std::span<G2Affine> out, Isa isa);

/// Decodes the points at the given byte offsets of `bytes` without checks (see above).
void gather_checked_points(ByteSpan bytes, std::span<const std::uint64_t> offsets, std::span<G1Affine> out,
                           Isa isa);
void gather_checked_points(ByteSpan bytes, std::span<const std::uint64_t> offsets, std::span<G2Affine> out,
                           Isa isa);

/// The inverse: points.size() times kPointBytes to `out`. CUZK_CHECKs that no point is infinity.
void encode_points(std::span<const G1Affine> points, std::span<std::uint8_t> out, Isa isa);
void encode_points(std::span<const G2Affine> points, std::span<std::uint8_t> out, Isa isa);

}  // namespace cuzk::groth16
