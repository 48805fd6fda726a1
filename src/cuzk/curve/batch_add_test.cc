#include "cuzk/curve/batch_add.h"

#include <gtest/gtest.h>

#include <type_traits>
#include <vector>

#include "cuzk/base/random.h"
#include "cuzk/curve/generator.h"

namespace cuzk {
namespace {

std::vector<Isa> isas() {
  std::vector<Isa> list;
  for (const Isa isa : {Isa::portable, Isa::adx, Isa::ifma})
    if (isa_supported(isa)) list.push_back(isa);
  return list;
}

template <class F>
void run(BatchAdd<F> add, const std::type_identity_t<BatchAddJob<F>>& job, BatchAddScratch& scratch) {
  add(&job, 1, scratch);
}

/// Points among which sums of every kind are frequent: few multiples of the generator of both signs, and
/// infinity.
template <class F>
std::vector<Affine<F>> mixed_points(std::size_t count, std::uint64_t variety, TestRandom& random) {
  std::vector<Affine<F>> few(variety);
  Jacobian<F> p = Jacobian<F>::from_affine(generator<F>());
  for (auto& q : few) {
    q = p.to_affine();
    p = p + p + generator<F>();
  }
  std::vector<Affine<F>> points(count);
  for (auto& q : points) {
    const std::uint64_t pick = random.next();
    if (pick % 16 == 0) continue;
    q = few[pick / 16 % variety];
    if (pick >> 60 & 1) q = -q;
  }
  return points;
}

template <class F>
Affine<F> at(const std::vector<Affine<F>>& points, PointRef ref) {
  return (ref & 1) != 0 ? -points[ref >> 1] : points[ref >> 1];
}

template <class F>
class BatchAddTest : public testing::Test {};
using Fields = testing::Types<Fp, Fp2>;
TYPED_TEST_SUITE(BatchAddTest, Fields);

TYPED_TEST(BatchAddTest, EqualsTheGroupLaw) {
  using F = TypeParam;
  TestRandom random(1);
  for (const std::uint64_t variety : {1UL, 3UL, 50UL}) {
    for (const std::size_t n : {0UL, 1UL, 2UL, 7UL, 8UL, 9UL, 15UL, 16UL, 17UL, 31UL, 100UL, 257UL}) {
      const auto a = mixed_points<F>(n + 5, variety, random);
      const auto b = mixed_points<F>(n + 5, variety, random);
      std::vector<PointRef> a_ref(n);
      std::vector<PointRef> b_ref(n);
      std::vector<std::uint32_t> out_index(n);
      for (std::size_t i = 0; i < n; ++i) {
        a_ref[i] = static_cast<PointRef>(random.next() % (2 * a.size()));
        b_ref[i] = static_cast<PointRef>(random.next() % (2 * b.size()));
        out_index[i] = static_cast<std::uint32_t>(n - 1 - i);
      }
      for (const Isa isa : isas()) {
        BatchAddScratch scratch;
        const BatchAdd<F> add = batch_add_kernel<F>(isa);
        std::vector<Affine<F>> out(n + 1, a[0]);
        run(add, {a.data(), a_ref.data(), b.data(), b_ref.data(), out.data(), out_index.data(), n}, scratch);
        for (std::size_t i = 0; i < n; ++i) {
          const Affine<F> expected =
              (Jacobian<F>::from_affine(at(a, a_ref[i])) + at(b, b_ref[i])).to_affine();
          ASSERT_EQ(out[n - 1 - i], expected)
              << "isa " << static_cast<int>(isa) << ", sum " << i << " of " << n;
        }
        EXPECT_EQ(out[n], a[0]);
        // Without references: element i to element i.
        out.assign(n + 1, a[0]);
        run(add, {a.data(), nullptr, b.data(), nullptr, out.data(), nullptr, n}, scratch);
        for (std::size_t i = 0; i < n; ++i)
          ASSERT_EQ(out[i], (Jacobian<F>::from_affine(a[i]) + b[i]).to_affine())
              << static_cast<int>(isa) << " " << i;
        EXPECT_EQ(out[n], a[0]);
      }
    }
  }
}

TYPED_TEST(BatchAddTest, InPlace) {
  using F = TypeParam;
  TestRandom random(2);
  for (const std::size_t n : {1UL, 5UL, 64UL, 203UL}) {
    const auto points = mixed_points<F>(2 * n, 100, random);
    std::vector<PointRef> left(n);
    std::vector<PointRef> right(n);
    std::vector<std::uint32_t> out(n);
    for (std::size_t i = 0; i < n; ++i) {
      left[i] = static_cast<PointRef>(4 * i);
      right[i] = static_cast<PointRef>(4 * i + 2);
      out[i] = static_cast<std::uint32_t>(2 * i);
    }
    for (const Isa isa : isas()) {
      BatchAddScratch scratch;
      auto sums = points;
      run(batch_add_kernel<F>(isa),
          {sums.data(), left.data(), sums.data(), right.data(), sums.data(), out.data(), n}, scratch);
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_EQ(sums[2 * i], (Jacobian<F>::from_affine(points[2 * i]) + points[2 * i + 1]).to_affine());
        EXPECT_EQ(sums[2 * i + 1], points[2 * i + 1]);
      }
    }
  }
}

TYPED_TEST(BatchAddTest, SeveralJobsShareOneInversion) {
  using F = TypeParam;
  TestRandom random(4);
  const auto a = mixed_points<F>(300, 40, random);
  const auto b = mixed_points<F>(300, 40, random);
  for (const Isa isa : isas()) {
    BatchAddScratch scratch;
    std::vector<Affine<F>> out(300);
    std::vector<BatchAddJob<F>> jobs;
    for (std::size_t begin = 0, length = 0; begin < a.size(); begin += length, length = length * 2 + 1) {
      const std::size_t count = std::min(length, a.size() - begin);
      jobs.push_back(
          {a.data() + begin, nullptr, b.data() + begin, nullptr, out.data() + begin, nullptr, count});
    }
    const std::vector<PointRef> soon{0, 2, 599};
    jobs[2].soon = soon.data();
    jobs[2].soon_count = soon.size();
    batch_add_kernel<F>(isa)(jobs.data(), jobs.size(), scratch);
    for (std::size_t i = 0; i < a.size(); ++i)
      ASSERT_EQ(out[i], (Jacobian<F>::from_affine(a[i]) + b[i]).to_affine())
          << static_cast<int>(isa) << " " << i;
  }
}

// Coordinates at the ends of the range: the law does not look at the curve constant, so any x and y will do.
TYPED_TEST(BatchAddTest, ExtremeCoordinates) {
  using F = TypeParam;
  TestRandom random(3);
  std::vector<F> values;
  const F minus_raw_one = [] {
    Fp p{};
    for (std::size_t i = 0; i < 6; ++i) p.limb[i] = FpParams::kModulus.limb[i];
    p.limb[0] -= 1;
    if constexpr (sizeof(F) == sizeof(Fp))
      return p;
    else
      return Fp2{p, p};
  }();
  const F raw_one = F::zero() - minus_raw_one;
  for (const F& v : {F::zero(), F::one(), -F::one(), minus_raw_one, raw_one, raw_one + raw_one})
    values.push_back(v);
  std::vector<Affine<F>> a;
  std::vector<Affine<F>> b;
  for (const F& x1 : values)
    for (const F& y1 : values)
      for (const F& x2 : values)
        for (const F& y2 : values) {
          if (x1 == x2 && !(y1 == y2) && !(y1 == -y2)) continue;  // no such pair on any curve
          a.push_back({x1, y1});
          b.push_back({x2, y2});
        }
  std::vector<Affine<F>> expected(a.size());
  BatchAddScratch scratch;
  run(batch_add_kernel<F>(Isa::portable),
      {a.data(), nullptr, b.data(), nullptr, expected.data(), nullptr, a.size()}, scratch);
  for (const Isa isa : isas()) {
    std::vector<Affine<F>> out(a.size());
    run(batch_add_kernel<F>(isa), {a.data(), nullptr, b.data(), nullptr, out.data(), nullptr, a.size()},
        scratch);
    for (std::size_t i = 0; i < a.size(); ++i)
      ASSERT_EQ(out[i], expected[i]) << static_cast<int>(isa) << " " << i;
  }
}

}  // namespace
}  // namespace cuzk
