// Table and products of a fixed base: the lists of additions and the kernel that adds, run on the host.
#include <gtest/gtest.h>

#include "cuzk/base/random.h"
#include "cuzk/cuda/internal/fixed_base_steps.h"
#include "cuzk/cuda/internal/host_grid.h"

namespace cuzk::cuda {
namespace {

template <class F32, class F>
void expect_products(const Affine<F>& base, unsigned windows, const std::vector<Fr>& scalars) {
  const FixedBaseLayout layout{DigitWindows(windows, windows)};
  const auto count = static_cast<std::uint32_t>(scalars.size());
  const std::uint32_t table = layout.table_points();
  std::vector<Affine<F32>> points(table + count, Affine<F32>::infinity());
  const auto firsts = narrow_points<F32>(window_bases(layout, base));
  for (std::uint32_t w = 0; w < layout.windows.count; ++w) points[w * layout.stride() + 1] = firsts[w];

  const std::size_t most = std::max<std::size_t>(count, layout.windows.count * layout.windows.buckets(0) / 2);
  std::vector<ListedPair> list(most);
  std::vector<std::uint32_t> index(2 * most);
  std::vector<std::uint32_t> codes(2 * most);
  const AdditionList additions{list.data(), index.data(), codes.data()};
  const auto add = [&](std::uint32_t n) {
    host_affine_add<F32>(
        PointPairs<F32>::listed_bases(list.data(), codes.data(), index.data(), points.data(), points.data()),
        n);
  };
  for (std::uint32_t known = 1; known < layout.windows.buckets(0); known *= 2) {
    const std::uint32_t n = layout.windows.count * known;
    for (std::uint32_t i = 0; i < n; ++i) list_multiple(layout, known, i, additions);
    add(n);
  }
  std::vector<BiasedScalar> biased_scalars;
  for (const Fr& k : scalars) biased_scalars.push_back(biased(layout.windows, Fr32::from(k)));
  for (unsigned w = 0; w < layout.windows.count; ++w) {
    for (std::uint32_t i = 0; i < count; ++i)
      list_product(layout, w, i, digit_code(layout.windows, biased_scalars[i], 0, w), additions);
    add(count);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const Affine<F32>& p = points[table + i];
    EXPECT_TRUE((Affine<F>{p.x.wide(), p.y.wide()} == mul(base, scalars[i]).to_affine()))
        << windows << " windows, scalar " << i;
  }
}

TEST(FixedBase, EqualsScalarMultiplication) {
  TestRandom random(7);
  std::vector<Fr> scalars{Fr::zero(),      Fr::one(),       -Fr::one(),
                          Fr::from_u64(2), Fr::from_u64(8), -Fr::from_u64(9)};
  for (int i = 0; i < 12; ++i) scalars.push_back(fr_from_words([&] { return random.next(); }));
  for (const unsigned windows : {85U, 64U, 37U}) expect_products<Fp32>(g1_generator(), windows, scalars);
  scalars.resize(8);
  expect_products<Fp2x32>(g2_generator(), 64, scalars);
}

TEST(FixedBase, WindowsGrowWithTheCount) {
  EXPECT_LE(fixed_base_windows(1).widest(), 4U);
  EXPECT_EQ(fixed_base_windows(std::uint64_t{1} << 28).widest(), 20U);
  EXPECT_LT(fixed_base_windows(1 << 10).widest(), fixed_base_windows(1 << 20).widest());
  for (const unsigned windows : {13U, 40U, kMostWindows})
    EXPECT_EQ(DigitWindows(windows, windows).widest(), DigitWindows(windows, windows).narrow_bits);
}

}  // namespace
}  // namespace cuzk::cuda
