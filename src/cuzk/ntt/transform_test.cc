#include "cuzk/ntt/transform.h"

#include <gtest/gtest.h>

#include <tuple>

#include "cuzk/base/random.h"

namespace cuzk::ntt {
namespace {

std::vector<Fr> random_values(TestRandom& rng, std::size_t n) {
  std::vector<Fr> v(n);
  for (Fr& x : v) x = fr_from_words([&] { return rng.next(); });
  return v;
}

std::vector<Fr> permuted(const std::vector<Fr>& v, unsigned log_size) {
  std::vector<Fr> r(v.size());
  for (std::size_t i = 0; i < v.size(); ++i) r[reverse_bits(i, log_size)] = v[i];
  return r;
}

/// The definition of Direction, term by term, in natural order.
std::vector<Fr> plain(const std::vector<Fr>& in, unsigned log_size, Direction direction, const Fr& shift,
                      const Fr& scale) {
  const Domain domain(log_size);
  const std::size_t n = in.size();
  std::vector<Fr> out(n);
  for (std::size_t j = 0; j < n; ++j) {
    if (direction == Direction::forward) {
      const Fr x = shift * domain.omega().pow(j);
      Fr sum = Fr::zero();
      for (std::size_t i = n; i-- > 0;) sum = sum * x + in[i];
      out[j] = scale * sum;
    } else {
      const Fr x = domain.omega_inverse().pow(j);
      Fr sum = Fr::zero();
      for (std::size_t i = n; i-- > 0;) sum = sum * x + in[i];
      out[j] = scale * sum * domain.size_inverse() * shift.inverse().pow(j);
    }
  }
  return out;
}

class EveryIsa : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!isa_supported(GetParam())) GTEST_SKIP() << "not on this processor";
  }
};
INSTANTIATE_TEST_SUITE_P(Isas, EveryIsa, testing::Values(Isa::portable, Isa::adx, Isa::ifma),
                         [](const auto& instance) { return isa_name(instance.param); });

TEST_P(EveryIsa, EqualsTheDefinition) {
  TestRandom rng(11);
  ThreadPool pool(3);
  for (unsigned log_size = 0; log_size <= 8; ++log_size) {
    const std::vector<Fr> in = random_values(rng, std::size_t{1} << log_size);
    const Fr random_shift = random_values(rng, 1)[0];
    const Fr scale = random_values(rng, 1)[0];
    for (const Fr& shift : {Fr::one(), fr_root_of_unity(log_size + 1), random_shift})
      for (const Direction direction : {Direction::forward, Direction::inverse}) {
        const std::vector<Fr> want = plain(in, log_size, direction, shift, scale);
        std::vector<Fr> data = in;
        Transform(GetParam(), log_size, direction, Order::natural_to_reversed, shift, scale).run(pool, data);
        EXPECT_EQ(data, permuted(want, log_size)) << log_size;
        data = permuted(in, log_size);
        Transform(GetParam(), log_size, direction, Order::reversed_to_natural, shift, scale).run(pool, data);
        EXPECT_EQ(data, want) << log_size;
      }
  }
}

// At a size where the definition is too slow: back and forth, and single values by Horner's rule.
TEST_P(EveryIsa, RoundTripAndSingleValues) {
  TestRandom rng(12);
  ThreadPool pool(2);
  for (const unsigned log_size : {13U, 14U}) {
    const std::size_t n = std::size_t{1} << log_size;
    const Fr shift = fr_root_of_unity(log_size + 1);
    const std::vector<Fr> coefficients = random_values(rng, n);
    const std::vector<Fr> reversed = permuted(coefficients, log_size);
    std::vector<Fr> data = reversed;
    Transform(GetParam(), log_size, Direction::forward, Order::reversed_to_natural, shift).run(pool, data);
    for (const std::size_t j : {std::size_t{0}, std::size_t{1}, n / 2 + 3, n - 1}) {
      const Fr x = shift * fr_root_of_unity(log_size).pow(j);
      Fr sum = Fr::zero();
      for (std::size_t i = n; i-- > 0;) sum = sum * x + coefficients[i];
      EXPECT_EQ(data[j], sum);
    }
    Transform(GetParam(), log_size, Direction::inverse, Order::natural_to_reversed, shift).run(pool, data);
    EXPECT_EQ(data, reversed);
    data = coefficients;
    Transform(GetParam(), log_size, Direction::forward, Order::natural_to_reversed, shift).run(pool, data);
    Transform(GetParam(), log_size, Direction::inverse, Order::reversed_to_natural, shift).run(pool, data);
    EXPECT_EQ(data, coefficients);
  }
}

TEST(Domain, MatchesTheSpecification) {
  for (const unsigned k : {0U, 1U, 5U, 32U}) {
    const Domain d(k);
    EXPECT_EQ(d.omega(), fr_root_of_unity(k));
    EXPECT_EQ(d.omega() * d.omega_inverse(), Fr::one());
    EXPECT_EQ(d.size_inverse() * Fr::from_u64(d.size()), Fr::one());
    EXPECT_EQ(d.vanishing(d.omega()), Fr::zero());
  }
  // 1 / (7^m - 1), m = 2^27: groth16-and-formats 1.6.
  const FrInt v = Domain(27).vanishing(fr_generator()).inverse().to_int();
  EXPECT_EQ(v.limb[3], 0x3cce2cbbce03d6bcU);
  EXPECT_EQ(v.limb[0], 0x5f7d431bd40e5f31U);
}

}  // namespace
}  // namespace cuzk::ntt
