#include "cuzk/cuda/prover_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cuzk/cuda/context.h"

namespace cuzk::cuda {
namespace {

using testing::HasSubstr;

/// The synthetic launch of issue 6 at 2^27: 130.2 M rows, 1.3 % of the variables wide, half of the terms in A
/// and B short.
CircuitCounts full_size() {
  CircuitCounts c;
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
  return c;
}

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
  std::uint64_t sum = 0;
  for (const auto& p : plan.resident) {
    EXPECT_EQ(p.bytes % Context::kGranule, 0U) << p.name;
    sum += p.bytes;
  }
  EXPECT_EQ(plan.resident_bytes(), sum);
  EXPECT_EQ(plan.needed_bytes(), sum + plan.quotient_bytes());
  // It is meant for cards of 80 GB and more.
  EXPECT_LT(plan.needed_bytes(), std::uint64_t{72'000'000'000});
}

TEST(ProverPlan, EmptyCircuitTakesAGranuleAnArray) {
  CircuitCounts c;
  c.values = 1;
  const ProverPlan plan = plan_prover(c);
  // h, eight of queries, three lists of places, eight of rows (no high ids); no tables of a domain of one.
  EXPECT_EQ(plan.resident_bytes(), 20 * Context::kGranule);
  EXPECT_EQ(plan.quotient_bytes(), 5 * Context::kGranule);
  EXPECT_EQ(plan.loading, Context::kGranule);
}

TEST(ProverPlan, TextNamesEveryPartAndTheSums) {
  const ProverPlan plan = plan_prover(full_size());
  for (const auto& p : plan.resident) {
    EXPECT_THAT(plan.text(), HasSubstr(p.name));
    EXPECT_THAT(plan.text(), HasSubstr(std::to_string(p.bytes)));
  }
  EXPECT_THAT(plan.text(), HasSubstr(std::to_string(plan.needed_bytes())));
}

}  // namespace
}  // namespace cuzk::cuda
