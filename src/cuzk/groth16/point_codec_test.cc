#include "cuzk/groth16/point_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "cuzk/base/random.h"
#include "cuzk/curve/encoding.h"

namespace cuzk::groth16 {
namespace {

/// Points of both subgroups and an encoding from curve/encoding.h, the one-point reference.
template <class F>
std::vector<Affine<F>> points(std::size_t count) {
  Jacobian<F> p;
  if constexpr (std::is_same_v<F, Fp>)
    p = G1Jacobian::from_affine(g1_generator());
  else
    p = G2Jacobian::from_affine(g2_generator());
  std::vector<Jacobian<F>> projective;
  for (std::size_t i = 0; i < count; ++i, p = p.dbl() + p) projective.push_back(p);
  std::vector<Affine<F>> out(count);
  batch_to_affine(std::span<const Jacobian<F>>(projective), std::span(out));
  return out;
}
auto reference(const G1Affine& p) {
  return encode_g1_uncompressed(p);
}
auto reference(const G2Affine& p) {
  return encode_g2_uncompressed(p);
}

template <class F>
class PointCodec : public testing::Test {};
using Fields = testing::Types<Fp, Fp2>;
TYPED_TEST_SUITE(PointCodec, Fields);

TYPED_TEST(PointCodec, RunsOfAnyLengthAgreeWithTheSinglePointEncoding) {
  using F = TypeParam;
  for (const Isa isa : {Isa::portable, Isa::adx, Isa::ifma})
    for (const std::size_t count : {0UL, 1UL, 3UL, 255UL, 256UL, 257UL, 600UL}) {
      if (!isa_supported(isa)) continue;
      const std::vector<Affine<F>> want = points<F>(count);
      std::vector<std::uint8_t> bytes(count * kPointBytes<F>);
      encode_points(std::span<const Affine<F>>(want), std::span(bytes), isa);
      for (std::size_t i = 0; i < count; i += 100) {
        const auto single = reference(want[i]);
        EXPECT_TRUE(std::equal(single.begin(), single.end(),
                               bytes.begin() + static_cast<std::ptrdiff_t>(i * kPointBytes<F>)));
      }
      std::vector<Affine<F>> got(count);
      EXPECT_FALSE(decode_points(bytes, std::span(got), isa));
      EXPECT_EQ(got, want);
      got.assign(count, {});
      decode_checked_points(bytes, std::span(got), isa);
      EXPECT_EQ(got, want);
      std::vector<std::uint64_t> offsets;
      for (std::size_t i = 0; i < count; i += 2) offsets.push_back((count - 1 - i) * kPointBytes<F>);
      got.assign(offsets.size(), {});
      gather_checked_points(bytes, offsets, std::span(got), isa);
      for (std::size_t i = 0; i < offsets.size(); ++i) EXPECT_EQ(got[i], want[count - 1 - 2 * i]);
    }
}

TYPED_TEST(PointCodec, FirstFaultIsNamed) {
  using F = TypeParam;
  constexpr std::size_t kBytes = kPointBytes<F>;
  constexpr std::size_t kCount = 300;
  std::vector<std::uint8_t> good(kCount * kBytes);
  encode_points(std::span<const Affine<F>>(points<F>(kCount)), std::span(good), best_isa());
  std::vector<Affine<F>> out(kCount);
  const auto expect = [&](const std::vector<std::uint8_t>& bytes, std::size_t index, const char* reason) {
    for (const Isa isa : {Isa::portable, best_isa()}) {
      const auto fault = decode_points(bytes, std::span(out), isa);
      ASSERT_TRUE(fault);
      EXPECT_EQ(fault->index, index);
      EXPECT_THAT(fault->reason, testing::HasSubstr(reason));
    }
  };
  for (const std::size_t index : {0UL, 7UL, 256UL, 299UL}) {
    const auto at = [&](std::vector<std::uint8_t>& bytes, std::size_t k) -> std::uint8_t& {
      return bytes[index * kBytes + k];
    };
    auto bytes = good;
    at(bytes, 0) |= 0x80;
    expect(bytes, index, "compressed");
    bytes = good;
    at(bytes, 0) |= 0x20;
    expect(bytes, index, "sign flag");
    bytes = good;
    at(bytes, 0) |= 0x40;
    expect(bytes, index, "infinity flag");
    bytes = good;
    for (std::size_t k = 0; k < kBytes; ++k) at(bytes, k) = k == 0 ? 0x40 : 0;
    expect(bytes, index, "point at infinity");
    at(bytes, kBytes - 1) = 1;
    expect(bytes, index, "infinity flag");
    bytes = good;
    for (std::size_t k = 0; k < kBytes; ++k) at(bytes, k) = 0;
    expect(bytes, index, "not on the curve");
    bytes = good;
    at(bytes, kBytes - 1) ^= 1;
    expect(bytes, index, "not on the curve");
    for (std::size_t coordinate = 0; coordinate < kBytes; coordinate += 48) {
      // The modulus itself, and the top bits of an inner coordinate.
      bytes = good;
      for (std::size_t k = 0; k < 6; ++k)
        store_be64(&at(bytes, coordinate + 8 * k), Fp::modulus().limb[5 - k]);
      expect(bytes, index, "not below");
      if (coordinate == 0) continue;
      bytes = good;
      at(bytes, coordinate) |= 0x80;
      expect(bytes, index, "not below");
    }
    // A fault of the encoding behind a point off the curve: the first in the file counts.
    if (index > 0) {
      bytes = good;
      at(bytes, 0) |= 0x80;
      bytes[(index - 1) * kBytes + kBytes - 1] ^= 1;
      expect(bytes, index - 1, "not on the curve");
    }
  }
}

}  // namespace
}  // namespace cuzk::groth16
