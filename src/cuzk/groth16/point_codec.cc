#include "cuzk/groth16/point_codec.h"

#include <algorithm>
#include <array>

namespace cuzk::groth16 {
namespace {

/// Points a batch: their coordinates and the temporaries of the curve equation stay in the second-level
/// cache.
constexpr std::size_t kBlock = 128;

constexpr std::uint8_t kFlagCompressed = 0x80;
constexpr std::uint8_t kFlagInfinity = 0x40;
constexpr std::uint8_t kFlagSign = 0x20;

/// Coordinates of a point in the order of the file, as places in memory (units of one Fp): Fp2 is written c1
/// first.
template <class F>
constexpr std::size_t kCoordinates = sizeof(Affine<F>) / sizeof(Fp);
template <class F>
constexpr std::size_t memory_place(std::size_t file_place) {
  if constexpr (kCoordinates<F> == 2) {
    return file_place;
  } else {
    return file_place ^ 1;
  }
}

Fp* coordinates(auto* points) {
  return reinterpret_cast<Fp*>(points);
}
const Fp* coordinates(const auto* points) {
  return reinterpret_cast<const Fp*>(points);
}

/// 48 big-endian bytes as raw limbs.
void load_raw(const std::uint8_t* bytes, Fp& out) {
  for (std::size_t i = 0; i < Fp::kLimbs; ++i) out.limb[i] = load_be64(bytes + 8 * (Fp::kLimbs - 1 - i));
}
void store_raw(const Fp& value, std::uint8_t* bytes) {
  for (std::size_t i = 0; i < Fp::kLimbs; ++i) store_be64(bytes + 8 * (Fp::kLimbs - 1 - i), value.limb[i]);
}

bool below_modulus(const Fp& raw) {
  for (std::size_t i = Fp::kLimbs; i-- > 0;)
    if (raw.limb[i] != FpParams::kModulus.limb[i]) return raw.limb[i] < FpParams::kModulus.limb[i];
  return false;
}

template <class F>
void load_point(const std::uint8_t* bytes, Affine<F>& out) {
  for (std::size_t k = 0; k < kCoordinates<F>; ++k)
    load_raw(bytes + Fp::kBytes * k, coordinates(&out)[memory_place<F>(k)]);
}

/// A raw value v times R^2 is the Montgomery form of v, and that times the raw 1 is v again.
void to_montgomery(const FpKernels& kernels, std::span<Fp> values) {
  kernels.scale(values, values, Fp::r_squared());
}
void from_montgomery(const FpKernels& kernels, std::span<Fp> values) {
  Fp unit{};
  unit.limb[0] = 1;
  kernels.scale(values, values, unit);
}

/// Column `place` of the points: one coordinate of each.
template <class F>
void column(std::span<const Affine<F>> points, std::size_t place, Fp* out) {
  for (std::size_t i = 0; i < points.size(); ++i) out[i] = coordinates(&points[i])[place];
}

using Column = std::array<Fp, kBlock>;

/// The first point of a block that is off y^2 = x^3 + 4.
std::optional<std::size_t> off_curve(const FpKernels& kernels, std::span<const G1Affine> points) {
  const std::size_t n = points.size();
  Column x, y, x3;
  column(points, 0, x.data());
  column(points, 1, y.data());
  const auto s = [n](Column& c) { return std::span(c).first(n); };
  kernels.square(s(x3), s(x));
  kernels.mul(s(x3), s(x3), s(x));
  kernels.square(s(y), s(y));
  for (std::size_t i = 0; i < n; ++i)
    if (!(y[i] == x3[i] + curve_b<Fp>())) return i;
  return std::nullopt;
}

/// The same for G2, with Fp2 products written out on columns: (a + bu)^2 = (a+b)(a-b) + 2ab u, and for x^2 x
/// with x^2 = s + tu: (sa - tb) + (sb + ta) u.
std::optional<std::size_t> off_curve(const FpKernels& kernels, std::span<const G2Affine> points) {
  const std::size_t n = points.size();
  Column a, b, s0, s1, u, v;
  const auto s = [n](Column& c) { return std::span(c).first(n); };
  const auto square = [&](Column& re, Column& im) {  // of a + bu
    kernels.add(s(re), s(a), s(b));
    kernels.sub(s(im), s(a), s(b));
    kernels.mul(s(re), s(re), s(im));
    kernels.mul(s(im), s(a), s(b));
    kernels.add(s(im), s(im), s(im));
  };
  column(points, 0, a.data());
  column(points, 1, b.data());
  square(s0, s1);
  kernels.mul(s(u), s(s0), s(b));
  kernels.mul(s(v), s(s1), s(a));
  kernels.add(s(u), s(u), s(v));  // imaginary part of x^3
  kernels.mul(s(s0), s(s0), s(a));
  kernels.mul(s(s1), s(s1), s(b));
  kernels.sub(s(v), s(s0), s(s1));  // real part
  column(points, 2, a.data());
  column(points, 3, b.data());
  square(s0, s1);
  for (std::size_t i = 0; i < n; ++i)
    if (!(s0[i] == v[i] + curve_b<Fp>() && s1[i] == u[i] + curve_b<Fp>())) return i;
  return std::nullopt;
}

/// Null when the encoding of one point is canonical; the raw coordinates are in `point`.
template <class F>
const char* encoding_fault(const std::uint8_t* bytes, const Affine<F>& point) {
  const std::uint8_t flags = bytes[0];
  if ((flags & kFlagCompressed) != 0) return "a compressed point where an uncompressed one belongs";
  if ((flags & kFlagInfinity) != 0) {
    if ((flags & ~kFlagInfinity) == 0 &&
        std::all_of(bytes + 1, bytes + kPointBytes<F>, [](std::uint8_t b) { return b == 0; }))
      return "the point at infinity";
    return "infinity flag set on a point with other bits set";
  }
  if ((flags & kFlagSign) != 0) return "sign flag set on an uncompressed point";
  for (std::size_t k = 0; k < kCoordinates<F>; ++k)
    if (!below_modulus(coordinates(&point)[k])) return "a coordinate is not below the field modulus";
  return nullptr;
}

template <class F>
std::optional<PointFault> decode_block(const FpKernels& kernels, const std::uint8_t* bytes,
                                       std::span<Affine<F>> out) {
  std::optional<PointFault> fault;
  std::size_t count = out.size();
  for (std::size_t i = 0; i < count; ++i) {
    load_point(bytes + kPointBytes<F> * i, out[i]);
    if (const char* reason = encoding_fault(bytes + kPointBytes<F> * i, out[i])) {
      fault = PointFault{i, reason};
      count = i;  // the points before it may still be off the curve, and the first fault is the one to report
    }
  }
  to_montgomery(kernels, {coordinates(out.data()), count * kCoordinates<F>});
  if (const auto i = off_curve(kernels, std::span<const Affine<F>>(out).first(count)))
    return PointFault{*i, "the point is not on the curve"};
  return fault;
}

template <class F>
std::optional<PointFault> decode(ByteSpan bytes, std::span<Affine<F>> out, const FpKernels& kernels) {
  CUZK_CHECK(bytes.size() == out.size() * kPointBytes<F>);
  for (std::size_t i = 0; i < out.size(); i += kBlock) {
    const std::size_t n = std::min(kBlock, out.size() - i);
    if (auto fault = decode_block<F>(kernels, bytes.data() + kPointBytes<F> * i, out.subspan(i, n)))
      return PointFault{i + fault->index, fault->reason};
  }
  return std::nullopt;
}

template <class F>
void decode_checked(ByteSpan bytes, std::span<Affine<F>> out, const FpKernels& kernels) {
  CUZK_CHECK(bytes.size() == out.size() * kPointBytes<F>);
  for (std::size_t i = 0; i < out.size(); i += kBlock) {
    const std::size_t n = std::min(kBlock, out.size() - i);
    for (std::size_t j = i; j < i + n; ++j) load_point(bytes.data() + kPointBytes<F> * j, out[j]);
    to_montgomery(kernels, {coordinates(out.data() + i), n * kCoordinates<F>});
  }
}

template <class F>
void gather_checked(ByteSpan bytes, std::span<const std::uint64_t> offsets, std::span<Affine<F>> out,
                    const FpKernels& kernels) {
  CUZK_CHECK(offsets.size() == out.size());
  for (std::size_t i = 0; i < out.size(); i += kBlock) {
    const std::size_t n = std::min(kBlock, out.size() - i);
    for (std::size_t j = i; j < i + n; ++j) {
      CUZK_CHECK(offsets[j] + kPointBytes<F> <= bytes.size());
      load_point(bytes.data() + offsets[j], out[j]);
    }
    to_montgomery(kernels, {coordinates(out.data() + i), n * kCoordinates<F>});
  }
}

template <class F>
void encode(std::span<const Affine<F>> points, std::span<std::uint8_t> out, const FpKernels& kernels) {
  CUZK_CHECK(out.size() == points.size() * kPointBytes<F>);
  std::array<Affine<F>, kBlock> block;
  for (std::size_t i = 0; i < points.size(); i += kBlock) {
    const std::size_t n = std::min(kBlock, points.size() - i);
    std::copy_n(points.begin() + static_cast<std::ptrdiff_t>(i), n, block.begin());
    from_montgomery(kernels, {coordinates(block.data()), n * kCoordinates<F>});
    for (std::size_t j = 0; j < n; ++j) {
      CUZK_CHECK(!block[j].is_infinity());
      for (std::size_t k = 0; k < kCoordinates<F>; ++k)
        store_raw(coordinates(&block[j])[memory_place<F>(k)],
                  out.data() + kPointBytes<F> * (i + j) + Fp::kBytes * k);
    }
  }
}

}  // namespace

std::optional<PointFault> decode_points(ByteSpan bytes, std::span<G1Affine> out, Isa isa) {
  return decode<Fp>(bytes, out, fp_kernels(isa));
}
std::optional<PointFault> decode_points(ByteSpan bytes, std::span<G2Affine> out, Isa isa) {
  return decode<Fp2>(bytes, out, fp_kernels(isa));
}

void decode_checked_points(ByteSpan bytes, std::span<G1Affine> out, Isa isa) {
  decode_checked<Fp>(bytes, out, fp_kernels(isa));
}
void decode_checked_points(ByteSpan bytes, std::span<G2Affine> out, Isa isa) {
  decode_checked<Fp2>(bytes, out, fp_kernels(isa));
}

void gather_checked_points(ByteSpan bytes, std::span<const std::uint64_t> offsets, std::span<G1Affine> out,
                           Isa isa) {
  gather_checked<Fp>(bytes, offsets, out, fp_kernels(isa));
}
void gather_checked_points(ByteSpan bytes, std::span<const std::uint64_t> offsets, std::span<G2Affine> out,
                           Isa isa) {
  gather_checked<Fp2>(bytes, offsets, out, fp_kernels(isa));
}

void encode_points(std::span<const G1Affine> points, std::span<std::uint8_t> out, Isa isa) {
  encode<Fp>(points, out, fp_kernels(isa));
}
void encode_points(std::span<const G2Affine> points, std::span<std::uint8_t> out, Isa isa) {
  encode<Fp2>(points, out, fp_kernels(isa));
}

}  // namespace cuzk::groth16
