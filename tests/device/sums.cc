// The device's multi-scalar multiplications and sums over bitmaps against cuzk/msm.
#include <algorithm>
#include <numeric>
#include <utility>

#include "cuzk/base/bits.h"
#include "cuzk/base/random.h"
#include "cuzk/cuda/internal/digits32.h"
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
  if (kind == "ends") {
    // Around 0, r and r / 2, and digits of windows of 22 to 26 bits that are the largest ones of both signs.
    const Fr half = Fr::from_u64(2).inverse();
    std::vector<Fr> ends{Fr::zero(), Fr::one(), half, half - Fr::one(), half + Fr::one()};
    for (unsigned bits = 22; bits <= 26; ++bits) {
      Fr carries = Fr::zero();
      const Fr radix = Fr::from_u64(2).pow(bits);
      for (unsigned w = 0; w < 252 / bits; ++w)
        carries = carries * radix + Fr::from_u64(std::uint64_t{1} << (bits - 1));
      ends.insert(ends.end(), {carries, carries - Fr::one(), carries + Fr::one()});
    }
    for (std::size_t i = 0; i < n; ++i)
      v[i] = i % 2 == 0 ? ends[i / 2 % ends.size()] : -ends[i / 2 % ends.size()];
  }
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
  if (options.windows.count != 0) what += ", " + std::to_string(options.windows.count) + " windows";
  if (options.slice != 0) what += ", slices of " + std::to_string(options.slice);
  report.line(what, ok);
}

/// Sums over so many bases each, side by side.
void check_side_by_side(device_test::Report& report, cuda::Context& context, ThreadPool& pool,
                        const std::vector<G1Affine>& all, const std::vector<std::uint64_t>& counts,
                        const std::string& kind, const cuda::MsmOptions& options = {}) {
  const std::size_t n = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  const std::vector<Fr> k = scalars(n, kind, n);
  const std::uint64_t before = context.bytes_in_use();
  bool ok = false;
  std::string what = "msms G1,";
  {
    const DeviceArray<G1Affine> device_bases(context,
                                             {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n)});
    const DeviceArray<Fr> device_scalars(context, k);
    const auto sums =
        require(cuda::msms(context, device_bases.data(), device_scalars.data(), counts, options));
    ok = sums.size() == counts.size();
    std::size_t begin = 0;
    for (std::size_t i = 0; ok && i < sums.size(); ++i) {
      ok = sums[i].total() ==
           msm(pool, std::span(all).subspan(begin, counts[i]), std::span(k).subspan(begin, counts[i]));
      begin += counts[i];
    }
  }
  ok = ok && context.bytes_in_use() == before;
  for (const std::uint64_t count : counts) what.append(1, ' ').append(std::to_string(count));
  what += " bases, " + kind;
  if (options.windows.count != 0) what += ", " + std::to_string(options.windows.count) + " windows";
  if (options.slice != 0) what += ", slices of " + std::to_string(options.slice);
  if (options.entries != 0) what += ", " + std::to_string(options.entries) + " digits";
  report.line(what, ok);
}

/// With multiples behind the bases, some of which are bases, too. `windows` of them, or, of 0, what suits.
void check_multiples(device_test::Report& report, cuda::Context& context, ThreadPool& pool,
                     const std::vector<G1Affine>& all, std::size_t n, const std::string& kind, unsigned most,
                     unsigned windows, cuda::MsmOptions options = {}) {
  options.windows = windows == 0 ? cuda::msm_windows(n, most) : cuda::windows_of(windows, most);
  const cuda::DigitWindows digits(options.windows);
  std::vector<G1Affine> bases(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
  for (std::size_t i = 3; i < n && i < 300; i += 29) {
    G1Jacobian p = G1Jacobian::from_affine(bases[i - 1]);
    for (unsigned d = 0; d < digits.shift; ++d) p = p.dbl();
    bases[i] = p.to_affine();
  }
  std::vector<Fr> k = scalars(n, kind, n);
  if (kind == "equal digits") {
    Fr ones = Fr::zero();
    for (unsigned w = 0; w + 1 < digits.count; ++w)
      ones += Fr::from_u64(2).pow(digits.place(w % digits.sets, w / digits.sets));
    std::fill(k.begin(), k.end(), ones);
  }
  const DeviceArray<Fr> device_scalars(context, k);
  const DeviceArray<G1Affine> device_bases(context, options.windows.multiples * n);
  require(context.upload(device_bases.data(), bases.data(), n * sizeof(G1Affine), "bases"));
  require(cuda::fill_multiples(context, device_bases.data(), n, digits.multiples, digits.shift));
  const auto sums = require(cuda::msm(context, device_bases.data(), device_scalars.data(), n, options));
  const auto plain = require(cuda::msm(context, device_bases.data(), device_scalars.data(), n));
  const G1Jacobian expected = msm(pool, std::span<const G1Affine>(bases), std::span<const Fr>(k));
  std::string what = "msm G1, " + std::to_string(n) + " bases, " + kind + ", " +
                     std::to_string(options.windows.multiples) + " points each, " +
                     std::to_string(options.windows.count) + " windows";
  if (options.slice != 0) what += ", slices of " + std::to_string(options.slice);
  if (options.entries != 0) what += ", " + std::to_string(options.entries) + " digits";
  report.line(what, sums.total() == expected && plain.total() == expected);
}

/// Over bases alone, and with sums of pairs of all bases, of half of them (in words), and behind other
/// points.
template <class F>
void check_bits(device_test::Report& report, cuda::Context& context, ThreadPool& pool,
                const std::vector<Affine<F>>& all, std::size_t n, const std::string& kind) {
  std::vector<Affine<F>> bases(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
  for (std::size_t i = 8; i < n && i < 10; ++i) bases[i] = Affine<F>::infinity();
  TestRandom random(n + kind.size());
  std::vector<std::uint64_t> bits((n + 63) / 64);
  const auto is_set = [&](std::size_t i) {
    if (kind == "second of pairs") return i % 2 == 1;
    if (kind == "both or none" && i % 2 == 1) return (bits[i / 64] >> (i % 64 - 1) & 1) != 0;
    if (kind == "both or none") return random.next() % 2 == 0;
    return random.next() % 100 < static_cast<std::uint64_t>(std::stoi(kind));
  };
  for (std::size_t i = 0; i < n; ++i)
    if (is_set(i)) bits[i / 64] |= std::uint64_t{1} << (i % 64);
  const std::size_t set = count_bits(bits);
  const auto pairs_set = [&](std::size_t begin, std::size_t end) {
    std::size_t sum = 0;
    for (std::size_t i = begin; i < end; i += 2)
      sum += static_cast<std::size_t>((bits[i / 64] >> (i % 64) & 3) != 0);
    return sum;
  };
  const std::size_t half = n / 128 * 64;
  const std::size_t set_in_pairs = pairs_set(0, n);
  const std::size_t set_in_half = pairs_set(0, half) + set - count_bits(std::span(bits).first(half / 64));
  if (n % 64 != 0) bits.back() |= ~std::uint64_t{0} << (n % 64);  // to be ignored
  const DeviceArray<Affine<F>> points(context, 2 * n + 5);
  require(context.upload(points.data(), bases.data(), n * sizeof(Affine<F>), "bases"));
  const DeviceArray<std::uint64_t> device_bits(context, bits);
  const Jacobian<F> expected =
      bit_sum(pool, std::span<const Affine<F>>(bases), std::span<const std::uint64_t>(bits));
  const auto right = [&](std::size_t picks, const cuda::BasePairs& pairs) {
    require(cuda::fill_pairs(context, points.data(), pairs.paired, points.data() + pairs.at));
    const std::uint64_t before = context.bytes_in_use();
    Jacobian<F> sum = Jacobian<F>::infinity();
    for (const auto& p : require(cuda::bit_sum(context, points.data(), device_bits.data(), n, picks, pairs)))
      sum += p.to_jacobian();
    return sum == expected && context.bytes_in_use() == before;
  };
  const std::string what = std::string("bitmap ") + kGroup<F> + ", " + std::to_string(n) + " bases, " + kind;
  report.line(what, right(set, {}));
  report.line(what + ", in pairs", right(set_in_pairs, {n, n}));
  report.line(what + ", half in pairs", right(set_in_half, {half, n + 5}));
}

template <class F>
void check_group(device_test::Report& report, cuda::Context& context, ThreadPool& pool, unsigned largest) {
  const auto all = points<F>(pool, std::max((std::size_t{1} << largest) + 1, std::size_t{4200}));
  const std::vector<std::string> kinds{"random",    "all equal",      "all one", "all zero",
                                       "99 % bits", "small and ends", "ends"};
  for (const std::size_t n : {1, 2, 3, 31, 64, 1000})
    for (const auto& kind : kinds) check_msm<F>(report, context, pool, all, n, kind);
  for (unsigned log_size = 12; log_size <= largest; log_size += 3)
    for (const auto& kind : kinds)
      check_msm<F>(report, context, pool, all, (std::size_t{1} << log_size) + 1, kind);
  for (const unsigned windows : {85U, 84U, 64U, 43U, 29U, 27U, 20U, 19U})
    check_msm<F>(report, context, pool, all, 1500, windows % 2 == 0 ? "ends" : "random",
                 {.windows = {windows}});
  check_msm<F>(report, context, pool, all, 4001, "random", {.slice = 1000});
  check_msm<F>(report, context, pool, all, 4001, "99 % bits", {.windows = {24}, .slice = 1500});
  check_msm<F>(report, context, pool, all, 4001, "ends", {.windows = {23}, .slice = 1500});
  for (const std::size_t n : {1, 2, 63, 64, 65, 1000, 4097})
    for (const char* kind :
         {"0 % set", "1 % set", "50 % set", "100 % set", "second of pairs", "both or none"})
      check_bits<F>(report, context, pool, all, n, kind);
  check_bits<F>(report, context, pool, all, std::size_t{1} << largest, "50 % set");
  check_bits<F>(report, context, pool, all, (std::size_t{1} << largest) - 1, "100 % set");
}

void check_all_multiples(device_test::Report& report, cuda::Context& context, ThreadPool& pool,
                         unsigned largest) {
  const auto all = points<Fp>(pool, std::max((std::size_t{1} << largest) + 1, std::size_t{4200}));
  const std::size_t largest_n = (std::size_t{1} << largest) + 1;
  for (const char* kind : {"random", "all equal", "all one", "all zero", "99 % bits", "small and ends",
                           "ends", "equal digits"}) {
    for (const std::size_t n : {1, 31, 1000}) check_multiples(report, context, pool, all, n, kind, 3, 0);
    check_multiples(report, context, pool, all, 1500, kind, 32, 32, {.entries = 777});
    check_multiples(report, context, pool, all, 1500, kind, 5, 24, {.entries = 4000});
    check_multiples(report, context, pool, all, 1500, kind, 4, 23);
    check_multiples(report, context, pool, all, largest_n, kind, 16, 0);
    check_multiples(report, context, pool, all, largest_n, kind, 4, 0,
                    {.slice = (std::size_t{1} << largest) / 3, .entries = (std::size_t{1} << largest) / 5});
    // Some of the sums are empty.
    check_side_by_side(report, context, pool, all, {1500, 0, 1700, 1}, kind);
    check_side_by_side(report, context, pool, all, {0, 2000, 0}, kind, {.windows = {29}, .entries = 999});
    check_side_by_side(report, context, pool, all, {1200, 1300, 1500}, kind, {.windows = {23}, .slice = 700});
  }
  for (const char* kind : {"random", "ends"}) {
    check_side_by_side(report, context, pool, all, {largest_n / 2, largest_n / 3, largest_n / 7}, kind);
    // What the largest sums have, of 23 to 26 bits.
    check_msm<Fp>(report, context, pool, all, largest_n, kind, {.windows = {11}});
    check_msm<Fp>(report, context, pool, all, 1001, kind, {.windows = {12}, .slice = 600});
    for (const auto& [windows, most] : {std::pair{11U, 3U}, {10U, 5U}, {10U, 10U}})
      check_multiples(report, context, pool, all, largest_n, kind, most, windows,
                      {.entries = std::size_t{1} << largest});
  }
  check_multiples(report, context, pool, all, largest_n, "random", 2, 10);
  // Without multiples, buckets of few digits at a time.
  check_msm<Fp>(report, context, pool, all, 4001, "random", {.windows = {29}, .entries = 1000});
}

void check_few_multiples(device_test::Report& report, cuda::Context& context, ThreadPool& pool) {
  const auto all = points<Fp>(pool, 400);
  check_multiples(report, context, pool, all, 31, "random", 3, 0);
  for (const char* kind : {"random", "equal digits"})
    check_multiples(report, context, pool, all, 300, kind, 5, 32, {.entries = 2000});
  check_multiples(report, context, pool, all, 300, "99 % bits", 32, 37, {.slice = 200, .entries = 3000});
  check_msm<Fp>(report, context, pool, all, 300, "ends", {.windows = {38}});
  check_side_by_side(report, context, pool, all, {120, 0, 160}, "random", {.windows = {38}, .entries = 2000});
  check_bits<Fp>(report, context, pool, all, 399, "50 % set");
}

constexpr char kUsage[] =
    "cuzk_device_sums [largest log size, 2 to 24, default 18; of G2 an eighth]\n"
    "cuzk_device_sums multiples: a few small sums, with multiples of their bases, side by side, over bits, "
    "for "
    "compute-sanitizer\n";

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
