#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "cuzk/cuda/internal/circuit_parts.h"
#include "cuzk/cuda/internal/stage_clock.h"
#include "cuzk/cuda/internal/sum_memory.h"
#include "cuzk/cuda/msm.h"

namespace cuzk::cuda {

/// A circuit's witness in device memory.
struct DeviceWitness {
  DeviceMemory values;  ///< inputs and wide values
  DeviceMemory bits;    ///< Witness::bits
};

/// The names of a query's two stages: the sum over its bits, and that of its wide bases.
struct QueryStages {
  const char* bits;
  const char* wide;
};

/// What a launch does for a circuit whether its key is resident or streamed. Used under the device lock, by
/// one thread. Errors: as Context::allocate and Context::check.
class CircuitStages {
 protected:
  CircuitStages(Context& context, const DeviceKey& key, StageClock& clock, Progress& progress)
      : context_(context), key_(key), clock_(clock), progress_(progress) {}

  static constexpr const char* kQuotient = "quotient";
  template <class F>
  static constexpr double kScale = sizeof(F) == sizeof(Fp) ? 1 : Progress::kG2;

  [[nodiscard]] std::uint64_t domain() const { return std::uint64_t{1} << key_.ntt->log_size(); }

  /// What a phase has taken since `before` must be what the plan says.
  Result<void> expect_taken(std::uint64_t before, std::uint64_t planned, const char* phase) const {
    const std::uint64_t taken = context_.bytes_in_use() - before;
    if (taken == planned) return {};
    return unplanned(phase, "", planned, taken);
  }
  /// The most in use since Context::watch() may be no more than `before` and `bound` together.
  Result<void> expect_at_most(std::uint64_t before, std::uint64_t bound, const char* phase) const {
    const std::uint64_t taken = context_.watched_bytes() - before;
    if (taken <= bound) return {};
    return unplanned(phase, "at most ", bound, taken);
  }

  /// Inputs, wide values and bits. Asynchronous: the circuit's page-locked memory is read until the stream
  /// has got there.
  Result<DeviceWitness> upload_witness(const CudaPrepared& circuit) {
    DeviceWitness witness;
    CUZK_TRY_ASSIGN(witness.values, context_.allocate(circuit.values * sizeof(Fr), "witness"));
    CUZK_TRY_ASSIGN(witness.bits, context_.allocate(8 * circuit.bit_words, "witness"));
    CUZK_TRY(
        context_.upload(witness.values.as<void>(), circuit.at(0), circuit.values * sizeof(Fr), "witness"));
    if (circuit.bit_words != 0)
      CUZK_TRY(context_.upload(witness.bits.as<void>(), circuit.at(circuit.bits_offset),
                               8 * circuit.bit_words, "witness"));
    return Result<DeviceWitness>(std::move(witness));
  }

  /// The values of the rows to a and b, of which one may be null.
  Result<void> rows(const DeviceWitness& witness, Fr* a, Fr* b) {
    return key_.rows.evaluate(context_, witness.values.as<Fr>(), witness.bits.as<std::uint64_t>(), a, b,
                              domain());
  }

  /// The stages "rows" and "quotient" where there is room for three arrays: the coefficients of h to `a`.
  Result<void> quotient_of_rows(const DeviceWitness& witness, Fr* a, Fr* b, Fr* c) {
    CUZK_TRY(clock_.begin("rows"));
    CUZK_TRY(rows(witness, a, b));
    CUZK_TRY(clock_.end());
    CUZK_TRY(clock_.begin(kQuotient));
    CUZK_TRY(key_.ntt->quotient(a, b, c));
    return clock_.end();
  }

  /// Behind every quotient: its highest coefficient, which lies last in `a`, is zero, or a transform went
  /// wrong. Waits.
  Result<void> check_quotient(const Fr* a) {
    Fr top = Fr::one();
    CUZK_TRY(context_.download(&top, a + domain() - 1, sizeof top, kQuotient));
    if (!top.is_zero())
      return Error{ErrorCode::kInternal,
                   "device " + std::to_string(context_.device()) +
                       ": the quotient has a term of degree n - 1: a transform went wrong"};
    progress_.add(domain(), Progress::kRow + Progress::kQuotient);
    return {};
  }

  /// Adds to `out` the sum of `count` bit bases, of which the first is the query's `begin`th, in as few parts
  /// as there is memory for.
  template <class F>
  Result<void> sum_bits(const Affine<F>* bases, std::uint64_t begin, std::uint64_t count,
                        const QueryBits& bits, QueryParts<F>& out, const BasePairs& pairs = {}) {
    const std::uint64_t most = fitting_bits(count, sizeof(Affine<F>), context_.free_bytes(), pairs.paired);
    const std::uint64_t before = context_.bytes_in_use();
    context_.watch();
    for (std::uint64_t done = 0; done < count; done += most) {
      const std::uint64_t size = std::min(most, count - done);
      BasePairs left;  // counted from base `done`
      if (done < pairs.paired) left = {std::min(size, pairs.paired - done), pairs.at + done / 2 - done};
      CUZK_TRY_ASSIGN(const std::vector<Xyzz<F>> sums,
                      bit_sum(context_, bases + done, bits.words + (begin + done) / 64, size,
                              bits.picks(begin + done, size, left.paired), left));
      out.bits.insert(out.bits.end(), sums.begin(), sums.end());
      progress_.add(size, Progress::kBit * kScale<F>);
    }
    return expect_at_most(before, bit_sum_memory_bound(std::min(most, count), sizeof(Affine<F>)),
                          "sum over a bitmap");
  }

  /// Adds to `out` the sum of `count` wide bases, whose scalars lie at `places` among the values.
  /// `multiply` is the multi-scalar multiplication that suits.
  template <class F, class Multiply>
  Result<void> sum_wide(const Affine<F>* bases, const std::uint32_t* places, std::uint64_t count,
                        const DeviceMemory& values, const Multiply& multiply, QueryParts<F>& out) {
    CUZK_TRY_ASSIGN(const DeviceMemory scalars, context_.allocate(count * sizeof(Fr), "wide scalars"));
    CUZK_TRY(gather_scalars(context_, values.as<Fr>(), places, count, scalars.as<Fr>()));
    CUZK_TRY_ASSIGN(auto part, multiply(bases, scalars.as<Fr>(), count));
    out.wide.push_back(std::move(part));
    progress_.add(count, Progress::kWide * kScale<F>);
    return {};
  }

  [[nodiscard]] Error unplanned(const char* phase, const char* at_most, std::uint64_t planned,
                                std::uint64_t taken) const {
    return {ErrorCode::kInternal, "device " + std::to_string(context_.device()) + ", " + phase +
                                      ": the plan says " + at_most + std::to_string(planned) +
                                      " bytes, it took " + std::to_string(taken)};
  }

  Context& context_;
  const DeviceKey& key_;
  StageClock& clock_;
  Progress& progress_;
};

}  // namespace cuzk::cuda
