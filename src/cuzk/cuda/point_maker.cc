#include "cuzk/cuda/point_maker.h"

#include "cuzk/cuda/internal/device_fixed_base.h"

namespace cuzk::cuda {

DevicePointMaker::DevicePointMaker(Context& context, ThreadPool& pool, const G1Affine& g1, const G2Affine& g2,
                                   std::uint64_t expected)
    : context_(context), pool_(pool), g1_(g1), g2_(g2), expected_(expected) {}

DevicePointMaker::~DevicePointMaker() = default;

Result<void> DevicePointMaker::make_g1(std::size_t count, const Scalars& scalars, const Points<Fp>& points) {
  CUZK_TRY(context_.bind());
  if (g1_table_ == nullptr) {
    CUZK_TRY_ASSIGN(g1_table_, device_fixed_base(context_, g1_, expected_));
  }
  return g1_table_->make(pool_, count, scalars, points);
}

Result<void> DevicePointMaker::make_g2(std::size_t count, const Scalars& scalars, const Points<Fp2>& points) {
  CUZK_TRY(context_.bind());
  if (g2_table_ == nullptr) {
    CUZK_TRY_ASSIGN(g2_table_, device_fixed_base(context_, g2_, expected_));
  }
  return g2_table_->make(pool_, count, scalars, points);
}

}  // namespace cuzk::cuda
