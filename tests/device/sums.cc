// The device's multi-scalar multiplications and sums over bitmaps against cuzk/msm.
#include <algorithm>

#include "cuzk/base/bits.h"
#include "cuzk/base/random.h"
#include "cuzk/cuda/msm.h"
#include "cuzk/curve/generator.h"
#include "cuzk/msm/bit_sum.h"
#include "cuzk/msm/fixed_base.h"
#include "cuzk/msm/msm.h"
#include "device_check.h"

namespace {

using namespace cuzk;
using device_test::DeviceArray;
using device_test::require;

template <class F>
constexpr const char* kGroup = sizeof(F) == sizeof(Fp) ? "G1" : "G2";

std::vector<Fr> random_scalars(std::size_t n, std::uint64_t seed) {
  TestRandom random(seed);
  std::vector<Fr> v(n);
  for (Fr& x : v) x = fr_from_words([&] { return random.next(); });
  return v;
}

/// Points that a tree has to be careful with: infinity, runs of equal ones, opposites side by side.
template <class F>
std::vector<Affine<F>> points(ThreadPool& pool, std::size_t n) {
  std::vector<Affine<F>> v(n);
  FixedBase<Affine<F>>(pool, generator<F>(), n).multiply(pool, random_scalars(n, 17), v);
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 37 == 5) v[i] = Affine<F>::infinity();
    if (i % 41 >= 38) v[i] = v[i - i % 41];
    if (i % 43 == 7) v[i] = -v[i - 1];
  }
  return v;
}

std::vector<Fr> scalars(std::size_t n, const std::string& kind, std::uint64_t seed) {
  std::vector<Fr> v = random_scalars(n, seed);
  TestRandom random(seed);
  if (kind == "all equal") std::fill(v.begin(), v.end(), v.empty() ? Fr::zero() : v[0]);
  if (kind == "all one") std::fill(v.begin(), v.end(), Fr::one());
  if (kind == "all zero") std::fill(v.begin(), v.end(), Fr::zero());
  if (kind == "99 % bits")
    for (Fr& x : v)
      if (random.next() % 100 != 0) x = random.next() % 2 == 0 ? Fr::zero() : Fr::one();
  if (kind == "small and ends")
    for (std::size_t i = 0; i < n; ++i)
      v[i] = i % 3 == 0   ? -Fr::from_u64(i % 5)
             : i % 3 == 1 ? Fr::from_u64(std::uint64_t{1} << (i % 64))
                          : -v[i];
  return v;
}

template <class F>
void check_msm(device_test::Report& report, cuda::Context& context, ThreadPool& pool,
               const std::vector<Affine<F>>& all, std::size_t n, const std::string& kind,
               const cuda::MsmOptions& options = {}) {
  const std::vector<Affine<F>> bases(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
  const std::vector<Fr> k = scalars(n, kind, n);
  const std::uint64_t before = context.bytes_in_use();
  bool ok = false;
  {
    const DeviceArray<Affine<F>> device_bases(context, bases);
    const DeviceArray<Fr> device_scalars(context, k);
    const auto sums = require(cuda::msm(context, device_bases.data(), device_scalars.data(), n, options));
    ok = sums.total() == msm(pool, std::span<const Affine<F>>(bases), std::span<const Fr>(k));
  }
  ok = ok && context.bytes_in_use() == before;
  std::string what = std::string("msm ") + kGroup<F> + ", " + std::to_string(n) + " bases, " + kind;
  if (options.window_bits != 0) what += ", window " + std::to_string(options.window_bits);
  if (options.slice != 0) what += ", slices of " + std::to_string(options.slice);
  report.line(what, ok);
}

/// With multiples behind the bases, some of which are bases, too.
void check_multiples(device_test::Report& report, cuda::Context& context, ThreadPool& pool,
                     const std::vector<G1Affine>& all, std::size_t n, const std::string& kind, unsigned most,
                     cuda::MsmOptions options) {
  const cuda::BaseMultiples multiples = cuda::base_multiples(n, most, options.window_bits);
  std::vector<G1Affine> bases(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
  for (std::size_t i = 3; i < n && i < 300; i += 29) {
    G1Jacobian p = G1Jacobian::from_affine(bases[i - 1]);
    for (unsigned d = 0; d < multiples.shift; ++d) p = p.dbl();
    bases[i] = p.to_affine();
  }
  std::vector<Fr> k = scalars(n, kind, n);
  if (kind == "equal digits") {
    Fr digits = Fr::zero();
    const Fr radix = Fr::from_u64(2).pow(multiples.window_bits);
    for (unsigned w = 0; w + 1 < cuda::msm_windows(multiples.window_bits); ++w)
      digits = digits * radix + Fr::one();
    std::fill(k.begin(), k.end(), digits);
  }
  options.window_bits = multiples.window_bits;
  options.multiples = multiples.arrays;
  const DeviceArray<Fr> device_scalars(context, k);
  const DeviceArray<G1Affine> device_bases(context, multiples.arrays * n);
  require(context.upload(device_bases.data(), bases.data(), n * sizeof(G1Affine), "bases"));
  require(cuda::fill_multiples(context, device_bases.data(), n, multiples));
  const auto sums = require(cuda::msm(context, device_bases.data(), device_scalars.data(), n, options));
  const auto plain = require(cuda::msm(context, device_bases.data(), device_scalars.data(), n));
  const G1Jacobian expected = msm(pool, std::span<const G1Affine>(bases), std::span<const Fr>(k));
  std::string what = "msm G1, " + std::to_string(n) + " bases, " + kind + ", " +
                     std::to_string(multiples.arrays) + " arrays, window " +
                     std::to_string(multiples.window_bits);
  if (options.slice != 0) what += ", slices of " + std::to_string(options.slice);
  if (options.entries != 0) what += ", " + std::to_string(options.entries) + " digits";
  report.line(what, sums.total() == expected && plain.total() == expected);
}

template <class F>
void check_bits(device_test::Report& report, cuda::Context& context, ThreadPool& pool,
                const std::vector<Affine<F>>& all, std::size_t n, unsigned percent) {
  const std::vector<Affine<F>> bases(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
  TestRandom random(n + percent);
  std::vector<std::uint64_t> bits((n + 63) / 64);
  for (std::size_t i = 0; i < n; ++i)
    if (random.next() % 100 < percent) bits[i / 64] |= std::uint64_t{1} << (i % 64);
  const std::size_t set = count_bits(bits);
  if (n % 64 != 0) bits.back() |= ~std::uint64_t{0} << (n % 64);  // to be ignored
  const DeviceArray<Affine<F>> device_bases(context, bases);
  const DeviceArray<std::uint64_t> device_bits(context, bits);
  Jacobian<F> sum = Jacobian<F>::infinity();
  for (const auto& p : require(cuda::bit_sum(context, device_bases.data(), device_bits.data(), n, set)))
    sum += p.to_jacobian();
  report.line(std::string("bitmap ") + kGroup<F> + ", " + std::to_string(n) + " bases, " +
                  std::to_string(percent) + " % set",
              sum == bit_sum(pool, std::span<const Affine<F>>(bases), std::span<const std::uint64_t>(bits)));
}

template <class F>
void check_group(device_test::Report& report, cuda::Context& context, ThreadPool& pool, unsigned largest) {
  const auto all = points<F>(pool, std::max((std::size_t{1} << largest) + 1, std::size_t{4200}));
  const std::vector<std::string> kinds{"random",   "all equal", "all one",
                                       "all zero", "99 % bits", "small and ends"};
  for (const std::size_t n : {1, 2, 3, 31, 64, 1000})
    for (const auto& kind : kinds) check_msm<F>(report, context, pool, all, n, kind);
  for (unsigned log_size = 12; log_size <= largest; log_size += 3)
    for (const auto& kind : kinds)
      check_msm<F>(report, context, pool, all, (std::size_t{1} << log_size) + 1, kind);
  for (const unsigned window : {3U, 4U, 9U, 13U})
    check_msm<F>(report, context, pool, all, 1500, "random", {window, 0});
  check_msm<F>(report, context, pool, all, 4001, "random", {0, 1000});
  check_msm<F>(report, context, pool, all, 4001, "99 % bits", {11, 1500});
  for (const std::size_t n : {1, 2, 63, 64, 65, 1000, 4097})
    for (const unsigned percent : {1U, 50U, 100U}) check_bits<F>(report, context, pool, all, n, percent);
  check_bits<F>(report, context, pool, all, std::size_t{1} << largest, 50);
  check_bits<F>(report, context, pool, all, (std::size_t{1} << largest) - 1, 100);
}

void check_all_multiples(device_test::Report& report, cuda::Context& context, ThreadPool& pool,
                         unsigned largest) {
  const auto all = points<Fp>(pool, std::max((std::size_t{1} << largest) + 1, std::size_t{4200}));
  for (const char* kind :
       {"random", "all equal", "all one", "all zero", "99 % bits", "small and ends", "equal digits"}) {
    for (const std::size_t n : {1, 31, 1000}) check_multiples(report, context, pool, all, n, kind, 3, {});
    check_multiples(report, context, pool, all, 1500, kind, 32, {.window_bits = 8, .entries = 777});
    check_multiples(report, context, pool, all, 1500, kind, 5, {.window_bits = 11, .entries = 4000});
    check_multiples(report, context, pool, all, (std::size_t{1} << largest) + 1, kind, 16, {});
    check_multiples(report, context, pool, all, (std::size_t{1} << largest) + 1, kind, 4,
                    {.slice = (std::size_t{1} << largest) / 3, .entries = (std::size_t{1} << largest) / 5});
  }
  check_multiples(report, context, pool, all, (std::size_t{1} << largest) + 1, "random", 5,
                  {.window_bits = 22, .entries = std::size_t{1} << largest});
  check_multiples(report, context, pool, all, (std::size_t{1} << largest) + 1, "random", 2,
                  {.window_bits = 26});
  // Without multiples, buckets of few digits at a time.
  check_msm<Fp>(report, context, pool, all, 4001, "random", {.window_bits = 9, .entries = 1000});
}

void check_few_multiples(device_test::Report& report, cuda::Context& context, ThreadPool& pool) {
  const auto all = points<Fp>(pool, 400);
  check_multiples(report, context, pool, all, 31, "random", 3, {});
  for (const char* kind : {"random", "equal digits"})
    check_multiples(report, context, pool, all, 300, kind, 5, {.window_bits = 8, .entries = 2000});
  check_multiples(report, context, pool, all, 300, "99 % bits", 32,
                  {.window_bits = 7, .slice = 200, .entries = 3000});
}

constexpr char kUsage[] =
    "cuzk_device_sums [largest log size, 2 to 24, default 18; of G2 an eighth]\n"
    "cuzk_device_sums multiples: a few small sums with multiples of their bases, for compute-sanitizer\n";

}  // namespace

int main(int argc, char** argv) {
  device_test::Arguments arguments(argc, argv, kUsage);
  const bool few = arguments.word("multiples");
  const unsigned largest = few ? 0 : arguments.number("log size", 2, 24, 18);
  arguments.end();
  ThreadPool pool;
  device_test::Report report;
  auto context = require(cuda::Context::create());
  if (few) {
    check_few_multiples(report, *context, pool);
    return report.finish("sums, multiples");
  }
  context->poison(true);
  check_group<Fp>(report, *context, pool, largest);
  check_all_multiples(report, *context, pool, largest);
  check_group<Fp2>(report, *context, pool, largest > 3 ? largest - 3 : largest);
  return report.finish("sums");
}
