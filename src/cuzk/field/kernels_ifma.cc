#include "cuzk/field/internal/ifma.h"
#include "cuzk/field/internal/kernel_tables.h"

namespace cuzk::internal {
namespace {

/// Calls body(first, count) for groups of eight and once for the rest; a whole group is known at compile time
/// to be one, which keeps the masks out of the loop.
struct Whole {};
struct Partial {
  std::size_t count;
};
template <class Body>
CUZK_INLINE void for_groups(std::size_t n, Body&& body) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) body(i, Whole{});
  if (i < n) body(i, Partial{n - i});
}

template <class Params>
struct IfmaKernels {
  using F = Montgomery<Params>;
  using L = ifma::Field<Params>;
  using Vec = typename L::Vec;
  using Out = std::span<F>;
  using In = std::span<const F>;

  static CUZK_INLINE Vec get(const F* p, Whole) { return L::load(p); }
  static CUZK_INLINE Vec get(const F* p, Partial part) { return L::load_partial(p, part.count); }
  static CUZK_INLINE void put(F* p, const Vec& v, Whole) { L::store(p, v); }
  static CUZK_INLINE void put(F* p, const Vec& v, Partial part) { L::store_partial(p, v, part.count); }

  static void mul(Out dst, In a, In b) {
    check_lengths(dst.size() == a.size() && dst.size() == b.size());
    for_groups(dst.size(),
               [d = dst.data(), x = a.data(), y = b.data()](std::size_t i, auto n)
                   CUZK_LAMBDA_INLINE { put(d + i, L::canonical(L::mul(get(x + i, n), get(y + i, n))), n); });
  }
  static void square(Out dst, In a) {
    check_lengths(dst.size() == a.size());
    for_groups(dst.size(), [d = dst.data(), x = a.data()](std::size_t i, auto n)
                               CUZK_LAMBDA_INLINE { put(d + i, L::canonical(L::square(get(x + i, n))), n); });
  }
  static void add(Out dst, In a, In b) {
    check_lengths(dst.size() == a.size() && dst.size() == b.size());
    for_groups(dst.size(),
               [d = dst.data(), x = a.data(), y = b.data()](std::size_t i, auto n)
                   CUZK_LAMBDA_INLINE { put(d + i, L::add_canonical(get(x + i, n), get(y + i, n)), n); });
  }
  static void sub(Out dst, In a, In b) {
    check_lengths(dst.size() == a.size() && dst.size() == b.size());
    for_groups(dst.size(),
               [d = dst.data(), x = a.data(), y = b.data()](std::size_t i, auto n)
                   CUZK_LAMBDA_INLINE { put(d + i, L::sub_canonical(get(x + i, n), get(y + i, n)), n); });
  }
  static void scale(Out dst, In a, const F& k) {
    check_lengths(dst.size() == a.size());
    const Vec factor = L::shifted(L::broadcast(k));
    for_groups(dst.size(), [d = dst.data(), x = a.data(), &factor](std::size_t i, auto n) CUZK_LAMBDA_INLINE {
      put(d + i, L::canonical(L::mul_shifted(factor, get(x + i, n))), n);
    });
  }
  static void sub_scale(Out dst, In a, In b, const F& k) {
    check_lengths(dst.size() == a.size() && dst.size() == b.size());
    const Vec factor = L::shifted(L::broadcast(k));
    for_groups(dst.size(), [d = dst.data(), x = a.data(), y = b.data(), &factor](std::size_t i, auto n)
                               CUZK_LAMBDA_INLINE {
                                 // a - b + p < 2, so the product is < 2.
                                 const Vec difference = L::template sub<1>(get(x + i, n), get(y + i, n));
                                 put(d + i, L::canonical(L::mul_shifted(factor, difference)), n);
                               });
  }
  static void scale_by_powers(Out dst, In a, const F& first, const F& ratio) {
    check_lengths(dst.size() == a.size());
    // Four vectors of powers side by side, each stepping by ratio^32, hide the latency of the step.
    constexpr std::size_t kChains = 4;
    F powers[8 * kChains];
    powers[0] = first;
    for (std::size_t i = 1; i < 8 * kChains; ++i) powers[i] = multiply(powers[i - 1], ratio);
    F step = ratio;
    for (int i = 0; i < 5; ++i) step = multiply(step, step);
    const Vec stride = L::shifted(L::broadcast(step));
    Vec power[kChains];
    for (std::size_t c = 0; c < kChains; ++c) power[c] = L::load(powers + 8 * c);
    const F* x = a.data();
    F* d = dst.data();
    std::size_t i = 0;
    const std::size_t n = dst.size();
    // Powers stay < 2, the products with canonical values too.
    for (; i + 8 * kChains <= n; i += 8 * kChains)
      for (std::size_t c = 0; c < kChains; ++c) {
        L::store(d + i + 8 * c, L::canonical(L::mul_shifted(L::shifted(power[c]), L::load(x + i + 8 * c))));
        power[c] = L::mul_shifted(stride, power[c]);
      }
    for (std::size_t c = 0; i < n; ++c) {
      const std::size_t count = n - i < 8 ? n - i : 8;
      const Vec v = L::load_partial(x + i, count);
      L::store_partial(d + i, L::canonical(L::mul_shifted(L::shifted(power[c]), v)), count);
      i += count;
    }
  }

  static void batch_inverse(std::span<F> values) {
    // Four groups of eight at a time, hence 32 independent products; each is inverted at the end.
    constexpr std::size_t kChains = 4;
    const std::size_t batch = values.size() < kInversionBatch ? values.size() : kInversionBatch;
    const ScratchWords scratch((batch + 8 * kChains) / 8 * (8 * L::K));
    F* v = values.data();
    for (std::size_t left = values.size(); left != 0;) {
      const std::size_t n = left < batch ? left : batch;
      invert_part(v, n, scratch.data());
      v += n;
      left -= n;
    }
  }

  static CUZK_INLINE Vec nonzero(const Vec& v) { return L::select(L::is_zero(v), L::one(), v); }
  /// Lanes past the end count as one.
  static CUZK_INLINE Vec group(const F* v, std::size_t n, std::size_t i) {
    if (i + 8 <= n) return L::load(v + i);
    return i < n ? L::load_partial(v + i, n - i) : L::zero();
  }
  static void invert_part(F* v, std::size_t n, std::uint64_t* words) {
    constexpr std::size_t kChains = 4;
    const std::size_t steps = (n + 8 * kChains - 1) / (8 * kChains);
    Vec product[kChains];
    for (std::size_t c = 0; c < kChains; ++c) product[c] = L::one();
    for (std::size_t s = 0; s < steps; ++s)
      for (std::size_t c = 0; c < kChains; ++c) {
        const std::size_t g = s * kChains + c;
        for (std::size_t k = 0; k < L::K; ++k)
          _mm512_store_si512(words + (g * L::K + k) * 8, product[c].limb[k]);
        product[c] = L::canonical(L::mul(nonzero(group(v, n, 8 * g)), product[c]));
      }
    // One inversion for the 32 products.
    F total[8 * kChains];
    F before[8 * kChains];
    for (std::size_t c = 0; c < kChains; ++c) L::store(total + 8 * c, product[c]);
    before[0] = total[0];
    for (std::size_t i = 1; i < 8 * kChains; ++i) before[i] = multiply(before[i - 1], total[i]);
    F inverse = invert(before[8 * kChains - 1]);
    for (std::size_t i = 8 * kChains; i-- > 1;) {
      const F own = multiply(inverse, before[i - 1]);
      inverse = multiply(inverse, total[i]);
      total[i] = own;
    }
    total[0] = inverse;
    Vec back[kChains];
    for (std::size_t c = 0; c < kChains; ++c) back[c] = L::load(total + 8 * c);
    for (std::size_t s = steps; s-- > 0;)
      for (std::size_t c = 0; c < kChains; ++c) {
        const std::size_t g = s * kChains + c;
        const Vec value = group(v, n, 8 * g);
        Vec prefix;
        for (std::size_t k = 0; k < L::K; ++k) prefix.limb[k] = _mm512_load_si512(words + (g * L::K + k) * 8);
        // back < 2 and the other factor canonical: products < 2.
        const Vec shifted = L::shifted(back[c]);
        const Vec own = L::canonical(L::mul_shifted(shifted, prefix));
        back[c] = L::mul_shifted(shifted, nonzero(value));
        const Vec result = L::select(L::is_zero(value), L::zero(), own);
        const std::size_t i = 8 * g;
        if (i + 8 <= n) {
          L::store(v + i, result);
        } else if (i < n) {
          L::store_partial(v + i, result, n - i);
        }
      }
  }

  static constexpr FieldKernels<F> kTable{mul,       square,          add,          sub, scale,
                                          sub_scale, scale_by_powers, batch_inverse};
};

}  // namespace

const FrKernels kFrIfma = IfmaKernels<FrParams>::kTable;
const FpKernels kFpIfma = IfmaKernels<FpParams>::kTable;

}  // namespace cuzk::internal
