#include "cuzk/ntt/quotient.h"

#include <gtest/gtest.h>

#include "cuzk/base/random.h"

namespace cuzk::ntt {
namespace {

std::vector<Fr> dft(const std::vector<Fr>& in, const Fr& root) {
  std::vector<Fr> out(in.size());
  for (std::size_t k = 0; k < in.size(); ++k) {
    const Fr x = root.pow(k);
    Fr sum = Fr::zero();
    for (std::size_t i = in.size(); i-- > 0;) sum = sum * x + in[i];
    out[k] = sum;
  }
  return out;
}

/// groth16-and-formats 4.2 as it stands: seven transforms on the coset of the generator 7.
std::vector<Fr> plain_quotient(std::vector<Fr> a, std::vector<Fr> b, unsigned log_size) {
  const std::size_t n = a.size();
  const Domain domain(log_size);
  const Fr g = fr_generator();
  std::vector<Fr> c(n);
  for (std::size_t i = 0; i < n; ++i) c[i] = a[i] * b[i];
  for (std::vector<Fr>* x : {&a, &b, &c}) {
    *x = dft(*x, domain.omega_inverse());
    for (std::size_t i = 0; i < n; ++i) (*x)[i] *= domain.size_inverse() * g.pow(i);
    *x = dft(*x, domain.omega());
  }
  const Fr inverse = domain.vanishing(g).inverse();
  std::vector<Fr> q(n);
  for (std::size_t i = 0; i < n; ++i) q[i] = (a[i] * b[i] - c[i]) * inverse;
  q = dft(q, domain.omega_inverse());
  for (std::size_t i = 0; i < n; ++i) q[i] *= domain.size_inverse() * g.inverse().pow(i);
  return q;
}

TEST(Quotient, EqualsThePlainFormula) {
  TestRandom rng(21);
  ThreadPool pool(3);
  const auto random = [&] { return fr_from_words([&] { return rng.next(); }); };
  for (unsigned log_size = 0; log_size <= 8; ++log_size) {
    const std::size_t n = std::size_t{1} << log_size;
    std::vector<Fr> a(n);
    std::vector<Fr> b(n);
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = i % 5 == 3 ? Fr::zero() : random();
      b[i] = i % 7 == 2 ? Fr::one() : random();
    }
    const std::vector<Fr> want = plain_quotient(a, b, log_size);
    for (const Isa isa : {Isa::portable, Isa::adx, Isa::ifma}) {
      if (!isa_supported(isa)) continue;
      std::vector<Fr> h = a;
      std::vector<Fr> spare = b;
      std::vector<Fr> scratch(n);
      EXPECT_TRUE(Quotient(isa, log_size).run(pool, h, spare, scratch));
      EXPECT_EQ(h, want) << isa_name(isa) << " " << log_size;
    }
  }
}

// At a larger size, at a random point: A B - C = h Z, with A, B, C and h evaluated from their coefficients.
TEST(Quotient, IdentityAtARandomPoint) {
  TestRandom rng(22);
  ThreadPool pool(2);
  const auto random = [&] { return fr_from_words([&] { return rng.next(); }); };
  const unsigned log_size = 13;
  const std::size_t n = std::size_t{1} << log_size;
  std::vector<Fr> a(n);
  std::vector<Fr> b(n);
  std::vector<Fr> c(n);
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = random();
    b[i] = random();
    c[i] = a[i] * b[i];
  }
  const Fr tau = random();
  const auto evaluate = [&](const std::vector<Fr>& coefficients) {
    Fr sum = Fr::zero();
    for (std::size_t i = n; i-- > 0;) sum = sum * tau + coefficients[i];
    return sum;
  };
  const auto value_at_tau = [&](const std::vector<Fr>& values) {
    std::vector<Fr> v = values;
    Transform(pool.isa(), log_size, Direction::inverse, Order::natural_to_reversed).run(pool, v);
    std::vector<Fr> natural(n);
    for (std::size_t i = 0; i < n; ++i) natural[i] = v[reverse_bits(i, log_size)];
    return evaluate(natural);
  };
  const Fr left = value_at_tau(a) * value_at_tau(b) - value_at_tau(c);
  std::vector<Fr> scratch(n);
  ASSERT_TRUE(Quotient(pool.isa(), log_size).run(pool, a, b, scratch));
  EXPECT_EQ(left, evaluate(a) * Domain(log_size).vanishing(tau));
}

TEST(SubtractReversed, EveryShape) {
  TestRandom rng(23);
  ThreadPool pool(3);
  for (unsigned log_size = 0; log_size <= 13; ++log_size) {
    const std::size_t n = std::size_t{1} << log_size;
    std::vector<Fr> a(n);
    std::vector<Fr> b(n);
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = Fr::from_u64(rng.next());
      b[i] = Fr::from_u64(rng.next());
    }
    std::vector<Fr> want(n);
    for (std::size_t i = 0; i < n; ++i) want[i] = a[reverse_bits(i, log_size)] - b[reverse_bits(i, log_size)];
    subtract_reversed(pool, a, b, log_size);
    EXPECT_EQ(a, want) << log_size;
  }
}

}  // namespace
}  // namespace cuzk::ntt
