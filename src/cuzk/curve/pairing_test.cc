#include "cuzk/curve/pairing.h"

#include <gtest/gtest.h>

#include <vector>

#include "cuzk/base/hex.h"
#include "cuzk/base/random.h"
#include "cuzk/curve/encoding.h"
#include "cuzk/curve/subgroup.h"

namespace cuzk {
namespace {

std::string hex(const Fp& x) {
  std::array<std::uint8_t, 48> b;
  fp_to_bytes_be(x, b);
  return to_hex(b);
}

std::vector<std::string> coordinates(const Fp12& f) {
  std::vector<std::string> out;
  for (const Fp6* half : {&f.c0, &f.c1})
    for (const Fp2* c : {&half->c0, &half->c1, &half->c2}) {
      out.push_back(hex(c->c0));
      out.push_back(hex(c->c1));
    }
  return out;
}

Fp random_fp(TestRandom& rng) {
  FpInt v{};
  do {
    for (auto& l : v.limb) l = rng.next();
    v.limb[5] >>= 3;
  } while (!Fp::canonical(v));
  return Fp::from_int(v);
}
Fp2 random_fp2(TestRandom& rng) {
  const Fp c0 = random_fp(rng);
  return {c0, random_fp(rng)};
}
Fp6 random_fp6(TestRandom& rng) {
  const Fp2 c0 = random_fp2(rng);
  const Fp2 c1 = random_fp2(rng);
  return {c0, c1, random_fp2(rng)};
}
Fp12 random_fp12(TestRandom& rng) {
  const Fp6 c0 = random_fp6(rng);
  return {c0, random_fp6(rng)};
}
Fr random_scalar(TestRandom& rng) {
  return fr_from_words([&] { return rng.next(); });
}

Fp12 product(std::span<const PairingInput> inputs) {
  return final_exponentiation(multi_miller_loop(inputs));
}

// ---- the tower

// The product of polynomials in w over Fp2 with w^6 = xi, by the definition: coefficient k of w^k.
std::array<Fp2, 6> as_polynomial(const Fp12& f) {
  return {f.c0.c0, f.c1.c0, f.c0.c1, f.c1.c1, f.c0.c2, f.c1.c2};
}
std::array<Fp2, 6> plain_product(const Fp12& x, const Fp12& y) {
  const auto a = as_polynomial(x);
  const auto b = as_polynomial(y);
  std::array<Fp2, 6> out{};
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) out[(i + j) % 6] += i + j < 6 ? a[i] * b[j] : a[i] * b[j] * Fp2::xi();
  return out;
}

TEST(Tower, ProductsAgreeWithPolynomialArithmetic) {
  TestRandom rng(41);
  for (int i = 0; i < 10; ++i) {
    const Fp12 a = random_fp12(rng);
    const Fp12 b = random_fp12(rng);
    EXPECT_EQ(as_polynomial(a * b), plain_product(a, b));
    EXPECT_EQ(a.square(), a * a);
    EXPECT_EQ(a.c0.square(), a.c0 * a.c0);
    EXPECT_EQ(a * a.inverse(), Fp12::one());
    EXPECT_EQ(a.c0 * a.c0.inverse(), Fp6::one());
    EXPECT_EQ(a.c0.mul_by_v(), a.c0 * (Fp6{Fp2::zero(), Fp2::one(), Fp2::zero()}));
    const Fp2 l0 = random_fp2(rng);
    const Fp2 l1 = random_fp2(rng);
    const Fp2 l4 = random_fp2(rng);
    EXPECT_EQ(a.mul_by_line(l0, l1, l4), a * (Fp12{{l0, l1, Fp2::zero()}, {Fp2::zero(), l4, Fp2::zero()}}));
    // Into the cyclotomic subgroup.
    const Fp12 g = a.conjugate() * a.inverse();
    const Fp12 m = g.frobenius2() * g;
    EXPECT_EQ(m.cyclotomic_square(), m.square());
    EXPECT_EQ(m.cyclotomic_pow(BigInt<1>{{1000003}}), m.pow(BigInt<1>{{1000003}}));
    EXPECT_EQ(m * m.conjugate(), Fp12::one());
  }
  EXPECT_EQ((Fp12{Fp6::zero(), Fp6::zero()}).inverse(), (Fp12{Fp6::zero(), Fp6::zero()}));
}

TEST(Tower, FrobeniusIsThePowerMap) {
  TestRandom rng(42);
  const Fp12 a = random_fp12(rng);
  EXPECT_EQ(a.frobenius(), a.pow(Fp::modulus()));
  EXPECT_EQ(a.frobenius2(), a.frobenius().frobenius());
  EXPECT_EQ(a.frobenius2().frobenius2().frobenius2(), a.conjugate());
  // groth16-and-formats 1.3: gamma_{1,1} and gamma_{2,1}.
  const Fp12 w{Fp6::zero(), Fp6::one()};
  EXPECT_EQ(
      hex(w.frobenius().c1.c0.c0),
      "1904d3bf02bb0667c231beb4202c0d1f0fd603fd3cbd5f4f7b2443d784bab9c4f67ea53d63e7813d8d0775ed92235fb8");
  EXPECT_EQ(
      hex(w.frobenius().c1.c0.c1),
      "00fc3e2b36c4e03288e9e902231f9fb854a14787b6c7b36fec0c8ec971f63c5f282d5ac14d6c7ec22cf78a126ddc4af3");
  EXPECT_EQ(
      hex(w.frobenius2().c1.c0.c0),
      "00000000000000005f19672fdf76ce51ba69c6076a0f77eaddb3a93be6f89688de17d813620a00022e01fffffffeffff");
}

// ---- the pairing

// groth16-and-formats 1.7.
TEST(Pairing, OfTheGeneratorsIsTheKnownValue) {
  const std::vector<std::string> want{
      "1250ebd871fc0a92a7b2d83168d0d727272d441befa15c503dd8e90ce98db3e7b6d194f60839c508a84305aaca1789b6",
      "089a1c5b46e5110b86750ec6a532348868a84045483c92b7af5af689452eafabf1a8943e50439f1d59882a98eaa0170f",
      "1368bb445c7c2d209703f239689ce34c0378a68e72a6b3b216da0e22a5031b54ddff57309396b38c881c4c849ec23e87",
      "193502b86edb8857c273fa075a50512937e0794e1e65a7617c90d8bd66065b1fffe51d7a579973b1315021ec3c19934f",
      "01b2f522473d171391125ba84dc4007cfbf2f8da752f7c74185203fcca589ac719c34dffbbaad8431dad1c1fb597aaa5",
      "018107154f25a764bd3c79937a45b84546da634b8f6be14a8061e55cceba478b23f7dacaa35c8ca78beae9624045b4b6",
      "19f26337d205fb469cd6bd15c3d5a04dc88784fbb3d0b2dbdea54d43b2b73f2cbb12d58386a8703e0f948226e47ee89d",
      "06fba23eb7c5af0d9f80940ca771b6ffd5857baaf222eb95a7d2809d61bfe02e1bfd1b68ff02f0b8102ae1c2d5d5ab1a",
      "11b8b424cd48bf38fcef68083b0b0ec5c81a93b330ee1a677d0d15ff7b984e8978ef48881e32fac91b93b47333e2ba57",
      "03350f55a7aefcd3c31b4fcb6ce5771cc6a0e9786ab5973320c806ad360829107ba810c5a09ffdd9be2291a0c25a99a2",
      "04c581234d086a9902249b64728ffd21a189e87935a954051c7cdba7b3872629a4fafc05066245cb9108f0242d0fe3ef",
      "0f41e58663bf08cf068672cbd01a7ec73baca4d72ca93544deff686bfd6df543d48eaa24afe47e1efde449383b676631"};
  EXPECT_EQ(coordinates(pairing(g1_generator(), g2_generator())), want);
}

TEST(Pairing, IsBilinearAndOfOrderR) {
  TestRandom rng(43);
  const Fp12 e = pairing(g1_generator(), g2_generator());
  EXPECT_FALSE(e.is_one());
  EXPECT_TRUE(e.pow(Fr::modulus()).is_one());
  const Fr a = random_scalar(rng);
  const Fr b = random_scalar(rng);
  const G1Affine p = mul(g1_generator(), a).to_affine();
  const G2Affine q = mul(g2_generator(), b).to_affine();
  EXPECT_EQ(pairing(p, q), e.pow((a * b).to_int()));
  EXPECT_EQ(pairing(p, q), e.cyclotomic_pow((a * b).to_int()));
  EXPECT_EQ(pairing(-p, q), pairing(p, q).conjugate());
  EXPECT_EQ(pairing(p, -q), pairing(p, q).conjugate());
}

TEST(Pairing, ProductIsTheProductOfPairings) {
  TestRandom rng(44);
  const auto g1 = g1_generator();
  std::vector<G1Affine> p;
  std::vector<G2Prepared> q;
  std::vector<PairingInput> inputs;
  Fp12 want = Fp12::one();
  for (int i = 0; i < 4; ++i) {
    p.push_back(mul(g1, random_scalar(rng)).to_affine());
    const G2Affine qi = mul(g2_generator(), random_scalar(rng)).to_affine();
    q.emplace_back(qi);
    want *= pairing(p.back(), qi);
  }
  for (std::size_t i = 0; i < p.size(); ++i) inputs.push_back({p[i], &q[i]});
  EXPECT_EQ(product(inputs), want);
  // Infinity on either side contributes 1.
  const G2Prepared none(G2Affine::infinity());
  inputs.push_back({g1, &none});
  inputs.push_back({G1Affine::infinity(), &q[0]});
  EXPECT_EQ(product(inputs), want);
  EXPECT_TRUE(product({}).is_one());
  EXPECT_TRUE(pairing(G1Affine::infinity(), g2_generator()).is_one());
  EXPECT_TRUE(pairing(g1, G2Affine::infinity()).is_one());
  // e(aG, H) e(-G, aH) = 1.
  const Fr a = random_scalar(rng);
  const G2Prepared h(g2_generator());
  const G2Prepared ah(mul(g2_generator(), a).to_affine());
  const std::vector<PairingInput> cancel{{mul(g1, a).to_affine(), &h}, {-g1, &ah}};
  EXPECT_TRUE(product(cancel).is_one());
  const std::vector<PairingInput> off{{mul(g1, a + Fr::one()).to_affine(), &h}, {-g1, &ah}};
  EXPECT_FALSE(product(off).is_one());
}

// Which power it is, is settled by the known value above; here its algebra on values that no pairing gives.
TEST(Pairing, FinalExponentiationLandsInTheGroup) {
  TestRandom rng(45);
  const Fp12 f = random_fp12(rng);
  const Fp12 g = final_exponentiation(f);
  EXPECT_TRUE(g.pow(Fr::modulus()).is_one());
  // Raising to r first makes it trivial, and it is multiplicative.
  EXPECT_TRUE(final_exponentiation(f.pow(Fr::modulus())).is_one());
  const Fp12 h = random_fp12(rng);
  EXPECT_EQ(final_exponentiation(f * h), g * final_exponentiation(h));
  // Elements of the proper subfields vanish: what the lines may be scaled by.
  EXPECT_TRUE(final_exponentiation({f.c0, Fp6::zero()}).is_one());
  EXPECT_TRUE(final_exponentiation({{f.c0.c0, Fp2::zero(), Fp2::zero()}, {Fp2::zero(), f.c1.c1, Fp2::zero()}})
                  .is_one());
}

// Points outside the subgroups give no crash and a value of GT.
TEST(Pairing, OfPointsOutsideTheSubgroups) {
  const G1Affine order_three{Fp::zero(), Fp::from_u64(2)};
  std::array<std::uint8_t, 96> bytes{};
  bytes[0] = 0x80;
  bytes[95] = 0x02;
  const G2Affine stray = *decode_g2_compressed(bytes, {.allow_infinity = false, .check_subgroup = false});
  EXPECT_TRUE(pairing(order_three, stray).pow(Fr::modulus()).is_one());
}

}  // namespace
}  // namespace cuzk
