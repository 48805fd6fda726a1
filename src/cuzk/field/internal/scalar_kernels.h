#pragma once

#include <vector>

#include "cuzk/field/internal/kernel_tables.h"

/// The kernels one element at a time, over a policy `Mul` with static functions mul(Fr, Fr) and mul(Fp, Fp).
/// A template parameter of internal linkage keeps the instances of different files apart.
namespace cuzk::internal {

template <class F, class Mul>
struct ScalarKernels {
  using Out = std::span<F>;
  using In = std::span<const F>;

  static void mul(Out dst, In a, In b) {
    check_lengths(dst.size() == a.size() && dst.size() == b.size());
    for (std::size_t i = 0; i < dst.size(); ++i) dst[i] = Mul::mul(a[i], b[i]);
  }
  static void square(Out dst, In a) {
    check_lengths(dst.size() == a.size());
    for (std::size_t i = 0; i < dst.size(); ++i) dst[i] = Mul::mul(a[i], a[i]);
  }
  static void add(Out dst, In a, In b) {
    check_lengths(dst.size() == a.size() && dst.size() == b.size());
    for (std::size_t i = 0; i < dst.size(); ++i) dst[i] = a[i] + b[i];
  }
  static void sub(Out dst, In a, In b) {
    check_lengths(dst.size() == a.size() && dst.size() == b.size());
    for (std::size_t i = 0; i < dst.size(); ++i) dst[i] = a[i] - b[i];
  }
  static void scale(Out dst, In a, const F& k) {
    check_lengths(dst.size() == a.size());
    const F factor = k;  // k may lie in dst
    for (std::size_t i = 0; i < dst.size(); ++i) dst[i] = Mul::mul(a[i], factor);
  }
  static void sub_scale(Out dst, In a, In b, const F& k) {
    check_lengths(dst.size() == a.size() && dst.size() == b.size());
    const F factor = k;
    for (std::size_t i = 0; i < dst.size(); ++i) dst[i] = Mul::mul(a[i] - b[i], factor);
  }
  static void scale_by_powers(Out dst, In a, const F& first, const F& ratio) {
    check_lengths(dst.size() == a.size());
    F power = first;
    const F step = ratio;
    for (std::size_t i = 0; i < dst.size(); ++i) {
      dst[i] = Mul::mul(a[i], power);
      power = Mul::mul(power, step);
    }
  }
  static void batch_inverse(std::span<F> values) {
    std::vector<F> before(values.size() < kInversionBatch ? values.size() : kInversionBatch);
    while (!values.empty()) {
      const std::span<F> part = values.first(before.size() < values.size() ? before.size() : values.size());
      values = values.subspan(part.size());
      F product = F::one();
      for (std::size_t i = 0; i < part.size(); ++i) {
        before[i] = product;
        if (!part[i].is_zero()) product = Mul::mul(product, part[i]);
      }
      F inverse = invert(product);
      for (std::size_t i = part.size(); i-- > 0;) {
        if (part[i].is_zero()) continue;
        const F own = Mul::mul(inverse, before[i]);
        inverse = Mul::mul(inverse, part[i]);
        part[i] = own;
      }
    }
  }

  static constexpr FieldKernels<F> kTable{mul,       square,          add,          sub, scale,
                                          sub_scale, scale_by_powers, batch_inverse};
};

/// A scratch row is eight elements in the memory form, a prepared factor one.
template <class Mul>
struct ScalarNtt {
  static constexpr std::size_t kLanes = NttKernels::kLanes;
  static constexpr std::size_t kRow = kLanes * Fr::kLimbs;

  static Fr get(const std::uint64_t* words) { return Fr{{words[0], words[1], words[2], words[3]}}; }
  static void put(std::uint64_t* words, const Fr& v) {
    for (std::size_t i = 0; i < Fr::kLimbs; ++i) words[i] = v.limb[i];
  }

  static void prepare(std::span<const Fr> factors, std::uint64_t* out) {
    for (std::size_t i = 0; i < factors.size(); ++i) put(out + i * Fr::kLimbs, factors[i]);
  }
  static void load(std::uint64_t* scratch, const Fr* src, std::size_t rows, std::size_t row_stride,
                   std::size_t lane_stride) {
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t l = 0; l < kLanes; ++l)
        put(scratch + r * kRow + l * Fr::kLimbs, src[r * row_stride + l * lane_stride]);
  }
  static void store(Fr* dst, const std::uint64_t* scratch, std::size_t rows, std::size_t row_stride,
                    std::size_t lane_stride) {
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t l = 0; l < kLanes; ++l)
        dst[r * row_stride + l * lane_stride] = get(scratch + r * kRow + l * Fr::kLimbs);
  }
  /// (x, y) -> (x + w y, x - w y) in all lanes.
  static void butterfly(std::uint64_t* x, std::uint64_t* y, const Fr& w, bool trivial) {
    for (std::size_t l = 0; l < kLanes; ++l) {
      const Fr u = get(x + l * Fr::kLimbs);
      const Fr v = get(y + l * Fr::kLimbs);
      const Fr t = trivial ? v : Mul::mul(v, w);
      put(x + l * Fr::kLimbs, u + t);
      put(y + l * Fr::kLimbs, u - t);
    }
  }
  static void natural_to_reversed(std::uint64_t* scratch, unsigned log_rows, const std::uint64_t* factors) {
    for (unsigned level = 0; level < log_rows; ++level) {
      const std::size_t half = std::size_t{1} << (log_rows - level - 1);
      for (std::size_t i = 0; i < std::size_t{1} << level; ++i) {
        const Fr w = get(factors + i * Fr::kLimbs);
        for (std::size_t j = 0; j < half; ++j) {
          std::uint64_t* x = scratch + (2 * i * half + j) * kRow;
          butterfly(x, x + half * kRow, w, i == 0);
        }
      }
    }
  }
  static void reversed_to_natural(std::uint64_t* scratch, unsigned log_rows, const std::uint64_t* factors,
                                  bool cyclic) {
    const std::size_t rows = std::size_t{1} << log_rows;
    for (std::size_t half = 1; half < rows; half *= 2) {
      for (std::size_t base = 0; base < rows; base += 2 * half)
        for (std::size_t j = 0; j < half; ++j) {
          std::uint64_t* x = scratch + (base + j) * kRow;
          butterfly(x, x + half * kRow, get(factors + (half + j) * Fr::kLimbs), cyclic && j == 0);
        }
    }
  }
  static void scale_rows(std::uint64_t* scratch, std::size_t rows, const std::uint64_t* factors) {
    for (std::size_t r = 0; r < rows; ++r) {
      const Fr w = get(factors + r * Fr::kLimbs);
      for (std::size_t l = 0; l < kLanes; ++l) {
        std::uint64_t* x = scratch + r * kRow + l * Fr::kLimbs;
        put(x, Mul::mul(get(x), w));
      }
    }
  }
  static void scale_progression(std::uint64_t* scratch, unsigned log_rows, const Fr (&first)[8],
                                const Fr (&ratio)[8], bool reversed) {
    Fr power[kLanes];
    for (std::size_t l = 0; l < kLanes; ++l) power[l] = first[l];
    for (std::size_t r = 0; r < std::size_t{1} << log_rows; ++r) {
      std::uint64_t* row = scratch + (reversed ? reverse_bits(r, log_rows) : r) * kRow;
      for (std::size_t l = 0; l < kLanes; ++l) {
        put(row + l * Fr::kLimbs, Mul::mul(get(row + l * Fr::kLimbs), power[l]));
        power[l] = Mul::mul(power[l], ratio[l]);
      }
    }
  }

  static constexpr NttKernels kTable{
      kRow,       Fr::kLimbs,       prepare, load, store, natural_to_reversed, reversed_to_natural,
      scale_rows, scale_progression};
};

}  // namespace cuzk::internal
