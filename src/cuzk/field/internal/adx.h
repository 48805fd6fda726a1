#pragma once

#include <cstdint>

#include "cuzk/base/hd.h"
#include "cuzk/field/fp.h"
#include "cuzk/field/fr.h"

/// Montgomery products with mulx, adcx and adox, by inline assembly: needs no compiler flags. Only to be reached
/// when isa_supported(Isa::adx).
///
/// Operand scanning, one word of `a` a round: the row a_i * b is added with two carry chains side by side (adox for
/// low halves, adcx for high ones), then m * p with m = t_0 * (-1/p) mod 2^64, which clears the lowest word. The
/// modulus leaves its top bit free, so the row's carry word takes the ends of both chains without overflow, and the
/// sum stays below 2p.
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
#define CUZK_ADX_STEP(j, T, NEXT)             \
  "mulxq " j "(%[b]), %[lo], %[hi]\n\t"       \
  "adoxq %[lo], %[" T "]\n\t"                 \
  "adcxq %[hi], %[" NEXT "]\n\t"
// Last step of a row: the high half starts the carry word.
#define CUZK_ADX_ROW_END(j, T)                \
  "mulxq " j "(%[b]), %[lo], %[top]\n\t"      \
  "adoxq %[lo], %[" T "]\n\t"                 \
  "movl $0, %k[lo]\n\t"                       \
  "adcxq %[lo], %[top]\n\t"                   \
  "adoxq %[lo], %[top]\n\t"
#define CUZK_ADX_ROW_BEGIN(i)                 \
  "xorl %k[lo], %k[lo]\n\t"                   \
  "movq " i "(%[a]), %%rdx\n\t"
// Reduction: t_(j-1) = t_j + high half of the word before + low half.
#define CUZK_ADX_REDUCE_BEGIN(inv)            \
  "movq " inv "(%[p]), %%rdx\n\t"             \
  "imulq %[t0], %%rdx\n\t"                    \
  "xorl %k[lo], %k[lo]\n\t"                   \
  "mulxq 0(%[p]), %[lo], %[hi]\n\t"           \
  "adcxq %[t0], %[lo]\n\t"                    \
  "movq %[hi], %[t0]\n\t"
#define CUZK_ADX_REDUCE_STEP(j, PREV, T)      \
  "adcxq %[" T "], %[" PREV "]\n\t"           \
  "mulxq " j "(%[p]), %[lo], %[" T "]\n\t"    \
  "adoxq %[lo], %[" PREV "]\n\t"
#define CUZK_ADX_REDUCE_END(T)                \
  "movl $0, %k[lo]\n\t"                       \
  "adcxq %[lo], %[" T "]\n\t"                 \
  "adoxq %[top], %[" T "]\n\t"

CUZK_INLINE Fr adx_mul(const Fr& x, const Fr& y) {
  const std::uint64_t* a = x.limb;
  const std::uint64_t* b = y.limb;
  std::uint64_t t0, t1, t2, t3, top, lo, hi;
#define CUZK_ADX_REDUCE4                       \
  CUZK_ADX_REDUCE_BEGIN("32")                  \
  CUZK_ADX_REDUCE_STEP("8", "t0", "t1")        \
  CUZK_ADX_REDUCE_STEP("16", "t1", "t2")       \
  CUZK_ADX_REDUCE_STEP("24", "t2", "t3")       \
  CUZK_ADX_REDUCE_END("t3")
#define CUZK_ADX_ROW4(i)                       \
  CUZK_ADX_ROW_BEGIN(i)                        \
  CUZK_ADX_STEP("0", "t0", "t1")               \
  CUZK_ADX_STEP("8", "t1", "t2")               \
  CUZK_ADX_STEP("16", "t2", "t3")              \
  CUZK_ADX_ROW_END("24", "t3")                 \
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
      "adcq $0, %[top]\n\t"
      CUZK_ADX_REDUCE4 CUZK_ADX_ROW4("8") CUZK_ADX_ROW4("16") CUZK_ADX_ROW4("24")
      "movq %[t0], %[lo]\n\t"
      "subq 0(%[p]), %[lo]\n\t"
      "movq %[t1], %[hi]\n\t"
      "sbbq 8(%[p]), %[hi]\n\t"
      "movq %[t2], %%rdx\n\t"
      "sbbq 16(%[p]), %%rdx\n\t"
      "movq %[t3], %[top]\n\t"
      "sbbq 24(%[p]), %[top]\n\t"
      "cmovncq %[lo], %[t0]\n\t"
      "cmovncq %[hi], %[t1]\n\t"
      "cmovncq %%rdx, %[t2]\n\t"
      "cmovncq %[top], %[t3]\n\t"
      : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [top] "=&r"(top), [lo] "=&r"(lo),
        [hi] "=&r"(hi)
      : [a] "r"(a), [b] "r"(b), [p] "r"(kAdxConstants<FrParams>.word)
      : "rdx", "cc", "memory");
#undef CUZK_ADX_ROW4
#undef CUZK_ADX_REDUCE4
  return Fr{{t0, t1, t2, t3}};
}

CUZK_INLINE Fp adx_mul(const Fp& x, const Fp& y) {
  const std::uint64_t* a = x.limb;
  const std::uint64_t* b = y.limb;
  std::uint64_t t0, t1, t2, t3, t4, t5, top, lo, hi;
#define CUZK_ADX_REDUCE6                       \
  CUZK_ADX_REDUCE_BEGIN("48")                  \
  CUZK_ADX_REDUCE_STEP("8", "t0", "t1")        \
  CUZK_ADX_REDUCE_STEP("16", "t1", "t2")       \
  CUZK_ADX_REDUCE_STEP("24", "t2", "t3")       \
  CUZK_ADX_REDUCE_STEP("32", "t3", "t4")       \
  CUZK_ADX_REDUCE_STEP("40", "t4", "t5")       \
  CUZK_ADX_REDUCE_END("t5")
#define CUZK_ADX_ROW6(i)                       \
  CUZK_ADX_ROW_BEGIN(i)                        \
  CUZK_ADX_STEP("0", "t0", "t1")               \
  CUZK_ADX_STEP("8", "t1", "t2")               \
  CUZK_ADX_STEP("16", "t2", "t3")              \
  CUZK_ADX_STEP("24", "t3", "t4")              \
  CUZK_ADX_STEP("32", "t4", "t5")              \
  CUZK_ADX_ROW_END("40", "t5")                 \
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
