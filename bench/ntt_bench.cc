// Transforms and the quotient, per instruction set, on all processors. Sizes as in the project's speed table,
// and a 2^16 one. The result of the last transform is checked at one point by Horner's rule; the quotient by
// its zero coefficient.

#include <benchmark/benchmark.h>
#include <sys/mman.h>

#include <cstdlib>
#include <new>
#include <string>

#include "cuzk/base/random.h"
#include "cuzk/ntt/quotient.h"

namespace cuzk::ntt {
namespace {

/// n elements in huge pages.
class Buffer {
 public:
  explicit Buffer(std::size_t n) : data_(static_cast<Fr*>(::operator new(n * sizeof(Fr), kAlign))), size_(n) {
    (void)madvise(data_, n * sizeof(Fr), MADV_HUGEPAGE);
  }
  ~Buffer() { ::operator delete(data_, kAlign); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  [[nodiscard]] std::span<Fr> span() const { return {data_, size_}; }
  void fill(std::uint64_t seed) {
    TestRandom rng(seed);
    for (Fr& x : span()) x = fr_from_words([&] { return rng.next(); });
  }

 private:
  static constexpr std::align_val_t kAlign{1 << 21};
  Fr* data_;
  std::size_t size_;
};

void transform(benchmark::State& state, unsigned log_size, Isa isa, Direction direction, Order order) {
  ThreadPool pool;
  const std::size_t n = std::size_t{1} << log_size;
  Buffer data(n);
  const bool coset = direction == Direction::forward;
  const Fr shift = coset ? fr_root_of_unity(log_size + 1) : Fr::one();
  const Transform t(isa, log_size, direction, order, shift);
  data.fill(1);
  t.run(pool, data.span());
  // Element 1 of the result: a polynomial in the root, its coefficients the data in natural order.

  const Fr x = coset ? shift * Domain(log_size).omega() : Domain(log_size).omega_inverse();
  const Fr result = data.span()[order == Order::natural_to_reversed ? reverse_bits(1, log_size) : 1];
  data.fill(1);
  Fr want = Fr::zero();
  for (std::size_t i = n; i-- > 0;)
    want = want * x + data.span()[order == Order::natural_to_reversed ? i : reverse_bits(i, log_size)];
  if (!coset) want *= Domain(log_size).size_inverse();
  if (!(result == want)) state.SkipWithError("wrong result");
  for (auto _ : state) {
    t.run(pool, data.span());
    benchmark::ClobberMemory();
  }
}

void quotient(benchmark::State& state, unsigned log_size, Isa isa) {
  ThreadPool pool;
  const std::size_t n = std::size_t{1} << log_size;
  Buffer a(n);
  Buffer b(n);
  Buffer scratch(n);
  a.fill(1);
  b.fill(2);
  scratch.fill(3);
  const Quotient q(isa, log_size);
  bool ok = true;
  for (auto _ : state) ok = q.run(pool, a.span(), b.span(), scratch.span()) && ok;
  if (!ok) state.SkipWithError("top coefficient is not zero");
}

}  // namespace
}  // namespace cuzk::ntt

int main(int argc, char** argv) {
  using namespace cuzk;
  using namespace cuzk::ntt;
  for (const Isa isa : {Isa::portable, Isa::adx, Isa::ifma}) {
    if (!isa_supported(isa)) continue;
    const auto add = [&](const std::string& name, auto&& body) {
      for (const unsigned log_size : {16U, 20U, 22U, 24U}) {
        if (isa == Isa::portable && log_size > 20) continue;
        benchmark::RegisterBenchmark((name + "/" + isa_name(isa) + "/" + std::to_string(log_size)).c_str(),
                                     [=](benchmark::State& state) { body(state, log_size); })
            ->UseRealTime()
            ->MeasureProcessCPUTime()
            ->Unit(benchmark::kMillisecond);
      }
    };
    add("interpolate", [isa](benchmark::State& state, unsigned log_size) {
      transform(state, log_size, isa, Direction::inverse, Order::natural_to_reversed);
    });
    add("evaluate_on_coset", [isa](benchmark::State& state, unsigned log_size) {
      transform(state, log_size, isa, Direction::forward, Order::reversed_to_natural);
    });
    add("quotient", [isa](benchmark::State& state, unsigned log_size) { quotient(state, log_size, isa); });
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return EXIT_SUCCESS;
}
