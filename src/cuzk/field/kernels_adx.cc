#include "cuzk/field/internal/adx.h"
#include "cuzk/field/internal/adx_ntt.h"
#include "cuzk/field/internal/scalar_kernels.h"

namespace cuzk::internal {
namespace {

struct AdxMul {
  static CUZK_INLINE Fr mul(const Fr& a, const Fr& b) { return adx_mul(a, b); }
  static CUZK_INLINE Fp mul(const Fp& a, const Fp& b) { return adx_mul(a, b); }
  static CUZK_INLINE Fr square(const Fr& a) { return adx_mul(a, a); }
  static CUZK_INLINE Fp square(const Fp& a) { return adx_finish(adx_square(a.limb)); }
  template <class F>
  static CUZK_INLINE F add(const F& a, const F& b) {
    return a + b;
  }
  template <class F>
  static CUZK_INLINE F sub(const F& a, const F& b) {
    return a - b;
  }
};

/// Values of any four words, see internal/adx_ntt.h.
struct AdxStep {
  static constexpr std::size_t kFactorWords = QuotientFactor::kWords;
  static void prepare_factor(const Fr& w, std::uint64_t* out) { prepare_quotient_factor(w, out); }
  static CUZK_INLINE Fr get(const std::uint64_t* x) { return Fr{{x[0], x[1], x[2], x[3]}}; }
  static CUZK_INLINE void put(std::uint64_t* x, const Fr& v) {
    for (std::size_t i = 0; i < Fr::kLimbs; ++i) x[i] = v.limb[i];
  }
  static CUZK_INLINE Fr times(const std::uint64_t* y, const std::uint64_t* w) {
    std::uint64_t fraction;
    const Fr t = quotient_product(y, w, fraction);
    if (fraction >= kUncertainFraction) [[unlikely]]
      return exact_product(y, w);
    return t;
  }
  static CUZK_INLINE void cross(std::uint64_t* x, std::uint64_t* y) { lazy_cross(x, y, below_twice(get(y))); }
  static CUZK_INLINE void butterfly(std::uint64_t* x, std::uint64_t* y, const std::uint64_t* w) {
    lazy_cross(x, y, times(y, w));
  }
  static CUZK_INLINE void scale(std::uint64_t* x, const std::uint64_t* w) { put(x, times(x, w)); }
  static CUZK_INLINE void scale_by(std::uint64_t* x, const Fr& k) { put(x, adx_product(x, k.limb)); }
  static CUZK_INLINE Fr finish(const std::uint64_t* x) { return adx_reduce(adx_reduce(get(x))); }
  static CUZK_INLINE Fr mul(const Fr& k, const std::uint64_t* w) { return adx_reduce(times(k.limb, w)); }
};

}  // namespace

const FrKernels kFrAdx = ScalarKernels<Fr, AdxMul>::kTable;
const FpKernels kFpAdx = ScalarKernels<Fp, AdxMul>::kTable;
const NttKernels kNttAdx = ScalarNtt<AdxStep>::kTable;

}  // namespace cuzk::internal
