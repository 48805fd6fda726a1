// Point additions in batches, multi-scalar multiplication, bit sums and fixed-base multiplication. Every
// benchmark checks its result outside the timed region: the bases are known multiples of the generator, so
// the expected sum is one scalar multiplication.
//
// Arguments: log2 of the number of points; instruction set as a number (0 portable, 1 adx, 2 ifma); threads
// are all that the process may use.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <map>
#include <vector>

#include "cuzk/base/random.h"
#include "cuzk/curve/batch_add.h"
#include "cuzk/curve/generator.h"
#include "cuzk/msm/bit_sum.h"
#include "cuzk/msm/fixed_base.h"
#include "cuzk/msm/msm.h"

namespace cuzk {
namespace {

/// Multiples s, s^2, s^3, ... of the generator (s fixed): the first `count` of them, kept for the next
/// benchmark.
template <class F>
std::span<const Affine<F>> bases(ThreadPool& pool, std::size_t count) {
  static std::vector<Affine<F>> points;
  if (points.size() < count) {
    std::vector<Fr> powers(count);
    Fr p = Fr::one();
    for (Fr& x : powers) x = p = p * Fr::from_u64(0x123456789abcdef);
    points.resize(count);
    FixedBase<Affine<F>>(pool, generator<F>(), count).multiply(pool, powers, points);
  }
  return std::span<const Affine<F>>(points).first(count);
}

std::vector<Fr> random_scalars(std::size_t count) {
  TestRandom random(7);
  std::vector<Fr> scalars(count);
  for (Fr& s : scalars) s = fr_from_words([&] { return random.next(); });
  return scalars;
}

/// The factor of the generator that the sum of [scalars[i]] bases[i] is.
Fr expected_factor(const std::vector<Fr>& scalars) {
  Fr sum = Fr::zero();
  Fr p = Fr::one();
  for (const Fr& s : scalars) {
    p = p * Fr::from_u64(0x123456789abcdef);
    sum += s * p;
  }
  return sum;
}

bool usable(benchmark::State& state, Isa isa) {
  if (isa_supported(isa)) return true;
  state.SkipWithError("instruction set not supported here");
  return false;
}

template <class F>
void BM_Msm(benchmark::State& state) {
  const auto count = std::size_t{1} << state.range(0);
  const auto isa = static_cast<Isa>(state.range(1));
  if (!usable(state, isa)) return;
  ThreadPool pool(0, isa);
  const auto points = bases<F>(pool, count);
  const std::vector<Fr> scalars = random_scalars(count);
  const MsmOptions options{static_cast<unsigned>(state.range(2)), 0};
  Jacobian<F> sum = Jacobian<F>::infinity();
  for (auto _ : state) sum = msm(pool, points, scalars, options);
  if (!(sum == mul(generator<F>(), expected_factor(scalars)))) state.SkipWithError("wrong result");
  state.counters["points/s"] =
      benchmark::Counter(static_cast<double>(count), benchmark::Counter::kIsIterationInvariantRate);
}

template <class F>
void BM_BitSum(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  const auto isa = static_cast<Isa>(state.range(1));
  if (!usable(state, isa)) return;
  ThreadPool pool(0, isa);
  const auto points = bases<F>(pool, count);
  TestRandom random(9);
  std::vector<std::uint64_t> bits((count + 63) / 64);
  for (auto& word : bits) word = random.next();
  std::vector<Fr> scalars(count);
  for (std::size_t i = 0; i < count; ++i)
    scalars[i] = (bits[i / 64] >> (i % 64) & 1) != 0 ? Fr::one() : Fr::zero();
  Jacobian<F> sum = Jacobian<F>::infinity();
  for (auto _ : state) sum = bit_sum(pool, points, bits);
  if (!(sum == mul(generator<F>(), expected_factor(scalars)))) state.SkipWithError("wrong result");
  state.counters["points/s"] =
      benchmark::Counter(static_cast<double>(count), benchmark::Counter::kIsIterationInvariantRate);
}

template <class F>
void BM_FixedBase(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  const auto isa = static_cast<Isa>(state.range(1));
  if (!usable(state, isa)) return;
  ThreadPool pool(0, isa);
  const std::vector<Fr> scalars = random_scalars(count);
  std::vector<Affine<F>> out(count);
  for (auto _ : state) {
    const FixedBase<Affine<F>> fixed(pool, generator<F>(), count);
    fixed.multiply(pool, scalars, out);
  }
  for (std::size_t i = 0; i < count; i += count / 16)
    if (!(mul(generator<F>(), scalars[i]) == out[i])) state.SkipWithError("wrong result");
  state.counters["points/s"] =
      benchmark::Counter(static_cast<double>(count), benchmark::Counter::kIsIterationInvariantRate);
}

/// Independent additions of neighbours in the cache, one thread.
template <class F>
void BM_BatchAdd(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  const auto isa = static_cast<Isa>(state.range(1));
  if (!usable(state, isa)) return;
  ThreadPool pool(0, isa);
  const auto points = bases<F>(pool, 2 * count);
  std::vector<Affine<F>> out(count);
  BatchAddScratch scratch;
  const BatchAdd<F> add = batch_add_kernel<F>(isa);
  const BatchAddJob<F> job{points.data(), nullptr, points.data() + count, nullptr, out.data(),
                           nullptr,       count};
  for (auto _ : state) add(&job, 1, scratch);
  for (std::size_t i = 0; i < count; i += count / 16)
    if (!(Jacobian<F>::from_affine(points[i]) + points[count + i] == out[i]))
      state.SkipWithError("wrong result");
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void isas(benchmark::internal::Benchmark* b, const std::vector<std::int64_t>& sizes, bool windows) {
  for (const std::int64_t size : sizes)
    for (int isa = 0; isa <= 2; ++isa) {
      if (windows)
        b->Args({size, isa, 0});
      else
        b->Args({size, isa});
    }
  b->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();
}

BENCHMARK(BM_BatchAdd<Fp>)->Apply([](auto* b) {
  isas(b, {4096}, false);
  b->Unit(benchmark::kMicrosecond);
});
BENCHMARK(BM_BatchAdd<Fp2>)->Apply([](auto* b) {
  isas(b, {2048}, false);
  b->Unit(benchmark::kMicrosecond);
});
BENCHMARK(BM_Msm<Fp>)->Apply([](auto* b) { isas(b, {16, 18, 20, 22}, true); });
BENCHMARK(BM_Msm<Fp2>)->Apply([](auto* b) { isas(b, {16, 18, 20}, true); });
BENCHMARK(BM_BitSum<Fp>)->Apply([](auto* b) { isas(b, {2600000}, false); });
BENCHMARK(BM_BitSum<Fp2>)->Apply([](auto* b) { isas(b, {650000}, false); });
BENCHMARK(BM_FixedBase<Fp>)->Apply([](auto* b) { isas(b, {1000000}, false); });
BENCHMARK(BM_FixedBase<Fp2>)->Apply([](auto* b) { isas(b, {200000}, false); });

}  // namespace
}  // namespace cuzk

BENCHMARK_MAIN();
