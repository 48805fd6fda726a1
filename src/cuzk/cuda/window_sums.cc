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

// In units of a batched addition: one for each base and window, two a bucket, and what a round costs that has
// too little to do.
unsigned msm_window_bits(std::uint64_t count) {
  unsigned best = 0;
  double best_cost = 0;
  for (unsigned bits = 6; bits <= 22; ++bits) {
    const DigitWindows windows(bits);
    const double cost = windows.count * (static_cast<double>(count) + 2.2 * windows.buckets()) + 2e5 * bits;
    if (best == 0 || cost < best_cost) {
      best = bits;
      best_cost = cost;
    }
  }
  return best;
}

}  // namespace cuzk::cuda
