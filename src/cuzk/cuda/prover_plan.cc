#include "cuzk/cuda/prover_plan.h"

#include <algorithm>

#include "cuzk/cuda/context.h"
#include "cuzk/cuda/internal/ntt_plan.h"
#include "cuzk/cuda/internal/row_layout.h"
#include "cuzk/groth16/proving_key_bases.h"

namespace cuzk::cuda {
namespace {

/// What Context::allocate takes for a request.
std::uint64_t taken(std::uint64_t bytes) {
  return Context::rounded(std::max<std::uint64_t>(bytes, 1));
}

/// The tables that Ntt::create makes, and what it takes meanwhile.
std::uint64_t table_bytes(unsigned log_size) {
  if (log_size < 3) return 0;
  const NttTableList list(NttDigits(log_size), NttTableList::kCachedSpan);
  std::uint64_t sum = 0;
  for (std::size_t i = 1; i < list.recipes.size(); ++i) sum += taken(list.recipes[i].size() * sizeof(Fr32));
  return sum;
}
constexpr std::uint64_t kPowersBytes = sizeof(Fr32) << (kPowerBits + 1);

std::uint64_t terms_bytes(std::uint64_t count, bool wide_ids) {
  return taken(4 * count) + taken(2 * count) + (wide_ids ? taken(2 * count) : 0);
}

std::uint64_t rows_bytes(const CircuitCounts& c) {
  return terms_bytes(c.short_terms, c.wide_ids) + terms_bytes(c.long_terms, c.wide_ids) +
         taken(8 * c.row_groups) + taken(4 * c.constraints) + taken(sizeof(LongRun) * c.long_runs) +
         taken(sizeof(Fr) * c.coefficients);
}

std::uint64_t sum_of(const std::vector<ProverPlan::Part>& parts) {
  std::uint64_t sum = 0;
  for (const auto& part : parts) sum += part.bytes;
  return sum;
}

std::string line(const std::string& name, std::uint64_t bytes) {
  std::string text = "  " + name;
  const std::string number = std::to_string(bytes);
  constexpr std::size_t kWidth = 56;
  const std::size_t used = text.size() + number.size();
  return text + std::string(used < kWidth ? kWidth - used : 1, ' ') + number + "\n";
}

}  // namespace

CircuitCounts circuit_counts(const groth16::ProvingKey& key) {
  const Shape& shape = *key.shape();
  const auto& bases = groth16::ProvingKeyBases::of(key);
  CircuitCounts c;
  c.domain_log_size = shape.domain_log_size();
  c.values = shape.num_inputs() + shape.num_wide();
  c.bits = shape.num_bits();
  c.h = bases.h.size();
  c.l = {bases.l.bit_count(), bases.l.wide().size()};
  c.a = {bases.a.bit_count(), bases.a.wide().size()};
  c.b = {bases.b_g1.bit_count(), bases.b_g1.wide().size()};
  const RowCounts rows = count_rows(shape);
  c.short_terms = rows.short_terms;
  c.long_terms = rows.long_terms;
  c.long_runs = rows.long_runs;
  c.row_groups = rows.groups;
  c.constraints = rows.constraints;
  c.coefficients = rows.coefficients;
  c.wide_ids = rows.wide_ids;
  return c;
}

std::uint64_t ProverPlan::resident_bytes() const {
  return sum_of(resident);
}
std::uint64_t ProverPlan::quotient_bytes() const {
  return sum_of(quotient);
}
std::uint64_t ProverPlan::needed_bytes() const {
  return resident_bytes() + std::max(quotient_bytes(), loading);
}

std::string ProverPlan::text() const {
  std::string out = "resident, bytes of device memory:\n";
  for (const Part& part : resident) out += line(part.name, part.bytes);
  out += line("all of it", resident_bytes());
  out += "a launch, beside it:\n";
  for (const Part& part : quotient) out += line(part.name, part.bytes);
  out += line("all of it; the sums cut themselves to this", quotient_bytes());
  out += line("while the key is copied", loading);
  return out + line("needed", needed_bytes());
}

ProverPlan plan_prover(const CircuitCounts& c) {
  const std::uint64_t n = std::uint64_t{1} << c.domain_log_size;
  ProverPlan plan;
  plan.resident.push_back({"h", taken(sizeof(G1Affine) * c.h)});
  const auto query = [&](const char* name, const CircuitCounts::Query& q, std::uint64_t point) {
    plan.resident.push_back({name + std::string(", bit bases"), taken(point * q.bits)});
    plan.resident.push_back({name + std::string(", wide bases"), taken(point * q.wide)});
  };
  query("l", c.l, sizeof(G1Affine));
  query("a", c.a, sizeof(G1Affine));
  query("b_g1", c.b, sizeof(G1Affine));
  query("b_g2", c.b, sizeof(G2Affine));
  plan.resident.push_back(
      {"places of wide scalars", taken(4 * c.l.wide) + taken(4 * c.a.wide) + taken(4 * c.b.wide)});
  plan.resident.push_back({"rows", rows_bytes(c)});
  plan.resident.push_back({"tables of transforms", table_bytes(c.domain_log_size)});

  plan.quotient.push_back({"witness", taken(sizeof(Fr) * c.values) + taken((c.bits + 63) / 64 * 8)});
  plan.quotient.push_back({"values of the rows and their products", 3 * taken(sizeof(Fr) * n)});

  plan.loading = std::max(taken(sizeof(G1Affine) * std::min(kLoadedPoints, c.h)),
                          c.domain_log_size < 3 ? 0 : taken(kPowersBytes));
  return plan;
}

}  // namespace cuzk::cuda
