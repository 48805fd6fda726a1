#include "cuzk/cuda/field32.h"

#include <gtest/gtest.h>

#include <vector>

#include "cuzk/base/random.h"
#include "cuzk/cuda/internal/factor32.h"
#include "cuzk/cuda/internal/inverse32.h"

namespace cuzk::cuda {
namespace {

/// Raw patterns below the modulus that stress carries: ends, single full or empty limbs, alternating words.
template <class Params>
std::vector<Field32<Params>> edge_values() {
  using F = Field32<Params>;
  using W = Montgomery<Params>;
  std::vector<F> v{F::zero(), F::one(), F::from(-W::one()), F::from(W::r_squared())};
  W raw{};
  raw.limb[0] = 1;
  v.push_back(F::from(raw));
  v.push_back(F::from(-raw));
  for (int limb = 0; limb < F::N; ++limb) {
    F only{};
    only.limb[limb] = 0xffffffffU >> (limb == F::N - 1 ? 6 : 0);
    v.push_back(only);
    F all{};
    for (int i = 0; i < F::N; ++i) all.limb[i] = i == limb ? 0 : 0xffffffffU >> (i == F::N - 1 ? 6 : 0);
    v.push_back(all);
  }
  TestRandom random(7);
  while (v.size() < 60) {
    W x{};
    for (auto& l : x.limb) l = random.next();
    x.limb[W::kLimbs - 1] >>= 5;
    v.push_back(F::from(x));
  }
  return v;
}

template <class Params>
void expect_arithmetic() {
  using F = Field32<Params>;
  const auto values = edge_values<Params>();
  for (const F& a : values) {
    for (const F& b : values) {
      EXPECT_TRUE((a + b).wide() == a.wide() + b.wide());
      EXPECT_TRUE((a - b).wide() == a.wide() - b.wide());
      EXPECT_TRUE((a * b).wide() == a.wide() * b.wide());
    }
    EXPECT_TRUE((-a).wide() == -a.wide());
    EXPECT_TRUE(a.square().wide() == a.wide().square());
    EXPECT_TRUE(inverse(a).wide() == a.wide().inverse_plain());
  }
}

TEST(Field32, FrEqualsTheDefinition) {
  expect_arithmetic<FrParams>();
}
TEST(Field32, FpEqualsTheDefinition) {
  expect_arithmetic<FpParams>();
}

/// a or a + p, both of which stand for a.
template <class Params>
Field32<Params> representative(const Field32<Params>& a, bool upper) {
  Carry c;
  Field32<Params> r = a;
  if (!upper) return r;
  r.limb[0] = add_cc(c, a.limb[0], a.modulus(0));
  for (int i = 1; i < r.N; ++i) r.limb[i] = addc_cc(c, a.limb[i], a.modulus(i));
  return r;
}

template <class Params>
bool is_loose(const Field32<Params>& a) {
  for (int i = a.N; i-- > 0;)
    if (a.limb[i] != a.twice_modulus(i)) return a.limb[i] < a.twice_modulus(i);
  return false;
}

template <class Params>
void expect_loose_arithmetic(bool both_loose_products) {
  using F = Field32<Params>;
  const auto values = edge_values<Params>();
  for (const F& a : values)
    for (const F& b : values)
      for (int form = 0; form < 4; ++form) {
        const F x = representative(a, (form & 1) != 0);
        const F y = representative(b, (form & 2) != 0);
        const F sum = F::sum_loose(x, y);
        const F difference = F::difference_loose(x, y);
        EXPECT_TRUE(is_loose(sum) && is_loose(difference));
        EXPECT_TRUE(sum.reduced().wide() == a.wide() + b.wide());
        EXPECT_TRUE(difference.reduced().wide() == a.wide() - b.wide());
        if (form == 3 && !both_loose_products) continue;
        const F product = form == 1 ? F::product(y, x) : F::product(x, y);
        EXPECT_TRUE(is_loose(product));
        EXPECT_TRUE(product.reduced().wide() == a.wide() * b.wide());
      }
}

TEST(Field32, LooseFrStaysBelowTwiceTheModulus) {
  expect_loose_arithmetic<FrParams>(false);
}
TEST(Field32, LooseFpStaysBelowTwiceTheModulus) {
  expect_loose_arithmetic<FpParams>(true);
}

/// w' r + m = 2^256 w, m the Montgomery form of w.
void expect_quotient_of(const Factor32& factor, const Fr32& montgomery) {
  Fr32 modulus{};
  for (int i = 0; i < Fr32::N; ++i) modulus.limb[i] = Fr32::modulus(i);
  Fr32::Wide sum = Fr32::Wide::product(factor.quotient, modulus);
  std::uint64_t carry = 0;
  for (int i = 0; i < 2 * Fr32::N; ++i) {
    carry += std::uint64_t{sum.limb[i]} + (i < Fr32::N ? montgomery.limb[i] : 0);
    sum.limb[i] = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  for (int i = 0; i < Fr32::N; ++i) {
    EXPECT_EQ(sum.limb[i], 0U);
    EXPECT_EQ(sum.limb[Fr32::N + i], factor.value.limb[i]);
  }
}

// Factors 0, 1, r - 1 and those whose limbs are edges; values up to 2 r - 1.
TEST(Field32, ProductsByFactorsEqualTheDefinition) {
  const Fr32 constant = factor_quotient_constant();
  const Fr32 r_squared = Fr32::from(Fr::r_squared());
  const auto values = edge_values<FrParams>();
  for (const Fr32& v : values)
    for (const Fr32& m : {v, v * r_squared}) {
      const Factor32 factor = factor_of(m, constant);
      EXPECT_TRUE(factor.value.wide() * Fr::r_squared() == m.wide());
      expect_quotient_of(factor, m);
      for (const Fr32& x : values)
        for (const bool upper : {false, true}) {
          const Fr32 product = times_factor(factor.value, factor.quotient, representative(x, upper));
          EXPECT_TRUE(is_loose(product));
          EXPECT_TRUE(product.reduced().wide() == m.wide() * x.wide());
        }
    }
}

// Beyond loose values the result may be a little more than 2 r.
TEST(Field32, ProductsByFactorsTakeAnyLimbs) {
  const Fr32 constant = factor_quotient_constant();
  Fr32 full{};
  for (auto& limb : full.limb) limb = 0xffffffffU;  // 2^256 - 1
  Fr unit{};
  unit.limb[0] = 1;
  const Fr full_reduced = Fr::one() - unit;  // the form of one is 2^256 mod r
  for (const Fr32& m : edge_values<FrParams>()) {
    const Factor32 factor = factor_of(m, constant);
    const Fr32 product = times_factor(factor.value, factor.quotient, full);
    EXPECT_TRUE(product.reduced().reduced().wide() == m.wide() * full_reduced);
  }
}

// A square is its own code, and sums of products share a reduction.
TEST(Field32, WideProducts) {
  using Wide = Fp32::Wide;
  const auto values = edge_values<FpParams>();
  for (const Fp32& a : values) {
    EXPECT_TRUE(Wide::square(a).reduce().reduced().wide() == a.wide() * a.wide());
    for (const Fp32& b : values) {
      const Wide ab = Wide::product(a, b);
      EXPECT_TRUE(ab.reduce().reduced().wide() == a.wide() * b.wide());
      const Fp32 sum = Fp32::plain_sum(a, b);
      EXPECT_TRUE((Wide::square(sum) - ab - ab).reduce().reduced().wide() ==
                  a.wide().square() + b.wide().square());
      EXPECT_TRUE(Wide::difference_mod(Wide::square(a), ab).reduce().reduced().wide() ==
                  a.wide() * (a.wide() - b.wide()));
    }
  }
}

TEST(Field32, Fp2EqualsTheDefinition) {
  const auto values = edge_values<FpParams>();
  for (std::size_t i = 0; i + 1 < values.size(); i += 3)
    for (std::size_t j = 0; j + 1 < values.size(); j += 3) {
      const Fp2x32 a{values[i], values[i + 1]};
      const Fp2x32 b{values[j + 1], values[j]};
      EXPECT_TRUE((a * b).wide() == a.wide() * b.wide());
      EXPECT_TRUE((a + b).wide() == a.wide() + b.wide());
      EXPECT_TRUE((a - b).wide() == a.wide() - b.wide());
      EXPECT_TRUE(a.square().wide() == a.wide().square());
      EXPECT_TRUE(inverse(a).wide() == a.wide().inverse());
    }
}

}  // namespace
}  // namespace cuzk::cuda
