// SnapDeals on the CPU: a proof of a real 2 KiB update with the reference's fixed secrets, so that parameters
// and proof are compared with the reference's byte for byte, outside the timed region; and what a 32 GiB
// update costs before proving.

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "cuzk/base/hex.h"
#include "cuzk/base/input_file.h"
#include "cuzk/filecoin/update/circuit.h"
#include "cuzk/filecoin/update/fabricate.h"
#include "cuzk/filecoin/update/verify.h"
#include "cuzk/groth16/cpu_prover.h"
#include "cuzk/groth16/setup.h"
#include "cuzk/groth16/verifier.h"
#include "cuzk/hash/sha256.h"
#include "cuzk/r1cs/shape_recorder.h"
#include "cuzk/r1cs/witness_builder.h"

namespace cuzk::update {
namespace {

/// A scalar of the fixtures: SHA-256 of a text, truncated.
Fr scalar_of(const std::string& text) {
  return Fr::from_bytes_le(truncate_to_254_bits(sha256(byte_span(text)))).value();
}

Witness build_witness(const Shape& shape, const PartitionInput& input) {
  WitnessBuilder builder(shape.num_bits(), shape.num_wide());
  synthesize(builder, input);
  return std::move(builder).finish();
}

/// tests/data/update/update-2k and its parameters, made once.
struct Update2k {
  Update2k() {
    const SectorParams& sector = *find_sector(2048);
    const Statement statement{
        bytes32_from_hex("f330be2dc9bac7c8c9e6833e7134d5b1db06498b826c0f8b3e61866f791bca6e").value(),
        bytes32_from_hex("3d4985e6a40f4090d47ddb3b8a987c570f6f4f7e2242dc8cf1f54c354c9ee00a").value(),
        bytes32_from_hex("8fe93173bff8d5432f86b33c106f49ef045c693bd1aa75e0dbb8c5d2f2377a1c").value()};
    const InputFile file = InputFile::open(CUZK_BENCH_UPDATE).value();
    const PartitionProof proof = read_partition_proof(file.bytes(), sector).value();
    CUZK_CHECK(verify_vanilla(pool, sector, statement, std::span(&proof, 1)).has_value());
    input = partition_input(proof, statement, 0).value();
    ShapeRecorder recorder;
    synthesize(recorder, PartitionInput::blank(sector));
    shape = std::make_shared<const Shape>(std::move(recorder).finish());
    const std::string tag = "cuzk fixture update-2k ";
    const groth16::ToxicWaste toxic{scalar_of(tag + "alpha"), scalar_of(tag + "beta"),
                                    scalar_of(tag + "gamma"), scalar_of(tag + "delta"),
                                    scalar_of(tag + "tau")};
    const auto made = groth16::generate_parameters(pool, *shape, toxic, path);
    CUZK_CHECK(made.has_value());
    CUZK_CHECK(to_hex(made->digests.sha256) ==
               "b7e8e307a888e3cc1ed1b5350d2dfc55aac408f33d69bfb833f946752804bf9b");
    key = groth16::ProvingKey::load(pool, path, shape).value();
  }
  ~Update2k() { std::filesystem::remove(path); }

  static std::filesystem::path folder() {
    const char* dir = std::getenv("CUZK_BENCH_DIR");
    return dir != nullptr ? std::filesystem::path(dir) : std::filesystem::temp_directory_path();
  }

  ThreadPool pool;
  std::string path = (folder() / ("cuzk-update-bench-" + std::to_string(::getpid()) + ".params")).string();
  std::shared_ptr<const Shape> shape;
  PartitionInput input;
  std::shared_ptr<const groth16::ProvingKey> key;
};
Update2k& update_2k() {
  static Update2k u;
  return u;
}

/// From the circuit's input values and an open key to the 192 bytes.
void prove_update_2k(benchmark::State& state) {
  Update2k& u = update_2k();
  groth16::CpuProver prover(u.pool);
  const Fr r = scalar_of("r update-2k 0");
  const Fr s = scalar_of("s update-2k 0");
  groth16::ProofBytes bytes{};
  groth16::LaunchReport report;
  double witness_seconds = 0;
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    const auto witness = std::make_shared<const Witness>(build_witness(*u.shape, u.input));
    witness_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    bytes = encode_proof(groth16::prove(prover, u.key, u.shape, witness, r, s, &report).value());
  }
  state.counters["witness"] = witness_seconds;
  for (const groth16::LaunchStage& stage : report.stages)
    state.counters[stage.name] = std::chrono::duration<double>(stage.end - stage.begin).count();
  CUZK_CHECK(to_hex(sha256(bytes)) == "be6808b1b85c5d484d0396ad01667dad76e4f61dfff9225c3eecc79d873744e8");
}
BENCHMARK(prove_update_2k)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();

FabricatedUpdate& update_32g() {
  static FabricatedUpdate u = [] {
    ThreadPool pool;
    return fabricate_update(pool, *find_sector(std::uint64_t{32} << 30));
  }();
  return u;
}

void fabricate_update_32g(benchmark::State& state) {
  ThreadPool pool;
  for (auto _ : state)
    benchmark::DoNotOptimize(fabricate_update(pool, *find_sector(std::uint64_t{32} << 30)));
}
BENCHMARK(fabricate_update_32g)->Unit(benchmark::kMillisecond)->UseRealTime();

/// All 16 partitions.
void verify_vanilla_32g(benchmark::State& state) {
  ThreadPool pool;
  const FabricatedUpdate& u = update_32g();
  bool ok = true;
  for (auto _ : state)
    ok = ok && verify_vanilla(pool, *u.proofs[0].sector, u.statement, u.proofs).has_value();
  CUZK_CHECK(ok);
}
BENCHMARK(verify_vanilla_32g)->Unit(benchmark::kMillisecond)->UseRealTime();

/// All 16 partitions, 9 MB.
void read_partition_proofs_32g(benchmark::State& state) {
  const FabricatedUpdate& u = update_32g();
  std::vector<std::vector<std::uint8_t>> files;
  for (const PartitionProof& proof : u.proofs) files.push_back(write_partition_proof(proof));
  bool ok = true;
  for (auto _ : state)
    for (const auto& file : files) ok = ok && read_partition_proof(file, *u.proofs[0].sector).has_value();
  CUZK_CHECK(ok);
}
BENCHMARK(read_partition_proofs_32g)->Unit(benchmark::kMillisecond)->UseRealTime();

/// One partition on one core: 81 M constraints.
void witness_update_32g(benchmark::State& state) {
  const FabricatedUpdate& u = update_32g();
  const PartitionInput input = partition_input(u.proofs[5], u.statement, 5).value();
  Witness witness;
  for (auto _ : state) {
    WitnessBuilder builder;
    synthesize(builder, input);
    witness = std::move(builder).finish();
  }
  const auto inputs = public_inputs(*input.sector, u.statement, 5).value();
  CUZK_CHECK(std::equal(inputs.begin(), inputs.end(), witness.inputs.begin() + 1, witness.inputs.end()));
}
BENCHMARK(witness_update_32g)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);

}  // namespace
}  // namespace cuzk::update

BENCHMARK_MAIN();
