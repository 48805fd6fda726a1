#pragma once

#include <type_traits>

#include "cuzk/curve/point.h"

namespace cuzk {

/// The generator of the group over F (Fp: G1, Fp2: G2), for code that is written once for both.
template <class F>
CUZK_HD constexpr Affine<F> generator() {
  if constexpr (std::is_same_v<F, Fp>)
    return g1_generator();
  else
    return g2_generator();
}

}  // namespace cuzk
