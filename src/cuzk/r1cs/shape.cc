#include "cuzk/r1cs/shape.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <string>

#include "cuzk/cpu/atomic_min.h"

namespace cuzk {
namespace {

using r1cs_internal::CoefficientTable;
using r1cs_internal::RowStore;

/// Everything the inner loop reads, as raw pointers.
struct Evaluator {
  const std::uint32_t* columns;
  const std::uint16_t* low;
  const std::uint16_t* high;  // used only when kWideIds
  const Fr* coefficients;
  const std::uint64_t* is_bit;
  const std::uint64_t* aux_values;
  const std::uint32_t* bit_rank;
  const Fr* inputs;
  const Fr* wide;

  template <bool kWideIds>
  [[nodiscard]] Fr evaluate(RowStore::Run run) const {
    Fr sum = Fr::zero();
    for (std::size_t k = run.begin; k < run.begin + run.size; ++k) {
      const std::uint32_t id = kWideIds ? low[k] | static_cast<std::uint32_t>(high[k]) << 16 : low[k];
      const Variable v = Variable::from_code(columns[k]);
      const Fr* value = nullptr;
      if (v.is_aux()) {
        const std::size_t word = v.index() / 64;
        const unsigned bit = v.index() % 64;
        if ((is_bit[word] >> bit & 1) != 0) {
          // A boolean: its coefficient or nothing, without a product and without a branch on the value.
          const std::uint64_t mask = 0 - (aux_values[word] >> bit & 1);
          Fr masked = coefficients[id];
          for (auto& l : masked.limb) l &= mask;
          sum += masked;
          continue;
        }
        const std::uint64_t below = is_bit[word] & ((std::uint64_t{1} << bit) - 1);
        value = wide + (v.index() - bit_rank[word] - static_cast<std::size_t>(std::popcount(below)));
      } else if (v == Variable::one()) {
        sum += coefficients[id];
        continue;
      } else {
        value = inputs + v.index();
      }
      if (id == CoefficientTable::kOne)
        sum += *value;
      else if (id == CoefficientTable::kMinusOne)
        sum -= *value;
      else
        sum += *value * coefficients[id];
    }
    return sum;
  }
  [[nodiscard]] Fr operator()(RowStore::Run run) const {
    return high == nullptr ? evaluate<false>(run) : evaluate<true>(run);
  }
};

/// Spreads the low bits of `packed` to the set positions of `mask`, as PDEP does.
std::uint64_t deposit_bits(std::uint64_t packed, std::uint64_t mask) {
  if (mask == ~std::uint64_t{0}) return packed;
  std::uint64_t out = 0;
  for (; mask != 0; mask &= mask - 1, packed >>= 1) out |= (mask & (0 - mask)) & (0 - (packed & 1));
  return out;
}

}  // namespace

unsigned Shape::domain_log_size() const {
  return static_cast<unsigned>(std::bit_width(num_rows() - 1));
}

std::size_t Shape::memory_bytes() const {
  const std::size_t words =
      aux_is_bit().size() + a_aux_density().size() + b_aux_density().size() + b_input_density().size();
  return rows_.memory_bytes() + words * 8 + bit_rank_.size() * 4;
}

Result<void> Shape::validate(const Witness& w) const {
  const auto mismatch = [](const char* what, std::size_t have, std::size_t want) {
    return bad_input("witness has " + std::to_string(have) + " " + what + ", the circuit " +
                     std::to_string(want));
  };
  if (w.inputs.size() != num_inputs()) return mismatch("inputs", w.inputs.size(), num_inputs());
  if (w.wide.size() != num_wide()) return mismatch("wide values", w.wide.size(), num_wide());
  if (w.bits.size() != (num_bits() + 63) / 64)
    return mismatch("words of bits", w.bits.size(), (num_bits() + 63) / 64);
  if (!w.inputs[0].is_one()) return bad_input("witness input 0 is not one");
  if (num_bits() % 64 != 0 && w.bits.back() >> (num_bits() % 64) != 0)
    return bad_input("witness has bits set behind its last boolean");
  return {};
}

Fr Shape::value(const Witness& w, Variable v) const {
  if (v.is_input()) return w.inputs[v.index()];
  const std::size_t rank = bits_before(v.index());
  if (!is_bit(v.index())) return w.wide[v.index() - rank];
  return (w.bits[rank / 64] >> (rank % 64) & 1) != 0 ? Fr::one() : Fr::zero();
}

std::vector<std::uint64_t> Shape::aux_values(const Witness& w) const {
  const std::span<const std::uint64_t> is_bit = aux_is_bit();
  std::vector<std::uint64_t> out(is_bit.size());
  for (std::size_t i = 0; i < is_bit.size(); ++i) {
    const std::size_t at = bit_rank_[i];
    const unsigned shift = at % 64;
    std::uint64_t packed = at / 64 < w.bits.size() ? w.bits[at / 64] >> shift : 0;
    if (shift != 0 && at / 64 + 1 < w.bits.size()) packed |= w.bits[at / 64 + 1] << (64 - shift);
    out[i] = deposit_bits(packed, is_bit[i]);
  }
  return out;
}

void Shape::evaluate_ab(ThreadPool& pool, const Witness& w, std::span<Fr> a, std::span<Fr> b) const {
  CUZK_CHECK(a.size() == b.size() && a.size() >= num_rows());
  CUZK_CHECK(validate(w).has_value());
  const std::vector<std::uint64_t> values = aux_values(w);
  const Evaluator evaluate{rows_.columns(),       rows_.low_ids(),     rows_.high_ids(),
                           coefficients().data(), aux_is_bit().data(), values.data(),
                           bit_rank_.data(),      w.inputs.data(),     w.wide.data()};
  constexpr std::size_t kGrain = 64 * RowStore::kGroup;
  pool.parallel_for(a.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    const std::size_t rows_end = std::min(end, num_constraints());
    rows_.for_each(begin, rows_end, [&](std::size_t row, RowRun ra, RowRun rb, RowRun) {
      a[row] = evaluate(ra);
      b[row] = evaluate(rb);
    });
    for (std::size_t row = std::max(begin, num_constraints()); row < end; ++row) {
      a[row] = row < num_rows() ? w.inputs[row - num_constraints()] : Fr::zero();
      b[row] = Fr::zero();
    }
  });
}

std::size_t Shape::first_unsatisfied(ThreadPool& pool, const Witness& w) const {
  CUZK_CHECK(validate(w).has_value());
  const std::vector<std::uint64_t> values = aux_values(w);
  const Evaluator evaluate{rows_.columns(),       rows_.low_ids(),     rows_.high_ids(),
                           coefficients().data(), aux_is_bit().data(), values.data(),
                           bit_rank_.data(),      w.inputs.data(),     w.wide.data()};
  std::atomic<std::size_t> first = num_constraints();
  pool.parallel_for(num_constraints(), 64 * RowStore::kGroup, [&](std::size_t begin, std::size_t end) {
    if (begin >= first.load()) return;
    std::size_t found = num_constraints();
    rows_.for_each(begin, end, [&](std::size_t row, RowRun a, RowRun b, RowRun c) {
      if (found == num_constraints() && !(evaluate(a) * evaluate(b) == evaluate(c))) found = row;
    });
    atomic_min(first, found);
  });
  return first.load();
}

}  // namespace cuzk
