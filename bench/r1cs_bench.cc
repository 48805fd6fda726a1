// The stages between a phase-1 output and the prover, on the circuit of a 2 KiB sector (2,687,921
// constraints).

#include <benchmark/benchmark.h>

#include "cuzk/filecoin/porep/circuit.h"
#include "cuzk/r1cs/checker.h"
#include "cuzk/r1cs/digest.h"
#include "cuzk/r1cs/shape_recorder.h"
#include "cuzk/r1cs/shape_rows.h"
#include "cuzk/r1cs/witness_builder.h"

namespace cuzk {
namespace {

const porep::PartitionInput& blank() {
  static const porep::PartitionInput kInput = porep::PartitionInput::blank(*porep::find_sector(2048));
  return kInput;
}

Shape record() {
  ShapeRecorder recorder;
  porep::synthesize(recorder, blank());
  return std::move(recorder).finish();
}

const Shape& shape() {
  static const Shape kShape = record();
  return kShape;
}

Witness build() {
  WitnessBuilder builder(shape().num_bits(), shape().num_wide());
  porep::synthesize(builder, blank());
  return std::move(builder).finish();
}

void record_shape(benchmark::State& state) {
  std::size_t bytes = 0;
  for (auto _ : state) {
    const Shape s = record();
    bytes = s.memory_bytes();
    benchmark::DoNotOptimize(bytes);
  }
  state.counters["bytes"] = static_cast<double>(bytes);
  state.counters["coefficients"] = static_cast<double>(ShapeRows(shape()).coefficients().size());
}
BENCHMARK(record_shape)->Unit(benchmark::kMillisecond);

void build_witness(benchmark::State& state) {
  for (auto _ : state) {
    Witness w = build();
    benchmark::DoNotOptimize(w.bits.data());
  }
  if (!shape().validate(build())) state.SkipWithError("the witness does not fit the shape");
}
BENCHMARK(build_witness)->Unit(benchmark::kMillisecond);

void digest(benchmark::State& state) {
  Bytes32 got{};
  for (auto _ : state) got = digest_circuit([](auto& cs) { porep::synthesize(cs, blank()); }).r1cs_sha256;
  if (got != r1cs_sha256(shape())) state.SkipWithError("the two ways to the digest differ");
}
BENCHMARK(digest)->Unit(benchmark::kMillisecond);

void digest_of_shape(benchmark::State& state) {
  (void)shape();
  for (auto _ : state) benchmark::DoNotOptimize(r1cs_sha256(shape()));
}
BENCHMARK(digest_of_shape)->Unit(benchmark::kMillisecond);

void evaluate_ab(benchmark::State& state) {
  ThreadPool pool(static_cast<unsigned>(state.range(0)));
  const Witness w = build();
  const std::size_t size = std::size_t{1} << shape().domain_log_size();
  std::vector<Fr> a(size);
  std::vector<Fr> b(size);
  for (auto _ : state) ShapeRows(shape()).evaluate_ab(pool, w, a, b);
  // Row by row from the public view.
  bool same = true;
  ShapeRows(shape()).for_each(0, 4096,
                              [&](std::size_t row, const TermView& ra, const TermView& rb, const TermView&) {
                                const auto sum = [&](const TermView& terms) {
                                  Fr out = Fr::zero();
                                  for (const auto& [v, k] : terms) out += k * shape().value(w, v);
                                  return out;
                                };
                                same = same && a[row] == sum(ra) && b[row] == sum(rb);
                              });
  if (!same) state.SkipWithError("evaluation differs from the rows");
}
BENCHMARK(evaluate_ab)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

void check(benchmark::State& state) {
  for (auto _ : state) {
    Checker checker;
    porep::synthesize(checker, blank());
    benchmark::DoNotOptimize(checker.failure().has_value());
  }
}
BENCHMARK(check)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cuzk

BENCHMARK_MAIN();
