#pragma once

#include <memory>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/cuda/context.h"
#include "cuzk/groth16/point_maker.h"

namespace cuzk::cuda {

template <class F>
class DeviceFixedBase;

/// Points of parameters on a device (groth16::SetupOptions::points): two billion batch-affine additions a
/// second, a dozen a point. Nobody else may use the context meanwhile. For `cuzk setup --device` and
/// benchmarks.
///
/// Takes up to 1.3 GB of device memory for points of G1 and 2.3 GB for G2, when the first of each are made,
/// and keeps them; the same in pinned host memory: 0.5 and 0.9 GB. Fewer points take less.
///
/// make_g1 and make_g2 block until the last points are delivered. Errors: as Context::check (kIo where memory
/// runs out), and those of `points`; what was delivered before them is right. One thread at a time; `scalars`
/// is called on the pool's.
class DevicePointMaker : public groth16::PointMaker {
 public:
  /// Context and pool must outlive it. `expected`: the points that will be made in all, of either group.
  DevicePointMaker(Context& context, ThreadPool& pool, const G1Affine& g1, const G2Affine& g2,
                   std::uint64_t expected);
  ~DevicePointMaker() override;

  Result<void> make_g1(std::size_t count, const Scalars& scalars, const Points<Fp>& points) override;
  Result<void> make_g2(std::size_t count, const Scalars& scalars, const Points<Fp2>& points) override;

 private:
  Context& context_;
  ThreadPool& pool_;
  G1Affine g1_;
  G2Affine g2_;
  std::uint64_t expected_;
  std::unique_ptr<DeviceFixedBase<Fp>> g1_table_;
  std::unique_ptr<DeviceFixedBase<Fp2>> g2_table_;
};

}  // namespace cuzk::cuda
