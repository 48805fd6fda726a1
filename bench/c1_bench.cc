// Reading, checking and writing the phase-1 output of a 32 GiB sector (a fabricated one: 38.6 MB of JSON),
// and the Poseidon hash that the check spends its time in. Results are compared outside the timed region.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>

#include "cuzk/base/base64.h"
#include "cuzk/filecoin/porep/fabricate.h"
#include "cuzk/filecoin/porep/verify.h"
#include "cuzk/hash/poseidon.h"

namespace {

using namespace cuzk;
using namespace cuzk::porep;

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "c1_bench: wrong result: %s\n", what);
  std::exit(1);
}

/// Made once: the sector and its three texts.
struct Sector {
  C1Output c1;
  std::string json;
  std::string wrapper;
  std::vector<std::uint8_t> bincode;
};

const Sector& sector() {
  static const Sector made = [] {
    ThreadPool pool;
    auto c1 = fabricate_sector(pool, porep_config(*find_seal_proof(8)), SectorIdentity::reference());
    require(c1.has_value(), "the fabricated sector");
    std::string json = write_c1_json(*c1);
    std::string wrapper = write_c1_wrapper({7, c1->config.sector->bytes}, json);
    auto bincode = write_c1_bincode(*c1);
    return Sector{std::move(c1).value(), std::move(json), std::move(wrapper), std::move(bincode)};
  }();
  return made;
}

void parse_json(benchmark::State& state) {
  const ByteSpan text = byte_span(sector().json);
  require(parse_c1_json(text)->output.vanilla == sector().c1.vanilla, "parsed JSON");
  for (auto _ : state) benchmark::DoNotOptimize(parse_c1_json(text));
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
}
BENCHMARK(parse_json)->Unit(benchmark::kMillisecond);

void parse_wrapper(benchmark::State& state) {
  const ByteSpan text = byte_span(sector().wrapper);
  require(parse_c1_json(text)->output.vanilla == sector().c1.vanilla, "parsed wrapper");
  for (auto _ : state) benchmark::DoNotOptimize(parse_c1_json(text));
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
}
BENCHMARK(parse_wrapper)->Unit(benchmark::kMillisecond);

void parse_bincode(benchmark::State& state) {
  require(parse_c1_bincode(sector().bincode, sector().c1.config)->vanilla == sector().c1.vanilla,
          "parsed bincode");
  for (auto _ : state) benchmark::DoNotOptimize(parse_c1_bincode(sector().bincode, sector().c1.config));
  state.SetBytesProcessed(static_cast<std::int64_t>(sector().bincode.size()) * state.iterations());
}
BENCHMARK(parse_bincode)->Unit(benchmark::kMillisecond);

void write_json(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(write_c1_json(sector().c1));
  state.SetBytesProcessed(static_cast<std::int64_t>(sector().json.size()) * state.iterations());
}
BENCHMARK(write_json)->Unit(benchmark::kMillisecond);

void verify(benchmark::State& state) {
  ThreadPool pool(static_cast<unsigned>(state.range(0)));
  require(verify_vanilla(pool, sector().c1).has_value(), "a good proof is accepted");
  C1Output bad = sector().c1;
  bad.vanilla.challenge(9, 17).tree_r().siblings[0][0] ^= 1;
  require(!verify_vanilla(pool, bad).has_value(), "a bad proof is refused");
  for (auto _ : state) benchmark::DoNotOptimize(verify_vanilla(pool, sector().c1));
}
BENCHMARK(verify)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

void fabricate(benchmark::State& state) {
  ThreadPool pool(static_cast<unsigned>(state.range(0)));
  for (auto _ : state)
    benchmark::DoNotOptimize(
        fabricate_sector(pool, porep_config(*find_seal_proof(8)), SectorIdentity::reference()));
}
BENCHMARK(fabricate)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

void decode_base64(benchmark::State& state) {
  const std::string text = base64_encode(byte_span(sector().json));
  require(base64_decode(text)->size() == sector().json.size(), "decoded base64");
  std::vector<std::uint8_t> buffer(48 * 1024);
  for (auto _ : state) {
    Base64Reader reader(text);
    while (*reader.read(buffer) > 0) benchmark::DoNotOptimize(buffer.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
}
BENCHMARK(decode_base64)->Unit(benchmark::kMillisecond);

void poseidon_one(benchmark::State& state) {
  const PoseidonConstants& constants = poseidon_constants(static_cast<unsigned>(state.range(0)));
  std::vector<Fr> message(constants.arity, -Fr::one());
  require(poseidon_hash(constants, message) == poseidon_hash_plain(constants, message), "Poseidon");
  for (auto _ : state) message[0] = poseidon_hash(constants, message);
}
BENCHMARK(poseidon_one)->Arg(2)->Arg(8)->Arg(11)->Unit(benchmark::kMicrosecond);

/// Time for 16 hashes.
void poseidon_batch_of_16(benchmark::State& state) {
  const PoseidonConstants& constants = poseidon_constants(static_cast<unsigned>(state.range(0)));
  std::vector<Fr> messages(16 * constants.arity, -Fr::one());
  std::vector<Fr> out(16);
  poseidon_hash_batch(constants, messages, out, best_isa());
  require(out[15] == poseidon_hash_plain(constants, std::span(messages).first(constants.arity)),
          "Poseidon batch");
  for (auto _ : state) {
    poseidon_hash_batch(constants, messages, out, best_isa());
    messages[0] = out[0];
  }
}
BENCHMARK(poseidon_batch_of_16)->Arg(2)->Arg(8)->Arg(11)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
