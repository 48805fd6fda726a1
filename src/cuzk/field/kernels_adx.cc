#include "cuzk/field/internal/adx.h"
#include "cuzk/field/internal/scalar_kernels.h"

namespace cuzk::internal {
namespace {

struct AdxMul {
  static CUZK_INLINE Fr mul(const Fr& a, const Fr& b) { return adx_mul(a, b); }
  static CUZK_INLINE Fp mul(const Fp& a, const Fp& b) { return adx_mul(a, b); }
  template <class F>
  static CUZK_INLINE F add(const F& a, const F& b) {
    return a + b;
  }
  template <class F>
  static CUZK_INLINE F sub(const F& a, const F& b) {
    return a - b;
  }
};

/// Values below 2p; products of one of those with a reduced factor stay there.
struct AdxStep {
  static CUZK_INLINE Fr get(const std::uint64_t* x) { return Fr{{x[0], x[1], x[2], x[3]}}; }
  static CUZK_INLINE void cross(std::uint64_t* x, std::uint64_t* y) { adx_cross(x, y, get(y)); }
  static CUZK_INLINE void butterfly(std::uint64_t* x, std::uint64_t* y, const std::uint64_t* w) {
    adx_cross(x, y, adx_product(y, w));
  }
  static CUZK_INLINE void scale(std::uint64_t* x, const std::uint64_t* w) {
    const Fr v = adx_product(x, w);
    for (std::size_t i = 0; i < Fr::kLimbs; ++i) x[i] = v.limb[i];
  }
  static CUZK_INLINE Fr finish(const std::uint64_t* x) { return adx_reduce(get(x)); }
  static CUZK_INLINE Fr mul(const Fr& a, const Fr& b) { return adx_mul(a, b); }
};

}  // namespace

const FrKernels kFrAdx = ScalarKernels<Fr, AdxMul>::kTable;
const FpKernels kFpAdx = ScalarKernels<Fp, AdxMul>::kTable;
const NttKernels kNttAdx = ScalarNtt<AdxStep>::kTable;

}  // namespace cuzk::internal
