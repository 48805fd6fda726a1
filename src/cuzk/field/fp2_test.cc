#include "cuzk/field/fp2.h"

#include <gtest/gtest.h>

#include <vector>

#include "cuzk/base/random.h"

namespace cuzk {
namespace {

Fp random_fp(TestRandom& rng) {
  FpInt v{};
  do {
    for (auto& l : v.limb) l = rng.next();
    v.limb[5] >>= 3;
  } while (!Fp::canonical(v));
  return Fp::from_int(v);
}

std::vector<Fp2> sample(int random_count) {
  TestRandom rng(21);
  const Fp one = Fp::one();
  std::vector<Fp2> values{Fp2::zero(),        Fp2::one(),   {Fp::zero(), one},
                          {-one, Fp::zero()}, {-one, -one}, Fp2::xi()};
  values.push_back({Fp::from_u64(5), Fp::zero()});  // 5 is no square in Fp (groth16-and-formats 6.3, row 6)
  values.push_back({Fp::from_u64(4), Fp::zero()});
  for (int i = 0; i < random_count; ++i) {
    const Fp c0 = random_fp(rng);
    values.push_back({c0, random_fp(rng)});
  }
  return values;
}

TEST(Fp2, FieldLaws) {
  const auto values = sample(6);
  EXPECT_EQ((Fp2{Fp::zero(), Fp::one()}).square(), -Fp2::one());
  for (const Fp2& a : values) {
    EXPECT_EQ(a * Fp2::one(), a);
    EXPECT_EQ(a + (-a), Fp2::zero());
    EXPECT_EQ(a.square(), a * a);
    EXPECT_EQ(a.square(), a.square_plain());
    EXPECT_EQ(a.dbl(), a + a);
    EXPECT_EQ(a.mul_by_xi(), a * Fp2::xi());
    EXPECT_EQ(a * a.conjugate(), (Fp2{a.norm(), Fp::zero()}));
    EXPECT_EQ(a * a.inverse(), a.is_zero() ? Fp2::zero() : Fp2::one());
    EXPECT_EQ(a * a.c1, a * (Fp2{a.c1, Fp::zero()}));
    for (const Fp2& b : values) {
      // Schoolbook product.
      EXPECT_EQ(a * b, (Fp2{a.c0 * b.c0 - a.c1 * b.c1, a.c0 * b.c1 + a.c1 * b.c0}));
      EXPECT_EQ(a * b, Fp2::mul_plain(a, b));
      EXPECT_EQ((a - b) + b, a);
      for (const Fp2& c : values) EXPECT_EQ(a * (b + c), a * b + a * c);
    }
  }
  // The Frobenius map is the conjugation.
  EXPECT_EQ(values.back().pow(Fp::modulus()), values.back().conjugate());
}

TEST(Fp, SquareRoots) {
  TestRandom rng(22);
  int squares = 0;
  for (int i = 0; i < 20; ++i) {
    const Fp a = random_fp(rng);
    Fp root{};
    ASSERT_TRUE(fp_sqrt(a.square(), root));
    EXPECT_TRUE(root == a || root == -a);
    // Of a and -a exactly one is a square.
    Fp other{};
    const bool plus = fp_sqrt(a, root);
    EXPECT_NE(plus, fp_sqrt(-a, other));
    EXPECT_EQ(plus ? root.square() : -other.square(), a);
    squares += plus ? 1 : 0;
  }
  EXPECT_GT(squares, 0);
  EXPECT_LT(squares, 20);
  Fp root{};
  EXPECT_TRUE(fp_sqrt(Fp::zero(), root));
  EXPECT_TRUE(root.is_zero());
  EXPECT_FALSE(fp_sqrt(Fp::from_u64(5), root));
}

TEST(Fp2, SquareRoots) {
  int squares = 0;
  const auto values = sample(20);
  for (const Fp2& a : values) {
    Fp2 root{};
    ASSERT_TRUE(fp2_sqrt(a.square(), root));
    EXPECT_TRUE(root == a || root == -a);
    // Euler's criterion through the norm: a is a square in Fp2 iff its norm is one in Fp.
    Fp norm_root{};
    const bool is_square = fp_sqrt(a.norm(), norm_root);
    ASSERT_EQ(fp2_sqrt(a, root), is_square);
    if (is_square) {
      EXPECT_EQ(root.square(), a);
      ++squares;
    } else {
      // xi is a non-residue, so a xi is a square.
      ASSERT_TRUE(fp2_sqrt(a * Fp2::xi(), root));
      EXPECT_EQ(root.square(), a * Fp2::xi());
    }
  }
  EXPECT_LT(squares, static_cast<int>(values.size()));
}

TEST(Fp2, SignOfEncodings) {
  const Fp one = Fp::one();
  // (p - 1) / 2 is not the larger of the pair, (p + 1) / 2 is.
  const Fp half = Fp::from_u64(2).inverse();  // (p + 1) / 2
  EXPECT_TRUE(fp_is_larger(half));
  EXPECT_FALSE(fp_is_larger(-half));
  EXPECT_FALSE(fp_is_larger(Fp::zero()));
  EXPECT_FALSE(fp_is_larger(one));
  EXPECT_TRUE(fp_is_larger(-one));
  EXPECT_TRUE(fp2_is_larger({one, -one}));
  EXPECT_FALSE(fp2_is_larger({-one, one}));
  EXPECT_TRUE(fp2_is_larger({-one, Fp::zero()}));
  EXPECT_FALSE(fp2_is_larger({one, Fp::zero()}));
}

}  // namespace
}  // namespace cuzk
