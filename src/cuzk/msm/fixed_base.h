#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/curve/batch_add.h"
#include "cuzk/curve/point.h"
#include "cuzk/field/fr.h"
#include "cuzk/field/kernels.h"
#include "cuzk/msm/internal/digits.h"

namespace cuzk {

/// Multiples of one point of the subgroup of order r by many scalars: the generation of parameters. `Point`
/// is G1Affine or G2Affine.
///
/// A table holds every multiple m 2^(c w) base, 1 <= m <= 2^(c-1), for windows w of c bits; a product is the
/// sum of one table entry a window. The sums of a block of scalars advance together, window after window, by
/// batch-affine additions, so the results are affine at no extra cost.
///
/// Immutable after construction: multiply() may run in several threads at once.
template <class Point>
class FixedBase {
 public:
  using F = typename Point::Field;

  /// `expected_count`: scalars that will be multiplied in all; it decides the size of the table (at most 2^15
  /// points in each of 16 windows: 48 MiB for G1, 96 MiB for G2).
  FixedBase(ThreadPool& pool, const Point& base, std::size_t expected_count);

  /// out[i] = [scalars[i]] base; scalar 0 (and base infinity) gives infinity. The spans have equal lengths.
  /// Costs one batch-affine addition for each window and scalar. `pool` need not be that of the constructor.
  void multiply(ThreadPool& pool, std::span<const Fr> scalars, std::span<Point> out) const;

 private:
  void fill_table(ThreadPool& pool, const Point& base);

  BatchAdd<F> add_;
  msm_detail::SignedWindows windows_;
  std::vector<Point> table_;  // [window][multiple - 1]
};

extern template class FixedBase<G1Affine>;
extern template class FixedBase<G2Affine>;

}  // namespace cuzk
