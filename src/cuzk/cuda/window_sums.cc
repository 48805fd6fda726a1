#include "cuzk/cuda/msm.h"

#include "cuzk/cuda/internal/digits32.h"

namespace cuzk::cuda {

template <class F>
Jacobian<F> WindowSums<F>::total() const {
  Jacobian<F> sum = Jacobian<F>::infinity();
  for (std::size_t w = columns.size(); w-- > 0;) {
    for (unsigned i = 0; i < narrow_bits + (w < narrow ? 0 : 1); ++i) sum = sum.dbl();
    Jacobian<F> row = rows[w].to_jacobian();
    for (unsigned i = 0; i < low_bits; ++i) row = row.dbl();
    sum += row;
    sum += columns[w].to_jacobian();
  }
  return sum;
}

template struct WindowSums<Fp>;
template struct WindowSums<Fp2>;

// A bucket is added up by rows and by columns, and a little more. A round that has too little to do, one for
// each bit of a window, takes as long as so many additions: 0.06 ms of an H200.
constexpr double kAdditionsABucket = 2.2;
constexpr double kAdditionsARound = 2e5;

double msm_cost(std::uint64_t count, const MsmWindows& windows, unsigned sums) {
  const DigitWindows digits(windows);
  return digits.count * static_cast<double>(count) +
         kAdditionsABucket * sums * static_cast<double>(digits.all_buckets()) +
         kAdditionsARound * digits.shift / digits.sets;
}

MsmWindows windows_of(unsigned windows, unsigned most_multiples) {
  while (true) {
    const DigitWindows digits(windows, most_multiples);
    if (digits.count == windows && digits.multiples == most_multiples) return {windows, most_multiples};
    // Fewer of both may do with fewer sets.
    windows = digits.count;
    most_multiples = digits.multiples;
  }
}

MsmWindows msm_windows(std::uint64_t count, unsigned most_multiples, unsigned sums) {
  constexpr unsigned kMostChosen = 43;  // of six bits
  MsmWindows best;
  double best_cost = 0;
  for (unsigned multiples = 1; multiples <= most_multiples; ++multiples)
    for (unsigned count_of = kLeastWindows; count_of <= kMostChosen; ++count_of) {
      const MsmWindows windows = windows_of(count_of, multiples);
      if (DigitWindows(windows).widest() > kMostWindowBits) continue;
      const double cost = msm_cost(count, windows, sums);
      if (best.count == 0 || cost < best_cost) {
        best = windows;
        best_cost = cost;
      }
    }
  return best;
}

}  // namespace cuzk::cuda
