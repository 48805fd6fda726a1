#include "launch_series.h"

#include <algorithm>
#include <map>
#include <vector>

#include "cuzk/base/hex.h"
#include "cuzk/groth16/cpu_prover.h"
#include "cuzk/groth16/proving_key.h"
#include "cuzk/groth16/verifier.h"

namespace cuzk::bench {
namespace {

double ms(groth16::ProverClock::time_point from, groth16::ProverClock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return (times[(times.size() - 1) / 2] + times[times.size() / 2]) / 2;
}

/// The times of all launches by stage, in the order of the first.
class StageTable {
 public:
  void add(const std::vector<groth16::LaunchStage>& stages) {
    for (const groth16::LaunchStage& stage : stages) {
      if (!times_.contains(stage.name)) order_.emplace_back(stage.name);
      std::vector<double>& times = times_[stage.name];
      if (times.size() <= launches_) times.push_back(0);
      times[launches_] += ms(stage.begin, stage.end);
    }
    ++launches_;
  }
  void print() const {
    double sum = 0, bits = 0, tails = 0;
    for (const std::string& name : order_) {
      const double time = median(times_.at(name));
      std::printf(" %s %.2f", name.c_str(), time);
      sum += time;
      if (name.ends_with("_bits")) bits += time;
      if (name.ends_with("_wide")) tails += time;
    }
    std::printf("; stages %.2f ms", sum);
    if (bits + tails != 0) std::printf(", of them sums over bits %.2f, wide tails %.2f", bits, tails);
    std::printf("\n");
  }

 private:
  std::size_t launches_ = 0;
  std::map<std::string, std::vector<double>> times_;
  std::vector<std::string> order_;
};

}  // namespace

Fr secret(std::uint64_t i) {
  return Fr::from_u64(0x9e3779b97f4a7c15 * i) * -Fr::from_u64(0x123456789abcdef);
}

groth16::ProofBytes run_launches(ThreadPool& pool, groth16::Prover& prover, cuda::Context* context,
                                 const LaunchSeries& series, device_test::Report& report) {
  const std::shared_ptr<const groth16::ProvingKey>& key = series.key;
  const groth16::PreparedVerifyingKey vk(key->vk());
  std::optional<groth16::ProofBytes> first;
  StageTable stages;
  std::vector<double> prepares, held;
  bool verified = true, same = true;
  for (unsigned i = 0; i < series.launches; ++i) {
    if (context != nullptr) context->reset_peak();
    const auto begin = groth16::ProverClock::now();
    std::vector<groth16::Prepared> batch;
    batch.push_back(require(prover.prepare(key, key->shape(), series.witness, secret(6), secret(7))));
    const auto prepared = groth16::ProverClock::now();
    groth16::Pending pending = require(prover.launch(batch));
    const groth16::LaunchReport launch = pending.report();
    const auto launched = groth16::ProverClock::now();
    const groth16::Proof proof = require(prover.finish(std::move(pending))).at(0);
    const auto finished = groth16::ProverClock::now();
    if (!vk.verify(pool, {std::span(series.witness->inputs).subspan(1), proof})) verified = false;
    const auto end = groth16::ProverClock::now();
    prepares.push_back(ms(begin, prepared));
    held.push_back(ms(launch.lock_acquired, launch.lock_released));
    stages.add(launch.stages);
    const groth16::ProofBytes bytes = groth16::encode_proof(proof);
    if (!first) first = bytes;
    same &= bytes == *first;
    std::printf(
        "  launch: prepare %.2f, launch %.2f, lock held %.2f, finish %.2f, verify %.2f ms, peak %.3f GB, "
        "proof %s\n",
        prepares.back(), ms(prepared, launched), held.back(), ms(launched, finished), ms(finished, end),
        context == nullptr ? 0 : static_cast<double>(context->peak_bytes()) / 1e9,
        to_hex(ByteSpan(bytes).first(12)).c_str());
    if (i != 0 || !series.compare || context == nullptr) continue;
    groth16::CpuProver cpu(pool);
    const auto expected =
        require(groth16::prove(cpu, key, key->shape(), series.witness, secret(6), secret(7)));
    report.line("the proof is the CPU's, byte for byte", groth16::encode_proof(expected) == bytes);
  }
  std::printf("  median of %zu: prepare %.2f, lock held %.2f ms;", held.size(), median(prepares),
              median(held));
  stages.print();
  report.line("  every proof verifies", verified);
  report.line("  every launch gives the same proof", same);
  return *first;
}

}  // namespace cuzk::bench
