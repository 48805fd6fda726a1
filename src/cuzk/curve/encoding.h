#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "cuzk/base/result.h"
#include "cuzk/curve/point.h"

namespace cuzk {

/// The byte forms of points that BLS12-381 software shares (after Zcash). Coordinates are 48 bytes big-endian
/// and below p; an Fp2 coordinate is c1 then c0. The three top bits of the first byte are flags: 0x80
/// compressed form, 0x40 infinity, 0x20 sign (compressed finite points only: y is the larger of {y, -y}).
///
///   G1: 48 bytes x | 96 bytes x, y            G2: 96 bytes x.c1 x.c0 | 192 bytes x.c1 x.c0 y.c1 y.c0
///
/// A decoder accepts exactly one byte string for each point. In particular the uncompressed decoders refuse a
/// compressed point, which some libraries read out of the first half of the slot while ignoring the rest.

/// What the container that holds the point allows.
struct PointPolicy {
  bool allow_infinity = false;
  bool check_subgroup = true;  ///< false: any point of the curve (bulk loading of keys from a trusted cache)
};

inline constexpr std::size_t kG1CompressedSize = 48;
inline constexpr std::size_t kG1UncompressedSize = 96;
inline constexpr std::size_t kG2CompressedSize = 96;
inline constexpr std::size_t kG2UncompressedSize = 192;

/// Each fails with kBadInput and a reason: flags, a coordinate not below p (named), not on the curve, wrong
/// subgroup, infinity where the policy refuses it. Thread-safe, no allocation on success.
Result<G1Affine> decode_g1_compressed(std::span<const std::uint8_t, kG1CompressedSize> bytes,
                                      PointPolicy policy = {});
Result<G1Affine> decode_g1_uncompressed(std::span<const std::uint8_t, kG1UncompressedSize> bytes,
                                        PointPolicy policy = {});
Result<G2Affine> decode_g2_compressed(std::span<const std::uint8_t, kG2CompressedSize> bytes,
                                      PointPolicy policy = {});
Result<G2Affine> decode_g2_uncompressed(std::span<const std::uint8_t, kG2UncompressedSize> bytes,
                                        PointPolicy policy = {});

std::array<std::uint8_t, kG1CompressedSize> encode_g1_compressed(const G1Affine& p);
std::array<std::uint8_t, kG1UncompressedSize> encode_g1_uncompressed(const G1Affine& p);
std::array<std::uint8_t, kG2CompressedSize> encode_g2_compressed(const G2Affine& p);
std::array<std::uint8_t, kG2UncompressedSize> encode_g2_uncompressed(const G2Affine& p);

/// 48 bytes big-endian, no flag bits, value below p (nothing otherwise); and back.
std::optional<Fp> fp_from_bytes_be(std::span<const std::uint8_t, 48> bytes);
void fp_to_bytes_be(const Fp& x, std::span<std::uint8_t, 48> out);

}  // namespace cuzk
