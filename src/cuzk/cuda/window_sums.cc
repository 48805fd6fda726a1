#include "cuzk/cuda/internal/bucket_sets.h"
#include "cuzk/cuda/internal/digits32.h"
#include "cuzk/cuda/msm.h"

namespace cuzk::cuda {

template <class F>
Jacobian<F> WindowSums<F>::total() const {
  Jacobian<F> sum = Jacobian<F>::infinity();
  for (std::size_t w = columns.size(); w-- > 0;) {
    for (unsigned i = 0; i < window_bits; ++i) sum = sum.dbl();
    Jacobian<F> row = rows[w].to_jacobian();
    for (unsigned i = 0; i < low_bits; ++i) row = row.dbl();
    sum += row;
    sum += columns[w].to_jacobian();
  }
  return sum;
}

template struct WindowSums<Fp>;
template struct WindowSums<Fp2>;

// One addition for each base and window, two a bucket, and what a round costs that has too little to do.
double msm_cost(std::uint64_t count, const BaseMultiples& multiples) {
  const DigitWindows windows(multiples.window_bits);
  const BucketSets sets(windows.count, multiples.arrays);
  return windows.count * static_cast<double>(count) + sets.count * 2.2 * windows.buckets() +
         2e5 * multiples.window_bits;
}

BaseMultiples base_multiples(std::uint64_t count, unsigned most_arrays, unsigned window_bits) {
  // Wider windows than 22 bits save less than their buckets cost, where no windows share them.
  const unsigned least = window_bits != 0 ? window_bits : 6;
  const unsigned most = window_bits != 0 ? window_bits : most_arrays == 1 ? 22 : kMostWindowBits;
  BaseMultiples best;
  double best_cost = 0;
  for (unsigned bits = least; bits <= most; ++bits) {
    const BucketSets sets(DigitWindows(bits).count, most_arrays);
    const BaseMultiples multiples{bits, sets.arrays, bits * sets.count};
    const double cost = msm_cost(count, multiples);
    if (best.window_bits == 0 || cost < best_cost) {
      best = multiples;
      best_cost = cost;
    }
  }
  return best;
}

unsigned msm_window_bits(std::uint64_t count) {
  return base_multiples(count, 1).window_bits;
}

unsigned msm_windows(unsigned window_bits) {
  return DigitWindows(window_bits).count;
}

}  // namespace cuzk::cuda
