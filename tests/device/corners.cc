// What small circuits and other users of a device could do to a proof: no variable of a kind, r and s of 0, 1
// and -1, keys that come and go beside launches, two contexts of one device.
#include <atomic>
#include <chrono>
#include <thread>

#include "prover_bench.h"

namespace cuzk::device_test {
namespace {

using cuda::CudaProver;
using cuda::CudaProverOptions;
using cuda::Residency;

/// The proof's bytes, or the words of the error. With r = s = 0 a tiny circuit's C may be infinity, which no
/// reader takes: both provers must say so.
std::string outcome(groth16::Prover& prover, const Case& c, const Fr& r, const Fr& s) {
  const auto proof = groth16::prove(prover, c.key, c.shape, c.witness, r, s);
  if (!proof) return proof.error().message;
  const auto bytes = groth16::encode_proof(*proof);
  return {bytes.begin(), bytes.end()};
}

void check_tiny(Bench& bench) {
  const Fr ends[] = {Fr::zero(), Fr::one(), -Fr::one()};
  std::size_t proofs = 0;
  for (const std::size_t rows : {1, 2, 3, 4, 8, 9, 33, 127})
    for (const unsigned bits : {0U, 80U, 100U}) {
      const Case c = bench.make({rows - 1, 1, bits, 50, 3}, 100 + rows);
      std::vector<std::string> want;
      for (const Fr& r : ends)
        for (const Fr& s : ends) want.push_back(outcome(bench.cpu, c, r, s));
      bool right = true;
      const auto prove_with = [&](const CudaProverOptions& options) {
        auto context = require(cuda::Context::create({0, std::uint64_t{1} << 32}));
        context->poison(true);
        CudaProver prover(*context, bench.pool, options);
        std::size_t at = 0;
        for (const Fr& r : ends)
          for (const Fr& s : ends) {
            const std::string got = outcome(prover, c, r, s);
            if (got.size() != groth16::kProofBytes && got != want[at]) std::printf("%s\n", got.c_str());
            right = right && got == want[at];
            proofs += got.size() == groth16::kProofBytes ? 1 : 0;
            ++at;
          }
        prover.drop(c.key);
        right = right && context->bytes_in_use() == 0;
      };
      for (const unsigned multiples : {1U, 2U, 16U, 0U}) prove_with({.multiples = multiples});
      for (unsigned arrays = c.shape->domain_log_size() < 3 ? 3 : 1; arrays <= 3; ++arrays)
        prove_with({.residency = Residency::streamed, .arrays = arrays});
      bench.report.line(
          std::to_string(rows) + " rows, " + std::to_string(bits) + " % bits: r and s of 0, 1 and -1", right);
    }
  bench.report.line(std::to_string(proofs) + " of these are proofs", proofs > 1000);
}

/// Two threads prove with three keys, of which not all have room at a time; another one holds, drops and
/// asks.
void check_keys(Bench& bench, bool streamed, unsigned seconds) {
  const Case cases[] = {bench.make({32000, 3}, 201), bench.make({31000, 2}, 202), bench.make({3000, 2}, 203)};
  const Fr r = Fr::from_u64(3);
  std::vector<groth16::Proof> want;
  std::uint64_t resident = 0;
  std::uint64_t least = 0;
  for (const Case& c : cases) {
    want.push_back(bench.on_cpu(c, r, r));
    const cuda::KeyCounts counts = cuda::key_counts(*c.shape);
    resident = std::max(resident, cuda::plan_prover(counts).needed_bytes());
    least = std::max(least, least_limit(counts));
  }
  auto context = require(cuda::Context::create({0, streamed ? (least + resident) / 2 : resident}));
  context->poison(true);
  CudaProver prover(*context, bench.pool);
  std::atomic<bool> stop{false};
  std::atomic<int> proofs{0};
  std::atomic<int> holds{0};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned w = 0; w < 2; ++w)
    threads.emplace_back([&, w] {
      for (unsigned i = w; !stop; ++i) {
        const unsigned which = i * (w + 1) % 3;
        const Case& c = cases[which];
        const auto proof = groth16::prove(prover, c.key, c.shape, c.witness, r, r);
        if (!proof && wrong < 3) std::printf("%s\n", proof.error().message.c_str());
        if (!proof || !same(*proof, want[which])) ++wrong;
        ++proofs;
      }
    });
  threads.emplace_back([&] {
    for (unsigned i = 0; !stop; ++i) {
      const Case& c = cases[i % 3];
      if (i % 2 == 0) {
        const auto held = prover.hold(c.key);
        if (!held && wrong++ < 3) std::printf("%s\n", held.error().message.c_str());
        ++holds;
      } else {
        prover.drop(c.key);
      }
      (void)prover.keys();
      (void)prover.kept_bytes();
      (void)prover.plan(*c.key);
    }
  });
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  stop = true;
  for (std::thread& t : threads) t.join();
  for (const Case& c : cases) prover.drop(c.key);
  std::printf("%d proofs, %d keys held\n", proofs.load(), holds.load());
  bench.report.line(std::string("keys come and go beside launches, ") + (streamed ? "streamed" : "resident"),
                    wrong == 0 && proofs > 10 && holds > 1);
  bench.report.line("  nothing is left of them, the limit held",
                    context->bytes_in_use() == 0 && pool_memory(*context).in_use == 0 &&
                        prover.kept_bytes() == 0 && limit_held(*context));
}

/// Each with its prover and its thread, and transforms with blocks of different sizes.
void check_contexts(Bench& bench, unsigned seconds) {
  const Case cases[] = {bench.make({60000, 3}, 301), bench.make({3000, 3}, 302)};
  const Fr r = Fr::from_u64(3);
  const groth16::Proof want[] = {bench.on_cpu(cases[0], r, r), bench.on_cpu(cases[1], r, r)};
  std::atomic<int> right{0};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  for (unsigned w = 0; w < 2; ++w)
    threads.emplace_back([&, w] {
      auto context = require(cuda::Context::create({0, std::uint64_t{2} << 30}));
      ThreadPool pool(2);
      CudaProverOptions options;
      if (w == 1) options.arrays = 2;
      CudaProver prover(*context, pool, options);
      for (unsigned i = 0; wrong == 0 && std::chrono::steady_clock::now() < end; ++i) {
        const Case& c = cases[i % 2];
        const auto proof = groth16::prove(prover, c.key, c.shape, c.witness, r, r);
        if (!proof) std::printf("%s\n", proof.error().message.c_str());
        ++(proof && same(*proof, want[i % 2]) ? right : wrong);
      }
    });
  for (std::thread& t : threads) t.join();
  std::printf("%d proofs\n", right.load());
  bench.report.line("two contexts of a device, two threads: the right proofs", wrong == 0 && right > 10);
}

}  // namespace

void check_corners(Bench& bench, unsigned seconds) {
  check_tiny(bench);
  check_keys(bench, false, seconds);
  check_keys(bench, true, seconds);
  check_contexts(bench, seconds);
}

}  // namespace cuzk::device_test
