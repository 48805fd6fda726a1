#pragma once

#include <cstdint>

#include "cuzk/cuda/internal/affine_add.h"

namespace cuzk::cuda {

/// to[i] = 2^doublings from[i] for i = first, first + stride, ... below count: in Jacobian coordinates, made
/// affine with one inversion for all of a thread's points. Infinity stays what it is; the other points have
/// odd order. `z` and `before` hold a value for each of the count points.
template <class F>
CUZK_HD CUZK_INLINE void run_doublings(const Affine<F>* from, Affine<F>* to, std::uint32_t count,
                                       unsigned doublings, F* z, F* before, std::uint32_t first,
                                       std::uint32_t stride) {
  using namespace add_detail;
  if (first >= count) return;
  const std::uint32_t points = (count - first - 1) / stride + 1;
  F product = F::one();
  for (std::uint32_t k = 0; k < points; ++k) {
    const std::uint32_t i = first + k * stride;
    Jacobian<F> p{load_words(&from[i].x), load_words(&from[i].y), F::one()};
    for (unsigned d = 0; d < doublings; ++d) p = p.dbl();
    // (0, 0) stays (0, 0, 0).
    if (p.z.is_zero()) p.z = F::one();
    store_words(&to[i].x, p.x);
    store_words(&to[i].y, p.y);
    store_words(z + i, p.z);
    store_words(before + i, product);
    product = product * p.z;
  }
  F left = inverse(product);
  for (std::uint32_t k = points; k-- > 0;) {
    const std::uint32_t i = first + k * stride;
    const F z_inverse = left * load_words(before + i);
    left = left * load_words(z + i);
    const F square = z_inverse.square();
    store_words(&to[i].x, load_words(&to[i].x) * square);
    store_words(&to[i].y, load_words(&to[i].y) * (square * z_inverse));
  }
}

}  // namespace cuzk::cuda
