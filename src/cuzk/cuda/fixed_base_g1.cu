#include "cuzk/cuda/internal/fixed_base_impl.cuh"

namespace cuzk::cuda {

Result<std::unique_ptr<DeviceFixedBase<Fp>>> device_fixed_base(Context& context, const G1Affine& base,
                                                               std::uint64_t expected) {
  return make_fixed_base<Fp32, Fp>(context, base, expected);
}

}  // namespace cuzk::cuda
