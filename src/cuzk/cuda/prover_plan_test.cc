#include "cuzk/cuda/prover_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "cuzk/cuda/context.h"
#include "cuzk/cuda/internal/bit_selection.h"
#include "cuzk/cuda/internal/msm_memory.h"
#include "cuzk/cuda/internal/sum_memory.h"
#include "cuzk/cuda/msm.h"
#include "cuzk/groth16/proving_key_bases.h"
#include "cuzk/groth16/setup.h"
#include "cuzk/r1cs/shape_recorder.h"

namespace cuzk::cuda {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A launch of PoRep's proportions at 2^27, as bench/launch makes it: 130.3 M rows, 1.3 % of the variables
/// wide, two thirds of the terms in A and B short.
KeyCounts full_size() {
  KeyCounts c;
  c.domain_log_size = 27;
  c.values = 1'700'328;
  c.bits = 128'469'893;
  c.h = (std::uint64_t{1} << 27) - 1;
  c.l = {128'469'893, 1'700'000};
  c.a = {128'100'000, 1'700'000};
  c.b = {32'600'000, 500'000};
  c.constraints = 130'278'541;
  c.row_groups = (c.constraints + 63) / 64;
  c.short_terms = 290'000'000;
  c.long_terms = 150'000'000;
  c.long_runs = 131'000;
  c.coefficients = 4000;
  c.row_piece_bytes = 8'000'000;
  c.row_image_bytes = 3'200'000'000;
  return c;
}

/// The same at 2^26: half of everything.
KeyCounts half_size() {
  KeyCounts c = full_size();
  c.domain_log_size = 26;
  for (std::uint64_t* n :
       {&c.values, &c.bits, &c.l.bits, &c.l.wide, &c.a.bits, &c.a.wide, &c.b.bits, &c.b.wide, &c.constraints,
        &c.row_groups, &c.short_terms, &c.long_terms, &c.long_runs, &c.row_image_bytes})
    *n /= 2;
  c.h = (std::uint64_t{1} << 26) - 1;
  return c;
}

/// A sealed sector of 2 KiB (tests/data/shapes/porep-2k.json, key lengths of groth16/params/porep-2k.json).
KeyCounts porep_2k() {
  KeyCounts c;
  c.domain_log_size = 22;
  c.values = 36'000;
  c.bits = 2'649'713;
  c.h = 4'194'303;
  c.l = {2'649'713, 35'960};
  c.a = {2'645'000, 29'948};
  c.b = {676'000, 9'522};
  c.constraints = 2'687'921;
  c.row_groups = (c.constraints + 63) / 64;
  c.short_terms = 8'000'000;
  c.long_terms = 1'100'000;
  c.long_runs = 3000;
  c.coefficients = 3000;
  c.row_piece_bytes = 2'200'000;
  c.row_image_bytes = 67'000'000;
  return c;
}

/// Every query a full-width one, as in WindowPoSt.
KeyCounts wide_only() {
  KeyCounts c = half_size();
  c.values = 60'000'000;
  c.bits = 0;
  c.l = {0, 60'000'000};
  c.a = {0, 48'000'000};
  c.b = {0, 44'000'000};
  return c;
}

constexpr std::uint64_t kGb = 1'000'000'000;

std::uint64_t part(const std::vector<ProverPlan::Part>& parts, const std::string& name) {
  for (const auto& p : parts)
    if (p.name == name) return p.bytes;
  ADD_FAILURE() << name;
  return 0;
}

TEST(ProverPlan, FullSizeByHand) {
  const ProverPlan plan = plan_prover(full_size());
  EXPECT_EQ(part(plan.resident, "h"), Context::rounded(96 * ((std::uint64_t{1} << 27) - 1)));
  EXPECT_EQ(part(plan.resident, "b_g2, bit bases"), Context::rounded(std::uint64_t{192} * 32'600'000));
  EXPECT_EQ(part(plan.quotient, "values of the rows and their products"), std::uint64_t{96} << 27);
  EXPECT_EQ(part(plan.resident, "rows"),
            Context::rounded(4 * 290'000'000ULL) + Context::rounded(2 * 290'000'000ULL) +
                Context::rounded(4 * 150'000'000ULL) + Context::rounded(2 * 150'000'000ULL) +
                Context::rounded(8 * ((130'278'541ULL + 63) / 64)) + Context::rounded(4 * 130'278'541ULL) +
                Context::rounded(16 * 131'000ULL) + Context::rounded(32 * 4000ULL));
  // A mask of all bits and its ranks for a and for b; l has the witness's bits as they are.
  const std::uint64_t words = (128'469'893 + 63) / 64;
  EXPECT_EQ(part(plan.resident, "places of bits"), 2 * Context::rounded(8 * words + 4 * ((words + 7) / 8)));
  EXPECT_EQ(part(plan.sums, "witness"), Context::rounded(32 * 1'700'328ULL) + Context::rounded(8 * words));
  EXPECT_EQ(part(plan.sums, "bits of a query"),
            Context::rounded(8 * ((128'100'000ULL + 63) / 64) + 4 * ((128'100'000ULL + 4095) / 4096)));
  std::uint64_t sum = 0;
  for (const auto& p : plan.resident) {
    EXPECT_EQ(p.bytes % Context::kGranule, 0U) << p.name;
    sum += p.bytes;
  }
  EXPECT_EQ(plan.resident_bytes(), sum);
  EXPECT_EQ(plan.needed_bytes(), sum + plan.quotient_bytes());
  // A card of 80 GB holds it; a launch uses more where there is more.
  EXPECT_LT(plan.needed_bytes(), std::uint64_t{72'000'000'000});
}

TEST(ProverPlan, EmptyCircuitTakesAGranuleAnArray) {
  KeyCounts c;
  c.values = 1;
  const ProverPlan plan = plan_prover(c);
  // h, eight of queries, three lists of places, eight of rows (no high ids); no tables of a domain of one.
  EXPECT_EQ(plan.resident_bytes(), 20 * Context::kGranule);
  EXPECT_EQ(plan.quotient_bytes(), 5 * Context::kGranule);
  EXPECT_EQ(plan.loading, Context::kGranule);
}

void expect_sound(const KeyCounts& c, const ProverPlan& plan, std::uint64_t limit) {
  EXPECT_LE(plan.needed_bytes(), limit) << plan.text();
  for (const auto* parts : {&plan.resident, &plan.quotient, &plan.h_sum, &plan.sums})
    for (const auto& p : *parts) EXPECT_TRUE(p.bytes % Context::kGranule == 0) << p.name;
  // What is not on the device is in host memory.
  std::uint64_t bases = 0;
  for (const auto* parts : {&plan.resident, &plan.host})
    for (const auto& p : *parts)
      if (p.name == "h" || p.name.find("bases") != std::string::npos) bases += p.bytes;
  const std::uint64_t all =
      96 * (c.h + c.l.bits + c.l.wide + c.a.bits + c.a.wide) + 288 * (c.b.bits + c.b.wide);
  EXPECT_GE(bases, all);
  EXPECT_LE(bases, all + 16 * Context::kGranule);
  for (const auto& [resident, count] : {std::pair{plan.l.bits, c.l.bits},
                                        {plan.a.bits, c.a.bits},
                                        {plan.b_g1.bits, c.b.bits},
                                        {plan.b_g2.bits, c.b.bits}})
    EXPECT_TRUE(resident == count || resident % kBitBlock == 0);
}

TEST(ProverPlan, MeasuredCapsFit) {
  struct Cap {
    const char* name;
    KeyCounts counts;
    std::uint64_t limit;
    unsigned arrays;
  };
  const Cap caps[] = {
      {"porep-2k, 0.5 GB", porep_2k(), kGb / 2, 3},       {"porep-2k, 0.7 GB", porep_2k(), kGb * 7 / 10, 3},
      {"porep-2k, 1.0 GB", porep_2k(), kGb, 3},           {"2^26, 8 GB", half_size(), 8 * kGb, 3},
      {"2^27, 12 GB", full_size(), 12 * kGb, 2},          {"2^27, 16 GB", full_size(), 16 * kGb, 3},
      {"2^27, 24 GB", full_size(), 24 * kGb, 3},          {"2^27, 8 GB", full_size(), 8 * kGb, 1},
      {"2^26 all wide, 16 GB", wide_only(), 16 * kGb, 3},
  };
  for (const Cap& cap : caps) {
    SCOPED_TRACE(cap.name);
    const auto plan = plan_prover(cap.counts, {cap.limit, Residency::automatic, 0, 0});
    ASSERT_TRUE(plan) << plan.error().message;
    expect_sound(cap.counts, *plan, cap.limit);
    EXPECT_TRUE(plan->streamed);
    EXPECT_EQ(plan->arrays, cap.arrays) << plan->text();
    // It is of use: with more, something more is resident.
    const auto more = plan_prover(cap.counts, {2 * cap.limit, Residency::automatic, 0, 0});
    ASSERT_TRUE(more);
    EXPECT_GE(more->resident_bytes(), plan->resident_bytes());
  }
}

TEST(ProverPlan, UncappedIsResident) {
  for (const KeyCounts& c : {porep_2k(), half_size(), full_size()}) {
    const std::uint64_t needed = plan_prover(c).needed_bytes();
    const auto plan = plan_prover(c, {needed, Residency::automatic, 0, 0});
    ASSERT_TRUE(plan);
    EXPECT_FALSE(plan->streamed);
    EXPECT_EQ(plan->host_bytes(), 0U);
    EXPECT_EQ(plan->text(), plan_prover(c).text());
    const auto less = plan_prover(c, {needed - 1, Residency::automatic, 0, 0});
    ASSERT_TRUE(less);
    EXPECT_TRUE(less->streamed);
    expect_sound(c, *less, needed - 1);
    EXPECT_FALSE(plan_prover(c, {needed - 1, Residency::resident, 0, 0}));
  }
}

/// A circuit of 2^log_size rows: some long ones, a third of the variables wide.
KeyCounts small_size(unsigned log_size) {
  const std::uint64_t n = std::uint64_t{1} << log_size;
  KeyCounts c;
  c.domain_log_size = log_size;
  c.values = n / 3 + 2;
  c.bits = n * 2 / 3;
  c.h = n - 1;
  c.l = {n * 2 / 3, n / 3};
  c.a = {n * 2 / 3, n / 4 + 1};
  c.b = {n / 2, n / 5};
  c.constraints = n - 1;
  c.row_groups = (n + 62) / 64;
  c.short_terms = 3 * n;
  c.coefficients = 10;
  c.row_piece_bytes = Context::rounded(18 * n / 64);
  c.row_image_bytes = 64 * c.row_piece_bytes;
  return c;
}

// From the least limit that has a plan upwards every limit has one; below it the error names the least.
TEST(ProverPlan, TooSmallALimitNamesTheBytesNeeded) {
  for (const KeyCounts& c :
       {porep_2k(), full_size(), wide_only(), small_size(1), small_size(6), small_size(12), small_size(16)}) {
    const auto refused = plan_prover(c, {100, Residency::automatic, 0, 0});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kIo);
    const std::string& message = refused.error().message;
    ASSERT_THAT(message, HasSubstr("out of memory: "));
    EXPECT_THAT(message, HasSubstr(" 100 are the limit"));
    const std::uint64_t least = std::stoull(message.substr(std::string("out of memory: ").size()));
    EXPECT_FALSE(plan_prover(c, {least - 1, Residency::automatic, 0, 0}));
    const std::uint64_t full = plan_prover(c).needed_bytes();
    for (std::uint64_t limit = least; limit < full; limit += (full - least) / 9 + 1) {
      const auto plan = plan_prover(c, {limit, Residency::automatic, 0, 0});
      ASSERT_TRUE(plan) << limit << ": " << plan.error().message;
      expect_sound(c, *plan, limit);
    }
  }
}

/// The same with wide variables only.
KeyCounts small_wide(unsigned log_size) {
  KeyCounts c = small_size(log_size);
  const std::uint64_t n = c.h + 1;
  c.values = n;
  c.bits = 0;
  c.l = c.a = c.b = {0, n};
  return c;
}

// Under a limit of what a resident key needs, sums have the rest of its launch: with the windows that they
// take (resident_run.cc) they fit it. Those that suit where there is room do not in many domains.
TEST(ProverPlan, SumsOfResidentKeysFitWhatIsNeeded) {
  std::string too_wide;
  for (unsigned log_size = 0; log_size <= 28; ++log_size)
    for (const bool all_wide : {false, true}) {
      SCOPED_TRACE(std::to_string(log_size) + (all_wide ? ", wide" : ""));
      const KeyCounts c = all_wide ? small_wide(log_size) : small_size(log_size);
      const ProverPlan plan = plan_prover(c);
      const std::uint64_t beside = plan.needed_bytes() - plan.resident_bytes();
      const auto expect_fits = [&](std::uint64_t count, std::uint64_t point, std::uint64_t free) {
        if (count == 0) return;
        const MsmWindows best = msm_windows(count);
        const MsmWindows windows = sliced_windows(count, point, free);
        EXPECT_GE(windows.count, best.count);
        EXPECT_LE(windows.count, narrow_windows(count).count);
        EXPECT_LE(msm_memory_bound(count, point, windows, kLeastSlice), free) << windows.count;
        const std::uint64_t enough = msm_memory_bound(count, point, best, count);
        EXPECT_TRUE(enough > free || windows.count == best.count);
        EXPECT_EQ(sliced_windows(count, point, enough).count, best.count);
      };
      const std::uint64_t for_h = beside - (plan.h_bytes() - plan.h_scratch);
      expect_fits(c.h, sizeof(G1Affine), for_h);
      if (!all_wide && msm_memory_bound(c.h, sizeof(G1Affine), msm_windows(c.h), kLeastSlice) > for_h)
        too_wide += " " + std::to_string(log_size);
      const std::uint64_t for_sums = beside - (plan.sums_bytes() - plan.sums_scratch);
      for (const auto& [query, point] :
           {std::pair{c.l, sizeof(G1Affine)}, {c.a, sizeof(G1Affine)}, {c.b, sizeof(G2Affine)}}) {
        expect_fits(query.wide, point,
                    for_sums - Context::rounded(std::max<std::uint64_t>(1, sizeof(Fr) * query.wide)));
        EXPECT_LE(
            bit_sum_memory_bound(query.bits == 0 ? 0 : fitting_bits(query.bits, point, for_sums), point),
            for_sums);
      }
      for (const unsigned multiples : {2U, 5U, 16U}) {
        const auto more = plan_prover(c, {.multiples = multiples});
        ASSERT_TRUE(more);
        if (more->h_windows.multiples == 1) continue;
        EXPECT_LE(whole_msm_memory_bound(c.h, sizeof(G1Affine), more->h_windows),
                  more->needed_bytes() - more->resident_bytes() - (more->h_bytes() - more->h_scratch));
      }
    }
  EXPECT_EQ(too_wide, " 17 18 19 20 21 22 23 24 25 27");
}

TEST(ProverPlan, OptionsThatContradict) {
  KeyCounts c = porep_2k();
  EXPECT_FALSE(plan_prover(c, {UINT64_MAX, Residency::automatic, 4, 0}));
  EXPECT_FALSE(plan_prover(c, {UINT64_MAX, Residency::automatic, 0, kLeastPiece / 2}));
  EXPECT_FALSE(plan_prover(c, {UINT64_MAX, Residency::automatic, 0, 3 * kLeastPiece}));
  EXPECT_FALSE(plan_prover(c, {UINT64_MAX, Residency::resident, 2, 0}));
  c.domain_log_size = 2;
  EXPECT_FALSE(plan_prover(c, {UINT64_MAX, Residency::automatic, 2, 0}));
}

TEST(ProverPlan, ForcedStreamingKeepsNothing) {
  const KeyCounts c = porep_2k();
  const auto plan = plan_prover(c, {UINT64_MAX, Residency::streamed, 1, kLeastPiece});
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->streamed);
  EXPECT_EQ(plan->arrays, 1U);
  EXPECT_EQ(plan->piece, kLeastPiece);
  EXPECT_FALSE(plan->rows || plan->h || plan->l.wide || plan->b_g2.wide);
  EXPECT_EQ(plan->l.bits + plan->a.bits + plan->b_g1.bits + plan->b_g2.bits, 0U);
  // Two arrays that the quotient keeps on the host.
  EXPECT_EQ(part(plan->host, "arrays of the quotient"), std::uint64_t{2} * 32 << 22);
}

TEST(KeyCounts, AreThoseOfAKey) {
  using Lc = LinearCombination;
  ShapeRecorder cs;
  const Variable one = Variable::one();
  const Variable x = cs.alloc_input(Fr::zero());
  (void)cs.alloc_input(Fr::zero());  // in no B
  std::vector<Variable> bits;
  Variable wide = x;
  for (int i = 0; i < 700; ++i) {
    bits.push_back(cs.alloc_bit(false));
    // Every third bit is in no A, every second in no B.
    cs.enforce([&](Lc& lc) { i % 3 == 0 ? lc.add(one) : lc.add(bits.back()); },
               [&](Lc& lc) { i % 2 == 0 ? lc.add(one) : lc.add(bits.back()); },
               [&](Lc& lc) { lc.add(bits.back()); });
    if (i % 100 != 0) continue;
    const Variable next = cs.alloc(Fr::zero());
    cs.enforce([&](Lc& lc) { lc.add(wide); }, [&](Lc& lc) { lc.add(x).add(wide); },
               [&](Lc& lc) { lc.add(next); });
    wide = next;
  }
  const auto shape = std::make_shared<const Shape>(std::move(cs).finish());
  ThreadPool pool(1);
  const auto secret = [](std::uint64_t i) { return Fr::from_u64(1000 + i); };
  auto file = groth16::generate_parameters_in_memory(
      pool, *shape, {secret(1), secret(2), secret(3), secret(4), secret(5)}, "counts", {});
  ASSERT_TRUE(file) << file.error().message;
  const auto key = groth16::ProvingKey::load(pool, *file, shape);
  ASSERT_TRUE(key) << key.error().message;
  const auto& bases = groth16::ProvingKeyBases::of(**key);
  const KeyCounts counts = key_counts(*shape);
  EXPECT_EQ(counts.h, bases.h.size());
  const auto same = [](const KeyCounts::Query& query, const auto& of) {
    EXPECT_EQ(query.bits, of.bit_count());
    EXPECT_EQ(query.wide, of.wide_count());
  };
  same(counts.l, bases.l);
  same(counts.a, bases.a);
  same(counts.b, bases.b_g1);
  same(counts.b, bases.b_g2);
  EXPECT_LT(counts.b.bits, counts.a.bits);
  EXPECT_LT(counts.a.bits, counts.l.bits);

  // The key's selections as the device makes them.
  Witness witness;
  for (std::uint64_t i = 0; i < (counts.bits + 63) / 64; ++i)
    witness.bits.push_back(0x9e3779b97f4a7c15 * (i + 1));
  witness.bits.back() &= (std::uint64_t{1} << (counts.bits % 64)) - 1;
  for (const groth16::QuerySelection* of : {&bases.l_selection, &bases.a_selection, &bases.b_selection}) {
    const std::vector<std::uint32_t> ranks = selection_ranks(of->bit_mask());
    const SelectionLayout layout(counts.bits);
    std::vector<std::uint64_t> got((of->bit_count() + 63) / 64);
    for (std::uint64_t group = 0; group < layout.groups; ++group)
      select_group({of->bit_mask().data(), ranks.data(), layout.words}, witness.bits.data(), group,
                   [&](std::uint64_t i, std::uint64_t value) { got.at(i) |= value; });
    EXPECT_EQ(got, of->select_bits(witness));
  }
}

TEST(ProverPlan, HostMemory) {
  const ProverPlan resident = plan_prover(full_size());
  EXPECT_EQ(resident.host_bytes(), 0U);
  // Two pieces of decoded points in G2 at the least, and not much more.
  EXPECT_GE(resident.launch_host, 2 * kLoadedPoints * sizeof(G2Affine));
  EXPECT_LE(resident.launch_host, std::uint64_t{150} << 20);
  // Without places of scalars, the ranks of bits are what a copy of the key makes beside the points.
  KeyCounts only_bits = full_size();
  only_bits.l.wide = only_bits.a.wide = only_bits.b.wide = 0;
  EXPECT_EQ(plan_prover(only_bits).launch_host, 2 * kLoadedPoints * sizeof(G2Affine) +
                                                    (only_bits.bits + 511) / 512 * 4 +
                                                    2 * only_bits.row_piece_bytes);
  const ProverPlan streamed = plan_prover(full_size(), {16 * kGb, Residency::automatic, 0, 0}).value();
  std::uint64_t bases = 96 * full_size().h;
  for (const auto& [counts, point] :
       {std::pair{full_size().l, 96}, {full_size().a, 96}, {full_size().b, 288}})
    bases += (counts.bits + counts.wide) * static_cast<std::uint64_t>(point);
  EXPECT_GT(streamed.host_bytes(), bases / 10 * 9);
  EXPECT_LT(streamed.host_bytes(), bases + full_size().row_image_bytes + 1);
  EXPECT_LT(streamed.launch_host, std::uint64_t{150} << 20);
}

TEST(ProverPlan, WitnessesThatAreKept) {
  // 3 values in 96 bytes, 130 bits in three words behind them.
  const WitnessLayout layout(3, 130);
  EXPECT_EQ(layout.bits, 128U);
  EXPECT_EQ(layout.bytes, 4096U);
  EXPECT_EQ(WitnessLayout(0, 0).bytes, 4096U);
  EXPECT_EQ(WitnessLayout(128, 0).bytes, 4096U);
  EXPECT_EQ(WitnessLayout(128, 1).bytes, 8192U);

  const KeyCounts c = full_size();
  const ProverPlan plan = plan_prover(c);
  EXPECT_EQ(plan.witness, WitnessLayout(c.values, c.bits).bytes);
  EXPECT_GE(plan.witness, 32 * c.values + c.bits / 8);
  EXPECT_EQ(plan.kept_witnesses, 3U);
  EXPECT_EQ(plan.kept_bytes(), 3 * plan.witness);
  EXPECT_EQ(plan_prover(porep_2k()).kept_witnesses, 4U);
  KeyCounts wide = c;
  wide.values = 125'000'000;
  EXPECT_EQ(plan_prover(wide).kept_witnesses, 1U);
}

TEST(ProverPlan, MultiplesOfH) {
  const KeyCounts c = full_size();
  const ProverPlan plain = plan_prover(c);
  PlanOptions options;
  options.multiples = 3;
  options.limit = 150 * kGb;
  const auto three = plan_prover(c, options);
  ASSERT_TRUE(three) << three.error().message;
  EXPECT_EQ(three->h_windows.multiples, 3U);
  EXPECT_EQ(part(three->resident, "h"), part(plain.resident, "h"));
  EXPECT_EQ(part(three->resident, "multiples of h"),
            Context::rounded(3 * 96 * c.h) - part(plain.resident, "h"));
  EXPECT_EQ(three->resident_bytes(), plain.resident_bytes() + part(three->resident, "multiples of h"));
  EXPECT_EQ(three->h_scratch, Context::rounded(whole_msm_memory_bound(c.h, 96, three->h_windows)));
  EXPECT_GE(three->loading, std::uint64_t{2} * 48 * kDoubledPoints);
  // As many as fit, up to those asked for, and a key without them rather than none.
  options.limit = three->needed_bytes() - 1;
  for (const unsigned most : {3U, 0U}) {
    options.multiples = most;
    const auto two = plan_prover(c, options);
    ASSERT_TRUE(two);
    // By themselves none: two would save less than 3 %.
    EXPECT_EQ(two->h_windows.multiples, most == 0 ? 1U : 2U);
    expect_sound(c, *two, options.limit);
  }
  for (options.limit = plain.needed_bytes(); options.limit > plain.needed_bytes() - 2; --options.limit) {
    options.multiples = 1;
    const std::string without = plan_prover(c, options)->text();
    for (options.multiples = 0; options.multiples < 6; ++options.multiples)
      EXPECT_EQ(plan_prover(c, options)->text(), without);
  }
  options.multiples = 0;
  // More memory never makes a sum dearer.
  double before = 0;
  for (options.limit = 60 * kGb; options.limit < 300 * kGb; options.limit += 20 * kGb) {
    const auto plan = plan_prover(c, options);
    ASSERT_TRUE(plan);
    expect_sound(c, *plan, options.limit);
    EXPECT_TRUE(!plan->streamed || plan->h_windows.multiples == 1);
    const double cost = msm_cost(c.h, plan->h_windows.multiples > 1 ? plan->h_windows : msm_windows(c.h));
    EXPECT_TRUE(before == 0 || cost <= before);
    before = cost;
  }
  options.multiples = 2;
  options.residency = Residency::streamed;
  EXPECT_FALSE(plan_prover(c, options));
}

std::uint64_t pair_bytes(std::uint64_t point, std::uint64_t bits, std::uint64_t paired) {
  return Context::rounded(point * (bits + paired / 2)) - Context::rounded(point * bits);
}
/// Additions in G1 that a plan's points beside the bases save, counted.
double saved(const KeyCounts& c, const ProverPlan& plan) {
  const double h =
      plan.h_windows.multiples == 1 ? 0 : msm_cost(c.h, msm_windows(c.h)) - msm_cost(c.h, plan.h_windows);
  return h + static_cast<double>(plan.l.paired + plan.a.paired + plan.b_g1.paired) / 8 +
         3 * static_cast<double>(plan.b_g2.paired) / 8;
}

TEST(ProverPlan, SumsOfPairs) {
  KeyCounts c = full_size();
  c.l.bits += 1;  // the last one has no partner
  c.bits += 1;
  const ProverPlan plain = plan_prover(c);
  PlanOptions options;
  options.pairs = true;
  const ProverPlan all = plan_prover(c, options).value();
  EXPECT_EQ(part(all.resident, "l, sums of pairs"), pair_bytes(96, c.l.bits, c.l.bits));
  EXPECT_EQ(part(all.resident, "a, sums of pairs"), pair_bytes(96, c.a.bits, c.a.bits));
  EXPECT_EQ(part(all.resident, "b_g1, sums of pairs"), pair_bytes(96, c.b.bits, c.b.bits));
  EXPECT_EQ(part(all.resident, "b_g2, sums of pairs"), pair_bytes(192, c.b.bits, c.b.bits));
  EXPECT_EQ(all.pair_sums(), c.l.bits / 2 + c.a.bits / 2 + 2 * (c.b.bits / 2));
  EXPECT_NEAR(static_cast<double>(all.resident_bytes() - plain.resident_bytes()), 17.0e9, 0.1e9);
  EXPECT_EQ(all.needed_bytes() - plain.needed_bytes(), all.resident_bytes() - plain.resident_bytes());
  EXPECT_GE(all.loading, pairs_memory_bound(c.b.bits, 192));
  EXPECT_THAT(all.text(), HasSubstr("b_g2, sums of pairs"));
  EXPECT_THAT(plain.text(), Not(HasSubstr("pairs")));
  // As many as fit, a multiple of kBitBlock where not all do; those of G2 first.
  options.limit = all.needed_bytes() - 1;
  const ProverPlan less = plan_prover(c, options).value();
  expect_sound(c, less, options.limit);
  EXPECT_EQ(less.a.paired % kBitBlock, 0U);
  EXPECT_GT(less.a.paired, c.a.bits - 3 * kBitBlock);
  EXPECT_EQ(less.l.paired, c.l.bits);
  options.limit = plain.needed_bytes() + kGb;
  const ProverPlan few = plan_prover(c, options).value();
  expect_sound(c, few, options.limit);
  EXPECT_GT(few.needed_bytes(), options.limit - 3 * kBitBlock / 2 * 192);
  EXPECT_GT(few.b_g2.paired, 10'000'000U);
  EXPECT_EQ(few.l.paired + few.a.paired + few.b_g1.paired, 0U);
  for (options.limit = plain.needed_bytes(); options.limit > plain.needed_bytes() - 2; --options.limit)
    EXPECT_EQ(plan_prover(c, options)->text(), plan_prover(c, {.limit = options.limit})->text());
  // By themselves not of few bits.
  c.b.bits = kManyBits - 1;
  options = {.multiples = 0, .pairs = true};
  EXPECT_EQ(plan_prover(c, options)->b_g2.paired, 0U);
  EXPECT_EQ(plan_prover(c, options)->a.paired, c.a.bits);
  options.multiples = 2;
  EXPECT_EQ(plan_prover(c, options)->b_g2.paired, c.b.bits);
  c.l.bits = c.a.bits = c.b.bits = c.bits = 1;
  options.multiples = 1;
  EXPECT_EQ(plan_prover(c, options)->text(), plan_prover(c).text());
  options.residency = Residency::streamed;
  EXPECT_FALSE(plan_prover(c, options));
}

// Of all sets of multiples and of queries with pairs that fit none saves more.
TEST(ProverPlan, PointsBesideTheBasesSaveTheMost) {
  const KeyCounts c = full_size();
  std::vector<ProverPlan> multiples;
  for (unsigned m = 1; m <= 6; ++m) multiples.push_back(plan_prover(c, {.multiples = m}).value());
  double before = 0;
  for (std::uint64_t limit = 64 * kGb; limit < 200 * kGb; limit += 5 * kGb) {
    SCOPED_TRACE(limit);
    const ProverPlan plan = plan_prover(c, {.limit = limit, .multiples = 6, .pairs = true}).value();
    expect_sound(c, plan, limit);
    EXPECT_GE(saved(c, plan), before);
    before = saved(c, plan);
    EXPECT_EQ(plan_prover(c, {.limit = plan.needed_bytes(), .multiples = 6, .pairs = true})->text(),
              plan.text());
    for (const ProverPlan& with : multiples)
      for (unsigned set = 0; set < 16; ++set) {
        ProverPlan other = with;
        other.l.paired = (set & 1) != 0 ? c.l.bits : 0;
        other.a.paired = (set & 2) != 0 ? c.a.bits : 0;
        other.b_g1.paired = (set & 4) != 0 ? c.b.bits : 0;
        other.b_g2.paired = (set & 8) != 0 ? c.b.bits : 0;
        const std::uint64_t needed = other.needed_bytes() + pair_bytes(96, c.l.bits, other.l.paired) +
                                     pair_bytes(96, c.a.bits, other.a.paired) +
                                     pair_bytes(96, c.b.bits, other.b_g1.paired) +
                                     pair_bytes(192, c.b.bits, other.b_g2.paired);
        if (needed <= limit) {
          EXPECT_GE(saved(c, plan) + 10, saved(c, other)) << set << ", " << with.h_windows.multiples;
        }
      }
  }
}

TEST(ProverPlan, MultiplesOfSmallDomains) {
  KeyCounts c = full_size();
  const auto kept = [&](unsigned log_size, unsigned multiples) {
    c.domain_log_size = log_size;
    c.h = (std::uint64_t{1} << log_size) - 1;
    PlanOptions options;
    options.multiples = multiples;
    return plan_prover(c, options)->h_windows.multiples;
  };
  // By themselves there are none where they would save nothing.
  for (const unsigned log_size : {0U, 1U, 13U, 17U}) EXPECT_EQ(kept(log_size, 0), 1U);
  for (const unsigned log_size : {18U, 22U}) EXPECT_GT(kept(log_size, 0), 1U);
  EXPECT_EQ(kept(13, 4), 3U);  // a fourth one would save nothing
  EXPECT_EQ(kept(13, 1), 1U);
  // Nor would a second one alone, in some domains: then the plan is the one without, and leaves the windows
  // to the launch, which takes those that fit in what narrow ones need.
  std::string alone;
  for (unsigned log_size = 0; log_size <= 27; ++log_size) {
    const unsigned multiples = kept(log_size, 2);
    const PlanOptions two{.multiples = 2};
    if (multiples == 1) {
      alone += " " + std::to_string(log_size);
      EXPECT_EQ(plan_prover(c, two)->text(), plan_prover(c).text());
      EXPECT_EQ(plan_prover(c, two)->h_windows.count, 0U);
    }
  }
  EXPECT_EQ(alone, " 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15");
}

TEST(SumMemory, BoundsGrowWithWhatTheyBound) {
  EXPECT_EQ(msm_memory_bound(0, 96, {26}, kLeastSlice), 0U);
  for (const unsigned windows : {kNarrowWindows, 16U, 12U}) {
    const auto bound = [&](std::uint64_t point, std::uint64_t slice) {
      return msm_memory_bound(1 << 20, point, {windows}, slice);
    };
    for (const std::uint64_t slice : {1 << 18, 1 << 20}) EXPECT_LT(bound(96, slice), bound(192, slice));
    for (const std::size_t point : {96, 192}) EXPECT_LT(bound(point, 1 << 18), bound(point, 1 << 20));
    EXPECT_LT(whole_msm_memory_bound(1 << 20, 96, {windows}),
              whole_msm_memory_bound(1 << 20, 96, {windows}, 3));
    EXPECT_LT(whole_msm_memory_bound(1 << 18, 96, {windows}), whole_msm_memory_bound(1 << 20, 96, {windows}));
  }
  const std::uint64_t free = msm_memory_bound(1 << 24, 96, {18}, kLeastSlice);
  EXPECT_EQ(fitting_windows(1 << 24, 96, free).count, 18U);
  EXPECT_GT(fitting_windows(1 << 24, 96, free - 1).count, 18U);
  EXPECT_EQ(fitting_windows(1 << 24, 96, 0).count, kNarrowWindows);
  EXPECT_EQ(fitting_windows(1 << 24, 96, UINT64_MAX).count, msm_windows(1 << 24).count);
  EXPECT_EQ(sliced_windows(1 << 24, 96, 0).count, kNarrowWindows);
  // Fewer buckets where wide windows would leave small slices.
  const std::uint64_t tight = msm_memory_bound(1 << 24, 96, {14}, kLeastSlice);
  EXPECT_GT(sliced_windows(1 << 24, 96, tight).count, fitting_windows(1 << 24, 96, tight).count);
  EXPECT_EQ(fitting_bits(12345, 96, UINT64_MAX), 12345U);
  EXPECT_EQ(fitting_bits(std::uint64_t{1} << 30, 192, 0), kBitBlock);
  const std::uint64_t cut = fitting_bits(50'000'000, 96, 1 << 30);
  EXPECT_EQ(cut % kBitBlock, 0U);
  EXPECT_LE(bit_sum_memory_bound(cut, 96), std::uint64_t{1} << 30);
  // Sums of pairs leave fewer points; where some bases are in none, a part of them may have no pairs.
  EXPECT_LT(bit_sum_memory_bound(1 << 20, 96, 1 << 20), bit_sum_memory_bound(1 << 20, 96));
  EXPECT_GT(fitting_bits(50'000'000, 96, 1 << 30, 50'000'000), cut);
  EXPECT_EQ(fitting_bits(50'000'000, 96, 1 << 30, 40'960'000), cut);
  EXPECT_EQ(pairs_memory_bound(1, 96), 0U);
  EXPECT_GT(pairs_memory_bound(1 << 20, 192), pairs_memory_bound(1 << 20, 96));
  EXPECT_EQ(pairs_memory_bound(1 << 23, 96), pairs_memory_bound(1 << 25, 96));
}

TEST(SumMemory, PhasesShareWhatDoesNotOutliveThem) {
  MsmSizes sizes{.point = 96,
                 .entries = 1000,
                 .stretch = 700,
                 .buckets = 64,
                 .all = 256,
                 .lines = 40,
                 .kept_codes = 0,
                 .accumulates = false};
  const MsmScratch scratch{.sort = 9000, .prefix_sums = 100, .tree_additions = 5000, .half_additions = 2000};
  using Part = MsmMemory::Part;
  const auto expect_apart = [](const MsmMemory& m, const std::vector<Part>& phase) {
    std::uint64_t end = 0;
    for (const Part& part : phase) {
      EXPECT_EQ(part.at % Context::kGranule, 0U);
      EXPECT_GE(part.at, end);
      end = part.at + part.bytes;
    }
    EXPECT_LE(end, m.shared);
  };
  for (const std::uint64_t kept : {0, 4000}) {
    sizes.kept_codes = kept;
    const MsmMemory m(sizes, scratch);
    expect_apart(m, {m.codes, m.index, m.sort_scratch});
    expect_apart(m, {m.starts, m.sizes, m.sums, m.sum_scratch, m.list, m.level, m.tree_adder});
    expect_apart(m, {m.rows, m.line_sums, m.row_adder, m.column_adder});
    EXPECT_EQ(m.codes.bytes + m.kept_index, 4 * sizes.entries);
    EXPECT_EQ(m.kept_codes, 4 * kept);
    EXPECT_EQ(m.list.bytes, 8 * 351U);
    EXPECT_EQ(m.level.bytes, 96 * 383U);
    EXPECT_EQ(m.fresh, 0U);
    EXPECT_GT(m.total(), m.kept_codes + m.kept_index + 2 * m.sorted + m.buckets + m.shared);
  }
  sizes.accumulates = true;
  EXPECT_EQ(MsmMemory(sizes, scratch).fresh, 96 * sizes.buckets);
}

TEST(ProverPlan, TextNamesEveryPartAndTheSums) {
  const ProverPlan plan = plan_prover(full_size());
  for (const auto& p : plan.resident) {
    EXPECT_THAT(plan.text(), HasSubstr(p.name));
    EXPECT_THAT(plan.text(), HasSubstr(std::to_string(p.bytes)));
  }
  EXPECT_THAT(plan.text(), HasSubstr(std::to_string(plan.needed_bytes())));
  const ProverPlan streamed = plan_prover(full_size(), {12 * kGb, Residency::automatic, 0, 0}).value();
  EXPECT_THAT(streamed.text(), HasSubstr("2 arrays"));
  for (const auto* parts : {&streamed.quotient, &streamed.h_sum, &streamed.sums, &streamed.host})
    for (const auto& p : *parts) EXPECT_THAT(streamed.text(), HasSubstr(p.name));
}

}  // namespace
}  // namespace cuzk::cuda
