#include "cuzk/groth16/cpu_point_maker.h"

#include <algorithm>
#include <vector>

namespace cuzk::groth16 {
namespace {

/// Points made at a time.
constexpr std::size_t kChunk = std::size_t{1} << 16;
constexpr std::size_t kGrain = std::size_t{1} << 10;

template <class F>
Result<void> make(ThreadPool& pool, const FixedBase<Affine<F>>& table, std::size_t count,
                  const PointMaker::Scalars& fill, const PointMaker::Points<F>& take) {
  const std::size_t most = std::min(count, kChunk);
  std::vector<Fr> scalars(most);
  std::vector<Affine<F>> points(most);
  for (std::size_t begin = 0; begin < count; begin += kChunk) {
    const std::size_t n = std::min(kChunk, count - begin);
    pool.parallel_for(n, kGrain, [&](std::size_t b, std::size_t e) {
      fill(begin + b, std::span(scalars).subspan(b, e - b));
    });
    table.multiply(pool, std::span<const Fr>(scalars).first(n), std::span(points).first(n));
    CUZK_TRY(take(std::span<const Affine<F>>(points).first(n)));
  }
  return {};
}

}  // namespace

Result<void> CpuPointMaker::make_g1(std::size_t count, const Scalars& scalars, const Points<Fp>& points) {
  if (!g1_table_) g1_table_.emplace(pool_, g1_, g1_count_);
  return make<Fp>(pool_, *g1_table_, count, scalars, points);
}
Result<void> CpuPointMaker::make_g2(std::size_t count, const Scalars& scalars, const Points<Fp2>& points) {
  if (!g2_table_) g2_table_.emplace(pool_, g2_, g2_count_);
  return make<Fp2>(pool_, *g2_table_, count, scalars, points);
}

}  // namespace cuzk::groth16
