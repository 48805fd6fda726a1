#pragma once

// Eight field elements at a time with AVX-512 IFMA. Include only from a .cc file that is compiled with
// CUZK_IFMA_FLAGS (cmake/CuzkCompiler.cmake) and reached only when isa_supported(Isa::ifma).
// Everything here is always_inline: an out-of-line copy of a shared template, compiled with these flags,
// could be chosen by the linker for a processor that lacks them. For the same reason such a file should not
// call the operators of Montgomery<> at run time.

#if !defined(__AVX512IFMA__) || !defined(__AVX512DQ__)
#error "compile this file with the AVX-512 IFMA flags"
#endif

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "cuzk/base/hd.h"
#include "cuzk/field/montgomery.h"

// Loops over limbs must unroll completely, or the accumulators live in memory.
#define CUZK_UNROLL _Pragma("GCC unroll 8")

namespace cuzk::ifma {

using Word = __m512i;  // eight 64-bit lanes
using Mask = __mmask8;

inline constexpr std::uint64_t kMask52 = (std::uint64_t{1} << 52) - 1;

CUZK_INLINE Word splat(std::uint64_t v) {
  return _mm512_set1_epi64(static_cast<long long>(v));
}
CUZK_INLINE Word lo52(Word acc, Word a, Word b) {
  return _mm512_madd52lo_epu64(acc, a, b);
}
CUZK_INLINE Word hi52(Word acc, Word a, Word b) {
  return _mm512_madd52hi_epu64(acc, a, b);
}

/// Arithmetic of the field `Params` on Vec, eight elements, one per lane.
///
/// Lane form: a value is K limbs of 52 bits (K = 5 for Fr, 8 for Fp), limb i of all lanes in one register.
/// The factor of the Montgomery form is unchanged (R = 2^256, 2^384): loading and storing only re-limbs.
/// Values are lazily reduced: a Vec stands for an integer below some multiple of p, written "< B" below, B in
/// units of p. The hard limit is B <= kCapacity (52 K bits): 35 for Fr, 40 Gi for Fp.
///
/// A Vec is *normal* when all limbs are in [0, 2^52). Every function here returns a normal Vec and expects
/// normal inputs, except the names that begin with raw_.
///
/// Cost in vector operations (two start per cycle, the multiplier's own among them): mul 132 for Fr and 310
/// for Fp, square 270 for Fp.
template <class Params>
struct Field {
  using Element = Montgomery<Params>;
  static constexpr std::size_t N = Params::kLimbs;      // 64-bit limbs in memory
  static constexpr std::size_t K = (64 * N + 51) / 52;  // 52-bit limbs in a register
  static constexpr unsigned kShift = 52 * K - 64 * N;   // 4 for Fr, 32 for Fp
  static_assert(kShift > 0 && kShift < 52);

  struct Vec {
    Word limb[K];
  };

  // ---- constants
  struct Digits {
    std::uint64_t digit[K];
  };
  /// Limb i of m * p, m < 2^8.
  static constexpr Digits multiple_digits(std::uint64_t m) {
    // 52-bit digits of p first, then scaled: a digit times m plus carry stays below 2^61.
    Digits r{};
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < K; ++i) {
      const std::uint64_t v = digit_of(Params::kModulus, i) * m + carry;
      r.digit[i] = i + 1 < K ? v & kMask52 : v;
      carry = v >> 52;
    }
    return r;
  }
  template <class Int>
  static constexpr std::uint64_t digit_of(const Int& v, std::size_t i) {
    const std::size_t word = 52 * i / 64;
    const unsigned shift = static_cast<unsigned>(52 * i % 64);
    std::uint64_t d = word < N ? v.limb[word] >> shift : 0;
    if (shift > 12 && word + 1 < N) d |= v.limb[word + 1] << (64 - shift);
    return d & kMask52;
  }
  /// m * p with digits as given by multiple_digits, in every lane.
  template <std::uint64_t M>
  static CUZK_INLINE Vec multiple() {
    static constexpr Digits kDigits = multiple_digits(M);
    Vec r;
    for (std::size_t i = 0; i < K; ++i) r.limb[i] = splat(kDigits.digit[i]);
    return r;
  }
  static CUZK_INLINE Vec zero() {
    Vec r;
    for (std::size_t i = 0; i < K; ++i) r.limb[i] = _mm512_setzero_si512();
    return r;
  }
  /// `v` (raw limb pattern, any value below 2^(64 N)) in every lane.
  static CUZK_INLINE Vec broadcast(const Element& v) {
    Vec r;
    for (std::size_t i = 0; i < K; ++i) r.limb[i] = splat(digit_of(v, i));
    return r;
  }
  static CUZK_INLINE Vec one() {
    static constexpr Element kOne = Element::one();
    return broadcast(kOne);
  }

  // ---- memory form <-> lane form
  /// Re-limbs N words per lane into K limbs.
  static CUZK_INLINE Vec from_words(const Word (&w)[N]) {
    const Word mask = splat(kMask52);
    Vec r;
    for (std::size_t i = 0; i < K; ++i) {
      const std::size_t word = 52 * i / 64;
      const unsigned shift = static_cast<unsigned>(52 * i % 64);
      if (shift == 0) {
        r.limb[i] = _mm512_and_si512(w[word], mask);
      } else if (shift <= 12 || word + 1 >= N) {
        const Word d = _mm512_srli_epi64(w[word], shift);
        r.limb[i] = shift < 12 ? _mm512_and_si512(d, mask) : d;
      } else {
        r.limb[i] =
            _mm512_ternarylogic_epi64(_mm512_srli_epi64(w[word], shift),
                                      _mm512_slli_epi64(w[word + 1], 64 - shift), mask, 0xA8);  // (a|b)&c
      }
    }
    return r;
  }
  /// The value must be below 2^(64 N): < 2.2 for Fr, < 9.8 for Fp.
  static CUZK_INLINE void to_words(const Vec& v, Word (&w)[N]) {
    for (std::size_t j = 0; j < N; ++j) {
      const std::size_t first = 64 * j / 52;
      const unsigned offset = static_cast<unsigned>(64 * j % 52);  // bit of limb `first` where word j begins
      Word d = offset == 0 ? v.limb[first] : _mm512_srli_epi64(v.limb[first], offset);
      d = _mm512_or_si512(d, _mm512_slli_epi64(v.limb[first + 1], 52 - offset));
      if (104 - offset < 64 && first + 2 < K)
        d = _mm512_or_si512(d, _mm512_slli_epi64(v.limb[first + 2], 104 - offset));
      w[j] = d;
    }
  }

  /// Lane i = *from(i), from: lane -> const Element*. `mask`: lanes to read; the others are zero and not
  /// touched.
  template <class From>
  static CUZK_INLINE Vec load_from(From&& from, Mask mask = 0xff) {
    Word w[N];
    if constexpr (N == 4) {
      // Two elements per register; lanes end up in order by the final permutation.
      Word row[4];
      for (unsigned k = 0; k < 4; ++k) {
        const __m256i low = quarter(from, k, mask);
        const __m256i high = quarter(from, k + 4, mask);
        row[k] = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);  // (k; k+4)
      }
      const Word t0 = _mm512_unpacklo_epi64(row[0], row[1]);  // 0.l0 1.l0 0.l2 1.l2 4.l0 5.l0 4.l2 5.l2
      const Word t1 = _mm512_unpackhi_epi64(row[0], row[1]);
      const Word t2 = _mm512_unpacklo_epi64(row[2], row[3]);
      const Word t3 = _mm512_unpackhi_epi64(row[2], row[3]);
      const Word low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
      const Word high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
      w[0] = _mm512_permutex2var_epi64(t0, low, t2);
      w[1] = _mm512_permutex2var_epi64(t1, low, t3);
      w[2] = _mm512_permutex2var_epi64(t0, high, t2);
      w[3] = _mm512_permutex2var_epi64(t1, high, t3);
    } else {
      static_assert(N == 6);
      Word row[8];
      for (unsigned k = 0; k < 8; ++k)
        row[k] = (mask >> k & 1) != 0 ? _mm512_maskz_loadu_epi64(0x3f, from(k)) : _mm512_setzero_si512();
      Word t[8];
      for (unsigned k = 0; k < 4; ++k) {
        t[2 * k] = _mm512_unpacklo_epi64(row[2 * k], row[2 * k + 1]);  // limbs 0, 2, 4 of elements 2k, 2k+1
        t[2 * k + 1] = _mm512_unpackhi_epi64(row[2 * k], row[2 * k + 1]);  // limbs 1, 3, 5
      }
      for (unsigned odd = 0; odd < 2; ++odd) {
        // 128-bit pairs: [limb a of (0,1)] ... gather the four pairs of one limb.
        const Word p01 = _mm512_shuffle_i64x2(t[odd], t[2 + odd], 0x88);  // (0,1).a (0,1).e | (2,3).a (2,3).e
        const Word p23 =
            _mm512_shuffle_i64x2(t[4 + odd], t[6 + odd], 0x88);           // (4,5).a (4,5).e | (6,7).a (6,7).e
        const Word q01 = _mm512_shuffle_i64x2(t[odd], t[2 + odd], 0x99);  // limb c in pairs 0 and 2
        const Word q23 = _mm512_shuffle_i64x2(t[4 + odd], t[6 + odd], 0x99);
        w[odd] = _mm512_shuffle_i64x2(p01, p23, 0x88);
        w[2 + odd] = _mm512_shuffle_i64x2(q01, q23, 0x88);
        w[4 + odd] = _mm512_shuffle_i64x2(p01, p23, 0xdd);
      }
    }
    return from_words(w);
  }
  /// Eight neighbours.
  static CUZK_INLINE Vec load(const Element* p) {
    return load_from([p](unsigned lane) { return p + lane; });
  }
  /// The first `count` (<= 8) neighbours, zero in the other lanes.
  static CUZK_INLINE Vec load_partial(const Element* p, std::size_t count) {
    return load_from([p](unsigned lane) { return p + lane; }, static_cast<Mask>((1U << count) - 1U));
  }
  /// base[index[lane]], or any other element of a larger record: `stride` bytes between records.
  template <class Index>
  static CUZK_INLINE Vec gather(const void* base, std::size_t stride, const Index* index, Mask mask = 0xff) {
    const auto* bytes = static_cast<const unsigned char*>(base);
    return load_from(
        [=](unsigned lane) {
          return reinterpret_cast<const Element*>(bytes + stride * static_cast<std::size_t>(index[lane]));
        },
        mask);
  }

  /// Stores lane i to *to(i) as it is; see to_words for the range. For a fully reduced result:
  /// store(canonical(v)).
  template <class To>
  static CUZK_INLINE void store_to(const Vec& v, To&& to, Mask mask = 0xff) {
    Word w[N];
    to_words(v, w);
    if constexpr (N == 4) {
      const Word t0 = _mm512_unpacklo_epi64(w[0], w[1]);  // 0.l01 2.l01 4.l01 6.l01
      const Word t1 = _mm512_unpackhi_epi64(w[0], w[1]);  // 1.l01 3 5 7
      const Word t2 = _mm512_unpacklo_epi64(w[2], w[3]);
      const Word t3 = _mm512_unpackhi_epi64(w[2], w[3]);
      const Word low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
      const Word high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
      put_pair(_mm512_permutex2var_epi64(t0, low, t2), to, 0, 2, mask);
      put_pair(_mm512_permutex2var_epi64(t1, low, t3), to, 1, 3, mask);
      put_pair(_mm512_permutex2var_epi64(t0, high, t2), to, 4, 6, mask);
      put_pair(_mm512_permutex2var_epi64(t1, high, t3), to, 5, 7, mask);
    } else {
      const Word a0 = _mm512_unpacklo_epi64(w[0], w[1]);  // limbs 0,1 of lanes 0, 2, 4, 6
      const Word a1 = _mm512_unpackhi_epi64(w[0], w[1]);  // of lanes 1, 3, 5, 7
      const Word b0 = _mm512_unpacklo_epi64(w[2], w[3]);
      const Word b1 = _mm512_unpackhi_epi64(w[2], w[3]);
      const Word c0 = _mm512_unpacklo_epi64(w[4], w[5]);
      const Word c1 = _mm512_unpackhi_epi64(w[4], w[5]);
      put_six(a0, b0, c0, to, 0, mask);
      put_six(a1, b1, c1, to, 1, mask);
    }
  }
  static CUZK_INLINE void store(Element* p, const Vec& v) {
    store_to(v, [p](unsigned lane) { return p + lane; });
  }
  static CUZK_INLINE void store_partial(Element* p, const Vec& v, std::size_t count) {
    store_to(
        v, [p](unsigned lane) { return p + lane; }, static_cast<Mask>((1U << count) - 1U));
  }
  template <class Index>
  static CUZK_INLINE void scatter(void* base, std::size_t stride, const Index* index, const Vec& v,
                                  Mask mask = 0xff) {
    auto* bytes = static_cast<unsigned char*>(base);
    store_to(
        v,
        [=](unsigned lane) {
          return reinterpret_cast<Element*>(bytes + stride * static_cast<std::size_t>(index[lane]));
        },
        mask);
  }

  // ---- carries and ranges
  /// Normalises limbs that are signed 64-bit numbers (|limb| < 2^62); the total must be in [0, 2^(52 K)).
  static CUZK_INLINE Vec raw_normalise(const Vec& a) {
    const Word mask = splat(kMask52);
    Vec r;
    Word carry = _mm512_srai_epi64(a.limb[0], 52);
    r.limb[0] = _mm512_and_si512(a.limb[0], mask);
    for (std::size_t i = 1; i < K; ++i) {
      const Word t = _mm512_add_epi64(a.limb[i], carry);
      if (i + 1 < K) carry = _mm512_srai_epi64(t, 52);
      r.limb[i] = _mm512_and_si512(t, mask);
    }
    return r;
  }
  /// a + b, a - b limb by limb, no carries: not normal. Limbs of several of them may be combined before one
  /// raw_normalise.
  static CUZK_INLINE Vec raw_add(const Vec& a, const Vec& b) {
    Vec r;
    for (std::size_t i = 0; i < K; ++i) r.limb[i] = _mm512_add_epi64(a.limb[i], b.limb[i]);
    return r;
  }
  static CUZK_INLINE Vec raw_sub(const Vec& a, const Vec& b) {
    Vec r;
    for (std::size_t i = 0; i < K; ++i) r.limb[i] = _mm512_sub_epi64(a.limb[i], b.limb[i]);
    return r;
  }
  /// Subtracts M p from values < B where they are at least M p: result < max(M, B - M).
  template <std::uint64_t M>
  static CUZK_INLINE Vec subtract_if_at_least(const Vec& a) {
    const Word mask = splat(kMask52);
    const Vec m = multiple<M>();
    Vec d;
    Word t = _mm512_sub_epi64(a.limb[0], m.limb[0]);
    d.limb[0] = _mm512_and_si512(t, mask);
    for (std::size_t i = 1; i < K; ++i) {
      t = _mm512_add_epi64(_mm512_sub_epi64(a.limb[i], m.limb[i]), _mm512_srai_epi64(t, 52));
      d.limb[i] = _mm512_and_si512(t, mask);
    }
    const Mask negative = _mm512_movepi64_mask(t);
    return select(negative, a, d);
  }
  /// < 2 -> the canonical value, < 1.
  static CUZK_INLINE Vec canonical(const Vec& a) { return subtract_if_at_least<1>(a); }

  // ---- ring operations
  /// A + B.
  static CUZK_INLINE Vec add(const Vec& a, const Vec& b) { return raw_normalise(raw_add(a, b)); }
  /// a - b + M p for b < M: result < A + M. M = 1 with canonical b, 2 with a product.
  template <std::uint64_t M>
  static CUZK_INLINE Vec sub(const Vec& a, const Vec& b) {
    return raw_normalise(raw_add(raw_sub(a, b), multiple<M>()));
  }
  /// a, b < 1 -> canonical.
  static CUZK_INLINE Vec add_canonical(const Vec& a, const Vec& b) { return canonical(add(a, b)); }
  static CUZK_INLINE Vec sub_canonical(const Vec& a, const Vec& b) {
    const Word mask = splat(kMask52);
    const Vec m = multiple<1>();
    Vec d = raw_sub(a, b);
    Word t = d.limb[0];
    for (std::size_t i = 1; i < K; ++i) t = _mm512_add_epi64(d.limb[i], _mm512_srai_epi64(t, 52));
    const Mask negative = _mm512_movepi64_mask(t);
    for (std::size_t i = 0; i < K; ++i)
      d.limb[i] = _mm512_mask_add_epi64(d.limb[i], negative, d.limb[i], m.limb[i]);
    (void)mask;
    return raw_normalise(d);
  }
  /// 2 A.
  static CUZK_INLINE Vec dbl(const Vec& a) { return add(a, a); }
  /// M p - a for a < M: result in (0, M]; zero becomes M p.
  template <std::uint64_t M>
  static CUZK_INLINE Vec negate(const Vec& a) {
    return raw_normalise(raw_sub(multiple<M>(), a));
  }
  /// Lanes of the mask from `yes`, the others from `no`.
  static CUZK_INLINE Vec select(Mask mask, const Vec& yes, const Vec& no) {
    Vec r;
    for (std::size_t i = 0; i < K; ++i) r.limb[i] = _mm512_mask_blend_epi64(mask, no.limb[i], yes.limb[i]);
    return r;
  }
  /// Lanes whose integer is 0 (so: of canonical values, the zeros).
  static CUZK_INLINE Mask is_zero(const Vec& a) {
    Word any = a.limb[0];
    for (std::size_t i = 1; i < K; ++i) any = _mm512_or_si512(any, a.limb[i]);
    return _mm512_testn_epi64_mask(any, any);
  }
  /// Lanes with equal integers.
  static CUZK_INLINE Mask equal(const Vec& a, const Vec& b) {
    Word any = _mm512_xor_si512(a.limb[0], b.limb[0]);
    for (std::size_t i = 1; i < K; ++i)
      any = _mm512_ternarylogic_epi64(any, a.limb[i], b.limb[i], 0xF6);  // any | (a ^ b)
    return _mm512_testn_epi64_mask(any, any);
  }

  // ---- Montgomery multiplication
  /// 2^kShift * a: the form that the first factor of mul_shifted takes (K full steps of 52 bits divide by
  /// 2^kShift too much). Limbs have garbage above bit 52, which the multiplier ignores. Needs a < 2^(64 N).
  static CUZK_INLINE Vec shifted(const Vec& a) {
    const Word factor = splat(std::uint64_t{1} << kShift);
    Vec r;
    r.limb[0] = _mm512_slli_epi64(a.limb[0], kShift);
    for (std::size_t i = 1; i < K; ++i)
      r.limb[i] = hi52(_mm512_slli_epi64(a.limb[i], kShift), a.limb[i - 1], factor);
    return r;
  }
  /// a * b / R where `as` is shifted(a): result < A B p/R + 1, p/R = 0.4528 for Fr, 0.1016 for Fp.
  static CUZK_INLINE Vec mul_shifted(const Vec& as, const Vec& b) {
    Word t[2 * K];
    begin_product(t);
    CUZK_UNROLL
    for (std::size_t i = 0; i < K; ++i) {
      CUZK_UNROLL
      for (std::size_t j = 0; j < K; ++j) t[i + j] = lo52(t[i + j], as.limb[i], b.limb[j]);
      CUZK_UNROLL
      for (std::size_t j = 0; j < K; ++j) t[i + j + 1] = hi52(t[i + j + 1], as.limb[i], b.limb[j]);
    }
    return reduce(t);
  }
  /// a * b / R. Fr: A <= 2.2; Fp: A <= 9.8 (a's limit; b only has to fit). Result < A B p/R + 1:
  /// Fp: < 2 whenever A B <= 9.8 (so products of values < 3 stay < 2); Fr: < 2 for A B <= 2.2 (one factor
  /// canonical), < 1.5 for canonical factors.
  static CUZK_INLINE Vec mul(const Vec& a, const Vec& b) { return mul_shifted(shifted(a), b); }

  /// a * a / R; range as mul.
  static CUZK_INLINE Vec square(const Vec& a) {
    if constexpr (K < 8) {
      return mul(a, a);  // the symmetric form saves 20 products and costs as much in carries
    } else {
      // Products of different limbs once, doubled as columns; the spare factor 2^kShift is taken out at the
      // end.
      Word t[2 * K];
      for (std::size_t i = 0; i < 2 * K; ++i) t[i] = _mm512_setzero_si512();
      CUZK_UNROLL
      for (std::size_t i = 0; i < K; ++i) {
        CUZK_UNROLL
        for (std::size_t j = i + 1; j < K; ++j) t[i + j] = lo52(t[i + j], a.limb[i], a.limb[j]);
        CUZK_UNROLL
        for (std::size_t j = i + 1; j < K; ++j) t[i + j + 1] = hi52(t[i + j + 1], a.limb[i], a.limb[j]);
      }
      for (std::size_t i = 1; i + 1 < 2 * K; ++i) t[i] = _mm512_add_epi64(t[i], t[i]);
      for (std::size_t i = 0; i < K; ++i) {
        t[2 * i] = lo52(t[2 * i], a.limb[i], a.limb[i]);
        t[2 * i + 1] = hi52(t[2 * i + 1], a.limb[i], a.limb[i]);
      }
      return reduce_unshifted(t);
    }
  }

  /// The integer a * b + (initial t) in 2 K columns, for reduce(); begin with begin_product(t).
  static CUZK_INLINE void begin_product(Word (&t)[2 * K]) {
    // The low columns start at 2^52 - 1, which makes the carry out of a cancelled column a plain shift: a
    // column c is cancelled by something congruent to -c, so its carry is ceil(c / 2^52).
    CUZK_UNROLL
    for (std::size_t i = 0; i < K; ++i) t[i] = splat(kMask52);
    CUZK_UNROLL
    for (std::size_t i = K; i < 2 * K; ++i) t[i] = _mm512_setzero_si512();
  }
  /// Divides the columns by 2^(52 K) modulo p and normalises.
  static CUZK_INLINE Vec reduce(Word (&t)[2 * K]) {
    constexpr std::uint64_t kInv = Element::inv64() & kMask52;
    static constexpr Digits kP = multiple_digits(1);
    const Word inv = splat(kInv);
    CUZK_UNROLL
    for (std::size_t i = 0; i < K; ++i) {
      const Word m = lo52(inv, t[i], inv);  // (t + 1) * inv: undoes the initial 2^52 - 1
      t[i + 1] = _mm512_add_epi64(t[i + 1], _mm512_srli_epi64(t[i], 52));
      CUZK_UNROLL
      for (std::size_t j = 1; j < K; ++j) t[i + j] = lo52(t[i + j], m, splat(kP.digit[j]));
      CUZK_UNROLL
      for (std::size_t j = 0; j < K; ++j) t[i + j + 1] = hi52(t[i + j + 1], m, splat(kP.digit[j]));
    }
    const Word mask = splat(kMask52);
    Vec r;
    CUZK_UNROLL
    for (std::size_t i = 0; i + 1 < K; ++i) {
      t[K + i + 1] = _mm512_add_epi64(t[K + i + 1], _mm512_srli_epi64(t[K + i], 52));
      r.limb[i] = _mm512_and_si512(t[K + i], mask);
    }
    r.limb[K - 1] = t[2 * K - 1];
    return r;
  }

  /// Divides plain columns (no 2^52 - 1 in them) by R = 2^(64 N) modulo p: the last step cancels 52 - kShift
  /// bits only.
  static CUZK_INLINE Vec reduce_unshifted(Word (&t)[2 * K]) {
    constexpr std::uint64_t kInv = Element::inv64() & kMask52;
    static constexpr Digits kP = multiple_digits(1);
    const Word inv = splat(kInv);
    CUZK_UNROLL
    for (std::size_t i = 0; i < K; ++i) {
      Word m = lo52(_mm512_setzero_si512(), t[i], inv);
      if (i + 1 < K) {
        t[i + 1] = _mm512_add_epi64(t[i + 1], _mm512_srli_epi64(_mm512_add_epi64(t[i], splat(kMask52)), 52));
      } else {
        m = _mm512_and_si512(m, splat((std::uint64_t{1} << (52 - kShift)) - 1));
        t[i] = lo52(t[i], m, splat(kP.digit[0]));
      }
      CUZK_UNROLL
      for (std::size_t j = 1; j < K; ++j) t[i + j] = lo52(t[i + j], m, splat(kP.digit[j]));
      CUZK_UNROLL
      for (std::size_t j = 0; j < K; ++j) t[i + j + 1] = hi52(t[i + j + 1], m, splat(kP.digit[j]));
    }
    const Word factor = splat(std::uint64_t{1} << kShift);
    Vec r;
    CUZK_UNROLL
    for (std::size_t i = 0; i < K; ++i) {
      t[K + i] = _mm512_add_epi64(t[K + i], _mm512_srli_epi64(t[K + i - 1], 52));
      // Digit i of the columns shifted right by 52 - kShift bits.
      r.limb[i] = lo52(hi52(_mm512_setzero_si512(), t[K + i - 1], factor), t[K + i], factor);
    }
    return r;
  }

 private:
  template <class From>
  static CUZK_INLINE __m256i quarter(From&& from, unsigned lane, Mask mask) {
    if ((mask >> lane & 1) == 0) return _mm256_setzero_si256();
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from(lane)));
  }
  template <class To>
  static CUZK_INLINE void put_pair(Word pair, To&& to, unsigned first, unsigned second, Mask mask) {
    if ((mask >> first & 1) != 0)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to(first)), _mm512_castsi512_si256(pair));
    if ((mask >> second & 1) != 0)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to(second)), _mm512_extracti64x4_epi64(pair, 1));
  }
  // a, b, c: limbs (0,1), (2,3), (4,5) of lanes parity, parity + 2, parity + 4, parity + 6.
  template <class To>
  static CUZK_INLINE void put_six(Word a, Word b, Word c, To&& to, unsigned parity, Mask mask) {
    const Word ab02 = _mm512_shuffle_i64x2(a, b, 0x88);  // a0 a2 b0 b2
    const Word ab13 = _mm512_shuffle_i64x2(a, b, 0xdd);  // a1 a3 b1 b3
    const Word cc02 = _mm512_shuffle_i64x2(c, c, 0x88);  // c0 c2 c0 c2
    const Word cc13 = _mm512_shuffle_i64x2(c, c, 0xdd);
    const Word out[4] = {_mm512_shuffle_i64x2(ab02, cc02, 0x08), _mm512_shuffle_i64x2(ab13, cc13, 0x08),
                         _mm512_shuffle_i64x2(ab02, cc02, 0x5d), _mm512_shuffle_i64x2(ab13, cc13, 0x5d)};
    for (unsigned k = 0; k < 4; ++k) {
      const unsigned lane = 2 * k + parity;
      if ((mask >> lane & 1) != 0) _mm512_mask_storeu_epi64(to(lane), 0x3f, out[k]);
    }
  }
};

}  // namespace cuzk::ifma
