#pragma once

#include <cstddef>
#include <cstdint>

#include "cuzk/curve/batch_add.h"
#include "cuzk/curve/internal/batch_add_scalar.h"

namespace cuzk::detail {

/// What the kernels leave to plain code. Defined in batch_add.cc, which is compiled without
/// instruction set flags (see field/internal/ifma.h).

/// One sum that the chord formula may not hold for.
template <class F>
struct SpecialSum {
  SumKind kind;
  F denominator;  // of the slope; tangent: 2 y, no slope: 1
  F numerator;    // tangent: 3 x^2
  Affine<F> sum;  // where no slope is needed
};
SpecialSum<Fp> special_sum(const Fp* a, bool negate_a, const Fp* b, bool negate_b);
SpecialSum<Fp2> special_sum(const Fp2* a, bool negate_a, const Fp2* b, bool negate_b);

/// values[i] = 2^48 / values[i] for eight non-zero values, in Montgomery form.
void invert_lanes(Fp* values);
void invert_lanes(Fp2* values);

/// The kernel with mulx and adx.
void batch_add_adx(const BatchAddJob<Fp>* jobs, std::size_t job_count, BatchAddScratch& scratch);
void batch_add_adx(const BatchAddJob<Fp2>* jobs, std::size_t job_count, BatchAddScratch& scratch);

/// The kernel compiled for AVX-512 IFMA.
void batch_add_ifma(const BatchAddJob<Fp>* jobs, std::size_t job_count, BatchAddScratch& scratch);
void batch_add_ifma(const BatchAddJob<Fp2>* jobs, std::size_t job_count, BatchAddScratch& scratch);

}  // namespace cuzk::detail
