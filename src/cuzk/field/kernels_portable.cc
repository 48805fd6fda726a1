#include "cuzk/field/internal/scalar_kernels.h"

namespace cuzk::internal {
namespace {

struct PortableMul {
  template <class F>
  static F mul(const F& a, const F& b) {
    return F::mul_plain(a, b);
  }
};

}  // namespace

const FrKernels kFrPortable = ScalarKernels<Fr, PortableMul>::kTable;
const FpKernels kFpPortable = ScalarKernels<Fp, PortableMul>::kTable;
const NttKernels kNttPortable = ScalarNtt<PortableMul>::kTable;

}  // namespace cuzk::internal
