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
/// product into a negation and split the multiply-adds behind it (gpu-kernels.md section 1.4).
static __device__ __constant__ std::uint32_t kOpaqueMinusOne = 0xffffffffU;
#endif

/// A prime field on 32-bit limbs: the same numbers, in the same bytes, as Montgomery<Params> (R = 2^(32 N)),
/// with products on carry chains. Host and device run the same templates; on the host they are for tests.
///
/// Values are fully reduced except where a function says otherwise. "Loose" means below 2 p.
template <class Params>
struct alignas(16) Field32 {
  static constexpr int N = 2 * static_cast<int>(Params::kLimbs);
  using Wide64 = Montgomery<Params>;

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
    constexpr Wide64 kOne = Wide64::one();
    Field32 r{};
    for (int i = 0; i < N; ++i) r.limb[i] = static_cast<std::uint32_t>(kOne.limb[i / 2] >> (32 * (i % 2)));
    return r;
  }
  /// -p^-1 mod 2^32.
  CUZK_HD static std::uint32_t inverse_word() {
    constexpr auto kInverse = static_cast<std::uint32_t>(Wide64::inv64());
#if defined(__CUDA_ARCH__)
    if constexpr (kInverse == 0xffffffffU) return kOpaqueMinusOne;
#endif
    return kInverse;
  }

  // ---- the other view of the same bytes
  static Field32 from(const Wide64& v) {
    Field32 r;
    std::memcpy(r.limb, v.limb, sizeof r.limb);
    return r;
  }
  [[nodiscard]] Wide64 wide() const {
    Wide64 r;
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

  // ---- loose arithmetic
  /// a b / R, loose: below p (a b / (p R) + 1). Fr: `a` reduced and `b` loose give less than 1.91 r; in any
  /// other case the running sum, which stays below a + p, could overflow. Fp: loose operands give less
  /// than 1.41 p, and one may be below 4 p.
  ///
  /// Operand scanning with two accumulators (gpu-kernels.md section 1.2): `even` holds the products that
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
  /// a + b mod 2 p, all loose. The sum may take a bit more than the limbs have (Fr: below 4 r).
  CUZK_HD static CUZK_INLINE Field32 sum_loose(const Field32& a, const Field32& b) {
    Carry c;
    Field32 s;
    s.limb[0] = add_cc(c, a.limb[0], b.limb[0]);
    CUZK_UNROLL
    for (int i = 1; i < N; ++i) s.limb[i] = addc_cc(c, a.limb[i], b.limb[i]);
    const std::uint32_t top = addc(c, 0, 0);
    Field32 d;
    d.limb[0] = sub_cc(c, s.limb[0], twice_modulus(0));
    CUZK_UNROLL
    for (int i = 1; i < N; ++i) d.limb[i] = subc_cc(c, s.limb[i], twice_modulus(i));
    const std::uint32_t borrow = subc(c, top, 0);  // 0, or all ones
    CUZK_UNROLL
    for (int i = 0; i < N; ++i) d.limb[i] = borrow != 0 ? s.limb[i] : d.limb[i];
    return d;
  }
  /// a - b mod 2 p, all loose.
  CUZK_HD static CUZK_INLINE Field32 difference_loose(const Field32& a, const Field32& b) {
    Carry c;
    Field32 r;
    const std::uint32_t borrow = difference(c, r, a, b);
    r.limb[0] = add_cc(c, r.limb[0], twice_modulus(0) & borrow);
    CUZK_UNROLL
    for (int i = 1; i < N - 1; ++i) r.limb[i] = addc_cc(c, r.limb[i], twice_modulus(i) & borrow);
    r.limb[N - 1] = addc(c, r.limb[N - 1], twice_modulus(N - 1) & borrow);
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

  /// Adds m p, m chosen so that even[0] becomes zero.
  CUZK_HD static CUZK_INLINE void reduce_row(std::uint32_t* even, std::uint32_t* odd, std::uint32_t inverse) {
    Carry c;
    const std::uint32_t m = even[0] * inverse;
    mad_wide_cc(c, odd[0], odd[1], modulus(1), m, odd[0], odd[1]);
    CUZK_UNROLL
    for (int j = 2; j < N; j += 2) madc_wide_cc(c, odd[j], odd[j + 1], modulus(j + 1), m, odd[j], odd[j + 1]);
    mad_wide_cc(c, even[0], even[1], modulus(0), m, even[0], even[1]);
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
  /// Three products of Fp (Karatsuba).
  CUZK_HD friend CUZK_INLINE Fp2x32 operator*(const Fp2x32& a, const Fp2x32& b) {
    const Fp32 t0 = a.c0 * b.c0;
    const Fp32 t1 = a.c1 * b.c1;
    const Fp32 cross = (a.c0 + a.c1) * (b.c0 + b.c1);
    return {t0 - t1, cross - t0 - t1};
  }
  /// Two products of Fp.
  CUZK_HD CUZK_INLINE Fp2x32 square() const { return {(c0 + c1) * (c0 - c1), (c0 * c1).dbl()}; }
  CUZK_HD CUZK_INLINE Fp2x32& operator+=(const Fp2x32& b) { return *this = *this + b; }
  CUZK_HD CUZK_INLINE Fp2x32& operator*=(const Fp2x32& b) { return *this = *this * b; }
};
static_assert(sizeof(Fp2x32) == sizeof(Fp2));

}  // namespace cuzk::cuda
