// Proofs with keys that are streamed, all of them or in part, against the CPU's.
#include <algorithm>
#include <atomic>
#include <thread>

#include "prover_bench.h"

namespace cuzk::device_test {
namespace {

using cuda::CudaProver;
using cuda::CudaProverOptions;
using cuda::ProverPlan;
using cuda::Residency;

/// Holds the key under a limit and proves twice: the same bytes, memory as planned and given back.
void expect_proof(Bench& bench, const Case& c, const std::string& what, std::uint64_t limit,
                  const CudaProverOptions& options, const Fr& r, const groth16::Proof& want) {
  auto context = require(cuda::Context::create({0, limit}));
  context->poison(true);
  CudaProver prover(*context, bench.pool, options);
  const ProverPlan plan = require(prover.plan(*c.key));
  bool exact = plan.needed_bytes() <= context->vram_limit();
  const auto held = prover.hold(c.key);
  if (!held) std::printf("%s\n", held.error().message.c_str());
  exact = exact && context->bytes_in_use() == plan.resident_bytes();
  const std::uint64_t of_driver = pool_memory(*context).in_use;
  exact = exact && of_driver >= plan.resident_bytes();
  bool equal = held.has_value();
  bool ordered = true;
  for (int i = 0; i < 2 && equal; ++i) {
    groth16::LaunchReport report;
    const auto proof = groth16::prove(prover, c.key, c.shape, c.witness, r, r, &report);
    if (!proof) std::printf("%s\n%s", proof.error().message.c_str(), plan.text().c_str());
    equal = proof && same(*proof, want);
    ordered = ordered && (!proof || in_order(report));
    exact = exact && context->bytes_in_use() == plan.resident_bytes() &&
            pool_memory(*context).in_use == of_driver;
  }
  prover.drop(c.key);
  exact = exact && context->bytes_in_use() == 0 && pool_memory(*context).in_use == 0 && limit_held(*context);
  bench.report.line(what + ": bytes of the CPU's proof", equal);
  bench.report.line(what + ": memory as planned, stages in order", exact && ordered);
}

/// Every way to stream that there is.
void check_circuit(Bench& bench, const Case& c, const std::string& what) {
  const Fr r = -Fr::from_u64(27134);
  const groth16::Proof want = bench.on_cpu(c, r, r);
  const cuda::KeyCounts counts = cuda::key_counts(*c.shape);
  for (const unsigned arrays : {3U, 2U, 1U}) {
    if (arrays < 3 && counts.domain_log_size < 3) continue;
    CudaProverOptions options;
    options.residency = Residency::streamed;
    options.arrays = arrays;
    options.piece = arrays == 3 ? 0 : arrays == 2 ? cuda::kLeastPiece : 2 * cuda::kLeastPiece;
    expect_proof(bench, c, what + ", " + std::to_string(arrays) + " arrays", 0, options, r, want);
  }
  // The least that is enough, a byte less than what all of it takes, and between.
  const std::uint64_t least = least_limit(counts);
  const std::uint64_t full = cuda::plan_prover(counts).needed_bytes();
  bench.report.line(what + ": a limit of one byte says what is needed", least > 0);
  std::vector<std::uint64_t> limits{least};
  if (full > least + 2)
    for (const std::uint64_t limit : {least + (full - least) / 3, least + (full - least) * 2 / 3, full - 1})
      limits.push_back(limit);
  for (const std::uint64_t limit : limits)
    expect_proof(bench, c, what + ", limit " + std::to_string(limit), limit, {}, r, want);
  auto context = require(cuda::Context::create({0, least - 1}));
  CudaProver prover(*context, bench.pool);
  const auto refused = groth16::prove(prover, c.key, c.shape, c.witness, r, r);
  bench.report.line(
      what + ": a byte less is refused, and nothing taken",
      !refused && refused.error().code == ErrorCode::kIo &&
          refused.error().message.find(std::to_string(least) + " bytes needed") != std::string::npos &&
          context->bytes_in_use() == 0 && context->fault() == cuda::Fault::none);
}

/// Circuits of one launch, each with its witness, share the pieces, as many at a time as there is memory for.
/// In how many groups that was.
std::ptrdiff_t check_batch(Bench& bench, const Case& c, const std::vector<groth16::Proof>& want,
                           std::uint64_t limit, const CudaProverOptions& options, const std::string& what) {
  auto context = require(cuda::Context::create({0, limit}));
  context->poison(true);
  CudaProver prover(*context, bench.pool, options);
  std::vector<groth16::Prepared> batch;
  for (std::uint64_t i = 0; i < want.size(); ++i)
    batch.push_back(require(prover.prepare(c.key, c.shape, c.nth(i), Fr::from_u64(i), -Fr::from_u64(i))));
  double last = 0;
  bool ascends = true;
  groth16::LaunchOptions launch;
  launch.progress = [&](double fraction) {
    ascends = ascends && fraction > last;
    last = fraction;
  };
  auto pending = require(prover.launch(batch, launch));
  const groth16::LaunchReport& report = pending.report();
  const bool ordered = in_order(report);
  // A witness is uploaded for each quotient, and those of a group together.
  const auto uploads = std::count_if(report.stages.begin(), report.stages.end(),
                                     [](const auto& stage) { return stage.name == std::string("witness"); });
  const std::ptrdiff_t groups = uploads - static_cast<std::ptrdiff_t>(want.size());
  const auto proofs = require(prover.finish(std::move(pending)));
  bool equal = proofs.size() == want.size();
  for (std::size_t i = 0; equal && i < proofs.size(); ++i) equal = same(proofs[i], want[i]);
  bench.report.line(
      "batch of five, " + what + ", groups: " + std::to_string(groups) + ": the right proofs, in order",
      equal);
  bench.report.line("  progress ascends to one, stages in order", ascends && last == 1 && ordered);
  return groups;
}

/// Whether there were launches in one group and in several.
bool check_batches(Bench& bench, const Case& c) {
  std::vector<groth16::Proof> want;
  bool differ = true;
  for (std::uint64_t i = 0; i < 5; ++i) {
    want.push_back(bench.on_cpu(c, Fr::from_u64(i), -Fr::from_u64(i), i));
    differ =
        differ && (i == 0 || c.nth(i)->bits != c.nth(i - 1)->bits || c.nth(i)->wide != c.nth(i - 1)->wide);
  }
  bench.report.line("batch of five: the witnesses differ", differ);
  const cuda::KeyCounts counts = cuda::key_counts(*c.shape);
  (void)check_batch(bench, c, want, cuda::plan_prover(counts).needed_bytes() - 1, {},
                    "part of the key resident");
  bool one = false;
  bool several = false;
  for (const unsigned arrays : {3U, 2U, 1U}) {
    CudaProverOptions options;
    options.residency = Residency::streamed;
    options.arrays = arrays;
    options.piece = cuda::kLeastPiece;
    const std::string what = std::to_string(arrays) + " arrays, ";
    one = check_batch(bench, c, want, 0, options, what + "no limit") == 1 || one;
    const ProverPlan plan =
        require(cuda::plan_prover(counts, {UINT64_MAX, Residency::streamed, arrays, options.piece}));
    for (const std::uint64_t more : {0, 2})
      several = check_batch(bench, c, want, plan.needed_bytes() + more * 2 * plan.witness, options,
                            what + std::to_string(more) + " witnesses more than needed") > 1 ||
                several;
  }
  return one && several;
}

/// Memory that somebody else takes after hold: the launch fails wherever it is, and leaves nothing.
void check_exhaustion(Bench& bench, const Case& c) {
  const Fr r = Fr::from_u64(9);
  const groth16::Proof want = bench.on_cpu(c, r, r);
  for (const unsigned arrays : {3U, 2U, 1U}) {
    CudaProverOptions options;
    options.residency = Residency::streamed;
    options.arrays = arrays;
    options.piece = cuda::kLeastPiece;
    const ProverPlan plan = require(cuda::plan_prover(
        cuda::key_counts(*c.shape), {UINT64_MAX, Residency::streamed, arrays, options.piece}));
    auto context = require(cuda::Context::create({0, plan.needed_bytes()}));
    CudaProver prover(*context, bench.pool, options);
    require(prover.hold(c.key));
    std::vector<groth16::Prepared> batch;
    batch.push_back(require(prover.prepare(c.key, c.shape, c.witness, r, r)));
    const std::uint64_t held = context->bytes_in_use();
    bool clean = true;
    int failed = 0;
    constexpr std::uint64_t kSteps = 24;
    const std::uint64_t free = context->vram_limit() - held;
    for (std::uint64_t i = 0; i < kSteps; ++i) {
      const std::uint64_t left = free / kSteps * i;
      const cuda::DeviceMemory taken = require(
          context->allocate((free - left) / cuda::Context::kGranule * cuda::Context::kGranule, "test"));
      const auto result = prover.launch(batch);
      if (result) break;  // sums make do with less than the plan keeps for them
      ++failed;
      clean = clean && result.error().code == ErrorCode::kIo &&
              result.error().message.find("out of memory") != std::string::npos &&
              result.error().message.find("device 0") != std::string::npos &&
              context->bytes_in_use() == held + taken.bytes() && context->fault() == cuda::Fault::none;
      if (!clean) std::printf("%s\n", result.error().message.c_str());
    }
    const auto proof = groth16::prove(prover, c.key, c.shape, c.witness, r, r);
    bench.report.line("exhausted at " + std::to_string(failed) + " places, " + std::to_string(arrays) +
                          " arrays: says so, keeps nothing, and proves afterwards",
                      clean && failed > 0 && proof && same(*proof, want) && context->bytes_in_use() == held);
  }
}

void check_threads(Bench& bench, const Case& one, const Case& two) {
  auto context = require(cuda::Context::create());
  CudaProverOptions options;
  options.residency = Residency::streamed;
  options.arrays = 2;
  CudaProver prover(*context, bench.pool, options);
  bench.report.line("two threads, two streamed keys", two_threads_prove(bench, prover, one, two, 6));
}

}  // namespace

void check_small(Bench& bench, unsigned log_size) {
  const Case c = bench.make({(std::size_t{1} << log_size) - 2, 2}, 41, 1);
  const Fr r = -Fr::from_u64(5);
  const groth16::Proof want[] = {bench.on_cpu(c, r, r), bench.on_cpu(c, r, r, 1)};
  const auto proves = [&](CudaProver& prover, std::size_t circuits) {
    std::vector<groth16::Prepared> batch;
    for (std::size_t i = 0; i < circuits; ++i)
      batch.push_back(require(prover.prepare(c.key, c.shape, c.nth(i), r, r)));
    auto pending = prover.launch(batch);
    if (!pending) std::printf("%s\n", pending.error().message.c_str());
    if (!pending) return false;
    const auto proofs = require(prover.finish(std::move(*pending)));
    return proofs.size() == circuits && std::equal(proofs.begin(), proofs.end(), std::begin(want),
                                                   [](const auto& a, const auto& b) { return same(a, b); });
  };
  bench.report.line("small: the witnesses differ", !same(want[0], want[1]));
  for (const unsigned arrays : {0U, 3U, 2U, 1U}) {
    auto context = require(cuda::Context::create());
    CudaProverOptions options;
    options.arrays = arrays;
    if (arrays != 0) options.residency = Residency::streamed;
    CudaProver prover(*context, bench.pool, options);
    bench.report.line(
        arrays == 0 ? "small, resident" : "small, " + std::to_string(arrays) + " arrays, two circuits",
        proves(prover, arrays == 0 ? 1 : 2));
  }
  {
    auto context = require(cuda::Context::create());
    CudaProver prover(*context, bench.pool, {.multiples = 3, .pairs = true});
    bench.report.line("small, multiples of h and sums of pairs", proves(prover, 1) &&
                                                                     prover.keys().front().h_multiples == 3 &&
                                                                     prover.keys().front().pair_sums != 0);
  }
  auto context = require(cuda::Context::create());
  CudaProver prover(*context, bench.pool);
  std::atomic<int> right{0};
  std::vector<std::thread> workers;
  for (int w = 0; w < 2; ++w) workers.emplace_back([&] { right += proves(prover, 1) ? 1 : 0; });
  for (std::thread& worker : workers) worker.join();
  bench.report.line("small, two threads, no lock", right == 2);
}

void check_streamed(Bench& bench, unsigned largest) {
  const auto check = [&](const RandomCircuit::Options& o, const std::string& kind) {
    check_circuit(bench, bench.make(o, 31 + o.constraints),
                  std::to_string(o.constraints) + " + " + std::to_string(o.inputs) + " rows, " + kind);
  };
  check({0, 1}, "no constraint");
  check({1, 1, 0}, "one product");
  check({6, 2}, "mixed");
  const std::size_t n = std::size_t{1} << largest;
  for (const std::size_t rows : {n - 1, n, n + 1}) check({rows - 2, 2}, "mixed");
  check({n - 3, 3, 0}, "wide only");
  check({n - 3, 3, 100, 100}, "bits, all one");
  const std::size_t small = std::size_t{1} << std::min(largest, 12U);
  check({small - 3, 3, 100, 0}, "bits, all zero");
  check({small - 3, 3, 0, 50, 2}, "wide, many long sums");
  check({50, small, 50}, "inputs above all");
  for (unsigned log_size = 4; log_size < largest; log_size += 3)
    check({(std::size_t{1} << log_size) + 1 - 2, 2}, "mixed");

  const Case c = bench.make({n - 2, 2}, 77, 4);
  (void)check_batches(bench, c);
  bench.report.line("batches of five, in one group and in several",
                    check_batches(bench, bench.make({4094, 2}, 79, 4)));
  CudaProverOptions ordinary;
  ordinary.residency = Residency::streamed;
  ordinary.pinned = std::make_shared<cuda::PinnedBudget>(1);
  const Fr r = Fr::from_u64(8);
  expect_proof(bench, c, "host memory that is not page-locked", 0, ordinary, r, bench.on_cpu(c, r, r));
  check_exhaustion(bench, c);
  check_threads(bench, c, bench.make({3000, 3}, 78));
}

}  // namespace cuzk::device_test
