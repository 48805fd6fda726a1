#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cuzk/cuda/cuda_prover.h"
#include "cuzk/groth16/cpu_prover.h"
#include "cuzk/groth16/setup.h"
#include "cuzk/groth16/verifier.h"
#include "device_check.h"
#include "random_circuit.h"

namespace cuzk::device_test {

/// A circuit with its key. Its parameter file goes with it.
struct Case {
  std::shared_ptr<const Shape> shape;
  std::shared_ptr<const Witness> witness;
  std::shared_ptr<const groth16::ProvingKey> key;
  /// Other witnesses of the shape, so that circuits of one launch are not all the same.
  std::vector<std::shared_ptr<const Witness>> others = {};

  /// 0: `witness`, then those of `others`.
  [[nodiscard]] const std::shared_ptr<const Witness>& nth(std::size_t i) const {
    return i == 0 ? witness : others.at(i - 1);
  }
};

struct Bench {
  ThreadPool pool;
  std::string folder;
  Report report;
  groth16::CpuProver cpu{pool};

  Case make(std::shared_ptr<const Shape> shape, std::shared_ptr<const Witness> witness,
            const groth16::ToxicWaste& toxic) {
    const std::string path = folder + "/cuzk_device_" + std::to_string(getpid()) + ".params";
    const auto setup = require(groth16::generate_parameters(pool, *shape, toxic, path));
    (void)setup;
    Case c{.shape = std::move(shape), .witness = std::move(witness), .key = nullptr};
    c.key = require(groth16::ProvingKey::load(pool, path, c.shape));
    std::remove(path.c_str());  // the key keeps the file open
    return c;
  }
  Case make(const RandomCircuit::Options& options, std::uint64_t seed, std::size_t others = 0) {
    const RandomCircuit circuit(options, seed);
    const auto secret = [&](std::uint64_t i) {
      return Fr::from_u64(0x9e3779b97f4a7c15 * (seed + i)) * kBlind;
    };
    Case c =
        make(circuit.shape(), circuit.witness(), {secret(1), secret(2), secret(3), secret(4), secret(5)});
    for (std::size_t i = 1; i <= others; ++i) c.others.push_back(circuit.witness(seed + 1000 * i));
    return c;
  }
  /// With the n-th witness.
  groth16::Proof on_cpu(const Case& c, const Fr& r, const Fr& s, std::size_t n = 0) {
    return require(groth16::prove(cpu, c.key, c.shape, c.nth(n), r, s));
  }
  bool verifies(const Case& c, const groth16::Proof& proof) {
    const groth16::PreparedVerifyingKey vk(c.key->vk());
    return vk.verify(pool, {std::span(c.witness->inputs).subspan(1), proof}).has_value();
  }

  const Fr kBlind = -Fr::from_u64(0x123456789abcdef);
};

inline bool same(const groth16::Proof& a, const groth16::Proof& b) {
  return groth16::encode_proof(a) == groth16::encode_proof(b);
}

/// Whether stages follow one another inside the time of the lock.
inline bool in_order(const groth16::LaunchReport& report) {
  groth16::ProverClock::time_point at = report.lock_acquired;
  for (const auto& stage : report.stages) {
    if (stage.begin < at || stage.end < stage.begin) return false;
    at = stage.end;
  }
  return !report.stages.empty() && report.lock_wait <= report.lock_acquired && at <= report.lock_released;
}

inline double milliseconds(groth16::ProverClock::duration d) {
  return std::chrono::duration<double, std::milli>(d).count();
}
inline void print_stages(const groth16::LaunchReport& report, const cuda::Context& context) {
  std::printf("launch %.2f ms, peak %llu bytes:", milliseconds(report.lock_released - report.lock_acquired),
              static_cast<unsigned long long>(context.peak_bytes()));
  for (const auto& stage : report.stages)
    std::printf(" %s %.2f", stage.name, milliseconds(stage.end - stage.begin));
  std::printf("\n");
}

/// The least limit of device memory that a circuit has a plan for; 0 when the refusal does not say.
inline std::uint64_t least_limit(const cuda::KeyCounts& counts) {
  const auto tight = cuda::plan_prover(counts, {1, cuda::Residency::automatic, 0, 0});
  const std::string message = tight ? "" : tight.error().message;
  const std::string mark = "out of memory: ";
  const std::size_t at = message.find(mark);
  return at == std::string::npos ? 0 : std::strtoull(message.c_str() + at + mark.size(), nullptr, 10);
}

/// Two host threads on one prover, each proving one circuit and the other in turn, `rounds` times: whether
/// all proofs are right.
inline bool two_threads_prove(Bench& bench, cuda::CudaProver& prover, const Case& one, const Case& two,
                              int rounds, const groth16::LaunchOptions& options = {}) {
  const Fr r = -Fr::from_u64(3);
  const Fr s = -Fr::from_u64(4);
  const groth16::Proof want[] = {bench.on_cpu(one, r, s), bench.on_cpu(two, r, s)};
  std::atomic<int> right{0};
  std::vector<std::thread> workers;
  for (int w = 0; w < 2; ++w)
    workers.emplace_back([&, w] {
      for (int i = 0; i < rounds; ++i) {
        const bool first = (i + w) % 2 == 0;
        const Case& c = first ? one : two;
        const auto proof = groth16::prove(prover, c.key, c.shape, c.witness, r, s, nullptr, options);
        if (proof && same(*proof, want[first ? 0 : 1])) ++right;
      }
    });
  for (std::thread& worker : workers) worker.join();
  return right == 2 * rounds;
}

/// Tiny circuits with r and s of 0, 1 and -1, keys that come and go beside launches, and two contexts of a
/// device, the last two for `seconds` each (corners.cc).
void check_corners(Bench& bench, unsigned seconds);
/// Streamed keys (streamed.cc): circuits with domains up to 2^largest.
void check_streamed(Bench& bench, unsigned largest);
/// Every way to stream, batches and two threads in a few launches, with a domain of 2^log_size, memory as it
/// comes: for compute-sanitizer, whose initcheck would take the filling of memory for its initialisation.
void check_small(Bench& bench, unsigned log_size);
/// Whether check_circuits knows it.
bool is_circuit(const std::string& name);
/// The reference's circuits with sectors of 2 KiB, all of them or those that are named (porep-2k, winning-2k,
/// window-2k, update-2k), under caps and without (circuits.cc). Run in the root of the repository.
void check_circuits(Bench& bench, const std::vector<std::string>& names);

}  // namespace cuzk::device_test
