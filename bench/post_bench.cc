// PoSt on the CPU: proofs of real sectors with the reference's fixed secrets, so that parameters and proofs
// are compared with the reference's byte for byte, outside the timed region; and what sectors of 32 GiB cost
// before proving.

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>

#include "cuzk/base/hex.h"
#include "cuzk/base/input_file.h"
#include "cuzk/filecoin/post/circuit.h"
#include "cuzk/filecoin/post/fabricate.h"
#include "cuzk/filecoin/post/witness.h"
#include "cuzk/groth16/cpu_prover.h"
#include "cuzk/groth16/setup.h"
#include "cuzk/hash/sha256.h"
#include "cuzk/r1cs/shape_recorder.h"
#include "cuzk/r1cs/witness_builder.h"

namespace cuzk::post {
namespace {

/// A scalar of the fixtures: SHA-256 of a text, truncated.
Fr scalar_of(const std::string& text) {
  return Fr::from_bytes_le(truncate_to_254_bits(sha256(byte_span(text)))).value();
}

/// A case of tests/data/post and what the reference makes of it.
struct Case {
  Kind kind;
  std::uint64_t sector_bytes;
  std::string name;
  std::size_t sectors;
  std::string params_tag;
  const char* params_sha256;
  const char* proof_sha256;
};

/// With its parameters, made once.
class Prepared {
 public:
  explicit Prepared(const Case& c) {
    partition.config = post_config(c.kind, c.sector_bytes, ApiVersion::v1_0_0).value();
    const PostParams& params = *partition.config.params;
    for (std::size_t i = 0; i < c.sectors; ++i) {
      const std::string file = CUZK_BENCH_POST "/" + c.name + ".s" + std::to_string(i) + ".vanilla.gz";
      partition.sectors.push_back(read_sector_proof(InputFile::open(file).value().bytes(), params).value());
    }
    ShapeRecorder recorder;
    synthesize(recorder, PartitionInput::blank(params));
    shape = std::make_shared<const Shape>(std::move(recorder).finish());
    const std::string tag = "cuzk fixture " + c.params_tag + " ";
    const groth16::ToxicWaste toxic{scalar_of(tag + "alpha"), scalar_of(tag + "beta"),
                                    scalar_of(tag + "gamma"), scalar_of(tag + "delta"),
                                    scalar_of(tag + "tau")};
    const char* dir = std::getenv("CUZK_BENCH_DIR");
    path_ = dir != nullptr ? std::filesystem::path(dir) : std::filesystem::temp_directory_path();
    path_ /= "cuzk-post-bench-" + std::to_string(::getpid()) + "-" + c.params_tag + ".params";
    const auto made = groth16::generate_parameters(pool, *shape, toxic, path_.string());
    CUZK_CHECK(made.has_value() && to_hex(made->digests.sha256) == c.params_sha256);
    key = groth16::ProvingKey::load(pool, path_.string(), shape).value();
  }
  ~Prepared() { std::filesystem::remove(path_); }
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  ThreadPool pool;
  Partition partition;
  std::shared_ptr<const Shape> shape;
  std::shared_ptr<const groth16::ProvingKey> key;

 private:
  std::filesystem::path path_;
};

/// From the vanilla proofs and an open key to the 192 bytes.
void prove_case(benchmark::State& state, const Case& c) {
  Prepared prepared(c);
  groth16::CpuProver prover(prepared.pool);
  const Fr r = scalar_of("r " + c.name + " 0");
  const Fr s = scalar_of("s " + c.name + " 0");
  groth16::ProofBytes bytes{};
  groth16::LaunchReport report;
  double witness_seconds = 0;
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    const auto witness =
        std::make_shared<const Witness>(build_witness(prepared.pool, prepared.partition).value());
    witness_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    bytes =
        encode_proof(groth16::prove(prover, prepared.key, prepared.shape, witness, r, s, &report).value());
  }
  state.counters["witness"] = witness_seconds;
  for (const groth16::LaunchStage& stage : report.stages)
    state.counters[stage.name] = std::chrono::duration<double>(stage.end - stage.begin).count();
  CUZK_CHECK(to_hex(sha256(bytes)) == c.proof_sha256);
}
BENCHMARK_CAPTURE(prove_case, winning_2k,
                  Case{Kind::winning, 2048, "winning-2k", 1, "winning-2k",
                       "22bdc594fbbf6d948db9f46f3fc327e14be9c0cfab5266b3aaaacbaaf0e9116e",
                       "b56945d332149d5a74bd52f9c9acc3eb9fc6d2b46b7aae1044ad87099df21a3c"})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK_CAPTURE(prove_case, window_2k,
                  Case{Kind::window, 2048, "window-2k-two", 2, "window-2k",
                       "cee54ff01a8af45ad93c069467e2c306f2e635571ee3579936d32fe6bb8defd4",
                       "0f531abda3f2ef760feba2edc7e4cea9257b0908c5e55d7ed4a19cfcacea3b55"})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK_CAPTURE(prove_case, window_32k,
                  Case{Kind::window, 32768, "window-32k", 1, "window-32k",
                       "750f4f18fd9ad281bb627e0fc5700cba5ae25e875e5659aa4beb61a3b03314d7",
                       "5bf7aa422b1a3b4d0343332fe30d26b770ff583f010814f3131f9b9374bbb460"})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

/// A window of some sectors of 32 GiB: a hundredth of a partition.
struct Window32g {
  static constexpr unsigned kSectors = 24;

  Window32g() {
    params = *find_post(Kind::window, std::uint64_t{32} << 30);
    params.sector_count = kSectors;
    std::vector<std::uint64_t> ids(kSectors);
    std::iota(ids.begin(), ids.end(), 1);
    ThreadPool pool;
    partition =
        fabricate_partition(pool, {&params, ApiVersion::v1_2_0, nullptr}, reference_randomness(), 0, ids)
            .value();
    WitnessBuilder builder;
    synthesize(builder, partition_input(partition).value());
    witness = std::move(builder).finish();
  }

  PostParams params{};
  Partition partition;
  Witness witness;  ///< by the sequential way
};
const Window32g& window_32g() {
  static const Window32g w;
  return w;
}

void read_24_sectors_of_32g(benchmark::State& state) {
  const Window32g& w = window_32g();
  std::vector<std::vector<std::uint8_t>> blobs;
  for (const SectorProof& proof : w.partition.sectors) blobs.push_back(write_sector_proof(proof));
  bool ok = true;
  for (auto _ : state)
    ok = ok && read_partition(w.partition.config, w.partition.randomness, 0, blobs).has_value();
  CUZK_CHECK(ok);
}
BENCHMARK(read_24_sectors_of_32g)->Unit(benchmark::kMillisecond)->UseRealTime();

void verify_24_sectors_of_32g(benchmark::State& state) {
  ThreadPool pool;
  bool ok = true;
  for (auto _ : state) ok = ok && verify_vanilla(pool, window_32g().partition).has_value();
  CUZK_CHECK(ok);
}
BENCHMARK(verify_24_sectors_of_32g)->Unit(benchmark::kMillisecond)->UseRealTime();

/// 1.28 M constraints.
void witness_24_sectors_of_32g(benchmark::State& state) {
  ThreadPool pool;
  Witness witness;
  for (auto _ : state) witness = build_witness(pool, window_32g().partition).value();
  CUZK_CHECK(witness.wide == window_32g().witness.wide && witness.bits == window_32g().witness.bits);
}
BENCHMARK(witness_24_sectors_of_32g)->Unit(benchmark::kMillisecond)->UseRealTime();

/// The same by the gadgets alone, on one core.
void sequential_witness_24_sectors_of_32g(benchmark::State& state) {
  const PartitionInput input = partition_input(window_32g().partition).value();
  Witness witness;
  for (auto _ : state) {
    WitnessBuilder builder(window_32g().witness.bits.size() * 64, window_32g().witness.wide.size());
    synthesize(builder, input);
    witness = std::move(builder).finish();
  }
  CUZK_CHECK(witness.wide == window_32g().witness.wide);
}
BENCHMARK(sequential_witness_24_sectors_of_32g)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace cuzk::post

BENCHMARK_MAIN();
