// The kernels of the transforms, run block by block on the host, against cuzk/ntt.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cuzk/base/random.h"
#include "cuzk/cuda/internal/ntt_plan.h"
#include "cuzk/ntt/quotient.h"

namespace cuzk::cuda {
namespace {

class HostNtt {
 public:
  using Use = NttTableList::Use;
  explicit HostNtt(const NttDigits& digits, unsigned whole_span = 0,
                   unsigned cached_span = NttTableList::kCachedSpan, Use use = Use::all)
      : list_(digits, use, whole_span, cached_span), schedule_(list_, pointers_) {
    const Fr32 constant = factor_quotient_constant();
    // Exponents here are below 512 or twice the size of the transform, which is at most 2^(kPowerBits - 1).
    const std::size_t exponents =
        std::max(std::size_t{512}, std::size_t{2} << (digits.stride[0] + digits.bits[0]));
    for (const TableRecipe& recipe : list_.recipes) {
      std::vector<Fr32> low(exponents);
      const std::vector<Fr32> high{Fr32::one()};
      low[0] = Fr32::one();
      for (std::size_t i = 1; i < low.size(); ++i) low[i] = low[i - 1] * recipe.base;
      std::vector<Fr32> table(recipe.bytes() / sizeof(Fr32));
      for (std::size_t i = 0; i < recipe.size(); ++i)
        recipe.write(table.data(), i, {low.data(), high.data()}, constant);
      tables_.push_back(std::move(table));
    }
    for (const auto& t : tables_) pointers_.push_back(t.data());
  }
  [[nodiscard]] const NttSchedule& schedule() const { return schedule_; }

  static void run(const std::vector<NttLaunch>& launches) {
    for (const NttLaunch& l : launches)
      for (unsigned b = 0; b < ntt_blocks(l.pass); ++b) {
        std::vector<ntt_detail::Quad> shared(ntt_shared_bytes(l.pass) / sizeof(ntt_detail::Quad));
        HostBlock<NttState> block(b, ntt_threads(l.pass));
        const bool neighbours = l.pass.log_stride == 0;
        if (l.dif && l.dit)
          run_ntt_tile<true, true, true>(l.pass, block, shared.data());
        else if (l.dif && neighbours)
          run_ntt_tile<true, false, true>(l.pass, block, shared.data());
        else if (l.dif)
          run_ntt_tile<true, false, false>(l.pass, block, shared.data());
        else if (neighbours)
          run_ntt_tile<false, true, true>(l.pass, block, shared.data());
        else
          run_ntt_tile<false, true, false>(l.pass, block, shared.data());
      }
  }

 private:
  NttTableList list_;
  std::vector<std::vector<Fr32>> tables_;
  std::vector<const Fr32*> pointers_;
  NttSchedule schedule_;
};

std::vector<Fr> random_values(std::size_t n, std::uint64_t seed) {
  TestRandom random(seed);
  std::vector<Fr> v(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i] = i % 7 == 0 ? -Fr::from_u64(i / 7) : fr_from_words([&] { return random.next(); });
  return v;
}
std::vector<Fr32> narrow(const std::vector<Fr>& v) {
  std::vector<Fr32> r;
  for (const Fr& x : v) r.push_back(Fr32::from(x));
  return r;
}
std::vector<Fr> wide(const std::vector<Fr32>& v) {
  std::vector<Fr> r;
  for (const Fr32& x : v) r.push_back(x.wide());
  return r;
}

void expect_transforms(unsigned log_size, unsigned max_bits, unsigned whole_span, unsigned cached_span) {
  ThreadPool pool(2);
  const HostNtt device(NttDigits(log_size, max_bits), whole_span, cached_span);
  for (const bool coset : {false, true}) {
    const std::vector<Fr> values = random_values(std::size_t{1} << log_size, log_size);
    const Fr shift = coset ? fr_root_of_unity(log_size + 1) : Fr::one();
    std::vector<Fr> expected = values;
    ntt::Transform(pool.isa(), log_size, ntt::Direction::inverse, ntt::Order::natural_to_reversed, shift)
        .run(pool, expected);
    std::vector<Fr32> data = narrow(values);
    HostNtt::run(device.schedule().inverse(data.data(), coset));
    EXPECT_TRUE(wide(data) == expected) << "inverse, 2^" << log_size << ", coset " << coset;
    HostNtt::run(device.schedule().forward(data.data(), coset));
    EXPECT_TRUE(wide(data) == values) << "forward, 2^" << log_size << ", coset " << coset;
  }
}

// One and two digits, and digits of every length.
TEST(NttPass, TransformsEqualTheHosts) {
  for (const unsigned log_size : {3U, 4U, 5U, 6U, 7U, 8U, 9U, 10U, 11U, 12U})
    expect_transforms(log_size, NttDigits::kMaxBits, 0, NttTableList::kCachedSpan);
}

TEST(NttPass, SplitFactorsGiveTheSame) {
  for (const unsigned log_size : {6U, 10U, 11U}) expect_transforms(log_size, 7, 0, 0);
}

// As 2^27 has three and 2^28 four.
TEST(NttPass, ThreeAndFourDigitsGiveTheSame) {
  expect_transforms(12, 4, 0, 8);
  expect_transforms(14, 4, 0, 7);
}

TEST(NttPass, WholeFactorsWithoutQuotientsGiveTheSame) {
  expect_transforms(10, 7, 10, 0);
  expect_transforms(12, 4, 12, 8);
  expect_transforms(12, 4, 8, 6);
}

void expect_quotient(unsigned log_size, const HostNtt& device) {
  ThreadPool pool(2);
  const std::size_t n = std::size_t{1} << log_size;
  std::vector<Fr> a = random_values(n, 1);
  std::vector<Fr> b = random_values(n, 2);
  std::vector<Fr> scratch(n);
  std::vector<Fr32> a32 = narrow(a);
  std::vector<Fr32> b32 = narrow(b);
  std::vector<Fr32> c32(n);
  ASSERT_TRUE(ntt::Quotient(pool.isa(), log_size).run(pool, a, b, scratch));
  HostNtt::run(device.schedule().quotient(a32.data(), b32.data(), c32.data()));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) wrong += a32[ntt::reverse_bits(i, log_size)].wide() == a[i] ? 0 : 1;
  EXPECT_EQ(wrong, 0U) << "2^" << log_size;
}

TEST(NttPass, QuotientEqualsTheHosts) {
  for (const unsigned log_size : {3U, 7U, 9U, 11U})
    for (const auto use : {HostNtt::Use::quotient, HostNtt::Use::all})
      expect_quotient(log_size, HostNtt(NttDigits(log_size), 0, NttTableList::kCachedSpan, use));
}

// Constants and powers of the coset go to other tables then.
TEST(NttPass, QuotientOfThreeDigitsEqualsTheHosts) {
  for (const auto use : {HostNtt::Use::quotient, HostNtt::Use::all}) {
    expect_quotient(11, HostNtt(NttDigits(11, 4), 0, 7, use));
    expect_quotient(11, HostNtt(NttDigits(11, 4), 11, 7, use));
  }
}

// The steps with one array and two elsewhere, in the order of streamed_run.cc.
TEST(NttPass, QuotientInStepsGivesTheSame) {
  for (const unsigned log_size : {3U, 9U, 11U}) {
    const HostNtt device{NttDigits(log_size)};
    const NttSchedule steps = device.schedule();
    const std::size_t n = std::size_t{1} << log_size;
    const std::vector<Fr32> a = narrow(random_values(n, 1));
    const std::vector<Fr32> b = narrow(random_values(n, 2));
    std::vector<Fr32> want = a;
    std::vector<Fr32> other = b;
    std::vector<Fr32> third(n);
    HostNtt::run(steps.quotient(want.data(), other.data(), third.data()));

    std::vector<Fr32> x = a;
    std::vector<Fr32> y = b;
    HostNtt::run(steps.product(x.data(), y.data(), x.data()));
    std::vector<Fr32> away = x;
    HostNtt::run(steps.to_coset(y.data()));
    x = a;
    HostNtt::run(steps.to_coset_times(x.data(), y.data(), x.data()));
    y = away;
    HostNtt::run(steps.quotient_end(x.data(), y.data()));
    EXPECT_TRUE(wide(x) == wide(want)) << "two arrays, 2^" << log_size;

    std::vector<Fr32> away_b = b;
    x = a;
    HostNtt::run(steps.product(x.data(), away_b.data(), x.data()));
    away = x;
    x = away_b;
    HostNtt::run(steps.to_coset(x.data()));
    away_b = x;
    x = a;
    HostNtt::run(steps.to_coset_times(x.data(), away_b.data(), x.data()));
    HostNtt::run(steps.quotient_end(x.data(), away.data()));
    EXPECT_TRUE(wide(x) == wide(want)) << "one array, 2^" << log_size;
  }
}

}  // namespace
}  // namespace cuzk::cuda
