// Proofs of CudaProver against those of CpuProver, byte for byte, and what a prover promises beside.
// Where the program was built with the tests' libraries it proves the circuits of tests/data/groth16/toy as
// well; it is then run in the root of the repository.
#include <algorithm>
#include <cstdio>

#include "cuzk/cuda/internal/bit_selection.h"
#include "cuzk/cuda/internal/device_bits.h"
#include "cuzk/cuda/point_maker.h"
#include "cuzk/groth16/proving_key_bases.h"
#include "prover_bench.h"
#if CUZK_DEVICE_TOYS
#include "cuzk/groth16/test_support.h"
#endif

namespace {

using namespace cuzk;
using device_test::Bench;
using device_test::Case;
using device_test::in_order;
using device_test::limit_held;
using device_test::pool_memory;
using device_test::RandomCircuit;
using device_test::require;
using device_test::same;
using device_test::two_threads_prove;

/// One circuit: same bytes, a proof that verifies, no byte of memory kept.
void check_circuit(Bench& bench, cuda::Context& context, const Case& c, const std::string& what, const Fr& r,
                   const Fr& s) {
  const std::uint64_t before = context.bytes_in_use();
  const std::uint64_t driver_before = pool_memory(context).in_use;
  cuda::CudaProver prover(context, bench.pool);
  require(prover.hold(c.key));
  const cuda::ProverPlan plan = cuda::plan_prover(cuda::key_counts(*c.shape));
  bool exact = context.bytes_in_use() == before + plan.resident_bytes();
  const std::uint64_t of_driver = pool_memory(context).in_use;
  groth16::LaunchReport report;
  const groth16::Proof proof = require(groth16::prove(prover, c.key, c.shape, c.witness, r, s, &report));
  exact = exact && context.bytes_in_use() == before + plan.resident_bytes() &&
          pool_memory(context).in_use == of_driver;
  const groth16::Proof again = require(groth16::prove(prover, c.key, c.shape, c.witness, s, r));
  exact = exact && pool_memory(context).in_use == of_driver;
  prover.drop(c.key);
  exact = exact && context.bytes_in_use() == before && pool_memory(context).in_use == driver_before;
  bench.report.line(what + ": bytes of the CPU's proof", same(proof, bench.on_cpu(c, r, s)));
  bench.report.line(what + ": again, other r and s", same(again, bench.on_cpu(c, s, r)));
  bench.report.line(what + ": verifies", bench.verifies(c, proof));
  bench.report.line(what + ": memory as planned, and given back", exact);
  bench.report.line(what + ": stages in order", in_order(report));
}

/// Whether the device picks `want` by a mask out of bits, and counts them. Where there is nothing to keep,
/// nothing is taken.
bool picks(cuda::Context& context, std::span<const std::uint64_t> mask, std::span<const std::uint64_t> bits,
           std::uint64_t count, std::uint64_t selected, const std::vector<std::uint64_t>& want) {
  const auto taken = [](std::uint64_t bytes) { return bytes == 0 ? 0 : cuda::Context::rounded(bytes); };
  const std::uint64_t before = context.bytes_in_use();
  cuda::BitSelection selection;
  require(selection.load(context, mask, count, selected));
  bool right = context.bytes_in_use() == before + taken(cuda::selection_bytes(count, selected));
  const cuda::DeviceMemory words = require(context.allocate(8 * bits.size(), "bits"));
  require(context.upload(words.as<void>(), bits.data(), 8 * bits.size(), "bits"));
  const cuda::QueryBits query = require(selection.select(context, words.as<std::uint64_t>()));
  right = right && query.memory.bytes() == taken(selection.selected_bytes());
  std::vector<std::uint64_t> got(want.size());
  if (!got.empty()) require(context.download(got.data(), query.words, 8 * got.size(), "bits"));
  for (std::uint64_t block = 0; block < query.counts.size(); ++block)
    right = right && query.counts[block] == cuda::counts_of_block(want.data(), selected, block);
  return right && got == want && query.counts.size() == (selected + cuda::kBitBlock - 1) / cuda::kBitBlock;
}

void check_selections(Bench& bench, cuda::Context& context) {
  const Case c = bench.make({3000, 3}, 17);
  const auto& bases = groth16::ProvingKeyBases::of(*c.key);
  bool right = true;
  for (const auto* of : {&bases.l_selection, &bases.a_selection, &bases.b_selection})
    right = right && picks(context, of->bit_mask(), c.witness->bits, c.shape->num_bits(), of->bit_count(),
                           of->select_bits(*c.witness));
  bench.report.line("bits of l, a and b as the host selects them",
                    right && bases.a_selection.bit_count() < c.shape->num_bits() &&
                        bases.b_selection.bit_count() < c.shape->num_bits());
  TestRandom random(18);
  for (const std::uint64_t count : {1, 64, 513, 100'003, 20'000'000}) {
    right = true;
    for (const unsigned percent : {0U, 1U, 25U, 99U, 100U}) {
      std::vector<std::uint64_t> mask((count + 63) / 64), bits((count + 63) / 64), want((count + 63) / 64);
      std::uint64_t selected = 0;
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t at = random.next();
        const std::uint64_t bit = at >> 63;
        bits[i / 64] |= bit << (i % 64);
        if (at % 100 >= percent) continue;
        mask[i / 64] |= std::uint64_t{1} << (i % 64);
        want[selected / 64] |= bit << (selected % 64);
        ++selected;
      }
      want.resize((selected + 63) / 64);
      right = right && picks(context, mask, bits, count, selected, want);
    }
    bench.report.line("bits by masks of 0 to 100 %, " + std::to_string(count), right);
  }
}

/// For the record: what the largest circuit takes, and how long its stages are.
void print_launch(Bench& bench, cuda::Context& context, unsigned log_size) {
  const Case c = bench.make({(std::size_t{1} << log_size) - 2, 2}, 3);
  std::printf("domain 2^%u; %s", log_size, cuda::plan_prover(cuda::key_counts(*c.shape)).text().c_str());
  cuda::CudaProver prover(context, bench.pool);
  require(prover.hold(c.key));
  for (int run = 0; run < 3; ++run) {
    groth16::LaunchReport report;
    context.reset_peak();
    (void)require(groth16::prove(prover, c.key, c.shape, c.witness, Fr::one(), Fr::one(), &report));
    device_test::print_stages(report, context);
  }
}

void check_sizes(Bench& bench, cuda::Context& context, unsigned largest) {
  const Fr r = -Fr::from_u64(27134);
  const Fr s = -Fr::from_u64(17146);
  const auto check = [&](const RandomCircuit::Options& o, const std::string& kind) {
    const std::string what =
        std::to_string(o.constraints) + " + " + std::to_string(o.inputs) + " rows, " + kind;
    check_circuit(bench, context, bench.make(o, 7 + o.constraints), what, r, s);
  };
  check({0, 1}, "no constraint");
  check({0, 2}, "no constraint");
  check({1, 1, 0}, "one product");
  check({1, 1, 100}, "one bit");
  for (unsigned log_size = 2; log_size <= largest; log_size += log_size < 8 ? 1 : 2) {
    const std::size_t n = std::size_t{1} << log_size;
    for (const std::size_t rows : {n - 1, n, n + 1}) check({rows - 2, 2}, "mixed");
  }
  const std::size_t n = std::size_t{1} << std::min(largest, 12U);
  check({n - 3, 3, 100, 100}, "bits, all one");
  check({n - 3, 3, 100, 0}, "bits, all zero");
  check({n - 3, 3, 0}, "wide only");
  check({n - 3, 3, 0, 50, 2}, "wide, many long sums");
  check({50, n, 50}, "inputs above all");
}

/// What a launch takes and does not give back is an error, of one key or the other.
void check_leak(Bench& bench, unsigned arrays) {
  const Case c = bench.make({1000, 3}, 31);
  auto context = require(cuda::Context::create());
  cuda::CudaProverOptions options;
  options.arrays = arrays;
  cuda::CudaProver prover(*context, bench.pool, options);
  require(prover.hold(c.key));
  const std::uint64_t held = context->bytes_in_use();
  cuda::DeviceMemory kept;
  // Memory is taken in step `leak` of a launch, before the next one.
  const auto launch = [&](int leak) {
    std::vector<groth16::Prepared> batch;
    batch.push_back(require(prover.prepare(c.key, c.shape, c.witness, Fr::one(), Fr::one())));
    groth16::LaunchOptions launch_options;
    int steps = 0;
    launch_options.progress = [&](double) {
      if (++steps == leak) kept = require(context->allocate(4096, "leak"));
    };
    auto launched = prover.launch(batch, launch_options);
    return std::pair(std::move(launched), steps);
  };
  const auto [sound, steps] = launch(0);
  // One that fails for it goes to its end, but does not say that it is done.
  const auto [leaked, told] = launch(steps - 1);
  const std::string what = std::string("a leak of 4096 bytes, ") + (arrays == 0 ? "resident" : "streamed");
  bench.report.line(what + ": in the last step but one of several, behind a launch without",
                    sound.has_value() && steps > 1 && told == steps - 1 && kept.bytes() == 4096);
  // Resident, the last step that is told is not the last one: the sum over b_g2's bits comes behind it, and
  // looks at what is in use. Streamed, nobody does before the launch's end.
  const std::string found = arrays == 0 ? ", b_g2_bits: the plan says at most "
                                        : std::to_string(held) + " bytes in use before a proof, " +
                                              std::to_string(held + 4096) + " after it";
  bench.report.line(what, !leaked && leaked.error().code == ErrorCode::kInternal &&
                              leaked.error().message.find(found) != std::string::npos);
  kept.release();
  // Before the sum of h, which the plan knows to the byte.
  const auto [early, told_early] = launch(1);
  bench.report.line(what + ", in the first step: not as planned",
                    !early && told_early == 1 && early.error().code == ErrorCode::kInternal &&
                        early.error().message.find(", h: the plan says ") != std::string::npos);
  kept.release();
  bench.report.line("after it: proves again", launch(0).first.has_value());
}

/// Several circuits in a launch, each with its witness, and what is left of a batch.
void check_batch(Bench& bench, cuda::Context& context) {
  const RandomCircuit::Options o{1000, 3};
  const Case c = bench.make(o, 5, 2);
  cuda::CudaProver prover(context, bench.pool);
  std::vector<groth16::Prepared> batch;
  std::vector<groth16::Proof> want;
  for (std::uint64_t i = 1; i <= 3; ++i) {
    const Fr r = Fr::from_u64(i);
    batch.push_back(require(prover.prepare(c.key, c.shape, c.nth(i - 1), r, -r)));
    want.push_back(bench.on_cpu(c, r, -r, i - 1));
  }
  double last = 0;
  bool ascends = true;
  groth16::LaunchOptions options;
  options.progress = [&](double fraction) {
    ascends = ascends && fraction > last;
    last = fraction;
  };
  auto pending = require(prover.launch(batch, options));
  bench.report.line("batch: used up by its launch", !prover.launch(batch));
  const auto proofs = require(prover.finish(std::move(pending)));
  bool equal = proofs.size() == want.size();
  for (std::size_t i = 0; equal && i < proofs.size(); ++i) equal = same(proofs[i], want[i]);
  bench.report.line("batch: three proofs of three witnesses, in order",
                    equal && c.nth(0)->bits != c.nth(1)->bits && c.nth(1)->bits != c.nth(2)->bits);
  bench.report.line("batch: progress ascends to one", ascends && last == 1);

  std::vector<groth16::Prepared> foreign;
  foreign.push_back(require(bench.cpu.prepare(c.key, c.shape, c.witness, Fr::one(), Fr::one())));
  bench.report.line(
      "misuse: nothing, another backend's circuit, nothing to finish",
      !prover.launch({}) && !prover.launch(foreign) && !prover.finish(groth16::Pending(nullptr, {})));
  std::vector<groth16::Prepared> mixed;
  const Case other = bench.make({10, 2}, 6);
  mixed.push_back(require(prover.prepare(c.key, c.shape, c.witness, Fr::one(), Fr::one())));
  mixed.push_back(require(prover.prepare(other.key, other.shape, other.witness, Fr::one(), Fr::one())));
  bench.report.line("misuse: two keys in a launch; each alone is right",
                    !prover.launch(mixed) && prover.launch(std::span(mixed).first(1)) &&
                        prover.launch(std::span(mixed).last(1)));
}

/// Two host threads, the same lock or none.
void check_threads(Bench& bench, cuda::Context& context, bool with_lock) {
  const Case one = bench.make({700, 3}, 11);
  const Case two = bench.make({4000, 2}, 12);
  cuda::CudaProver prover(context, bench.pool);
  groth16::LaunchOptions options;
  if (with_lock) options.lock = groth16::DeviceLock();
  bench.report.line(std::string("two threads, ") + (with_lock ? "one lock" : "no lock"),
                    two_threads_prove(bench, prover, one, two, 8, options));
}

/// Multiples of h give the same proof, in the memory that the plan says and not a byte more. In a domain of
/// 2^13 three points for each one of h cost less than one, by a thousandth, but two do not, and by itself it
/// has none.
void check_multiples(Bench& bench) {
  const Case c = bench.make({5000, 3}, 27);
  const Fr r = Fr::from_u64(5);
  const groth16::Proof want = bench.on_cpu(c, r, r);
  for (const unsigned multiples : {2U, 3U, 4U, 0U}) {
    cuda::PlanOptions wanted;
    wanted.multiples = multiples;
    const cuda::ProverPlan plan = require(cuda::plan_prover(cuda::key_counts(*c.shape), wanted));
    auto context = require(cuda::Context::create({0, plan.needed_bytes()}));
    context->poison(true);
    cuda::CudaProver prover(*context, bench.pool, {.multiples = multiples});
    require(prover.hold(c.key));
    const std::uint64_t held = context->bytes_in_use();
    const std::uint64_t of_driver = pool_memory(*context).in_use;
    const auto proof = groth16::prove(prover, c.key, c.shape, c.witness, r, r);
    const std::string what = "up to " + std::to_string(multiples) + " points for each of h, " +
                             std::to_string(plan.h_windows.multiples) + " kept: ";
    bench.report.line(what + "as many as save something",
                      plan.h_windows.multiples == (multiples > 2 ? 3 : 1));
    if (!proof) std::printf("%s\n", proof.error().message.c_str());
    bench.report.line(what + "the right proof", proof && same(*proof, want));
    bench.report.line("  what the key takes is planned, a launch gives back what it took, the limit held",
                      held == plan.resident_bytes() && context->bytes_in_use() == held &&
                          pool_memory(*context).in_use == of_driver && limit_held(*context));
  }
}

/// Sums of pairs of bit bases, of all or of those that fit, with and without multiples of h: likewise. Bits
/// that are all one are all in pairs, an odd number of them has one without a partner.
void check_pairs(Bench& bench) {
  const Fr r = Fr::from_u64(7);
  for (const auto& o :
       {RandomCircuit::Options{40'000, 3, 100, 50}, {40'001, 3, 100, 100}, {4000, 2, 90, 0}, {5, 2}}) {
    const Case c = bench.make(o, o.constraints);
    const groth16::Proof want = bench.on_cpu(c, r, r);
    const cuda::KeyCounts counts = cuda::key_counts(*c.shape);
    const std::uint64_t without = cuda::plan_prover(counts).needed_bytes();
    cuda::PlanOptions wanted;
    wanted.pairs = true;
    const cuda::ProverPlan all = require(cuda::plan_prover(counts, wanted));
    for (const unsigned multiples : {1U, 3U})
      for (const std::uint64_t limit :
           {std::uint64_t{0}, all.needed_bytes(), (without + all.needed_bytes()) / 2}) {
        wanted.multiples = multiples;
        wanted.limit = limit == 0 ? UINT64_MAX : limit;
        const cuda::ProverPlan plan = require(cuda::plan_prover(counts, wanted));
        auto context = require(cuda::Context::create({0, plan.needed_bytes()}));
        context->poison(true);
        cuda::CudaProver prover(*context, bench.pool, {.multiples = multiples, .pairs = true});
        require(prover.hold(c.key));
        const std::uint64_t held = context->bytes_in_use();
        const std::uint64_t of_driver = pool_memory(*context).in_use;
        const auto proof = groth16::prove(prover, c.key, c.shape, c.witness, r, r);
        if (!proof) std::printf("%s\n", proof.error().message.c_str());
        bench.report.line(std::to_string(counts.l.bits) + " bits, " + std::to_string(plan.pair_sums()) +
                              " sums of pairs, " + std::to_string(plan.h_windows.multiples) +
                              " of h: the right proof",
                          proof && same(*proof, want));
        bench.report.line("  what the key takes is planned, a launch gives back what it took, the limit held",
                          held == plan.resident_bytes() && context->bytes_in_use() == held &&
                              pool_memory(*context).in_use == of_driver && limit_held(*context) &&
                              prover.keys().front().pair_sums == plan.pair_sums());
      }
  }
}

/// Limits: what does not fit is refused and leaves nothing; keys make room for each other.
void check_limits(Bench& bench) {
  const Case one = bench.make({3000, 3}, 21);
  const Case two = bench.make({3000, 3}, 22);
  const cuda::KeyCounts counts = cuda::key_counts(*one.shape);
  const cuda::ProverPlan full = cuda::plan_prover(counts);
  const std::uint64_t needed = full.needed_bytes();
  const Fr r = Fr::from_u64(5);
  {
    auto context = require(cuda::Context::create({0, needed - 1}));
    cuda::CudaProverOptions resident;
    resident.residency = cuda::Residency::resident;
    cuda::CudaProver prover(*context, bench.pool, resident);
    std::vector<groth16::Prepared> batch;
    batch.push_back(require(prover.prepare(one.key, one.shape, one.witness, r, r)));
    bool refused = true;
    for (int i = 0; i < 2; ++i) {
      const auto result = prover.launch(batch);
      refused = refused && !result && result.error().code == ErrorCode::kIo &&
                result.error().message.find("out of memory: " + std::to_string(needed) + " bytes needed") !=
                    std::string::npos;
    }
    bench.report.line("a byte too few: refused, twice", refused);
    bench.report.line("more than there can be: refused, nothing taken",
                      !context->allocate(UINT64_MAX, "test") && !context->allocate(needed, "test") &&
                          context->bytes_in_use() == 0);
    bench.report.line("a byte too few: nothing taken, device usable",
                      context->bytes_in_use() == 0 && context->fault() == cuda::Fault::none);
  }
  {
    const cuda::ProverPlan other = cuda::plan_prover(cuda::key_counts(*two.shape));
    auto context = require(cuda::Context::create({0, std::max(needed, other.needed_bytes())}));
    context->poison(true);
    cuda::CudaProver prover(*context, bench.pool);
    require(prover.hold(one.key));
    require(prover.hold(two.key));
    bench.report.line("the second key takes the place of the first, as there is no room for both",
                      full.resident_bytes() + other.needed_bytes() > context->vram_limit() &&
                          context->bytes_in_use() == other.resident_bytes() && prover.keys().size() == 1);
    const std::uint64_t before = context->bytes_in_use();
    const auto proof = groth16::prove(prover, two.key, two.shape, two.witness, r, r);
    bench.report.line("no byte to spare: the right proof", proof && same(*proof, bench.on_cpu(two, r, r)));
    bench.report.line("no byte to spare: nothing kept, device usable",
                      context->bytes_in_use() == before && context->fault() == cuda::Fault::none);
  }
  bool alternate = true;
  auto context = require(cuda::Context::create());
  cuda::CudaProver prover(*context, bench.pool);
  for (const Case* c : {&one, &two, &one}) {
    const auto proof = groth16::prove(prover, c->key, c->shape, c->witness, r, r);
    alternate = alternate && proof && same(*proof, bench.on_cpu(*c, r, r)) &&
                prover.keys().front().needed == require(prover.plan(*c->key)).needed_bytes();
  }
  bench.report.line("two keys on one device", alternate);
}

/// Memory that the pool has in pieces serves one request, where the card has no more.
void check_pieces(Bench& bench) {
  constexpr std::uint64_t kPiece = std::uint64_t{512} << 20;
  auto context = require(cuda::Context::create({0, 3 * kPiece}));
  cuda::DeviceMemory pieces[3];
  for (cuda::DeviceMemory& piece : pieces) piece = require(context->allocate(kPiece, "test"));
  // All the rest of the card, but for what is left to the driver: half of what is asked for below.
  auto other = require(cuda::Context::create());
  const cuda::DeviceMemory rest = require(other->allocate(other->free_bytes(), "test"));
  pieces[0].release();
  pieces[2].release();
  const auto whole = context->allocate(2 * kPiece, "test");
  if (!whole) std::printf("%s\n", whole.error().message.c_str());
  bench.report.line("a full card: free memory in pieces serves one request",
                    whole && context->fault() == cuda::Fault::none && limit_held(*context));
}

/// Page-locked buffers of witnesses: between launches no more is kept than the plans of held keys say.
void check_witnesses(Bench& bench, cuda::Context& context) {
  const Case one = bench.make({3000, 3}, 81);
  const Case two = bench.make({300, 3}, 82);
  cuda::CudaProver prover(context, bench.pool);
  const auto prepare = [&](const Case& c, int count) {
    std::vector<groth16::Prepared> batch;
    for (int i = 0; i < count; ++i)
      batch.push_back(require(prover.prepare(c.key, c.shape, c.witness, Fr::one(), Fr::one())));
    return batch;
  };
  const cuda::ProverPlan plan = require(prover.plan(*one.key));
  const cuda::ProverPlan other = require(prover.plan(*two.key));
  (void)prepare(one, 2);
  bench.report.line("witnesses: no key, nothing kept", prover.kept_bytes() == 0);
  std::vector<groth16::Prepared> batch = prepare(one, 6);
  (void)require(prover.launch(batch));
  bench.report.line("witnesses: of six buffers four are kept",
                    plan.kept_witnesses == 4 && plan.witness > 0 && prover.kept_bytes() == plan.kept_bytes());
  batch = prepare(one, 1);
  bench.report.line("witnesses: the next one has one of them",
                    prover.kept_bytes() == plan.kept_bytes() - plan.witness);
  (void)require(prover.launch(batch));
  batch = prepare(two, 3);
  (void)require(prover.launch(batch));
  bench.report.line("witnesses: two keys, those of each",
                    prover.kept_bytes() == plan.kept_bytes() + 3 * other.witness);
  batch = prepare(one, 1);
  prover.drop(one.key);
  prover.drop(two.key);
  bench.report.line("witnesses: nothing is left of keys that are gone", prover.kept_bytes() == 0);
  batch.clear();
  bench.report.line("witnesses: nor of one that was prepared meanwhile", prover.kept_bytes() == 0);
}

/// A circuit whose key the device makes: of sizes that would keep the processor busy for long.
Case make_on_device(Bench& bench, const RandomCircuit::Options& o, std::uint64_t seed) {
  const RandomCircuit circuit(o, seed);
  Case c{.shape = circuit.shape(), .witness = circuit.witness(), .key = nullptr};
  const auto context = require(cuda::Context::create());
  groth16::SetupOptions setup;
  cuda::DevicePointMaker maker(*context, bench.pool, setup.g1, setup.g2, 5 * o.constraints);
  setup.points = &maker;
  const auto secret = [&](std::uint64_t i) { return Fr::from_u64(seed + i) * bench.kBlind; };
  const auto params = require(groth16::generate_parameters_in_memory(
      bench.pool, *c.shape, {secret(1), secret(2), secret(3), secret(4), secret(5)}, "in memory", setup));
  c.key = require(groth16::ProvingKey::load(bench.pool, params, c.shape));
  return c;
}

/// The least limit with which a key is resident is enough for its launches, whatever window would suit its
/// sums where there is room.
void check_needed(Bench& bench, const Case& c, const std::string& what) {
  const Fr r = Fr::from_u64(5);
  const cuda::KeyCounts counts = cuda::key_counts(*c.shape);
  auto roomy = require(cuda::Context::create());
  cuda::CudaProver with_room(*roomy, bench.pool);
  const groth16::Proof want = require(groth16::prove(with_room, c.key, c.shape, c.witness, r, r));
  with_room.drop(c.key);
  bench.report.line(what + ": verifies", bench.verifies(c, want));
  for (const unsigned multiples : {1U, 2U}) {
    cuda::PlanOptions wanted;
    wanted.multiples = multiples;
    wanted.pairs = multiples != 1;
    const cuda::ProverPlan plan = require(cuda::plan_prover(counts, wanted));
    auto context = require(cuda::Context::create({0, plan.needed_bytes()}));
    context->poison(true);
    cuda::CudaProver prover(*context, bench.pool, {.multiples = multiples, .pairs = wanted.pairs});
    require(prover.hold(c.key));
    groth16::LaunchReport report;
    (void)groth16::prove(prover, c.key, c.shape, c.witness, r, r);
    const auto proof = groth16::prove(prover, c.key, c.shape, c.witness, r, r, &report);
    if (proof)
      device_test::print_stages(report, *context);
    else
      std::printf("%s\n%s", proof.error().message.c_str(), plan.text().c_str());
    const std::vector<cuda::KeyMemory> keys = prover.keys();
    bench.report.line(what + ", " + std::to_string(multiples) + " of h, " +
                          std::to_string(plan.needed_bytes()) + " bytes: the same proof",
                      proof && same(*proof, want) && keys.size() == 1 && !keys[0].streamed &&
                          keys[0].h_multiples == multiples && keys[0].pair_sums == plan.pair_sums());
    bench.report.line("  the limit held", limit_held(*context));
  }
}

/// A small key finds room beside a large one, in memory that the large one's launches need: it goes for them.
void check_room(Bench& bench, const Case& large, const Case& small) {
  const Fr r = Fr::from_u64(6);
  const std::uint64_t needed = cuda::plan_prover(cuda::key_counts(*large.shape)).needed_bytes();
  auto context = require(cuda::Context::create({0, needed}));
  context->poison(true);
  cuda::CudaProver prover(*context, bench.pool);
  bool right = true;
  std::string held;
  for (const Case* c : {&large, &small, &large, &small, &large}) {
    if (!held.empty()) {
      const auto loaded = prover.hold(c->key);
      right = right && loaded && *loaded == (c == &small);
    }
    const auto proof = groth16::prove(prover, c->key, c->shape, c->witness, r, r);
    if (!proof) std::printf("%s\n", proof.error().message.c_str());
    right = right && proof && bench.verifies(*c, *proof);
    held += std::to_string(prover.keys().size());
  }
  bench.report.line("large, small, large under what the large one needs: all proofs verify", right);
  bench.report.line("  the small key beside the large one, and gone for its launch", held == "12121");
}

void check_all_needed(Bench& bench, unsigned largest) {
  for (unsigned log_size = 17; log_size <= largest; ++log_size) {
    const std::size_t n = std::size_t{1} << log_size;
    const std::string domain = "domain 2^" + std::to_string(log_size);
    const Case mixed = make_on_device(bench, {n - 2, 2}, log_size);
    check_needed(bench, mixed, domain);
    if (log_size == 18) check_room(bench, mixed, bench.make({500, 2}, 61));
    if (log_size < 20) check_needed(bench, make_on_device(bench, {n - 3, 3, 0}, 71), domain + ", wide only");
  }
}

void check_toys(Bench& bench, cuda::Context& context) {
#if CUZK_DEVICE_TOYS
  for (const char* name : {"cubic", "random-300", "random-4000"})
    for (const bool bits : {false, true}) {
      const groth16::test::Toy toy = groth16::test::load_toy(name);
      const Case c = bench.make(toy.circuit.shape(bits), toy.circuit.witness(bits), toy.toxic);
      const std::string what = std::string("toy ") + name + (bits ? ", bits" : "");
      check_circuit(bench, context, c, what, toy.r, toy.s);
      cuda::CudaProver prover(context, bench.pool);
      const auto proof = require(groth16::prove(prover, c.key, c.shape, c.witness, toy.r, toy.s));
      const auto bytes = groth16::encode_proof(proof);
      bench.report.line(what + ": bytes of the reference",
                        std::equal(bytes.begin(), bytes.end(), toy.proof.begin(), toy.proof.end()));
    }
#else
  (void)bench;
  (void)context;
  bench.report.skipped("the toy circuits: built without the tests' libraries");
#endif
}

constexpr char kUsage[] =
    "cuzk_device_prover [largest log size of a domain, 2 to 24, default 16] [folder for parameters, /tmp]\n"
    "cuzk_device_prover streamed [largest log size, 3 to 24, default 16] [folder]: keys that are not "
    "resident\n"
    "cuzk_device_prover needed [largest log size, 17 to 24, default 21] [folder]: keys from 2^17 on under\n"
    "  limits of exactly what their plans need; keys that make room for one another's launches\n"
    "cuzk_device_prover corners [seconds, 1 to 60, default 4] [folder]: r and s of 0, 1 and -1 in tiny\n"
    "  circuits; keys that come and go beside launches and two contexts of the device, for so long each\n"
    "cuzk_device_prover small [log size, 3 to 24, default 4] [folder]: a few launches, for "
    "compute-sanitizer\n"
    "cuzk_device_prover circuits [folder] [circuit ...]: the reference's proofs with sectors of 2 KiB under\n"
    "  caps, of all kinds or of those circuits (porep-2k, winning-2k, window-2k, update-2k), in the root of\n"
    "  the repository\n";

}  // namespace

int main(int argc, char** argv) {
  device_test::Arguments arguments(argc, argv, kUsage);
  Bench bench;
  if (arguments.word("circuits")) {
    bench.folder = arguments.folder();
    std::vector<std::string> names;
    while (arguments.more()) names.push_back(arguments.next());
    for (const std::string& name : names)
      if (!device_test::is_circuit(name)) arguments.wrong("'" + name + "' is none of the circuits");
    device_test::check_circuits(bench, names);
    return bench.report.finish("prover, circuits");
  }
  if (arguments.word("needed")) {
    const unsigned most = arguments.number("log size", 17, 24, 21);
    bench.folder = arguments.folder();
    arguments.end();
    check_all_needed(bench, most);
    return bench.report.finish("prover, needed");
  }
  if (arguments.word("corners")) {
    const unsigned seconds = arguments.number("time in seconds", 1, 60, 4);
    bench.folder = arguments.folder();
    arguments.end();
    device_test::check_corners(bench, seconds);
    return bench.report.finish("prover, corners");
  }
  const bool small = arguments.word("small");
  const bool streamed = !small && arguments.word("streamed");
  // Below 2^3 there is no quotient of two arrays or of one.
  const unsigned largest = arguments.number("log size", small || streamed ? 3 : 2, 24, small ? 4 : 16);
  bench.folder = arguments.folder();
  arguments.end();
  if (small) {
    device_test::check_small(bench, largest);
    return bench.report.finish("prover, small");
  }
  if (streamed) {
    device_test::check_streamed(bench, largest);
    return bench.report.finish("prover, streamed");
  }
  auto context = require(cuda::Context::create());
  context->poison(true);
  check_selections(bench, *context);
  check_sizes(bench, *context, largest);
  print_launch(bench, *context, largest);
  check_batch(bench, *context);
  check_threads(bench, *context, true);
  check_threads(bench, *context, false);
  check_limits(bench);
  check_pieces(bench);
  check_witnesses(bench, *context);
  check_multiples(bench);
  check_pairs(bench);
  check_leak(bench, 0);
  check_leak(bench, 1);
  check_toys(bench, *context);
  return bench.report.finish("prover");
}
