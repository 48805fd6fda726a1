// Products and inversions in both fields, per instruction set. "dependent" is one value after the other
// (latency); the others are the batch kernels on arrays that fit the first level cache, time per element.

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <vector>

#include "cuzk/base/random.h"
#include "cuzk/field/kernels.h"

namespace cuzk {
namespace {

constexpr std::size_t kCount = 512;

template <class F>
const FieldKernels<F>& kernels(Isa isa) {
  if constexpr (std::is_same_v<F, Fr>) {
    return fr_kernels(isa);
  } else {
    return fp_kernels(isa);
  }
}

template <class F>
std::vector<F> values(std::uint64_t seed) {
  TestRandom rng(seed);
  std::vector<F> v(kCount);
  for (F& x : v) x = F::from_u64(rng.next()) * F::r_squared();
  return v;
}

void expect(bool ok, benchmark::State& state) {
  if (!ok) state.SkipWithError("wrong result");
}

template <class F>
void dependent_mul(benchmark::State& state) {
  const F a = values<F>(1)[0];
  F x = a;
  std::uint64_t count = 0;
  for (auto _ : state) {
    x = x * a;
    benchmark::DoNotOptimize(x);
    ++count;
  }
  expect(x == a.pow(count + 1), state);
}

template <class F>
void batch(benchmark::State& state, Isa isa, int what) {
  const FieldKernels<F>& k = kernels<F>(isa);
  const std::vector<F> a = values<F>(1);
  const std::vector<F> b = values<F>(2);
  std::vector<F> c = a;
  for (auto _ : state) {
    if (what == 0) k.mul(c, a, b);
    if (what == 1) k.square(c, a);
    if (what == 2) k.add(c, a, b);
    if (what == 3) k.batch_inverse(c);
    benchmark::ClobberMemory();
  }
  state.counters["per_element"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(kCount),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  for (std::size_t i = 0; i < kCount; ++i) {
    if (what == 0) expect(c[i] == a[i] * b[i], state);
    if (what == 1) expect(c[i] == a[i] * a[i], state);
    if (what == 2) expect(c[i] == a[i] + b[i], state);
    if (what == 3) expect(c[i] == (state.iterations() % 2 == 0 ? a[i] : a[i].inverse()), state);
  }
}

template <class F>
void add_benchmarks(const std::string& field) {
  benchmark::RegisterBenchmark((field + "/dependent_mul").c_str(), dependent_mul<F>);
  const char* const names[] = {"mul", "square", "add", "batch_inverse"};
  for (int what = 0; what < 4; ++what)
    for (const Isa isa : {Isa::portable, Isa::adx, Isa::ifma})
      if (isa_supported(isa))
        benchmark::RegisterBenchmark((field + "/" + names[what] + "/" + isa_name(isa)).c_str(),
                                     [isa, what](benchmark::State& state) { batch<F>(state, isa, what); });
}

}  // namespace
}  // namespace cuzk

int main(int argc, char** argv) {
  cuzk::add_benchmarks<cuzk::Fr>("Fr");
  cuzk::add_benchmarks<cuzk::Fp>("Fp");
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return EXIT_SUCCESS;
}
