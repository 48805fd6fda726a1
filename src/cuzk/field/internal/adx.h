#pragma once

#include <cstdint>

#include "cuzk/base/hd.h"
#include "cuzk/field/fp.h"
#include "cuzk/field/fr.h"

/// Montgomery products with mulx, adcx and adox, by inline assembly: needs no compiler flags. Only to be
/// reached when isa_supported(Isa::adx).
///
/// Operand scanning, one word of `a` a round: the row a_i * b is added with two carry chains side by side
/// (adox for low halves, adcx for high ones), then m * p with m = t_0 * (-1/p) mod 2^64, which clears the
/// lowest word. The modulus leaves its top bit free, so the row's carry word takes the ends of both chains
/// without overflow, and the sum stays below 2p.
namespace cuzk::internal {

/// The modulus followed by -1/p mod 2^64, as the assembly addresses them.
template <class Params>
struct AdxConstants {
  std::uint64_t word[Params::kLimbs + 1];
  static constexpr AdxConstants make() {
    AdxConstants c{};
    for (std::size_t i = 0; i < Params::kLimbs; ++i) c.word[i] = Params::kModulus.limb[i];
    c.word[Params::kLimbs] = Montgomery<Params>::inv64();
    return c;
  }
};
template <class Params>
inline constexpr AdxConstants<Params> kAdxConstants = AdxConstants<Params>::make();

// One step of a row: low half into T, high half into NEXT.
#define CUZK_ADX_STEP(j, T, NEXT) \
  "mulxq " j                      \
  "(%[b]), %[lo], %[hi]\n\t"      \
  "adoxq %[lo], %[" T             \
  "]\n\t"                         \
  "adcxq %[hi], %[" NEXT "]\n\t"
// Last step of a row: the high half starts the carry word.
#define CUZK_ADX_ROW_END(j, T) \
  "mulxq " j                   \
  "(%[b]), %[lo], %[top]\n\t"  \
  "adoxq %[lo], %[" T          \
  "]\n\t"                      \
  "movl $0, %k[lo]\n\t"        \
  "adcxq %[lo], %[top]\n\t"    \
  "adoxq %[lo], %[top]\n\t"
#define CUZK_ADX_ROW_BEGIN(i) \
  "xorl %k[lo], %k[lo]\n\t"   \
  "movq " i "(%[a]), %%rdx\n\t"
// Reduction: t_(j-1) = t_j + high half of the word before + low half.
#define CUZK_ADX_REDUCE_BEGIN(inv)  \
  "movq " inv                       \
  "(%[p]), %%rdx\n\t"               \
  "imulq %[t0], %%rdx\n\t"          \
  "xorl %k[lo], %k[lo]\n\t"         \
  "mulxq 0(%[p]), %[lo], %[hi]\n\t" \
  "adcxq %[t0], %[lo]\n\t"          \
  "movq %[hi], %[t0]\n\t"
#define CUZK_ADX_REDUCE_STEP(j, PREV, T) \
  "adcxq %[" T "], %[" PREV              \
  "]\n\t"                                \
  "mulxq " j "(%[p]), %[lo], %[" T       \
  "]\n\t"                                \
  "adoxq %[lo], %[" PREV "]\n\t"
#define CUZK_ADX_REDUCE_END(T) \
  "movl $0, %k[lo]\n\t"        \
  "adcxq %[lo], %[" T          \
  "]\n\t"                      \
  "adoxq %[top], %[" T "]\n\t"

/// The product of four words each, below 2p if one factor is below p and the other below 2p.
CUZK_INLINE Fr adx_product(const std::uint64_t* a, const std::uint64_t* b) {
  std::uint64_t t0, t1, t2, t3, top, lo, hi;
#define CUZK_ADX_REDUCE4                 \
  CUZK_ADX_REDUCE_BEGIN("32")            \
  CUZK_ADX_REDUCE_STEP("8", "t0", "t1")  \
  CUZK_ADX_REDUCE_STEP("16", "t1", "t2") \
  CUZK_ADX_REDUCE_STEP("24", "t2", "t3") \
  CUZK_ADX_REDUCE_END("t3")
#define CUZK_ADX_ROW4(i)          \
  CUZK_ADX_ROW_BEGIN(i)           \
  CUZK_ADX_STEP("0", "t0", "t1")  \
  CUZK_ADX_STEP("8", "t1", "t2")  \
  CUZK_ADX_STEP("16", "t2", "t3") \
  CUZK_ADX_ROW_END("24", "t3")    \
  CUZK_ADX_REDUCE4
  __asm__(
      "movq 0(%[a]), %%rdx\n\t"
      "mulxq 0(%[b]), %[t0], %[t1]\n\t"
      "mulxq 8(%[b]), %[lo], %[t2]\n\t"
      "addq %[lo], %[t1]\n\t"
      "mulxq 16(%[b]), %[lo], %[t3]\n\t"
      "adcq %[lo], %[t2]\n\t"
      "mulxq 24(%[b]), %[lo], %[top]\n\t"
      "adcq %[lo], %[t3]\n\t"
      "adcq $0, %[top]\n\t" CUZK_ADX_REDUCE4 CUZK_ADX_ROW4("8") CUZK_ADX_ROW4("16") CUZK_ADX_ROW4("24")
      : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [top] "=&r"(top), [lo] "=&r"(lo),
        [hi] "=&r"(hi)
      : [a] "r"(a), [b] "r"(b), [p] "r"(kAdxConstants<FrParams>.word)
      : "rdx", "cc", "memory");
#undef CUZK_ADX_ROW4
#undef CUZK_ADX_REDUCE4
  return Fr{{t0, t1, t2, t3}};
}

/// a mod p for a < 2p.
CUZK_INLINE Fr adx_reduce(Fr a) {
  std::uint64_t d0, d1, d2, d3;
  __asm__(
      "movq %[t0], %[d0]\n\t"
      "subq 0(%[p]), %[d0]\n\t"
      "movq %[t1], %[d1]\n\t"
      "sbbq 8(%[p]), %[d1]\n\t"
      "movq %[t2], %[d2]\n\t"
      "sbbq 16(%[p]), %[d2]\n\t"
      "movq %[t3], %[d3]\n\t"
      "sbbq 24(%[p]), %[d3]\n\t"
      "cmovncq %[d0], %[t0]\n\t"
      "cmovncq %[d1], %[t1]\n\t"
      "cmovncq %[d2], %[t2]\n\t"
      "cmovncq %[d3], %[t3]\n\t"
      : [t0] "+&r"(a.limb[0]), [t1] "+&r"(a.limb[1]), [t2] "+&r"(a.limb[2]), [t3] "+&r"(a.limb[3]),
        [d0] "=&r"(d0), [d1] "=&r"(d1), [d2] "=&r"(d2), [d3] "=&r"(d3)
      : [p] "r"(kAdxConstants<FrParams>.word)
      : "cc", "memory");
  return a;
}

CUZK_INLINE Fr adx_mul(const Fr& a, const Fr& b) {
  return adx_reduce(adx_product(a.limb, b.limb));
}

/// Zero, then 2p: what a difference modulo 2p has to be corrected by, chosen by address.
inline constexpr std::uint64_t kAdxTwiceModulus[8] = {
    0, 0, 0, 0, 0xfffffffe00000002, 0xa77b4805fffcb7fd, 0x6673b0101343b00a, 0xe7db4ea6533afa90};

/// (x, y) <- (x + t, x - t) modulo 2p, for x, t < 2p. x + t is x - (2p - t).
CUZK_INLINE void adx_cross(std::uint64_t* x, std::uint64_t* y, Fr t) {
  std::uint64_t s0, s1, s2, s3, add, twice;
#define CUZK_ADX_CORRECT(a0, a1, a2, a3) \
  "movq %[c], %[add]\n\t"                \
  "leaq 32(%[c]), %[twice]\n\t"          \
  "cmovcq %[twice], %[add]\n\t"          \
  "addq 0(%[add]), %[" a0                \
  "]\n\t"                                \
  "adcq 8(%[add]), %[" a1                \
  "]\n\t"                                \
  "adcq 16(%[add]), %[" a2               \
  "]\n\t"                                \
  "adcq 24(%[add]), %[" a3 "]\n\t"
  __asm__ volatile(
      "movq 0(%[x]), %[s0]\n\t"
      "subq %[t0], %[s0]\n\t"
      "movq 8(%[x]), %[s1]\n\t"
      "sbbq %[t1], %[s1]\n\t"
      "movq 16(%[x]), %[s2]\n\t"
      "sbbq %[t2], %[s2]\n\t"
      "movq 24(%[x]), %[s3]\n\t"
      "sbbq %[t3], %[s3]\n\t"
      CUZK_ADX_CORRECT("s0", "s1", "s2", "s3")
      "movq %[s0], 0(%[y])\n\t"
      "movq %[s1], 8(%[y])\n\t"
      "movq %[s2], 16(%[y])\n\t"
      "movq %[s3], 24(%[y])\n\t"
      "movq 32(%[c]), %[s0]\n\t"
      "subq %[t0], %[s0]\n\t"
      "movq 40(%[c]), %[s1]\n\t"
      "sbbq %[t1], %[s1]\n\t"
      "movq 48(%[c]), %[s2]\n\t"
      "sbbq %[t2], %[s2]\n\t"
      "movq 56(%[c]), %[s3]\n\t"
      "sbbq %[t3], %[s3]\n\t"
      "movq 0(%[x]), %[t0]\n\t"
      "subq %[s0], %[t0]\n\t"
      "movq 8(%[x]), %[t1]\n\t"
      "sbbq %[s1], %[t1]\n\t"
      "movq 16(%[x]), %[t2]\n\t"
      "sbbq %[s2], %[t2]\n\t"
      "movq 24(%[x]), %[t3]\n\t"
      "sbbq %[s3], %[t3]\n\t"
      CUZK_ADX_CORRECT("t0", "t1", "t2", "t3")
      "movq %[t0], 0(%[x])\n\t"
      "movq %[t1], 8(%[x])\n\t"
      "movq %[t2], 16(%[x])\n\t"
      "movq %[t3], 24(%[x])\n\t"
      : [t0] "+&r"(t.limb[0]), [t1] "+&r"(t.limb[1]), [t2] "+&r"(t.limb[2]), [t3] "+&r"(t.limb[3]),
        [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3), [add] "=&r"(add), [twice] "=&r"(twice)
      : [x] "r"(x), [y] "r"(y), [c] "r"(kAdxTwiceModulus)
      : "cc", "memory");
#undef CUZK_ADX_CORRECT
}

CUZK_INLINE Fp adx_mul(const Fp& x, const Fp& y) {
  const std::uint64_t* a = x.limb;
  const std::uint64_t* b = y.limb;
  std::uint64_t t0, t1, t2, t3, t4, t5, top, lo, hi;
#define CUZK_ADX_REDUCE6                 \
  CUZK_ADX_REDUCE_BEGIN("48")            \
  CUZK_ADX_REDUCE_STEP("8", "t0", "t1")  \
  CUZK_ADX_REDUCE_STEP("16", "t1", "t2") \
  CUZK_ADX_REDUCE_STEP("24", "t2", "t3") \
  CUZK_ADX_REDUCE_STEP("32", "t3", "t4") \
  CUZK_ADX_REDUCE_STEP("40", "t4", "t5") \
  CUZK_ADX_REDUCE_END("t5")
#define CUZK_ADX_ROW6(i)          \
  CUZK_ADX_ROW_BEGIN(i)           \
  CUZK_ADX_STEP("0", "t0", "t1")  \
  CUZK_ADX_STEP("8", "t1", "t2")  \
  CUZK_ADX_STEP("16", "t2", "t3") \
  CUZK_ADX_STEP("24", "t3", "t4") \
  CUZK_ADX_STEP("32", "t4", "t5") \
  CUZK_ADX_ROW_END("40", "t5")    \
  CUZK_ADX_REDUCE6
  __asm__(
      "movq 0(%[a]), %%rdx\n\t"
      "mulxq 0(%[b]), %[t0], %[t1]\n\t"
      "mulxq 8(%[b]), %[lo], %[t2]\n\t"
      "addq %[lo], %[t1]\n\t"
      "mulxq 16(%[b]), %[lo], %[t3]\n\t"
      "adcq %[lo], %[t2]\n\t"
      "mulxq 24(%[b]), %[lo], %[t4]\n\t"
      "adcq %[lo], %[t3]\n\t"
      "mulxq 32(%[b]), %[lo], %[t5]\n\t"
      "adcq %[lo], %[t4]\n\t"
      "mulxq 40(%[b]), %[lo], %[top]\n\t"
      "adcq %[lo], %[t5]\n\t"
      "adcq $0, %[top]\n\t"
      CUZK_ADX_REDUCE6 CUZK_ADX_ROW6("8") CUZK_ADX_ROW6("16") CUZK_ADX_ROW6("24") CUZK_ADX_ROW6("32")
      CUZK_ADX_ROW6("40")
      "movq %[t0], %[lo]\n\t"
      "subq 0(%[p]), %[lo]\n\t"
      "movq %[t1], %[hi]\n\t"
      "sbbq 8(%[p]), %[hi]\n\t"
      "movq %[t2], %%rdx\n\t"
      "sbbq 16(%[p]), %%rdx\n\t"
      "movq %[t3], %[top]\n\t"
      "sbbq 24(%[p]), %[top]\n\t"
      "movq %[t4], %[a]\n\t"
      "sbbq 32(%[p]), %[a]\n\t"
      "movq %[t5], %[b]\n\t"
      "sbbq 40(%[p]), %[b]\n\t"
      "cmovncq %[lo], %[t0]\n\t"
      "cmovncq %[hi], %[t1]\n\t"
      "cmovncq %%rdx, %[t2]\n\t"
      "cmovncq %[top], %[t3]\n\t"
      "cmovncq %[a], %[t4]\n\t"
      "cmovncq %[b], %[t5]\n\t"
      : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4), [t5] "=&r"(t5),
        [top] "=&r"(top), [lo] "=&r"(lo), [hi] "=&r"(hi), [a] "+&r"(a), [b] "+&r"(b)
      : [p] "r"(kAdxConstants<FpParams>.word)
      : "rdx", "cc", "memory");
#undef CUZK_ADX_ROW6
#undef CUZK_ADX_REDUCE6
  return Fp{{t0, t1, t2, t3, t4, t5}};
}

#undef CUZK_ADX_STEP
#undef CUZK_ADX_ROW_END
#undef CUZK_ADX_ROW_BEGIN
#undef CUZK_ADX_REDUCE_BEGIN
#undef CUZK_ADX_REDUCE_STEP
#undef CUZK_ADX_REDUCE_END

}  // namespace cuzk::internal
