#include "cuzk/field/internal/adx.h"
#include "cuzk/field/internal/scalar_kernels.h"

namespace cuzk::internal {
namespace {

struct AdxMul {
  static CUZK_INLINE Fr mul(const Fr& a, const Fr& b) { return adx_mul(a, b); }
  static CUZK_INLINE Fp mul(const Fp& a, const Fp& b) { return adx_mul(a, b); }
};

}  // namespace

const FrKernels kFrAdx = ScalarKernels<Fr, AdxMul>::kTable;
const FpKernels kFpAdx = ScalarKernels<Fp, AdxMul>::kTable;
const NttKernels kNttAdx = ScalarNtt<AdxMul>::kTable;

}  // namespace cuzk::internal
