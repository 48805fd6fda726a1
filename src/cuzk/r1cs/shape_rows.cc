#include "cuzk/r1cs/shape_rows.h"

#include <atomic>
#include <bit>

#include "cuzk/cpu/atomic_min.h"

namespace cuzk {
namespace {

/// Spreads the low bits of `packed` to the set positions of `mask`, as PDEP does.
std::uint64_t deposit_bits(std::uint64_t packed, std::uint64_t mask) {
  if (mask == ~std::uint64_t{0}) return packed;
  std::uint64_t out = 0;
  for (; mask != 0; mask &= mask - 1, packed >>= 1) out |= (mask & (0 - mask)) & (0 - (packed & 1));
  return out;
}

}  // namespace

/// Everything the inner loop reads, as raw pointers.
struct ShapeRows::Evaluator {
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
  [[nodiscard]] Fr evaluate(Run run) const {
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
  [[nodiscard]] Fr operator()(Run run) const {
    return high == nullptr ? evaluate<false>(run) : evaluate<true>(run);
  }
};

ShapeRows::Evaluator ShapeRows::evaluator(const Witness& w, std::span<const std::uint64_t> aux_values) const {
  return {store_.columns(),
          store_.low_ids(),
          store_.high_ids(),
          coefficients().data(),
          shape_.aux_is_bit().data(),
          aux_values.data(),
          bit_rank().data(),
          w.inputs.data(),
          w.wide.data()};
}

std::vector<std::uint64_t> ShapeRows::aux_values(const Witness& w) const {
  const std::span<const std::uint64_t> is_bit = shape_.aux_is_bit();
  std::vector<std::uint64_t> out(is_bit.size());
  for (std::size_t i = 0; i < is_bit.size(); ++i) {
    const std::size_t at = bit_rank()[i];
    const unsigned shift = at % 64;
    std::uint64_t packed = at / 64 < w.bits.size() ? w.bits[at / 64] >> shift : 0;
    if (shift != 0 && at / 64 + 1 < w.bits.size()) packed |= w.bits[at / 64 + 1] << (64 - shift);
    out[i] = deposit_bits(packed, is_bit[i]);
  }
  return out;
}

void ShapeRows::evaluate_ab(ThreadPool& pool, const Witness& w, std::span<Fr> a, std::span<Fr> b) const {
  CUZK_CHECK(a.size() == b.size() && a.size() >= shape_.num_rows());
  CUZK_CHECK(shape_.validate(w).has_value());
  const std::vector<std::uint64_t> values = aux_values(w);
  const Evaluator evaluate = evaluator(w, values);
  const std::size_t constraints = store_.size();
  constexpr std::size_t kGrain = 64 * RowStore::kGroup;
  pool.parallel_for(a.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    store_.for_each(begin, std::min(end, constraints), [&](std::size_t row, Run ra, Run rb, Run) {
      a[row] = evaluate(ra);
      b[row] = evaluate(rb);
    });
    for (std::size_t row = std::max(begin, constraints); row < end; ++row) {
      a[row] = row < shape_.num_rows() ? w.inputs[row - constraints] : Fr::zero();
      b[row] = Fr::zero();
    }
  });
}

std::size_t Shape::first_unsatisfied(ThreadPool& pool, const Witness& w) const {
  CUZK_CHECK(validate(w).has_value());
  const ShapeRows rows(*this);
  const std::vector<std::uint64_t> values = rows.aux_values(w);
  const ShapeRows::Evaluator evaluate = rows.evaluator(w, values);
  const std::size_t constraints = num_constraints();
  std::atomic<std::size_t> first = constraints;
  pool.parallel_for(constraints, 64 * RowStore::kGroup, [&](std::size_t begin, std::size_t end) {
    if (begin >= first.load()) return;
    std::size_t found = constraints;
    rows_->for_each(begin, end, [&](std::size_t row, RowStore::Run a, RowStore::Run b, RowStore::Run c) {
      if (found == constraints && !(evaluate(a) * evaluate(b) == evaluate(c))) found = row;
    });
    atomic_min(first, found);
  });
  return first.load();
}

}  // namespace cuzk
