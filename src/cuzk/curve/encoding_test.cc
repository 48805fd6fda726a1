#include "cuzk/curve/encoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "cuzk/base/hex.h"
#include "cuzk/base/random.h"
#include "cuzk/curve/subgroup.h"

namespace cuzk {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr PointPolicy kLenient{.allow_infinity = true, .check_subgroup = false};
constexpr PointPolicy kStrict{};

Bytes bytes_of(std::string_view hex) {
  return *from_hex(hex);
}

// `head`, then zeros up to `size`, then `tail` in the last bytes.
Bytes padded(std::string_view head, std::size_t size, std::string_view tail = "") {
  Bytes out = bytes_of(head);
  const Bytes end = bytes_of(tail);
  out.resize(size - end.size());
  out.insert(out.end(), end.begin(), end.end());
  return out;
}

template <std::size_t N>
std::span<const std::uint8_t, N> slot(const Bytes& b) {
  return ByteSpan(b).first<N>();
}

std::string reason(const auto& result) {
  return result ? "accepted" : result.error().message;
}

std::string g1c(const Bytes& b, PointPolicy policy) {
  return reason(decode_g1_compressed(slot<48>(b), policy));
}
std::string g1u(const Bytes& b, PointPolicy policy) {
  return reason(decode_g1_uncompressed(slot<96>(b), policy));
}
std::string g2c(const Bytes& b, PointPolicy policy) {
  return reason(decode_g2_compressed(slot<96>(b), policy));
}
std::string g2u(const Bytes& b, PointPolicy policy) {
  return reason(decode_g2_uncompressed(slot<192>(b), policy));
}

const char kG1Hex[] =
    "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb";
const char kG2Hex[] =
    "93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e"
    "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8";
const char kModulusHex[] =
    "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab";

Bytes g1_uncompressed() {
  const auto a = encode_g1_uncompressed(g1_generator());
  return {a.begin(), a.end()};
}
Bytes g2_uncompressed() {
  const auto a = encode_g2_uncompressed(g2_generator());
  return {a.begin(), a.end()};
}

// ---- golden encodings (groth16-and-formats 1.8)

TEST(Encoding, GeneratorsAndTheirNegatives) {
  std::string minus_g1 = kG1Hex;
  minus_g1[0] = 'b';
  std::string minus_g2 = kG2Hex;
  minus_g2[0] = 'b';
  EXPECT_EQ(to_hex(encode_g1_compressed(g1_generator())), kG1Hex);
  EXPECT_EQ(to_hex(encode_g1_compressed(-g1_generator())), minus_g1);
  EXPECT_EQ(to_hex(encode_g2_compressed(g2_generator())), kG2Hex);
  EXPECT_EQ(to_hex(encode_g2_compressed(-g2_generator())), minus_g2);
  EXPECT_EQ(*decode_g1_compressed(slot<48>(bytes_of(kG1Hex))), g1_generator());
  EXPECT_EQ(*decode_g1_compressed(slot<48>(bytes_of(minus_g1))), -g1_generator());
  EXPECT_EQ(*decode_g2_compressed(slot<96>(bytes_of(kG2Hex))), g2_generator());
  EXPECT_EQ(*decode_g2_compressed(slot<96>(bytes_of(minus_g2))), -g2_generator());
  EXPECT_EQ(
      to_hex(g1_uncompressed()),
      "17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb"
      "08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1");
  EXPECT_EQ(
      to_hex(g2_uncompressed()),
      "13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e"
      "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8"
      "0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be"
      "0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801");
}

TEST(Encoding, RoundTripOfRandomPoints) {
  TestRandom rng(31);
  for (int i = 0; i < 8; ++i) {
    const Fr k = fr_from_words([&] { return rng.next(); });
    const G1Affine p = mul(g1_generator(), k).to_affine();
    const G2Affine q = mul(g2_generator(), k).to_affine();
    EXPECT_EQ(*decode_g1_compressed(encode_g1_compressed(p)), p);
    EXPECT_EQ(*decode_g1_uncompressed(encode_g1_uncompressed(p)), p);
    EXPECT_EQ(*decode_g2_compressed(encode_g2_compressed(q)), q);
    EXPECT_EQ(*decode_g2_uncompressed(encode_g2_uncompressed(q)), q);
    // The sign bit selects the negative.
    auto bytes = encode_g1_compressed(p);
    bytes[0] ^= 0x20;
    EXPECT_EQ(*decode_g1_compressed(bytes), -p);
    auto bytes2 = encode_g2_compressed(q);
    bytes2[0] ^= 0x20;
    EXPECT_EQ(*decode_g2_compressed(bytes2), -q);
  }
}

TEST(Encoding, InfinityFollowsThePolicy) {
  EXPECT_EQ(to_hex(encode_g1_compressed(G1Affine::infinity())), to_hex(padded("c0", 48)));
  EXPECT_EQ(to_hex(encode_g1_uncompressed(G1Affine::infinity())), to_hex(padded("40", 96)));
  EXPECT_EQ(to_hex(encode_g2_compressed(G2Affine::infinity())), to_hex(padded("c0", 96)));
  EXPECT_EQ(to_hex(encode_g2_uncompressed(G2Affine::infinity())), to_hex(padded("40", 192)));
  const PointPolicy allowed{.allow_infinity = true, .check_subgroup = true};
  EXPECT_TRUE(decode_g1_compressed(encode_g1_compressed(G1Affine::infinity()), allowed)->is_infinity());
  EXPECT_TRUE(decode_g1_uncompressed(encode_g1_uncompressed(G1Affine::infinity()), allowed)->is_infinity());
  EXPECT_TRUE(decode_g2_compressed(encode_g2_compressed(G2Affine::infinity()), allowed)->is_infinity());
  EXPECT_TRUE(decode_g2_uncompressed(encode_g2_uncompressed(G2Affine::infinity()), allowed)->is_infinity());
}

// ---- the bad inputs of groth16-and-formats 6.3, by row
// ------------------------------------------------------------ Under the lenient policy too unless the row
// says that the curve equation holds.

TEST(BadPoints, Row1CompressedSlotWithoutItsFlag) {
  const char* want = "point: the compression flag is missing in a compressed slot";
  EXPECT_EQ(g1c(padded("17f1", 48), kLenient), std::string("G1 ") + want);
  EXPECT_EQ(g1c(g1_uncompressed(), kLenient), std::string("G1 ") + want);
  EXPECT_EQ(g1c(padded("40", 48), kLenient), std::string("G1 ") + want);
  EXPECT_EQ(g2c(g2_uncompressed(), kLenient), std::string("G2 ") + want);
  EXPECT_EQ(g2c(padded("60", 96), kLenient), std::string("G2 ") + want);
}

TEST(BadPoints, Row2CompressedInfinityWhereRefused) {
  EXPECT_EQ(g1c(padded("c0", 48), kStrict), "G1 point: infinity is not allowed here");
  EXPECT_EQ(g2c(padded("c0", 96), kStrict), "G2 point: infinity is not allowed here");
  EXPECT_EQ(g1c(padded("c0", 48), kLenient), "accepted");
}

TEST(BadPoints, Row3CompressedInfinityWithOtherBits) {
  const char* want = "point: the infinity flag is set together with other bits";
  for (const char* head : {"e0", "c1", "d0", "c001"}) {
    EXPECT_EQ(g1c(padded(head, 48), kLenient), std::string("G1 ") + want) << head;
    EXPECT_EQ(g2c(padded(head, 96), kLenient), std::string("G2 ") + want) << head;
  }
  EXPECT_EQ(g1c(padded("c0", 48, "01"), kLenient), std::string("G1 ") + want);
  EXPECT_EQ(g2c(padded("c0", 96, "80"), kLenient), std::string("G2 ") + want);
}

TEST(BadPoints, Row4CoordinateNotBelowTheModulus) {
  Bytes p = bytes_of(kModulusHex);
  p[0] |= 0x80;
  EXPECT_EQ(g1c(p, kLenient), "G1 point: x is not below the field modulus");
  // x = p + 4, an alias of row 8's x.
  p.back() += 4;
  EXPECT_EQ(g1c(p, kLenient), "G1 point: x is not below the field modulus");
  EXPECT_EQ(g1c(Bytes(48, 0x9f), kLenient), "G1 point: x is not below the field modulus");
  // Each of the other slots.
  const Bytes m = bytes_of(kModulusHex);
  auto with_modulus_at = [&](Bytes b, std::size_t part) {
    std::copy(m.begin(), m.end(), b.begin() + static_cast<std::ptrdiff_t>(48 * part));
    return b;
  };
  EXPECT_EQ(g1u(with_modulus_at(g1_uncompressed(), 0), kLenient),
            "G1 point: x is not below the field modulus");
  EXPECT_EQ(g1u(with_modulus_at(g1_uncompressed(), 1), kLenient),
            "G1 point: y is not below the field modulus");
  const char* names[] = {"x.c1", "x.c0", "y.c1", "y.c0"};
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(g2u(with_modulus_at(g2_uncompressed(), i), kLenient),
              std::string("G2 point: ") + names[i] + " is not below the field modulus");
  Bytes g2 = with_modulus_at(bytes_of(kG2Hex), 0);
  g2[0] |= 0x80;
  EXPECT_EQ(g2c(g2, kLenient), "G2 point: x.c1 is not below the field modulus");
  EXPECT_EQ(g2c(with_modulus_at(bytes_of(kG2Hex), 1), kLenient),
            "G2 point: x.c0 is not below the field modulus");
}

TEST(BadPoints, Row5FlagBitsInLaterCoordinates) {
  for (const std::uint8_t flag : std::initializer_list<std::uint8_t>{0x80, 0x40, 0x20}) {
    Bytes b = bytes_of(kG2Hex);
    b[48] |= flag;
    EXPECT_EQ(g2c(b, kLenient), "G2 point: x.c0 is not below the field modulus");
    b = g1_uncompressed();
    b[48] |= flag;
    EXPECT_EQ(g1u(b, kLenient), "G1 point: y is not below the field modulus");
    const char* names[] = {"", "x.c0", "y.c1", "y.c0"};
    for (std::size_t part = 1; part < 4; ++part) {
      b = g2_uncompressed();
      b[48 * part] |= flag;
      EXPECT_EQ(g2u(b, kLenient),
                std::string("G2 point: ") + names[part] + " is not below the field modulus");
    }
  }
}

TEST(BadPoints, Row6G1WithoutSquareRoot) {
  EXPECT_EQ(g1c(padded("80", 48, "01"), kLenient), "G1 point: no point of the curve has this x");
  EXPECT_EQ(g1c(padded("a0", 48, "01"), kLenient), "G1 point: no point of the curve has this x");
}

TEST(BadPoints, Row7G2WithoutSquareRoot) {
  EXPECT_EQ(g2c(padded("80", 96), kLenient), "G2 point: no point of the curve has this x");
}

TEST(BadPoints, Row8G1OfTheWrongSubgroup) {
  EXPECT_EQ(g1c(padded("80", 48, "04"), kLenient), "accepted");
  EXPECT_EQ(g1c(padded("80", 48, "04"), kStrict),
            "G1 point: on the curve but not in the subgroup of order r");
}

TEST(BadPoints, Row9TheSameUncompressed) {
  const Bytes b = padded(
      "", 96,
      "040a989badd40d6212b33cffc3f3763e9bc760f988c9926b26da9dd85e928483446346b8ed00e1de5d5ea93e354abe706c");
  EXPECT_EQ(g1u(b, kLenient), "accepted");
  EXPECT_EQ(g1u(b, kStrict), "G1 point: on the curve but not in the subgroup of order r");
}

TEST(BadPoints, Row10OrderEleven) {
  const Bytes b = bytes_of(
      "b9b3e2c8c6bbf59d3c326b531fc1e639d29200c28624ac604f251a12908c9b7f735318617f625954cc71cdf03229b1ef");
  const auto p = decode_g1_compressed(slot<48>(b), kLenient);
  ASSERT_TRUE(p);
  EXPECT_TRUE(mul(*p, BigInt<1>{{11}}).is_infinity());
  EXPECT_EQ(g1c(b, kStrict), "G1 point: on the curve but not in the subgroup of order r");
}

TEST(BadPoints, Row11OrderThree) {
  const auto p = decode_g1_compressed(slot<48>(padded("80", 48)), kLenient);
  ASSERT_TRUE(p);
  EXPECT_EQ(*p, (G1Affine{Fp::zero(), Fp::from_u64(2)}));
  EXPECT_TRUE(mul(*p, BigInt<1>{{3}}).is_infinity());
  EXPECT_EQ(g1c(padded("80", 48), kStrict), "G1 point: on the curve but not in the subgroup of order r");
  EXPECT_EQ(g1c(padded("a0", 48), kStrict), "G1 point: on the curve but not in the subgroup of order r");
}

TEST(BadPoints, Row12GeneratorPlusOrderThree) {
  const Bytes b = bytes_of(
      "85020378a6838af221e734b3a81940eb3ff19c2a7f8cf26150dfc38fc41c37551dc92bb5593d30d4dfc2ee4bb09ad05b");
  const auto p = decode_g1_compressed(slot<48>(b), kLenient);
  ASSERT_TRUE(p);
  const G1Affine order_three{Fp::zero(), Fp::from_u64(2)};
  EXPECT_EQ(G1Jacobian::from_affine(g1_generator()) + order_three, *p);
  EXPECT_EQ(g1c(b, kStrict), "G1 point: on the curve but not in the subgroup of order r");
}

TEST(BadPoints, Row13G2OfTheWrongSubgroup) {
  EXPECT_EQ(g2c(padded("80", 96, "02"), kLenient), "accepted");
  EXPECT_EQ(g2c(padded("80", 96, "02"), kStrict),
            "G2 point: on the curve but not in the subgroup of order r");
}

TEST(BadPoints, Row14AllZeroUncompressed) {
  EXPECT_EQ(g1u(Bytes(96), kLenient), "G1 point: not on the curve");
  EXPECT_EQ(g2u(Bytes(192), kLenient), "G2 point: not on the curve");
}

TEST(BadPoints, Row15UncompressedInfinityWhereRefused) {
  EXPECT_EQ(g1u(padded("40", 96), kStrict), "G1 point: infinity is not allowed here");
  EXPECT_EQ(g2u(padded("40", 192), kStrict), "G2 point: infinity is not allowed here");
}

TEST(BadPoints, Row16UncompressedInfinityWithOtherBits) {
  const char* want = "point: the infinity flag is set together with other bits";
  EXPECT_EQ(g1u(padded("60", 96), kLenient), std::string("G1 ") + want);
  EXPECT_EQ(g1u(padded("41", 96), kLenient), std::string("G1 ") + want);
  EXPECT_EQ(g1u(padded("40", 96, "01"), kLenient), std::string("G1 ") + want);
  EXPECT_EQ(g2u(padded("60", 192), kLenient), std::string("G2 ") + want);
  EXPECT_EQ(g2u(padded("40", 192, "0100"), kLenient), std::string("G2 ") + want);
}

TEST(BadPoints, Row17SignFlagUncompressed) {
  Bytes b = g1_uncompressed();
  b[0] |= 0x20;
  EXPECT_EQ(g1u(b, kLenient), "G1 point: the sign flag is set in an uncompressed slot");
  b = g2_uncompressed();
  b[0] |= 0x20;
  EXPECT_EQ(g2u(b, kLenient), "G2 point: the sign flag is set in an uncompressed slot");
}

TEST(BadPoints, Row18CompressedPointInAnUncompressedSlot) {
  Bytes b = bytes_of(kG1Hex);
  b.resize(96, 0x5a);
  EXPECT_EQ(g1u(b, kLenient), "G1 point: a compressed point in an uncompressed slot");
  b = bytes_of(kG2Hex);
  b.resize(192, 0);
  EXPECT_EQ(g2u(b, kLenient), "G2 point: a compressed point in an uncompressed slot");
  EXPECT_EQ(g1u(padded("c0", 96), kLenient), "G1 point: a compressed point in an uncompressed slot");
  EXPECT_EQ(g2u(padded("c0", 192), kLenient), "G2 point: a compressed point in an uncompressed slot");
  // Only the flag set on an otherwise good point.
  b = g1_uncompressed();
  b[0] |= 0x80;
  EXPECT_EQ(g1u(b, kLenient), "G1 point: a compressed point in an uncompressed slot");
}

TEST(BadPoints, Row19WrongY) {
  Bytes b = g1_uncompressed();
  b[95] += 1;
  EXPECT_EQ(g1u(b, kLenient), "G1 point: not on the curve");
  b = g2_uncompressed();
  b[191] += 1;
  EXPECT_EQ(g2u(b, kLenient), "G2 point: not on the curve");
  b = g2_uncompressed();
  b[143] += 1;
  EXPECT_EQ(g2u(b, kLenient), "G2 point: not on the curve");
}

// Row 20: scalar bytes at or above r. Rows 21 to 24 (lengths, truncation, counts, trailing bytes) belong to
// the containers of points; a slot of another length does not type-check here.
TEST(BadPoints, Row20ScalarNotBelowR) {
  std::array<std::uint8_t, 32> b{};
  for (std::size_t i = 0; i < 32; ++i)
    b[i] = static_cast<std::uint8_t>(Fr::modulus().limb[i / 8] >> (8 * (i % 8)));
  EXPECT_FALSE(Fr::from_bytes_le(b).has_value());
  b.fill(0xff);
  EXPECT_FALSE(Fr::from_bytes_le(b).has_value());
}

// Any single-bit change of a valid encoding either fails or decodes to another point that encodes to the
// changed bytes.
TEST(Encoding, IsInjective) {
  const Bytes good = g1_uncompressed();
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    Bytes b = good;
    b[bit / 8] = static_cast<std::uint8_t>(b[bit / 8] ^ (1U << (bit % 8)));
    EXPECT_NE(g1u(b, kLenient), "accepted") << bit;  // no other point shares x or y up to one bit
  }
  const Bytes compressed = bytes_of(kG2Hex);
  int accepted = 0;
  for (std::size_t bit = 0; bit < 8 * compressed.size(); bit += 7) {
    Bytes b = compressed;
    b[bit / 8] = static_cast<std::uint8_t>(b[bit / 8] ^ (1U << (bit % 8)));
    const auto p = decode_g2_compressed(slot<96>(b), kLenient);
    if (!p) continue;
    ++accepted;
    EXPECT_EQ(to_hex(encode_g2_compressed(*p)), to_hex(b));
  }
  EXPECT_GT(accepted, 20);
}

// ---- subgroup checks

TEST(Subgroup, EndomorphismsHaveTheirEigenvalues) {
  const Fr z = -Fr::from_u64(kCurveParameterAbs);
  EXPECT_EQ(mul(g1_generator(), -z.square()), g1_endomorphism(g1_generator()));
  EXPECT_EQ(mul(g2_generator(), z), g2_endomorphism(g2_generator()));
  EXPECT_EQ(mul_by_parameter_abs(g1_generator()), mul(g1_generator(), -z));
  // Constants of 1.5 against their definitions.
  const auto one = g1_endomorphism({Fp::one(), Fp::one()}).x;
  EXPECT_EQ(one.square() + one + Fp::one(), Fp::zero());
  EXPECT_EQ(
      to_hex([&] {
        std::array<std::uint8_t, 48> b;
        fp_to_bytes_be(one, b);
        return b;
      }()),
      "00000000000000005f19672fdf76ce51ba69c6076a0f77eaddb3a93be6f89688de17d813620a00022e01fffffffefffe");
  FpInt third{};  // (p - 1) / 3, by long division
  unsigned __int128 rest = 0;
  FpInt p_minus_1 = Fp::modulus();
  p_minus_1.limb[0] -= 1;
  for (std::size_t i = 6; i-- > 0;) {
    rest = rest << 64 | p_minus_1.limb[i];
    third.limb[i] = static_cast<std::uint64_t>(rest / 3);
    rest %= 3;
  }
  EXPECT_EQ(rest, 0U);
  FpInt half = p_minus_1;
  for (std::size_t i = 0; i < 6; ++i) half.limb[i] = half.limb[i] >> 1 | (i < 5 ? half.limb[i + 1] << 63 : 0);
  const G2Affine ones = g2_endomorphism({Fp2::one(), Fp2::one()});
  EXPECT_EQ(ones.x * Fp2::xi().pow(third), Fp2::one());
  EXPECT_EQ(ones.y * Fp2::xi().pow(half), Fp2::one());
}

// Random points of the whole curve, their multiples by the cofactor, and infinity, against [r] P == O.
TEST(Subgroup, AgreesWithTheDefinition) {
  TestRandom rng(32);
  int outside = 0;
  const BigInt<2> h1{{0x8c00aaab0000aaab, 0x396c8c005555e156}};
  const BigInt<8> h2{{0xcf1c38e31c7238e5, 0x1616ec6e786f0c70, 0x21537e293a6691ae, 0xa628f1cb4d9e82ef,
                      0xa68a205b2e5a7ddf, 0xcd91de4547085aba, 0x091d50792876a202, 0x05d543a95414e7f1}};
  for (int i = 0; i < 12; ++i) {
    Fp y1{};
    Fp x1 = Fp::from_u64(rng.next());
    while (!fp_sqrt(x1.square() * x1 + curve_b<Fp>(), y1)) x1 += Fp::one();
    const G1Affine p{x1, y1};
    EXPECT_EQ(in_subgroup(p), in_subgroup_plain(p));
    outside += in_subgroup(p) ? 0 : 1;
    const G1Affine cleared = mul(p, h1).to_affine();
    EXPECT_TRUE(in_subgroup(cleared));
    EXPECT_TRUE(in_subgroup_plain(cleared));
    EXPECT_TRUE(in_subgroup(mul(p, BigInt<1>{{kCurveParameterAbs + 1}}).to_affine()));

    Fp2 y2{};
    Fp2 x2{Fp::from_u64(rng.next()), Fp::from_u64(rng.next())};
    while (!fp2_sqrt(x2.square() * x2 + curve_b<Fp2>(), y2)) x2 += Fp2::one();
    const G2Affine q{x2, y2};
    EXPECT_EQ(in_subgroup(q), in_subgroup_plain(q));
    outside += in_subgroup(q) ? 0 : 1;
    const G2Affine cleared2 = mul(q, h2).to_affine();
    EXPECT_TRUE(in_subgroup(cleared2));
    EXPECT_TRUE(in_subgroup_plain(cleared2));
    // A subgroup point shifted by a point of the cofactor subgroup.
    const G2Affine stray = (mul(q, Fr::modulus()) + cleared2).to_affine();
    EXPECT_FALSE(in_subgroup(stray));
    EXPECT_FALSE(in_subgroup_plain(stray));
  }
  EXPECT_EQ(outside, 24);
  EXPECT_TRUE(in_subgroup(G1Affine::infinity()));
  EXPECT_TRUE(in_subgroup(G2Affine::infinity()));
}

// h / order^k with the largest k that divides.
BigInt<2> without_factor(BigInt<2> h, std::uint64_t order) {
  while (true) {
    BigInt<2> quotient{};
    unsigned __int128 rest = 0;
    for (std::size_t i = 2; i-- > 0;) {
      rest = rest << 64 | h.limb[i];
      quotient.limb[i] = static_cast<std::uint64_t>(rest / order);
      rest %= order;
    }
    if (rest != 0) return h;
    h = quotient;
  }
}

// A point of every small prime order that the cofactor of E1 admits, alone and added to a good point: none
// passes.
TEST(Subgroup, SmallOrdersAreRefused) {
  const BigInt<2> h1{{0x8c00aaab0000aaab, 0x396c8c005555e156}};
  TestRandom rng(33);
  for (const std::uint64_t order : {3U, 11U, 10177U, 859267U, 52437899U}) {
    const BigInt<2> rest = without_factor(h1, order);
    ASSERT_FALSE(rest == h1);
    auto small = G1Jacobian::infinity();
    for (Fp x = Fp::from_u64(rng.next()); small.is_infinity(); x += Fp::one()) {
      Fp y{};
      if (fp_sqrt(x.square() * x + curve_b<Fp>(), y)) small = mul(mul(G1Affine{x, y}, Fr::modulus()), rest);
    }
    while (!mul(small, BigInt<1>{{order}}).is_infinity()) small = mul(small, BigInt<1>{{order}});
    EXPECT_FALSE(in_subgroup(small.to_affine())) << order;
    EXPECT_FALSE(in_subgroup((small + g1_generator()).to_affine())) << order;
  }
}

}  // namespace
}  // namespace cuzk
