#pragma once

#include <cstdint>
#include <memory>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/cuda/context.h"
#include "cuzk/groth16/point_maker.h"

namespace cuzk::cuda {

/// The table of one point in device memory, and room for the products of a batch.
template <class F>
class DeviceFixedBase {
 public:
  DeviceFixedBase() = default;
  DeviceFixedBase(const DeviceFixedBase&) = delete;
  DeviceFixedBase& operator=(const DeviceFixedBase&) = delete;
  virtual ~DeviceFixedBase() = default;

  /// As PointMaker's. Scalars of one batch are filled and points of another one taken while the device works.
  virtual Result<void> make(ThreadPool& pool, std::uint64_t count,
                            const groth16::PointMaker::Scalars& scalars,
                            const groth16::PointMaker::Points<F>& points) = 0;
};

/// For `expected` products in all.
Result<std::unique_ptr<DeviceFixedBase<Fp>>> device_fixed_base(Context& context, const G1Affine& base,
                                                               std::uint64_t expected);
Result<std::unique_ptr<DeviceFixedBase<Fp2>>> device_fixed_base(Context& context, const G2Affine& base,
                                                                std::uint64_t expected);

}  // namespace cuzk::cuda
