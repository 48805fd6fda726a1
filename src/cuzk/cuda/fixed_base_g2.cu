#include "cuzk/cuda/internal/fixed_base_impl.cuh"

namespace cuzk::cuda {

Result<std::unique_ptr<DeviceFixedBase<Fp2>>> device_fixed_base(Context& context, const G2Affine& base,
                                                                std::uint64_t expected) {
  return make_fixed_base<Fp2x32, Fp2>(context, base, expected);
}

}  // namespace cuzk::cuda
