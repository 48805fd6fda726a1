#pragma once

#include <vector>

#include "cuzk/field/internal/kernel_tables.h"

/// The kernels one element at a time, over a policy `Mul` with static functions mul, square, add and sub for
/// both fields. A template parameter of internal linkage keeps the instances of different files apart.
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
    for (std::size_t i = 0; i < dst.size(); ++i) dst[i] = Mul::square(a[i]);
  }
  static void add(Out dst, In a, In b) {
    check_lengths(dst.size() == a.size() && dst.size() == b.size());
    for (std::size_t i = 0; i < dst.size(); ++i) dst[i] = Mul::add(a[i], b[i]);
  }
  static void sub(Out dst, In a, In b) {
    check_lengths(dst.size() == a.size() && dst.size() == b.size());
    for (std::size_t i = 0; i < dst.size(); ++i) dst[i] = Mul::sub(a[i], b[i]);
  }
  static void scale(Out dst, In a, const F& k) {
    check_lengths(dst.size() == a.size());
    const F factor = k;  // k may lie in dst
    for (std::size_t i = 0; i < dst.size(); ++i) dst[i] = Mul::mul(a[i], factor);
  }
  static void sub_scale(Out dst, In a, In b, const F& k) {
    check_lengths(dst.size() == a.size() && dst.size() == b.size());
    const F factor = k;
    for (std::size_t i = 0; i < dst.size(); ++i) dst[i] = Mul::mul(Mul::sub(a[i], b[i]), factor);
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

/// The transform kernels over a policy `Step` on words of four-word elements, whose values in the scratch may
/// have any range that the policy keeps to itself:
///   cross(x, y)      (x, y) <- (x + y, x - y)
///   butterfly(x, y, w)  (x, y) <- (x + w y, x - w y)
///   scale(x, w)      x <- w x
///   scale_by(x, k)   x <- k x, k an element, reduced
///   finish(x)        the reduced value
///   mul(k, w)        k w, an element, reduced
/// The w are factors of kFactorWords words as prepare_factor(element, out) makes them. A scratch row is eight
/// elements.
template <class Step>
struct ScalarNtt {
  static constexpr std::size_t kLanes = NttKernels::kLanes;
  static constexpr std::size_t kWords = Fr::kLimbs;
  static constexpr std::size_t kRow = kLanes * kWords;
  static constexpr std::size_t kFactor = Step::kFactorWords;

  static void put(std::uint64_t* words, const Fr& v) {
    for (std::size_t i = 0; i < kWords; ++i) words[i] = v.limb[i];
  }

  static void prepare(std::span<const Fr> factors, std::uint64_t* out) {
    for (std::size_t i = 0; i < factors.size(); ++i) Step::prepare_factor(factors[i], out + i * kFactor);
  }
  static void load(std::uint64_t* scratch, const Fr* src, std::size_t rows, std::size_t row_stride,
                   std::size_t lane_stride) {
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t l = 0; l < kLanes; ++l)
        put(scratch + r * kRow + l * kWords, src[r * row_stride + l * lane_stride]);
  }
  static void store(Fr* dst, const std::uint64_t* scratch, std::size_t rows, std::size_t row_stride,
                    std::size_t lane_stride) {
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t l = 0; l < kLanes; ++l)
        dst[r * row_stride + l * lane_stride] = Step::finish(scratch + r * kRow + l * kWords);
  }
  static void row_butterfly(std::uint64_t* x, std::uint64_t* y, const std::uint64_t* w, bool trivial) {
    if (trivial) {
      for (std::size_t i = 0; i < kRow; i += kWords) Step::cross(x + i, y + i);
    } else {
      for (std::size_t i = 0; i < kRow; i += kWords) Step::butterfly(x + i, y + i, w);
    }
  }
  static void natural_to_reversed(std::uint64_t* scratch, unsigned log_rows, const std::uint64_t* factors) {
    for (unsigned level = 0; level < log_rows; ++level) {
      const std::size_t half = std::size_t{1} << (log_rows - level - 1);
      for (std::size_t i = 0; i < std::size_t{1} << level; ++i)
        for (std::size_t j = 0; j < half; ++j) {
          std::uint64_t* x = scratch + (2 * i * half + j) * kRow;
          row_butterfly(x, x + half * kRow, factors + i * kFactor, i == 0);
        }
    }
  }
  static void reversed_to_natural(std::uint64_t* scratch, unsigned log_rows, const std::uint64_t* factors,
                                  bool cyclic) {
    const std::size_t rows = std::size_t{1} << log_rows;
    for (std::size_t half = 1; half < rows; half *= 2)
      for (std::size_t base = 0; base < rows; base += 2 * half)
        for (std::size_t j = 0; j < half; ++j) {
          std::uint64_t* x = scratch + (base + j) * kRow;
          row_butterfly(x, x + half * kRow, factors + (half + j) * kFactor, cyclic && j == 0);
        }
  }
  static void scale_rows(std::uint64_t* scratch, std::size_t rows, const std::uint64_t* factors) {
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t i = 0; i < kRow; i += kWords)
        Step::scale(scratch + r * kRow + i, factors + r * kFactor);
  }
  static void scale_progression(std::uint64_t* scratch, unsigned log_rows, const Fr (&first)[8],
                                const Fr (&ratio)[8], bool reversed) {
    Fr power[kLanes];
    std::uint64_t step[kLanes * kFactor];
    for (std::size_t l = 0; l < kLanes; ++l) {
      power[l] = first[l];
      Step::prepare_factor(ratio[l], step + l * kFactor);
    }
    for (std::size_t r = 0; r < std::size_t{1} << log_rows; ++r) {
      std::uint64_t* row = scratch + (reversed ? reverse_bits(r, log_rows) : r) * kRow;
      for (std::size_t l = 0; l < kLanes; ++l) {
        Step::scale_by(row + l * kWords, power[l]);
        power[l] = Step::mul(power[l], step + l * kFactor);
      }
    }
  }

  static constexpr NttKernels kTable{
      kRow,       kFactor,          prepare, load, store, natural_to_reversed, reversed_to_natural,
      scale_rows, scale_progression};
};

}  // namespace cuzk::internal
