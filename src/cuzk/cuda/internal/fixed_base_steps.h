#pragma once

#include <cstdint>
#include <vector>

#include "cuzk/cuda/internal/affine_add.h"
#include "cuzk/cuda/internal/digits32.h"

namespace cuzk::cuda {

/// Multiples of one point by many scalars on the device, as msm/fixed_base.h has them on the host: a table
/// holds every multiple m 2^(bits w) of the point, 0 <= m <= 2^(bits-1), for windows w; a product is the sum
/// of one entry a window. All products of a batch advance together, a batch-affine addition each.
///
/// Table and sums lie in one array, so that an addition is a pair of places in it: window w begins at
/// w * stride(), with infinity; the sums follow the table.
struct FixedBaseLayout {
  DigitWindows windows;

  [[nodiscard]] CUZK_HD std::uint32_t stride() const { return windows.buckets(0) + 1; }
  [[nodiscard]] CUZK_HD std::uint32_t table_points() const { return windows.count * stride(); }
};

/// The arrays behind PointPairs::listed_bases.
struct AdditionList {
  ListedPair* list;
  std::uint32_t* index;
  std::uint32_t* codes;

  CUZK_HD void set(std::uint32_t i, std::uint32_t a, std::uint32_t b, bool negate_b, std::uint32_t to) const {
    list[i] = {2 * i, to};
    index[2 * i] = a;
    index[2 * i + 1] = b;
    codes[2 * i] = 0;
    codes[2 * i + 1] = negate_b ? 1 : 0;
  }
};

/// Addition i of the round that makes multiples known + 1 to 2 known of all windows from 1 to known; `known`
/// is a power of two, i < count * known.
CUZK_HD inline void list_multiple(const FixedBaseLayout& layout, std::uint32_t known, std::uint32_t i,
                                  const AdditionList& list) {
  const std::uint32_t window = i / known * layout.stride();
  const std::uint32_t m = i % known + 1;
  list.set(i, window + known, window + m, false, window + known + m);
}

/// The entry of window w that product i starts with or adds.
CUZK_HD inline std::uint32_t entry_of(const FixedBaseLayout& layout, unsigned w, std::uint32_t code) {
  return w * layout.stride() + (code >> 1);
}

/// Addition i of window w: sum i and its entry.
CUZK_HD inline void list_product(const FixedBaseLayout& layout, unsigned w, std::uint32_t i,
                                 std::uint32_t code, const AdditionList& list) {
  const std::uint32_t sum = layout.table_points() + i;
  list.set(i, sum, entry_of(layout, w, code), (code & 1) != 0, sum);
}

/// 2^(bits w) base for every window: where the tables begin.
template <class F>
std::vector<Affine<F>> window_bases(const FixedBaseLayout& layout, const Affine<F>& base) {
  std::vector<Jacobian<F>> powers;
  Jacobian<F> p = Jacobian<F>::from_affine(base);
  for (unsigned w = 0; w < layout.windows.count; ++w) {
    powers.push_back(p);
    for (unsigned b = 0; b < layout.windows.narrow_bits; ++b) p = p.dbl();
  }
  std::vector<Affine<F>> out(powers.size());
  batch_to_affine<Jacobian<F>>(powers, out);
  return out;
}

/// The windows that cost least for `count` products: an addition for each entry and for each product. All of
/// one set, so that they are equally wide, and of 3 to 20 bits.
inline DigitWindows fixed_base_windows(std::uint64_t count) {
  const auto cost = [&](const DigitWindows& windows) {
    return windows.count * (static_cast<double>(count) + windows.buckets(0));
  };
  unsigned best = 13;
  for (unsigned windows = best + 1; windows <= kMostWindows; ++windows)
    if (cost({windows, windows}) < cost({best, best})) best = windows;
  return {best, best};
}

}  // namespace cuzk::cuda
