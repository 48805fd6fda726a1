#pragma once

#include <cstdint>

#include "cuzk/cuda/field32.h"
#include "cuzk/cuda/internal/block.h"

namespace cuzk::cuda {

/// Where the value of a variable lies: with kBitPlace set, that bit of Witness::bits; otherwise an element of
/// the inputs followed by Witness::wide. So nothing has to be ranked or looked up per proof, and the constant
/// one is element 0.
inline constexpr std::uint32_t kBitPlace = std::uint32_t{1} << 31;

/// Linear combinations of more terms than this are summed by a block of threads each.
inline constexpr std::uint32_t kShortTerms = 64;
/// Rows found through one entry of RowArrays::group_terms.
inline constexpr std::uint32_t kRowGroup = 64;
static_assert(2 * kRowGroup * kShortTerms < 1 << 16, "ends are 16 bits");

/// Terms: places and the ids of their coefficients (0 and 1 are 1 and -1).
struct RowTerms {
  const std::uint32_t* places;
  const std::uint16_t* low;
  const std::uint16_t* high;  ///< null while all ids fit 16 bits
};

/// A linear combination of many terms, [begin, begin + size) of the long terms. `place` is 2 row for A,
/// 2 row + 1 for B.
struct LongRun {
  std::uint64_t begin;
  std::uint32_t size;
  std::uint32_t place;
};

/// The A and B of a shape's rows as the device holds them (row_layout.h writes them).
struct RowArrays {
  RowTerms terms;                    ///< of short combinations, A before B, row after row
  const std::uint64_t* group_terms;  ///< first term of every kRowGroup-th row
  const std::uint16_t* ends;         ///< 2 row, 2 row + 1: where A and B end, from the group's first term
  const LongRun* long_runs;          ///< their combinations have no short terms
  RowTerms long_terms;
  const Fr32* coefficients;
  std::uint64_t constraints;
  std::uint64_t rows;  ///< with those of the inputs
};

/// The values of one witness: inputs, then wide ones; bits in words of 32.
struct WitnessView {
  const Fr32* values;
  const std::uint32_t* bits;
};

/// The sum of terms begin, begin + step, ... below end.
template <bool kWideIds>
CUZK_HD Fr32 sum_terms(const RowTerms& terms, const Fr32* coefficients, const WitnessView& witness,
                       std::uint64_t begin, std::uint64_t end, std::uint32_t step) {
  Fr32 sum = Fr32::zero();
  for (std::uint64_t k = begin; k < end; k += step) {
    const std::uint32_t place = terms.places[k];
    std::uint32_t id = terms.low[k];
    if constexpr (kWideIds) id |= static_cast<std::uint32_t>(terms.high[k]) << 16;
    if ((place & kBitPlace) != 0) {
      const std::uint32_t bit = place & ~kBitPlace;
      if ((witness.bits[bit / 32] >> (bit % 32) & 1) != 0) sum += coefficients[id];
    } else if (place == 0) {
      sum += coefficients[id];
    } else if (id == 0) {
      sum += witness.values[place];
    } else if (id == 1) {
      sum -= witness.values[place];
    } else {
      sum += witness.values[place] * coefficients[id];
    }
  }
  return sum;
}

/// a[row] and b[row], or one of them where the other is null; rows behind the last are zero. Those of long
/// combinations come out zero: run_long_row writes them afterwards.
template <bool kWideIds>
CUZK_HD void evaluate_row(const RowArrays& arrays, const WitnessView& witness, std::uint64_t row, Fr32* a,
                          Fr32* b) {
  if (row >= arrays.constraints) {
    if (a != nullptr) a[row] = row < arrays.rows ? witness.values[row - arrays.constraints] : Fr32::zero();
    if (b != nullptr) b[row] = Fr32::zero();
    return;
  }
  const std::uint64_t first = arrays.group_terms[row / kRowGroup];
  const std::uint32_t begin = row % kRowGroup == 0 ? 0 : arrays.ends[2 * row - 1];
  const std::uint32_t middle = arrays.ends[2 * row];
  const std::uint32_t end = arrays.ends[2 * row + 1];
  if (a != nullptr)
    a[row] =
        sum_terms<kWideIds>(arrays.terms, arrays.coefficients, witness, first + begin, first + middle, 1);
  if (b != nullptr)
    b[row] = sum_terms<kWideIds>(arrays.terms, arrays.coefficients, witness, first + middle, first + end, 1);
}

struct LongRowState {};

/// Block i: the combination long_runs[i]. `shared` has an element per thread; their number is a power of two.
template <bool kWideIds, class Block>
CUZK_HD void run_long_row(const RowArrays& arrays, const WitnessView& witness, Fr32* a, Fr32* b, Block& block,
                          Fr32* shared) {
  const LongRun run = arrays.long_runs[block.index()];
  Fr32* const out = run.place % 2 == 0 ? a : b;
  if (out == nullptr) return;
  const std::uint32_t threads = block.threads();
  block.each([&](unsigned thread, LongRowState&) {
    shared[thread] = sum_terms<kWideIds>(arrays.long_terms, arrays.coefficients, witness, run.begin + thread,
                                         run.begin + run.size, threads);
  });
  block.barrier();
  for (std::uint32_t step = threads / 2; step > 0; step /= 2) {
    block.each([&](unsigned thread, LongRowState&) {
      if (thread < step) shared[thread] += shared[thread + step];
    });
    block.barrier();
  }
  block.each([&](unsigned thread, LongRowState&) {
    if (thread == 0) out[run.place / 2] = shared[0];
  });
}

}  // namespace cuzk::cuda
