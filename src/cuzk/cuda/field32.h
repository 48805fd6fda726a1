#pragma once

#include <cstdint>
#include <cstring>

#include "cuzk/cuda/internal/carry.h"
#include "cuzk/field/fp.h"
#include "cuzk/field/fp2.h"
#include "cuzk/field/fr.h"

namespace cuzk::cuda {

#if defined(__CUDACC__)
/// -r^-1 mod 2^32. In constant memory so that the compiler does not see that it is -1: it would turn the
/// product into a negation and split the multiply-adds behind it (gpu-kernels 1.4).
static __device__ __constant__ std::uint32_t kOpaqueMinusOne = 0xffffffffU;
#endif

/// A prime field on 32-bit limbs: the same numbers, in the same bytes, as Montgomery<Params> (R = 2^(32 N)),
/// with products on carry chains. Host and device run the same templates; on the host they are for tests.
///
/// Values are fully reduced except where a function says otherwise. "Loose" means below 2 p.
template <class Params>
struct alignas(16) Field32 {
  static constexpr int N = 2 * static_cast<int>(Params::kLimbs);
  using Limbs64 = Montgomery<Params>;

  std::uint32_t limb[N];

  // ---- constants
  CUZK_HD static constexpr std::uint32_t modulus(int i) {
    constexpr auto kM = Params::kModulus;
    return static_cast<std::uint32_t>(kM.limb[i / 2] >> (32 * (i % 2)));
  }
  /// Limb i of 2 p.
  CUZK_HD static constexpr std::uint32_t twice_modulus(int i) {
    return (modulus(i) << 1) | (i > 0 ? modulus(i - 1) >> 31 : 0);
  }
  CUZK_HD static constexpr Field32 zero() { return Field32{}; }
  CUZK_HD static constexpr Field32 one() {
    constexpr Limbs64 kOne = Limbs64::one();
    Field32 r{};
    for (int i = 0; i < N; ++i) r.limb[i] = static_cast<std::uint32_t>(kOne.limb[i / 2] >> (32 * (i % 2)));
    return r;
  }
  /// -p^-1 mod 2^32.
  CUZK_HD static std::uint32_t inverse_word() {
    constexpr auto kInverse = static_cast<std::uint32_t>(Limbs64::inv64());
#if defined(__CUDA_ARCH__)
    if constexpr (kInverse == 0xffffffffU) return kOpaqueMinusOne;
#endif
    return kInverse;
  }

  // ---- the other view of the same bytes
  static Field32 from(const Limbs64& v) {
    Field32 r;
    std::memcpy(r.limb, v.limb, sizeof r.limb);
    return r;
  }
  [[nodiscard]] Limbs64 wide() const {
    Limbs64 r;
    std::memcpy(r.limb, limb, sizeof limb);
    return r;
  }

  // ---- tests
  CUZK_HD CUZK_INLINE bool is_zero() const {
    std::uint32_t any = 0;
    CUZK_UNROLL
    for (int i = 0; i < N; ++i) any |= limb[i];
    return any == 0;
  }
  CUZK_HD friend CUZK_INLINE bool operator==(const Field32& a, const Field32& b) {
    std::uint32_t any = 0;
    CUZK_UNROLL
    for (int i = 0; i < N; ++i) any |= a.limb[i] ^ b.limb[i];
    return any == 0;
  }

  // ---- arithmetic, fully reduced in and out
  CUZK_HD friend CUZK_INLINE Field32 operator+(const Field32& a, const Field32& b) {
    Carry c;
    Field32 r;  // below 2 p, which fits: both moduli leave their top bit free
    r.limb[0] = add_cc(c, a.limb[0], b.limb[0]);
    CUZK_UNROLL
    for (int i = 1; i < N - 1; ++i) r.limb[i] = addc_cc(c, a.limb[i], b.limb[i]);
    r.limb[N - 1] = addc(c, a.limb[N - 1], b.limb[N - 1]);
    return r.reduced();
  }
  CUZK_HD friend CUZK_INLINE Field32 operator-(const Field32& a, const Field32& b) {
    Carry c;
    Field32 r;
    const std::uint32_t borrow = difference(c, r, a, b);
    r.limb[0] = add_cc(c, r.limb[0], modulus(0) & borrow);
    CUZK_UNROLL
    for (int i = 1; i < N - 1; ++i) r.limb[i] = addc_cc(c, r.limb[i], modulus(i) & borrow);
    r.limb[N - 1] = addc(c, r.limb[N - 1], modulus(N - 1) & borrow);
    return r;
  }
  CUZK_HD CUZK_INLINE Field32 operator-() const {
    return zero() - *this;
  }
  CUZK_HD CUZK_INLINE Field32 dbl() const {
    return *this + *this;
  }
  CUZK_HD friend CUZK_INLINE Field32 operator*(const Field32& a, const Field32& b) {
    return product(a, b).reduced();
  }
  CUZK_HD CUZK_INLINE Field32 square() const {
    return *this * *this;
  }
  CUZK_HD CUZK_INLINE Field32& operator+=(const Field32& b) {
    return *this = *this + b;
  }
  CUZK_HD CUZK_INLINE Field32& operator-=(const Field32& b) {
    return *this = *this - b;
  }
  CUZK_HD CUZK_INLINE Field32& operator*=(const Field32& b) {
    return *this = *this * b;
  }

  /// A product before its reduction: 2 N limbs. Sums of products share one reduction that way. For moduli
  /// with bits to spare: reduce() takes values below p R.
  struct Wide {
    std::uint32_t limb[2 * N];

    CUZK_HD static CUZK_INLINE Wide product(const Field32& a, const Field32& b) {
      // even[k] has weight k, odd[k] weight k + 1.
      std::uint32_t even[2 * N];
      std::uint32_t odd[2 * N];
      CUZK_UNROLL
      for (int i = 0; i < N; ++i) {
        // The limbs of a whose products with b_i start at even places, and the others.
        add_row(even, i + i % 2, a, i % 2, b.limb[i], i == 0);
        add_row(odd, i - i % 2, a, 1 - i % 2, b.limb[i], i == 0);
      }
      Wide r;
      Carry c;
      r.limb[0] = even[0];
      r.limb[1] = add_cc(c, even[1], odd[0]);
      CUZK_UNROLL
      for (int k = 2; k < 2 * N - 1; ++k) r.limb[k] = addc_cc(c, even[k], odd[k - 1]);
      r.limb[2 * N - 1] = addc(c, even[2 * N - 1], odd[2 * N - 2]);
      return r;
    }
    /// Every product of two different limbs once, doubled, and the squares: N (N + 1) / 2 products.
    CUZK_HD static CUZK_INLINE Wide square(const Field32& a) {
      std::uint32_t even[2 * N];
      std::uint32_t odd[2 * N];
      CUZK_UNROLL
      for (int k = 0; k < 2 * N; ++k) even[k] = odd[k] = 0;
      CUZK_UNROLL
      for (int i = 0; i < N - 1; ++i) {
        add_cross_row(odd, 2 * i, a, i, i + 1);
        add_cross_row(even, 2 * i + 2, a, i, i + 2);
      }
      Wide r;
      Carry c;
      r.limb[0] = 0;
      r.limb[1] = add_cc(c, even[1], odd[0]);
      CUZK_UNROLL
      for (int k = 2; k < 2 * N - 1; ++k) r.limb[k] = addc_cc(c, even[k], odd[k - 1]);
      r.limb[2 * N - 1] = addc(c, even[2 * N - 1], odd[2 * N - 2]);
      r.limb[1] = add_cc(c, r.limb[1], r.limb[1]);
      CUZK_UNROLL
      for (int k = 2; k < 2 * N - 1; ++k) r.limb[k] = addc_cc(c, r.limb[k], r.limb[k]);
      r.limb[2 * N - 1] = addc(c, r.limb[2 * N - 1], r.limb[2 * N - 1]);
      mad_wide_cc(c, r.limb[0], r.limb[1], a.limb[0], a.limb[0], r.limb[0], r.limb[1]);
      CUZK_UNROLL
      for (int i = 1; i < N; ++i)
        madc_wide_cc(c, r.limb[2 * i], r.limb[2 * i + 1], a.limb[i], a.limb[i], r.limb[2 * i],
                     r.limb[2 * i + 1]);
      return r;
    }
    /// a - b, which must not be negative.
    CUZK_HD friend CUZK_INLINE Wide operator-(const Wide& a, const Wide& b) {
      Carry c;
      Wide r;
      (void)subtract(c, r, a, b);
      return r;
    }
    /// a - b modulo p R, for values below p R.
    CUZK_HD static CUZK_INLINE Wide difference_mod(const Wide& a, const Wide& b) {
      Carry c;
      Wide r;
      const std::uint32_t borrow = subtract(c, r, a, b);
      r.limb[N] = add_cc(c, r.limb[N], modulus(0) & borrow);
      CUZK_UNROLL
      for (int i = 1; i < N - 1; ++i) r.limb[N + i] = addc_cc(c, r.limb[N + i], modulus(i) & borrow);
      r.limb[2 * N - 1] = addc(c, r.limb[2 * N - 1], modulus(N - 1) & borrow);
      return r;
    }
    /// this / R, loose, for values below p R.
    CUZK_HD [[nodiscard]] CUZK_INLINE Field32 reduce() const {
      std::uint32_t x[N];
      std::uint32_t y[N];
      const std::uint32_t inverse = inverse_word();
      CUZK_UNROLL
      for (int i = 0; i < N; ++i) x[i] = limb[i], y[i] = 0;
      reduce_row(x, y, inverse);
      shift_row(y, x, inverse);
      CUZK_UNROLL
      for (int i = 2; i < N; i += 2) {
        shift_row(x, y, inverse);
        shift_row(y, x, inverse);
      }
      Carry c;
      Field32 r;
      r.limb[0] = add_cc(c, x[0], y[1]);
      CUZK_UNROLL
      for (int i = 1; i < N - 1; ++i) r.limb[i] = addc_cc(c, x[i], y[i + 1]);
      r.limb[N - 1] = addc(c, x[N - 1], 0);
      r.limb[0] = add_cc(c, r.limb[0], limb[N]);
      CUZK_UNROLL
      for (int i = 1; i < N - 1; ++i) r.limb[i] = addc_cc(c, r.limb[i], limb[N + i]);
      r.limb[N - 1] = addc(c, r.limb[N - 1], limb[2 * N - 1]);
      return r;
    }

   private:
    /// acc[at ...] += a_first b, a_(first + 2) b, ... and the carry to the limb above.
    CUZK_HD static CUZK_INLINE void add_row(std::uint32_t* acc, int at, const Field32& a, int first,
                                            std::uint32_t b, bool fresh) {
      Carry c;
      if (fresh) {
        CUZK_UNROLL
        for (int j = 0; j < N; j += 2) mul_wide(acc[at + j], acc[at + j + 1], a.limb[first + j], b);
        CUZK_UNROLL
        for (int j = at + N; j < 2 * N; ++j) acc[j] = 0;
        return;
      }
      mad_wide_cc(c, acc[at], acc[at + 1], a.limb[first], b, acc[at], acc[at + 1]);
      CUZK_UNROLL
      for (int j = 2; j < N; j += 2)
        madc_wide_cc(c, acc[at + j], acc[at + j + 1], a.limb[first + j], b, acc[at + j], acc[at + j + 1]);
      if (at + N < 2 * N) acc[at + N] = addc(c, acc[at + N], 0);
    }
    /// acc[at ...] += a_i a_first, a_i a_(first + 2), ...
    CUZK_HD static CUZK_INLINE void add_cross_row(std::uint32_t* acc, int at, const Field32& a, int i,
                                                  int first) {
      if (first >= N) return;
      Carry c;
      mad_wide_cc(c, acc[at], acc[at + 1], a.limb[first], a.limb[i], acc[at], acc[at + 1]);
      int k = at + 2;
      CUZK_UNROLL
      for (int j = first + 2; j < N; j += 2, k += 2)
        madc_wide_cc(c, acc[k], acc[k + 1], a.limb[j], a.limb[i], acc[k], acc[k + 1]);
      if (k < 2 * N) acc[k] = addc(c, acc[k], 0);
    }
    CUZK_HD static CUZK_INLINE std::uint32_t subtract(Carry& c, Wide& r, const Wide& a, const Wide& b) {
      r.limb[0] = sub_cc(c, a.limb[0], b.limb[0]);
      CUZK_UNROLL
      for (int i = 1; i < 2 * N; ++i) r.limb[i] = subc_cc(c, a.limb[i], b.limb[i]);
      return subc(c, 0, 0);
    }
  };

  /// a + b without reduction, for operands of Wide::product: below 2 p where a and b are reduced.
  CUZK_HD static CUZK_INLINE Field32 plain_sum(const Field32& a, const Field32& b) {
    Carry c;
    Field32 r;
    r.limb[0] = add_cc(c, a.limb[0], b.limb[0]);
    CUZK_UNROLL
    for (int i = 1; i < N - 1; ++i) r.limb[i] = addc_cc(c, a.limb[i], b.limb[i]);
    r.limb[N - 1] = addc(c, a.limb[N - 1], b.limb[N - 1]);
    return r;
  }

  /// a - b + p without reduction, for reduced operands (b may be p): at most 2 p - 1.
  CUZK_HD static CUZK_INLINE Field32 plain_difference(const Field32& a, const Field32& b) {
    Carry c;
    Field32 r;
    r.limb[0] = add_cc(c, a.limb[0], modulus(0));
    CUZK_UNROLL
    for (int i = 1; i < N - 1; ++i) r.limb[i] = addc_cc(c, a.limb[i], modulus(i));
    r.limb[N - 1] = addc(c, a.limb[N - 1], modulus(N - 1));
    r.limb[0] = sub_cc(c, r.limb[0], b.limb[0]);
    CUZK_UNROLL
    for (int i = 1; i < N - 1; ++i) r.limb[i] = subc_cc(c, r.limb[i], b.limb[i]);
    r.limb[N - 1] = subc(c, r.limb[N - 1], b.limb[N - 1]);
    return r;
  }
  /// p - this, for a reduced value: p for zero.
  CUZK_HD [[nodiscard]] CUZK_INLINE Field32 plain_negative() const {
    Carry c;
    Field32 r;
    r.limb[0] = sub_cc(c, modulus(0), limb[0]);
    CUZK_UNROLL
    for (int i = 1; i < N - 1; ++i) r.limb[i] = subc_cc(c, modulus(i), limb[i]);
    r.limb[N - 1] = subc(c, modulus(N - 1), limb[N - 1]);
    return r;
  }

  // ---- loose arithmetic
  /// a b / R, loose: below p (a b / (p R) + 1). Fr: `a` reduced and `b` loose give less than 1.91 r; in any
  /// other case the running sum, which stays below a + p, could overflow. Fp: loose operands give less
  /// than 1.41 p, and one may be below 4 p.
  ///
  /// Operand scanning with two accumulators (gpu-kernels 1.2): `even` holds the products that
  /// start at even limbs, `odd` those one limb higher, so that every product is an aligned pair of registers
  /// and the carries of one accumulator run through its pairs.
  CUZK_HD static CUZK_INLINE Field32 product(const Field32& a, const Field32& b) {
    std::uint32_t x[N];
    std::uint32_t y[N];
    const std::uint32_t inverse = inverse_word();
    CUZK_UNROLL
    for (int i = 0; i < N; i += 2) {
      if (i == 0) {
        first_row(x, y, a, b.limb[0], inverse);
      } else {
        row(x, y, a, b.limb[i], inverse);
      }
      row(y, x, a, b.limb[i + 1], inverse);  // the accumulators change places: a shift by one limb
    }
    // After the last row x is odd (one limb above y), and y[0] is zero: the result is x plus y shifted down.
    Carry c;
    Field32 r;
    r.limb[0] = add_cc(c, x[0], y[1]);
    CUZK_UNROLL
    for (int i = 1; i < N - 1; ++i) r.limb[i] = addc_cc(c, x[i], y[i + 1]);
    r.limb[N - 1] = addc(c, x[N - 1], 0);
    return r;
  }
  /// a + b mod 2 p, all loose, as a - 2 p + b, plus 2 p where that is negative: 0 <= a < 2 p, so a - 2 p +
  /// 2^(32 N) fits the limbs, and adding b carries out of them just where a + b >= 2 p. No sum of more bits
  /// than the limbs have is ever kept (Fr: a + b may be 4 r, r is above 2^254), and one chain of additions
  /// with a predicate corrects it, where a choice between two results takes a chain and a choice a limb.
  CUZK_HD static CUZK_INLINE Field32 sum_loose(const Field32& a, const Field32& b) {
    Carry c;
    Field32 r;
    r.limb[0] = add_cc(c, a.limb[0], minus_twice_modulus(0));
    CUZK_UNROLL
    for (int i = 1; i < N - 1; ++i) r.limb[i] = addc_cc(c, a.limb[i], minus_twice_modulus(i));
    r.limb[N - 1] = addc(c, a.limb[N - 1], minus_twice_modulus(N - 1));
    r.limb[0] = add_cc(c, r.limb[0], b.limb[0]);
    CUZK_UNROLL
    for (int i = 1; i < N; ++i) r.limb[i] = addc_cc(c, r.limb[i], b.limb[i]);
    r.add_twice_modulus_if(addc(c, 0, 0) == 0);
    return r;
  }
  /// a - b mod 2 p, all loose.
  CUZK_HD static CUZK_INLINE Field32 difference_loose(const Field32& a, const Field32& b) {
    Carry c;
    Field32 r;
    const std::uint32_t borrow = difference(c, r, a, b);
    r.add_twice_modulus_if(borrow != 0);
    return r;
  }
  /// A loose value, fully reduced.
  CUZK_HD [[nodiscard]] CUZK_INLINE Field32 reduced() const {
    Carry c;
    Field32 d;
    d.limb[0] = sub_cc(c, limb[0], modulus(0));
    CUZK_UNROLL
    for (int i = 1; i < N; ++i) d.limb[i] = subc_cc(c, limb[i], modulus(i));
    const std::uint32_t borrow = subc(c, 0, 0);
    CUZK_UNROLL
    for (int i = 0; i < N; ++i) d.limb[i] = borrow != 0 ? limb[i] : d.limb[i];
    return d;
  }

 private:
  /// r = a - b; returns 0, or all ones when a < b.
  CUZK_HD static CUZK_INLINE std::uint32_t difference(Carry& c, Field32& r, const Field32& a,
                                                      const Field32& b) {
    r.limb[0] = sub_cc(c, a.limb[0], b.limb[0]);
    CUZK_UNROLL
    for (int i = 1; i < N; ++i) r.limb[i] = subc_cc(c, a.limb[i], b.limb[i]);
    return subc(c, 0, 0);
  }

  /// Limb i of 2^(32 N) - 2 p.
  CUZK_HD static constexpr std::uint32_t minus_twice_modulus(int i) {
    return i == 0 ? 0 - twice_modulus(0) : ~twice_modulus(i);
  }
  static_assert(Params::kModulus.limb[0] % 2 == 1);  // so the lowest limb of 2 p is not 0
  /// Modulo 2^(32 N).
  CUZK_HD CUZK_INLINE void add_twice_modulus_if(bool condition) {
#if defined(__CUDA_ARCH__)
    if constexpr (N == 8) {
      // Predicated, so that the limbs of 2 p stay constants of the instructions, where masked ones take an
      // instruction and a register each.
      asm volatile(
          "{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %8, 0;\n\t"
          "@p add.cc.u32 %0, %0, %9;\n\t@p addc.cc.u32 %1, %1, %10;\n\t"
          "@p addc.cc.u32 %2, %2, %11;\n\t@p addc.cc.u32 %3, %3, %12;\n\t"
          "@p addc.cc.u32 %4, %4, %13;\n\t@p addc.cc.u32 %5, %5, %14;\n\t"
          "@p addc.cc.u32 %6, %6, %15;\n\t@p addc.u32 %7, %7, %16;\n\t}"
          : "+r"(limb[0]), "+r"(limb[1]), "+r"(limb[2]), "+r"(limb[3]), "+r"(limb[4]), "+r"(limb[5]),
            "+r"(limb[6]), "+r"(limb[7])
          : "r"(static_cast<std::uint32_t>(condition)), "n"(twice_modulus(0)), "n"(twice_modulus(1)),
            "n"(twice_modulus(2)), "n"(twice_modulus(3)), "n"(twice_modulus(4)), "n"(twice_modulus(5)),
            "n"(twice_modulus(6)), "n"(twice_modulus(7)));
      return;
    }
#endif
    const std::uint32_t mask = condition ? 0xffffffffU : 0;
    Carry c;
    limb[0] = add_cc(c, limb[0], twice_modulus(0) & mask);
    CUZK_UNROLL
    for (int i = 1; i < N - 1; ++i) limb[i] = addc_cc(c, limb[i], twice_modulus(i) & mask);
    limb[N - 1] = addc(c, limb[N - 1], twice_modulus(N - 1) & mask);
  }

  /// r = ... 2^64 + (2^32 - 1) 2^32 + 1: the products by its two low limbs are sums.
  static constexpr bool kLowLimbsAreOneAndFull = Params::kModulus.limb[0] == 0xffffffff00000001;

  /// Adds m p, m chosen so that even[0] becomes zero.
  CUZK_HD static CUZK_INLINE void reduce_row(std::uint32_t* even, std::uint32_t* odd, std::uint32_t inverse) {
    Carry c;
    const std::uint32_t m = even[0] * inverse;
    if constexpr (kLowLimbsAreOneAndFull) {
      const std::uint32_t low = sub_cc(c, 0, m);  // m (2^32 - 1)
      const std::uint32_t high = subc(c, m, 0);
      odd[0] = add_cc(c, odd[0], low);
      odd[1] = addc_cc(c, odd[1], high);
    } else {
      mad_wide_cc(c, odd[0], odd[1], modulus(1), m, odd[0], odd[1]);
    }
    CUZK_UNROLL
    for (int j = 2; j < N; j += 2) madc_wide_cc(c, odd[j], odd[j + 1], modulus(j + 1), m, odd[j], odd[j + 1]);
    if constexpr (kLowLimbsAreOneAndFull) {
      even[0] = add_cc(c, even[0], m);
      even[1] = addc_cc(c, even[1], 0);
    } else {
      mad_wide_cc(c, even[0], even[1], modulus(0), m, even[0], even[1]);
    }
    CUZK_UNROLL
    for (int j = 2; j < N; j += 2) madc_wide_cc(c, even[j], even[j + 1], modulus(j), m, even[j], even[j + 1]);
    odd[N - 1] = addc(c, odd[N - 1], 0);
  }
  CUZK_HD static CUZK_INLINE void first_row(std::uint32_t* even, std::uint32_t* odd, const Field32& a,
                                            std::uint32_t b, std::uint32_t inverse) {
    CUZK_UNROLL
    for (int j = 0; j < N; j += 2) {
      mul_wide(even[j], even[j + 1], a.limb[j], b);
      mul_wide(odd[j], odd[j + 1], a.limb[j + 1], b);
    }
    reduce_row(even, odd, inverse);
  }
  /// A row of a reduction alone: the shift of row() and the product by the modulus.
  CUZK_HD static CUZK_INLINE void shift_row(std::uint32_t* even, std::uint32_t* odd, std::uint32_t inverse) {
    Carry c;
    even[0] = add_cc(c, even[0], odd[1]);
    const std::uint32_t m = even[0] * inverse;
    CUZK_UNROLL
    for (int j = 0; j < N - 2; j += 2)
      madc_wide_cc(c, odd[j], odd[j + 1], modulus(j + 1), m, odd[j + 2], odd[j + 3]);
    madc_wide_cc(c, odd[N - 2], odd[N - 1], modulus(N - 1), m, 0, 0);
    mad_wide_cc(c, even[0], even[1], modulus(0), m, even[0], even[1]);
    CUZK_UNROLL
    for (int j = 2; j < N; j += 2) madc_wide_cc(c, even[j], even[j + 1], modulus(j), m, even[j], even[j + 1]);
    odd[N - 1] = addc(c, odd[N - 1], 0);
  }
  /// `even` is the former odd accumulator; `odd` the former even one, whose limb 0 is zero: it moves down by
  /// two limbs on the way, and its limb 1 is added to even[0], the carry entering its chain.
  CUZK_HD static CUZK_INLINE void row(std::uint32_t* even, std::uint32_t* odd, const Field32& a,
                                      std::uint32_t b, std::uint32_t inverse);
};

template <class Params>
CUZK_HD CUZK_INLINE void Field32<Params>::row(std::uint32_t* even, std::uint32_t* odd, const Field32& a,
                                              std::uint32_t b, std::uint32_t inverse) {
  Carry c;
  even[0] = add_cc(c, even[0], odd[1]);
  CUZK_UNROLL
  for (int j = 0; j < N - 2; j += 2)
    madc_wide_cc(c, odd[j], odd[j + 1], a.limb[j + 1], b, odd[j + 2], odd[j + 3]);
  madc_wide_cc(c, odd[N - 2], odd[N - 1], a.limb[N - 1], b, 0, 0);
  mad_wide_cc(c, even[0], even[1], a.limb[0], b, even[0], even[1]);
  CUZK_UNROLL
  for (int j = 2; j < N; j += 2) madc_wide_cc(c, even[j], even[j + 1], a.limb[j], b, even[j], even[j + 1]);
  odd[N - 1] = addc(c, odd[N - 1], 0);
  reduce_row(even, odd, inverse);
}

using Fr32 = Field32<FrParams>;
using Fp32 = Field32<FpParams>;
static_assert(sizeof(Fr32) == sizeof(Fr) && sizeof(Fp32) == sizeof(Fp));

/// Fp2 over Field32: the bytes of cuzk::Fp2.
struct Fp2x32 {
  Fp32 c0;
  Fp32 c1;

  CUZK_HD static constexpr Fp2x32 zero() { return Fp2x32{}; }
  CUZK_HD static constexpr Fp2x32 one() { return {Fp32::one(), Fp32::zero()}; }
  static Fp2x32 from(const Fp2& v) { return {Fp32::from(v.c0), Fp32::from(v.c1)}; }
  [[nodiscard]] Fp2 wide() const { return {c0.wide(), c1.wide()}; }

  CUZK_HD CUZK_INLINE bool is_zero() const { return c0.is_zero() && c1.is_zero(); }
  CUZK_HD friend CUZK_INLINE bool operator==(const Fp2x32& a, const Fp2x32& b) {
    return a.c0 == b.c0 && a.c1 == b.c1;
  }
  CUZK_HD friend CUZK_INLINE Fp2x32 operator+(const Fp2x32& a, const Fp2x32& b) {
    return {a.c0 + b.c0, a.c1 + b.c1};
  }
  CUZK_HD friend CUZK_INLINE Fp2x32 operator-(const Fp2x32& a, const Fp2x32& b) {
    return {a.c0 - b.c0, a.c1 - b.c1};
  }
  CUZK_HD CUZK_INLINE Fp2x32 operator-() const { return {-c0, -c1}; }
  CUZK_HD CUZK_INLINE Fp2x32 dbl() const { return {c0.dbl(), c1.dbl()}; }
  /// Karatsuba with three products and two reductions: c0 = a0 b0 - a1 b1 modulo p R; the cross term is below
  /// 4 p^2, which is below p R.
  CUZK_HD friend CUZK_INLINE Fp2x32 operator*(const Fp2x32& a, const Fp2x32& b) {
    using Wide = Fp32::Wide;
    const Wide t0 = Wide::product(a.c0, b.c0);
    const Wide t1 = Wide::product(a.c1, b.c1);
    const Wide cross = Wide::product(Fp32::plain_sum(a.c0, a.c1), Fp32::plain_sum(b.c0, b.c1));
    return {Wide::difference_mod(t0, t1).reduce().reduced(), (cross - t0 - t1).reduce().reduced()};
  }
  /// Two products of Fp: (c0 + c1)(c0 - c1) and 2 c0 c1.
  CUZK_HD CUZK_INLINE Fp2x32 square() const {
    return {Fp32::product(Fp32::plain_sum(c0, c1), c0 - c1).reduced(), (c0 * c1).dbl()};
  }
  CUZK_HD CUZK_INLINE Fp2x32& operator+=(const Fp2x32& b) { return *this = *this + b; }
  CUZK_HD CUZK_INLINE Fp2x32& operator*=(const Fp2x32& b) { return *this = *this * b; }
};
static_assert(sizeof(Fp2x32) == sizeof(Fp2));

}  // namespace cuzk::cuda
