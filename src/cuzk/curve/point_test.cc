#include "cuzk/curve/point.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cuzk/base/hex.h"
#include "cuzk/base/random.h"
#include "cuzk/curve/generator.h"

namespace cuzk {
namespace {

std::string hex_be(const Fp& x) {
  auto b = x.to_bytes_le();
  std::reverse(b.begin(), b.end());
  return to_hex(b);
}

Fp random_field(TestRandom& rng, Fp) {
  FpInt v{};
  do {
    for (auto& l : v.limb) l = rng.next();
    v.limb[5] >>= 3;
  } while (!Fp::canonical(v));
  return Fp::from_int(v);
}
Fp2 random_field(TestRandom& rng, Fp2) {
  const Fp c0 = random_field(rng, Fp{});
  return {c0, random_field(rng, Fp{})};
}

// The chord-and-tangent rule of the textbook, on affine points: the oracle of the coordinate systems.
template <class F>
Affine<F> textbook_add(const Affine<F>& p, const Affine<F>& q) {
  if (p.is_infinity()) return q;
  if (q.is_infinity()) return p;
  if (p == -q) return Affine<F>::infinity();
  const F slope = p == q ? (p.x.square().dbl() + p.x.square()) * p.y.dbl().inverse()
                         : (q.y - p.y) * (q.x - p.x).inverse();
  const F x = slope.square() - p.x - q.x;
  return {x, slope * (p.x - x) - p.y};
}

// The same point in other coordinates, z = s.
template <class F>
Jacobian<F> scaled(const Affine<F>& p, const F& s) {
  if (p.is_infinity()) return {s, s.square(), F::zero()};
  return {p.x * s.square(), p.y * s.square() * s, s};
}
template <class F>
Xyzz<F> scaled_xyzz(const Affine<F>& p, const F& s) {
  if (p.is_infinity()) return {s, s.square(), F::zero(), F::zero()};
  const F ss = s.square();
  return {p.x * ss, p.y * ss * s, ss, ss * s};
}

template <class F>
class GroupLaw : public testing::Test {};
using CurveFields = testing::Types<Fp, Fp2>;
TYPED_TEST_SUITE(GroupLaw, CurveFields);

// Every pair out of {O, G, 2G, 3G, 7G and their negatives}: contains P = Q, P = -Q and infinity on either
// side.
TYPED_TEST(GroupLaw, AllCoordinatesAgreeWithTheTextbookRule) {
  using F = TypeParam;
  TestRandom rng(11);
  std::vector<Affine<F>> points{Affine<F>::infinity(), generator<F>()};
  for (int i = 0; i < 2; ++i) points.push_back(textbook_add(points.back(), generator<F>()));
  points.push_back(textbook_add(textbook_add(points[3], points[3]), points[1]));
  for (std::size_t i = 1, n = points.size(); i < n; ++i) points.push_back(-points[i]);
  for (const auto& p : points) {
    ASSERT_TRUE(is_on_curve(p));
    const auto pj = scaled(p, random_field(rng, F{}));
    const auto px = scaled_xyzz(p, random_field(rng, F{}));
    const Affine<F> twice = textbook_add(p, p);
    EXPECT_EQ(pj.dbl().to_affine(), twice);
    EXPECT_EQ(px.dbl().to_affine(), twice);
    EXPECT_EQ(Xyzz<F>::dbl(p).to_affine(), twice);
    EXPECT_EQ((-pj).to_affine(), -p);
    EXPECT_EQ((-px).to_affine(), -p);
    EXPECT_EQ(px.to_jacobian(), pj);
    EXPECT_EQ(Jacobian<F>::from_affine(p), pj);
    EXPECT_EQ(Xyzz<F>::from_affine(p), px);
    for (const auto& q : points) {
      const auto qj = scaled(q, random_field(rng, F{}));
      const auto qx = scaled_xyzz(q, random_field(rng, F{}));
      const Affine<F> sum = textbook_add(p, q);
      EXPECT_EQ((pj + qj).to_affine(), sum);
      EXPECT_EQ((pj + q).to_affine(), sum);
      EXPECT_EQ((px + qx).to_affine(), sum);
      EXPECT_EQ((px + q).to_affine(), sum);
      EXPECT_EQ((pj - qj).to_affine(), textbook_add(p, -q));
      EXPECT_EQ((pj - q).to_affine(), textbook_add(p, -q));
      EXPECT_EQ((px - qx).to_affine(), textbook_add(p, -q));
      EXPECT_EQ((px - q).to_affine(), textbook_add(p, -q));
      EXPECT_EQ(pj == qj, p == q);
      EXPECT_EQ(pj == q, p == q);
      EXPECT_EQ(px == qx, p == q);
      EXPECT_EQ(px == q, p == q);
    }
  }
}

TYPED_TEST(GroupLaw, ScalarMultiplication) {
  using F = TypeParam;
  const auto g = generator<F>();
  auto sum = Jacobian<F>::infinity();
  for (std::uint64_t k = 0; k < 20; ++k, sum += g) {
    EXPECT_EQ(mul(g, BigInt<1>{{k}}), sum);
    EXPECT_EQ(mul(scaled(g, F::from_u64(5)), Fr::from_u64(k)), sum);
  }
  EXPECT_TRUE(mul(g, Fr::modulus()).is_infinity());
  EXPECT_EQ(mul(g, -Fr::one()), -g);
  EXPECT_TRUE(mul(Affine<F>::infinity(), Fr::from_u64(3)).is_infinity());
  TestRandom rng(12);
  const Fr a = fr_from_words([&] { return rng.next(); });
  const Fr b = fr_from_words([&] { return rng.next(); });
  EXPECT_EQ(mul(g, a) + mul(g, b), mul(g, a + b));
  EXPECT_EQ(mul(mul(g, a), b), mul(g, a * b));
}

TYPED_TEST(GroupLaw, BatchToAffineEqualsOneByOne) {
  using F = TypeParam;
  TestRandom rng(13);
  for (std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{9}}) {
    std::vector<Jacobian<F>> jacobian;
    std::vector<Xyzz<F>> xyzz;
    std::vector<Affine<F>> want;
    for (std::size_t i = 0; i < n; ++i) {
      want.push_back(i % 4 == 1 ? Affine<F>::infinity()
                                : mul(generator<F>(), BigInt<1>{{i + 1}}).to_affine());
      jacobian.push_back(scaled(want.back(), random_field(rng, F{})));
      xyzz.push_back(scaled_xyzz(want.back(), random_field(rng, F{})));
    }
    std::vector<Affine<F>> got(n);
    batch_to_affine<Jacobian<F>>(jacobian, got);
    EXPECT_EQ(got, want);
    std::fill(got.begin(), got.end(), generator<F>());
    batch_to_affine<Xyzz<F>>(xyzz, got);
    EXPECT_EQ(got, want);
  }
  std::vector<Jacobian<F>> all_infinity(3, Jacobian<F>::infinity());
  std::vector<Affine<F>> got(3, generator<F>());
  batch_to_affine<Jacobian<F>>(all_infinity, got);
  for (const auto& p : got) EXPECT_TRUE(p.is_infinity());
}

// groth16-and-formats 1.4.
TEST(Generators, MatchTheCanonicalValues) {
  const auto g1 = g1_generator();
  const auto g2 = g2_generator();
  EXPECT_EQ(
      hex_be(g1.x),
      "17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb");
  EXPECT_EQ(
      hex_be(g1.y),
      "08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1");
  EXPECT_EQ(
      hex_be(g2.x.c0),
      "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8");
  EXPECT_EQ(
      hex_be(g2.x.c1),
      "13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e");
  EXPECT_EQ(
      hex_be(g2.y.c0),
      "0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801");
  EXPECT_EQ(
      hex_be(g2.y.c1),
      "0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be");
  EXPECT_EQ(curve_b<Fp>(), Fp::from_u64(4));
  EXPECT_EQ(curve_b<Fp2>(), Fp2::from_u64(4) * Fp2::xi());
  EXPECT_TRUE(is_on_curve(g1));
  EXPECT_TRUE(is_on_curve(g2));
  EXPECT_FALSE(is_on_curve(G1Affine{g1.x, g1.y + Fp::one()}));
  EXPECT_FALSE(is_on_curve(G2Affine{g2.x, g2.y + Fp2::one()}));
  EXPECT_FALSE(is_on_curve(G1Affine{Fp::zero(), Fp::one()}));
}

}  // namespace
}  // namespace cuzk
