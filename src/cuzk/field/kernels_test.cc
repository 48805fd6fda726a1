#include "cuzk/field/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "cuzk/base/random.h"

namespace cuzk {
namespace {

template <class F>
const FieldKernels<F>& kernels(Isa isa) {
  if constexpr (std::is_same_v<F, Fr>) {
    return fr_kernels(isa);
  } else {
    return fp_kernels(isa);
  }
}

/// Raw limb patterns below the modulus: uniform ones, and those at the ends and with long runs of ones and
/// zeros.
template <class F>
std::vector<F> mixed_values(TestRandom& rng, std::size_t n) {
  std::vector<F> values(n);
  for (F& v : values) {
    const auto kind = rng.next() % 8;
    typename F::Int raw{};
    do {
      for (auto& l : raw.limb) {
        l = rng.next();
        if (kind == 1) l = l % 2 != 0 ? ~std::uint64_t{0} : 0;
      }
      raw.limb[F::kLimbs - 1] &= F::modulus().limb[F::kLimbs - 1] | 0xffff;
      if (kind == 2) {
        raw = F::modulus();
        raw.limb[0] -= 1 + rng.next() % 3;
      }
      if (kind == 3) raw = F::Int::from_u64(rng.next() % 3);
    } while (!F::canonical(raw));
    for (std::size_t i = 0; i < F::kLimbs; ++i) v.limb[i] = raw.limb[i];
    if (kind == 4) v = F::one();
  }
  return values;
}

std::vector<std::size_t> lengths() {
  std::vector<std::size_t> n;
  for (std::size_t i = 0; i <= 40; ++i) n.push_back(i);
  n.push_back(1003);
  return n;
}

template <class F>
class Kernels : public testing::Test {};
using Fields = testing::Types<Fr, Fp>;
TYPED_TEST_SUITE(Kernels, Fields);

// Every kernel of every instruction set against the definitions of the field, into a third array and in
// place.
TYPED_TEST(Kernels, EqualTheDefinitions) {
  using F = TypeParam;
  using Span = std::span<F>;
  using Values = std::vector<F>;
  TestRandom rng(5);
  for (const Isa isa : {Isa::portable, Isa::adx, Isa::ifma}) {
    if (!isa_supported(isa)) continue;
    SCOPED_TRACE(isa_name(isa));
    const FieldKernels<F>& k = kernels<F>(isa);
    for (const std::size_t n : lengths()) {
      const Values a = mixed_values<F>(rng, n);
      const Values b = mixed_values<F>(rng, n);
      const F c = mixed_values<F>(rng, 1)[0];
      const F d = mixed_values<F>(rng, 1)[0];
      const auto expect = [&](auto&& kernel, auto&& oracle) {
        Values want(n);
        for (std::size_t i = 0; i < n; ++i) want[i] = oracle(i);
        Values out(n + 1, F::r_squared());
        kernel(Span(out).first(n), std::span<const F>(a), std::span<const F>(b));
        EXPECT_EQ(out[n], F::r_squared());
        out.pop_back();
        EXPECT_EQ(out, want) << n;
        Values x = a;
        kernel(Span(x), std::span<const F>(x), std::span<const F>(b));
        EXPECT_EQ(x, want) << n;
        Values y = b;
        kernel(Span(y), std::span<const F>(a), std::span<const F>(y));
        EXPECT_EQ(y, want) << n;
      };
      expect([&](auto o, auto x, auto y) { k.mul(o, x, y); },
             [&](std::size_t i) { return F::mul_plain(a[i], b[i]); });
      expect([&](auto o, auto x, auto) { k.square(o, x); },
             [&](std::size_t i) { return F::mul_plain(a[i], a[i]); });
      expect([&](auto o, auto x, auto y) { k.add(o, x, y); },
             [&](std::size_t i) { return F::add_plain(a[i], b[i]); });
      expect([&](auto o, auto x, auto y) { k.sub(o, x, y); },
             [&](std::size_t i) { return F::sub_plain(a[i], b[i]); });
      expect([&](auto o, auto x, auto) { k.scale(o, x, c); },
             [&](std::size_t i) { return F::mul_plain(a[i], c); });
      expect([&](auto o, auto x, auto y) { k.sub_scale(o, x, y, c); },
             [&](std::size_t i) { return F::mul_plain(F::sub_plain(a[i], b[i]), c); });
      expect([&](auto o, auto x, auto) { k.scale_by_powers(o, x, c, d); },
             [&](std::size_t i) { return a[i] * c * d.pow(i); });
    }
  }
}

TYPED_TEST(Kernels, BatchInverseKeepsZeros) {
  using F = TypeParam;
  TestRandom rng(6);
  std::vector<std::size_t> sizes = lengths();
  sizes.push_back(8192);
  sizes.push_back(8192 + 77);
  for (const Isa isa : {Isa::portable, Isa::adx, Isa::ifma}) {
    if (!isa_supported(isa)) continue;
    SCOPED_TRACE(isa_name(isa));
    for (const std::size_t n : sizes) {
      const std::vector<F> a = mixed_values<F>(rng, n);
      std::vector<F> inverse = a;
      kernels<F>(isa).batch_inverse(inverse);
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(a[i] * inverse[i], a[i].is_zero() ? F::zero() : F::one()) << n << " " << i;
      for (std::size_t i = 0; i < n; ++i) ASSERT_TRUE(!a[i].is_zero() || inverse[i].is_zero());
    }
    std::vector<F> zeros(20, F::zero());
    kernels<F>(isa).batch_inverse(zeros);
    EXPECT_EQ(zeros, std::vector<F>(20, F::zero()));
  }
}

// The transform kernels of the other instruction sets against the portable ones; that those are right is
// shown by the tests of cuzk/ntt. Factors are arbitrary values here: the kernels multiply by what they are
// given, except where the description promises a one.
TEST(NttKernels, EqualThePortableOnes) {
  TestRandom rng(7);
  const auto run = [](const NttKernels& k, unsigned log_rows, std::vector<Fr> data, std::vector<Fr> factors,
                      int what, bool flag, const Fr(&first)[8], const Fr(&ratio)[8]) {
    const std::size_t rows = std::size_t{1} << log_rows;
    std::vector<std::uint64_t> memory(rows * k.row_words + 8);
    void* start = memory.data();
    std::size_t space = memory.size() * 8;
    auto* scratch = static_cast<std::uint64_t*>(std::align(64, rows * k.row_words * 8, start, space));
    std::vector<std::uint64_t> prepared(factors.size() * k.factor_words);
    k.prepare(factors, prepared.data());
    const bool transposed = log_rows % 2 == 0;
    const std::size_t row_stride = transposed ? 1 : 8;
    const std::size_t lane_stride = transposed ? rows : 1;
    k.load(scratch, data.data(), rows, row_stride, lane_stride);
    if (what == 0) k.natural_to_reversed(scratch, log_rows, prepared.data());
    if (what == 1) k.reversed_to_natural(scratch, log_rows, prepared.data(), flag);
    if (what == 2) k.scale_rows(scratch, rows, prepared.data());
    if (what >= 3) {
      k.reversed_to_natural(scratch, log_rows, prepared.data(), false);  // lazy values in the rows
      k.scale_progression(scratch, log_rows, first, ratio, flag);
    }
    k.store(data.data(), scratch, rows, row_stride, lane_stride);
    return data;
  };
  for (const Isa isa : {Isa::adx, Isa::ifma}) {
    if (!isa_supported(isa)) continue;
    SCOPED_TRACE(isa_name(isa));
    for (unsigned log_rows = 0; log_rows <= 9; ++log_rows) {
      const std::size_t rows = std::size_t{1} << log_rows;
      for (int what = 0; what < 4; ++what) {
        for (const bool flag : {false, true}) {
          const std::vector<Fr> data = mixed_values<Fr>(rng, 8 * rows);
          std::vector<Fr> factors = mixed_values<Fr>(rng, rows);
          if (what == 0) factors[0] = Fr::one();
          if (what == 1 && flag)
            for (std::size_t h = 1; h < rows; h *= 2) factors[h] = Fr::one();
          Fr first[8];
          Fr ratio[8];
          for (auto& v : first) v = mixed_values<Fr>(rng, 1)[0];
          for (auto& v : ratio) v = mixed_values<Fr>(rng, 1)[0];
          EXPECT_EQ(run(ntt_kernels(isa), log_rows, data, factors, what, flag, first, ratio),
                    run(ntt_kernels(Isa::portable), log_rows, data, factors, what, flag, first, ratio))
              << log_rows << " " << what << " " << flag;
        }
      }
    }
  }
}

// The adx kernels estimate a quotient from the upper columns of w' y. Values chosen so that the column below
// it is at either end of a word, where carries from further below, which are left out, decide.
TEST(NttKernels, QuotientsInDoubt) {
  if (!isa_supported(Isa::adx)) GTEST_SKIP() << "not on this processor";
  const NttKernels& k = ntt_kernels(Isa::adx);
  ASSERT_EQ(k.factor_words, 8U);  // w', w
  using Words = std::array<std::uint64_t, 4>;
  const auto times = [](const Words& a, const Words& b) {
    Words r{};
    for (std::size_t i = 0; i < 4; ++i) {
      std::uint64_t carry = 0;
      for (std::size_t j = 0; i + j < 4; ++j) r[i + j] = detail::mul_add(r[i + j], a[i], b[j], carry);
    }
    return r;
  };
  TestRandom rng(11);
  unsigned done = 0;
  for (unsigned trial = 0; trial < 1000; ++trial) {
    const Fr w = trial % 3 == 0 ? -Fr::from_u64(1 + trial) : fr_from_words([&] { return rng.next(); });
    alignas(64) std::uint64_t factor[8];
    k.prepare(std::span(&w, 1), factor);
    const Words quotient{factor[0], factor[1], factor[2], factor[3]};
    if (quotient[0] % 2 == 0) continue;
    Words inverse{1, 0, 0, 0};  // of w' modulo 2^256, by Newton's iteration
    for (int i = 0; i < 8; ++i) {
      Words t = times(quotient, inverse);
      std::uint64_t borrow = 0;
      t[0] = detail::sub_borrow(2, t[0], borrow);
      for (std::size_t j = 1; j < 4; ++j) t[j] = detail::sub_borrow(0, t[j], borrow);
      inverse = times(inverse, t);
    }
    // The low four words of w' y.
    const Words y = times({rng.next(), rng.next(), rng.next(), std::uint64_t{0} - 3 + trial % 6}, inverse);
    if (!Fr::canonical({{y[0], y[1], y[2], y[3]}})) continue;
    const Fr value{{y[0], y[1], y[2], y[3]}};
    alignas(64) std::uint64_t row[32];
    const std::vector<Fr> in(8, value);
    std::vector<Fr> out(8);
    k.load(row, in.data(), 1, 8, 1);
    k.scale_rows(row, 1, factor);
    k.store(out.data(), row, 1, 8, 1);
    EXPECT_EQ(out, std::vector<Fr>(8, Fr::mul_plain(value, w))) << trial;
    ++done;
  }
  EXPECT_GT(done, 100U);
}

// The largest block, all values and factors at the upper end: the lazy bounds hold.
TEST(NttKernels, LargestBlockOfLargestValues) {
  const unsigned log_rows = NttKernels::kMaxLogRows;
  const std::size_t rows = std::size_t{1} << log_rows;
  std::vector<Fr> expected;
  for (const Isa isa : {Isa::portable, Isa::adx, Isa::ifma}) {
    if (!isa_supported(isa)) continue;
    const NttKernels& k = ntt_kernels(isa);
    std::vector<Fr> data(
        8 * rows, Fr{{0xffffffff00000000, 0x53bda402fffe5bfe, 0x3339d80809a1d805, 0x73eda753299d7d48}});
    std::vector<Fr> factors(rows, -Fr::one());
    std::vector<std::uint64_t> memory(rows * k.row_words + 8);
    void* start = memory.data();
    std::size_t space = memory.size() * 8;
    auto* scratch = static_cast<std::uint64_t*>(std::align(64, rows * k.row_words * 8, start, space));
    std::vector<std::uint64_t> prepared(factors.size() * k.factor_words);
    k.prepare(factors, prepared.data());
    k.load(scratch, data.data(), rows, 8, 1);
    k.reversed_to_natural(scratch, log_rows, prepared.data(), false);
    k.store(data.data(), scratch, rows, 8, 1);
    if (isa == Isa::portable) expected = data;
    EXPECT_TRUE(data == expected) << isa_name(isa);
  }
}

}  // namespace
}  // namespace cuzk
