#include <gtest/gtest.h>

#include <algorithm>

#include "cuzk/base/hex.h"
#include "cuzk/base/random.h"
#include "cuzk/field/fp.h"
#include "cuzk/field/fr.h"
#include "cuzk/field/product_sum.h"

namespace cuzk {
namespace {

template <class F>
F random_element(TestRandom& rng) {
  while (true) {
    typename F::Int v{};
    for (auto& l : v.limb) l = rng.next();
    v.limb[F::kLimbs - 1] &= (std::uint64_t{1} << 63) - 1;
    if (F::canonical(v)) return F::from_int(v);
  }
}

template <class F>
class FieldLaws : public testing::Test {};
using Fields = testing::Types<Fr, Fp>;
TYPED_TEST_SUITE(FieldLaws, Fields);

TYPED_TEST(FieldLaws, HoldOnEdgeAndRandomValues) {
  using F = TypeParam;
  TestRandom rng(1);
  std::vector<F> values{F::zero(),     F::one(), -F::one(), F::from_u64(2), F::one().dbl().inverse(),
                        F::r_squared()};
  for (int i = 0; i < 12; ++i) values.push_back(random_element<F>(rng));
  for (const F& a : values) {
    EXPECT_EQ(F::from_int(a.to_int()), a);
    EXPECT_EQ(*F::from_bytes_le(a.to_bytes_le()), a);
    EXPECT_EQ(a * F::one(), a);
    EXPECT_EQ(a - a, F::zero());
    EXPECT_EQ(a + (-a), F::zero());
    EXPECT_EQ(a.square(), a * a);
    EXPECT_EQ(a.is_zero() ? F::zero() : F::one(), a * a.inverse());
    for (const F& b : values) {
      EXPECT_EQ(a + b, b + a);
      EXPECT_EQ(a * b, b * a);
      EXPECT_EQ((a - b) + b, a);
      // What the host chooses against the definition.
      EXPECT_EQ(a * b, F::mul_plain(a, b));
      EXPECT_EQ(a + b, F::add_plain(a, b));
      EXPECT_EQ(a - b, F::sub_plain(a, b));
      for (const F& c : values) EXPECT_EQ(a * (b + c), a * b + a * c);
    }
  }
}

TYPED_TEST(FieldLaws, NonCanonicalBytesAreRefused) {
  using F = TypeParam;
  std::array<std::uint8_t, F::kBytes> bytes{};
  const auto m = F::modulus();
  for (std::size_t i = 0; i < F::kBytes; ++i)
    bytes[i] = static_cast<std::uint8_t>(m.limb[i / 8] >> (8 * (i % 8)));
  EXPECT_FALSE(F::from_bytes_le(bytes).has_value());
  bytes[0] -= 1;
  EXPECT_EQ(*F::from_bytes_le(bytes), -F::one());
  bytes.fill(0xff);
  EXPECT_FALSE(F::from_bytes_le(bytes).has_value());
}

// Constants of groth16-and-formats 1.2, which the code computes from the modulus.
TEST(Montgomery, ConstantsMatchTheLiterature) {
  EXPECT_EQ(Fr::inv64(), 0xfffffffeffffffffU);
  EXPECT_EQ(Fp::inv64(), 0x89f3fffcfffcfffdU);
  EXPECT_EQ(Fr::one().limb[3], 0x1824b159acc5056fU);
  EXPECT_EQ(Fr::r_squared().limb[0], 0xc999e990f3f29c6dU);
  EXPECT_EQ(Fp::one().limb[5], 0x15f65ec3fa80e493U);
  EXPECT_EQ(Fp::r_squared().limb[5], 0x11988fe592cae3aaU);
}

TEST(Fr, RootsOfUnity) {
  auto hex_be = [](const Fr& x) {
    auto b = x.to_bytes_le();
    std::reverse(b.begin(), b.end());
    return to_hex(b);
  };
  EXPECT_EQ(hex_be(fr_root_of_unity(32)), "16a2a19edfe81f20d09b681922c813b4b63683508c2280b93829971f439f0d2b");
  EXPECT_EQ(hex_be(fr_root_of_unity(27)), "23397a9300f8f98bece8ea224f31d25db94f1101b1d7a628e2d0a7869f0319ed");
  EXPECT_EQ(hex_be(fr_root_of_unity(3)), "345766f603fa66e78c0625cd70d77ce2b38b21c28713b7007228fd3397743f7a");
  EXPECT_EQ(fr_root_of_unity(1), -Fr::one());
  EXPECT_EQ(fr_root_of_unity(0), Fr::one());
}

TEST(Fr, SumsOfProductsAreThoseOfTheDefinition) {
  TestRandom rng(9);
  const Fr all_ones{{~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}}};
  std::uint64_t sum[9]{};
  std::uint64_t expected[9]{};
  for (int i = 0; i < 1000; ++i) {
    const Fr a = i % 3 == 0 ? all_ones : random_element<Fr>(rng);
    const Fr b = i % 2 == 0 ? all_ones : i % 5 == 0 ? Fr::zero() : random_element<Fr>(rng);
    add_product(sum, a, b);
    add_product_plain(expected, a, b);
    ASSERT_TRUE(std::equal(sum, sum + 9, expected)) << i;
  }
  EXPECT_GT(sum[8], 100U);
}

TEST(Fr, RandomIsCanonicalAndVaries) {
  const Fr a = *random_fr();
  const Fr b = *random_fr();
  EXPECT_NE(a, b);
}

}  // namespace
}  // namespace cuzk
