#include "cuzk/curve/encoding.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "cuzk/base/bytes.h"
#include "cuzk/curve/subgroup.h"

namespace cuzk {
namespace {

constexpr std::uint8_t kCompressed = 0x80;
constexpr std::uint8_t kInfinity = 0x40;
constexpr std::uint8_t kSign = 0x20;
constexpr std::uint8_t kFlags = kCompressed | kInfinity | kSign;
constexpr std::size_t kFpSize = 48;

// What differs between the two groups: how many Fp values a coordinate has, in which order, and their names.
template <class F>
struct Codec;

template <>
struct Codec<Fp> {
  static constexpr const char* kGroup = "G1";
  static constexpr std::size_t kParts = 1;
  static constexpr const char* kNames[2] = {"x", "y"};
  static Fp& part(Fp& value, std::size_t) { return value; }
  static bool sqrt(const Fp& a, Fp& root) { return fp_sqrt(a, root); }
  static bool is_larger(const Fp& a) { return fp_is_larger(a); }
};

template <>
struct Codec<Fp2> {
  static constexpr const char* kGroup = "G2";
  static constexpr std::size_t kParts = 2;
  static constexpr const char* kNames[4] = {"x.c1", "x.c0", "y.c1", "y.c0"};
  static Fp& part(Fp2& value, std::size_t i) { return i == 0 ? value.c1 : value.c0; }
  static bool sqrt(const Fp2& a, Fp2& root) { return fp2_sqrt(a, root); }
  static bool is_larger(const Fp2& a) { return fp2_is_larger(a); }
};

template <class F>
Error refuse(const std::string& reason) {
  return bad_input(std::string(Codec<F>::kGroup) + " point: " + reason);
}

// Coordinate number `index` (0 is x, 1 is y) of a slot whose first byte is `first` instead of bytes[0].
template <class F>
Result<F> read_coordinate(ByteSpan bytes, std::size_t index, std::uint8_t first) {
  using C = Codec<F>;
  F value{};
  for (std::size_t i = 0; i < C::kParts; ++i) {
    const std::size_t part = index * C::kParts + i;
    std::array<std::uint8_t, kFpSize> raw;
    std::memcpy(raw.data(), bytes.data() + part * kFpSize, kFpSize);
    if (part == 0) raw[0] = first;
    const std::optional<Fp> v = fp_from_bytes_be(raw);
    if (!v) return refuse<F>(std::string(C::kNames[part]) + " is not below the field modulus");
    C::part(value, i) = *v;
  }
  return value;
}

template <class F>
void write_coordinate(F value, std::size_t index, std::span<std::uint8_t> out) {
  using C = Codec<F>;
  for (std::size_t i = 0; i < C::kParts; ++i)
    fp_to_bytes_be(C::part(value, i),
                   std::span<std::uint8_t, kFpSize>(out.data() + (index * C::kParts + i) * kFpSize, kFpSize));
}

// The infinity flag is set: everything else must be zero, and the container must allow it.
template <class F>
Result<Affine<F>> decode_infinity(ByteSpan bytes, PointPolicy policy) {
  const bool rest_is_zero =
      (bytes[0] & ~(kCompressed | kInfinity)) == 0 &&
      std::all_of(bytes.begin() + 1, bytes.end(), [](std::uint8_t b) { return b == 0; });
  if (!rest_is_zero) return refuse<F>("the infinity flag is set together with other bits");
  if (!policy.allow_infinity) return refuse<F>("infinity is not allowed here");
  return Affine<F>::infinity();
}

template <class F>
Result<Affine<F>> checked_for_subgroup(const Affine<F>& p, PointPolicy policy) {
  if (policy.check_subgroup && !in_subgroup(p))
    return refuse<F>("on the curve but not in the subgroup of order r");
  return p;
}

template <class F>
Result<Affine<F>> decode_compressed(ByteSpan bytes, PointPolicy policy) {
  const std::uint8_t flags = bytes[0] & kFlags;
  if ((flags & kCompressed) == 0) return refuse<F>("the compression flag is missing in a compressed slot");
  if ((flags & kInfinity) != 0) return decode_infinity<F>(bytes, policy);
  CUZK_TRY_ASSIGN(const F x, read_coordinate<F>(bytes, 0, static_cast<std::uint8_t>(bytes[0] & ~kFlags)));
  F y{};
  if (!Codec<F>::sqrt(x.square() * x + curve_b<F>(), y)) return refuse<F>("no point of the curve has this x");
  // y = 0 would have no sign, but neither curve has a point of order 2.
  if (Codec<F>::is_larger(y) != ((flags & kSign) != 0)) y = -y;
  return checked_for_subgroup<F>({x, y}, policy);
}

template <class F>
Result<Affine<F>> decode_uncompressed(ByteSpan bytes, PointPolicy policy) {
  const std::uint8_t flags = bytes[0] & kFlags;
  if ((flags & kCompressed) != 0) return refuse<F>("a compressed point in an uncompressed slot");
  if ((flags & kInfinity) != 0) return decode_infinity<F>(bytes, policy);
  if ((flags & kSign) != 0) return refuse<F>("the sign flag is set in an uncompressed slot");
  CUZK_TRY_ASSIGN(const F x, read_coordinate<F>(bytes, 0, bytes[0]));
  CUZK_TRY_ASSIGN(const F y, read_coordinate<F>(bytes, 1, 0));
  const Affine<F> p{x, y};
  // (0, 0) stands for infinity in memory, but its bytes are no encoding of it.
  if (p.is_infinity() || !is_on_curve(p)) return refuse<F>("not on the curve");
  return checked_for_subgroup<F>(p, policy);
}

template <class F, std::size_t N>
std::array<std::uint8_t, N> encode_compressed(const Affine<F>& p) {
  std::array<std::uint8_t, N> out{};
  if (p.is_infinity()) {
    out[0] = kCompressed | kInfinity;
    return out;
  }
  write_coordinate<F>(p.x, 0, out);
  out[0] = static_cast<std::uint8_t>(out[0] | kCompressed | (Codec<F>::is_larger(p.y) ? kSign : 0));
  return out;
}

template <class F, std::size_t N>
std::array<std::uint8_t, N> encode_uncompressed(const Affine<F>& p) {
  std::array<std::uint8_t, N> out{};
  if (p.is_infinity()) {
    out[0] = kInfinity;
    return out;
  }
  write_coordinate<F>(p.x, 0, out);
  write_coordinate<F>(p.y, 1, out);
  return out;
}

}  // namespace

std::optional<Fp> fp_from_bytes_be(std::span<const std::uint8_t, 48> bytes) {
  FpInt v{};
  for (std::size_t i = 0; i < 6; ++i) v.limb[i] = load_be64(bytes.data() + 8 * (5 - i));
  if (!Fp::canonical(v)) return std::nullopt;
  return Fp::from_int(v);
}

void fp_to_bytes_be(const Fp& x, std::span<std::uint8_t, 48> out) {
  const FpInt v = x.to_int();
  for (std::size_t i = 0; i < 6; ++i) store_be64(out.data() + 8 * (5 - i), v.limb[i]);
}

Result<G1Affine> decode_g1_compressed(std::span<const std::uint8_t, kG1CompressedSize> bytes,
                                      PointPolicy policy) {
  return decode_compressed<Fp>(bytes, policy);
}
Result<G1Affine> decode_g1_uncompressed(std::span<const std::uint8_t, kG1UncompressedSize> bytes,
                                        PointPolicy policy) {
  return decode_uncompressed<Fp>(bytes, policy);
}
Result<G2Affine> decode_g2_compressed(std::span<const std::uint8_t, kG2CompressedSize> bytes,
                                      PointPolicy policy) {
  return decode_compressed<Fp2>(bytes, policy);
}
Result<G2Affine> decode_g2_uncompressed(std::span<const std::uint8_t, kG2UncompressedSize> bytes,
                                        PointPolicy policy) {
  return decode_uncompressed<Fp2>(bytes, policy);
}

std::array<std::uint8_t, kG1CompressedSize> encode_g1_compressed(const G1Affine& p) {
  return encode_compressed<Fp, kG1CompressedSize>(p);
}
std::array<std::uint8_t, kG1UncompressedSize> encode_g1_uncompressed(const G1Affine& p) {
  return encode_uncompressed<Fp, kG1UncompressedSize>(p);
}
std::array<std::uint8_t, kG2CompressedSize> encode_g2_compressed(const G2Affine& p) {
  return encode_compressed<Fp2, kG2CompressedSize>(p);
}
std::array<std::uint8_t, kG2UncompressedSize> encode_g2_uncompressed(const G2Affine& p) {
  return encode_uncompressed<Fp2, kG2UncompressedSize>(p);
}

}  // namespace cuzk
