// Groth16 end to end on the CPU: a random circuit with the counts of the WinningPoSt circuit of 2 KiB sectors
// and a full-width witness (no variable is boolean), so every multi-scalar sum is a full one. Each measure's
// result is checked once, outside the timed region.

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cuzk/base/random.h"
#include "cuzk/filecoin/porep/c1.h"
#include "cuzk/filecoin/porep/circuit.h"
#include "cuzk/filecoin/porep/partition_input.h"
#include "cuzk/groth16/cpu_prover.h"
#include "cuzk/groth16/setup.h"
#include "cuzk/groth16/verifier.h"
#include "cuzk/r1cs/shape_recorder.h"
#include "cuzk/r1cs/witness_builder.h"

namespace cuzk::groth16 {
namespace {

/// The instruction set that CUZK_ISA names, as for the command.
Isa chosen_isa() {
  const char* const name = std::getenv("CUZK_ISA");
  return name == nullptr ? best_isa() : isa_from_name(name).value();
}

/// shapes/winning-2k.json of the reference.
constexpr std::size_t kInputs = 133;
constexpr std::size_t kAux = 91674;
constexpr std::size_t kConstraints = 90750;
constexpr std::size_t kInA = 69300;
constexpr std::size_t kInB = 66792;

/// Rows (sum of four a) (sum of four b) = a variable of its own; nine terms a row, as in the model. Which
/// variables may occur in A and B is spread evenly, and each of them does occur.
template <class CS>
void synthesize(CS& cs) {
  TestRandom rng(1);
  const auto random = [&] { return fr_from_words([&] { return rng.next(); }); };
  for (std::size_t i = 1; i < kInputs; ++i) (void)cs.alloc_input(random());
  constexpr std::size_t kFree = kAux - kConstraints;
  std::vector<Fr> values;
  std::vector<Variable> aux;
  std::vector<std::size_t> in_a;
  std::vector<std::size_t> in_b;
  const auto allocate = [&](const Fr& value) {
    const std::size_t i = aux.size();
    aux.push_back(cs.alloc(value));
    values.push_back(value);
    // The last variables are not used again, so they count for neither.
    constexpr std::size_t kUsable = kAux - 16;
    if (i < kUsable && (i + 1) * kInA / kUsable > i * kInA / kUsable) in_a.push_back(i);
    if (i < kUsable && (i + 1) * kInB / kUsable > i * kInB / kUsable) in_b.push_back(i);
  };
  for (std::size_t i = 0; i < kFree; ++i) allocate(random());
  std::size_t next_a = 0;
  std::size_t next_b = 0;
  for (std::size_t row = 0; row < kConstraints; ++row) {
    const auto pick = [&](const std::vector<std::size_t>& from, std::size_t& next) {
      std::vector<std::pair<std::size_t, Fr>> terms;
      for (int k = 0; k < 4; ++k) {
        const std::size_t i = k < 2 && next < from.size() ? from[next++] : from[rng.next() % from.size()];
        terms.emplace_back(
            i, rng.next() % 2 == 0 ? Fr::one() : Fr::from_u64(std::uint64_t{1} << (rng.next() % 64)));
      }
      return terms;
    };
    const auto a = pick(in_a, next_a);
    const auto b = pick(in_b, next_b);
    const auto value = [&](const std::vector<std::pair<std::size_t, Fr>>& terms) {
      Fr sum = Fr::zero();
      for (const auto& [i, k] : terms) sum += values[i] * k;
      return sum;
    };
    // The first row has ONE in B, the only input there.
    const Fr value_b = value(b) + (row == 0 ? Fr::one() : Fr::zero());
    // The free variables occur once in C, so that none is unconstrained.
    const bool with_free = row < kFree;
    allocate(value(a) * value_b - (with_free ? values[row] : Fr::zero()));
    const auto fill = [&](const std::vector<std::pair<std::size_t, Fr>>& terms) {
      return [&](LinearCombination& lc) {
        for (const auto& [i, k] : terms) lc.add(aux[i], k);
      };
    };
    cs.enforce(
        fill(a),
        [&](LinearCombination& lc) {
          fill(b)(lc);
          if (row == 0) lc.add(Variable::one());
        },
        [&](LinearCombination& lc) {
          lc.add(aux.back());
          if (with_free) lc.add(aux[row]);
        });
  }
}

/// The circuit, its parameter file and its key; made once.
struct Model {
  Model() {
    ShapeRecorder recorder;
    synthesize(recorder);
    shape = std::make_shared<const Shape>(std::move(recorder).finish());
    WitnessBuilder builder;
    synthesize(builder);
    witness = std::make_shared<const Witness>(std::move(builder).finish());
    CUZK_CHECK(shape->num_inputs() == kInputs && shape->num_aux() == kAux &&
               shape->num_constraints() == kConstraints);
    CUZK_CHECK(shape->a_aux_count() == kInA && shape->b_aux_count() == kInB && shape->b_input_count() == 1);
    CUZK_CHECK(shape->first_unsatisfied(pool, *witness) == kConstraints);
    toxic = random_toxic_waste().value();
    CUZK_CHECK(generate_parameters(pool, *shape, toxic, path).has_value());
    key = ProvingKey::load(pool, path, shape).value();
  }
  ~Model() { std::filesystem::remove(path); }

  void check(const Proof& proof) {
    CUZK_CHECK(PreparedVerifyingKey(key->vk())
                   .verify(pool, {std::span(witness->inputs).subspan(1), proof})
                   .has_value());
  }

  ThreadPool pool{0, chosen_isa()};
  std::string path = (std::filesystem::temp_directory_path() /
                      ("cuzk-prove-bench-" + std::to_string(::getpid()) + ".params"))
                         .string();
  std::shared_ptr<const Shape> shape;
  std::shared_ptr<const Witness> witness;
  std::shared_ptr<const ProvingKey> key;
  ToxicWaste toxic;
};
Model& model() {
  static Model m;
  return m;
}

void prove_random_winning_2k(benchmark::State& state) {
  Model& m = model();
  CpuProver prover(m.pool);
  const Fr r = random_fr().value();
  const Fr s = random_fr().value();
  Proof proof{};
  LaunchReport report;
  for (auto _ : state) proof = prove(prover, m.key, m.shape, m.witness, r, s, &report).value();
  m.check(proof);
  for (const LaunchStage& stage : report.stages)
    state.counters[stage.name] = std::chrono::duration<double>(stage.end - stage.begin).count();
}
BENCHMARK(prove_random_winning_2k)->Unit(benchmark::kMillisecond)->UseRealTime();

void setup_random_winning_2k(benchmark::State& state) {
  Model& m = model();
  const std::string path = m.path + ".again";
  Bytes32 digest{};
  for (auto _ : state) digest = generate_parameters(m.pool, *m.shape, m.toxic, path).value().digests.sha256;
  CUZK_CHECK(digest == digest_file(m.pool, PositionedFile::open(m.path).value()).value().sha256);
  std::filesystem::remove(path);
}
BENCHMARK(setup_random_winning_2k)->Unit(benchmark::kMillisecond)->UseRealTime();

void load_key_random_winning_2k(benchmark::State& state) {
  Model& m = model();
  for (auto _ : state) benchmark::DoNotOptimize(ProvingKey::load(m.pool, m.path, m.shape).value());
}
BENCHMARK(load_key_random_winning_2k)->Unit(benchmark::kMillisecond)->UseRealTime();

void verify_one(benchmark::State& state) {
  Model& m = model();
  CpuProver prover(m.pool);
  const Proof proof =
      prove(prover, m.key, m.shape, m.witness, random_fr().value(), random_fr().value()).value();
  const PreparedVerifyingKey vk(m.key->vk());
  bool ok = true;
  for (auto _ : state)
    ok = ok && vk.verify(m.pool, {std::span(m.witness->inputs).subspan(1), proof}).has_value();
  CUZK_CHECK(ok);
}
BENCHMARK(verify_one)->Unit(benchmark::kMillisecond)->UseRealTime();

/// Highest anonymous memory of the process (RssAnon) while it lives, looked at every few milliseconds.
class PeakMemory {
 public:
  PeakMemory() : watcher_([this] { watch(); }) {}
  ~PeakMemory() { stop(); }
  double stop_and_get_gib() {
    stop();
    return static_cast<double>(peak_kib_) / (1 << 20);
  }

 private:
  void stop() {
    stop_ = true;
    if (watcher_.joinable()) watcher_.join();
  }
  void watch() {
    while (!stop_) {
      std::ifstream status("/proc/self/status");
      for (std::string line; std::getline(status, line);)
        if (line.rfind("RssAnon:", 0) == 0) peak_kib_ = std::max(peak_kib_, std::atol(line.c_str() + 8));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  std::atomic<bool> stop_{false};
  long peak_kib_ = 0;
  std::thread watcher_;
};

struct Porep2k {
  Porep2k() {
    const porep::C1Output c1 = porep::read_c1_file(CUZK_BENCH_C1).value().output;
    ShapeRecorder recorder;
    porep::synthesize(recorder, porep::PartitionInput::blank(*c1.config.sector));
    shape = std::make_shared<const Shape>(std::move(recorder).finish());
    input = porep::partition_input(c1, 0).value();
    CUZK_CHECK(generate_parameters(pool, *shape, random_toxic_waste().value(), path).has_value());
    key = ProvingKey::load(pool, path, shape).value();
  }
  ~Porep2k() { std::filesystem::remove(path); }

  static std::filesystem::path folder() {
    const char* dir = std::getenv("CUZK_BENCH_DIR");
    return dir != nullptr ? std::filesystem::path(dir) : std::filesystem::temp_directory_path();
  }

  ThreadPool pool{0, chosen_isa()};
  std::string path =
      (folder() / ("cuzk-prove-bench-porep-" + std::to_string(::getpid()) + ".params")).string();
  std::shared_ptr<const Shape> shape;
  porep::PartitionInput input;
  std::shared_ptr<const ProvingKey> key;
};
Porep2k& porep_2k() {
  static Porep2k p;
  return p;
}

/// From the circuit's input values and an open key to the 192 bytes. The witness is made by the circuit's own
/// code.
void prove_porep_2k(benchmark::State& state) {
  Porep2k& p = porep_2k();
  CpuProver prover(p.pool);
  const Fr r = random_fr().value();
  const Fr s = random_fr().value();
  ProofBytes bytes{};
  LaunchReport report;
  std::shared_ptr<const Witness> witness;
  double witness_seconds = 0;
  PeakMemory memory;
  for (auto _ : state) {
    const ProverClock::time_point begin = ProverClock::now();
    WitnessBuilder builder(p.shape->num_bits(), p.shape->num_wide());
    porep::synthesize(builder, p.input);
    witness = std::make_shared<const Witness>(std::move(builder).finish());
    witness_seconds = std::chrono::duration<double>(ProverClock::now() - begin).count();
    bytes = encode_proof(prove(prover, p.key, p.shape, witness, r, s, &report).value());
  }
  state.counters["RssAnon_GiB"] = memory.stop_and_get_gib();
  state.counters["witness"] = witness_seconds;
  for (const LaunchStage& stage : report.stages)
    state.counters[stage.name] = std::chrono::duration<double>(stage.end - stage.begin).count();
  CUZK_CHECK(PreparedVerifyingKey(p.key->vk())
                 .verify(p.pool, {std::span(witness->inputs).subspan(1), decode_proof(bytes).value()})
                 .has_value());
}
BENCHMARK(prove_porep_2k)->Unit(benchmark::kMillisecond)->UseRealTime();

void load_key_porep_2k(benchmark::State& state) {
  Porep2k& p = porep_2k();
  for (auto _ : state) benchmark::DoNotOptimize(ProvingKey::load(p.pool, p.path, p.shape).value());
}
BENCHMARK(load_key_porep_2k)->Unit(benchmark::kMillisecond)->UseRealTime();

void setup_porep_2k(benchmark::State& state) {
  Porep2k& p = porep_2k();
  const ToxicWaste toxic = random_toxic_waste().value();
  const std::string path = p.path + ".again";
  Result<SetupResult> result = Error{};
  for (auto _ : state) result = generate_parameters(p.pool, *p.shape, toxic, path);
  CUZK_CHECK(result.has_value() && ProvingKey::load(p.pool, path, p.shape).has_value());
  std::filesystem::remove(path);
}
BENCHMARK(setup_porep_2k)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);

}  // namespace
}  // namespace cuzk::groth16

BENCHMARK_MAIN();
