#pragma once

#include <optional>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/groth16/point_maker.h"
#include "cuzk/msm/fixed_base.h"

namespace cuzk::groth16 {

/// On the threads of a pool, which must outlive it (msm/fixed_base.h).
class CpuPointMaker : public PointMaker {
 public:
  /// The counts are what will be made in all; they decide the sizes of the tables.
  CpuPointMaker(ThreadPool& pool, const G1Affine& g1, std::size_t g1_count, const G2Affine& g2,
                std::size_t g2_count)
      : pool_(pool), g1_(g1), g2_(g2), g1_count_(g1_count), g2_count_(g2_count) {}

  Result<void> make_g1(std::size_t count, const Scalars& scalars, const Points<Fp>& points) override;
  Result<void> make_g2(std::size_t count, const Scalars& scalars, const Points<Fp2>& points) override;

 private:
  ThreadPool& pool_;
  G1Affine g1_;
  G2Affine g2_;
  std::size_t g1_count_;
  std::size_t g2_count_;
  std::optional<FixedBase<G1Affine>> g1_table_;  // made when it is first needed
  std::optional<FixedBase<G2Affine>> g2_table_;
};

}  // namespace cuzk::groth16
