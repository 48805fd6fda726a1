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
///
/// What bounds it: two additions a partial product on the two ports that take carries, one multiplication on
/// the single port that has it, about as many cycles each; and, from one value to the next, the way from t_0
/// through m to the next t_0. Hence
///  * no word is moved: the cleared word's register is the next row's carry word, names rotate;
///  * the carry out of the cleared word is that of t_0 + (2^64 - 1), known before m is;
///  * the low half of m p_1 is added before the high half of m p_0, which is there one cycle later;
///  * a zero or all ones to add comes from memory, for which the load ports have room.
/// For r, m and m r_0 can be had by shifts (r_0 = 2^64 - 2^32 + 1), which measures slower: the shifts share
/// the carry ports.
namespace cuzk::internal {

/// The modulus, -1/p mod 2^64, zero and all ones, as the assembly addresses them.
template <class Params>
struct AdxConstants {
  std::uint64_t word[Params::kLimbs + 3];
  static constexpr AdxConstants make() {
    AdxConstants c{};
    for (std::size_t i = 0; i < Params::kLimbs; ++i) c.word[i] = Params::kModulus.limb[i];
    c.word[Params::kLimbs] = Montgomery<Params>::inv64();
    c.word[Params::kLimbs + 1] = 0;
    c.word[Params::kLimbs + 2] = ~std::uint64_t{0};
    return c;
  }
};
template <class Params>
inline constexpr AdxConstants<Params> kAdxConstants = AdxConstants<Params>::make();

// A row: T += a_i * b. FIRST_ROW starts T instead. The last step makes the carry word TOP.
#define CUZK_ADX_FIRST_ROW_BEGIN(T, NEXT) \
  "movq 0(%[a]), %%rdx\n\t"               \
  "mulxq 0(%[b]), %[" T "], %[" NEXT "]\n\t"
#define CUZK_ADX_FIRST_ROW_STEP(add, j, T, NEXT) \
  "mulxq " j "(%[b]), %[lo], %[" NEXT "]\n\t" add " %[lo], %[" T "]\n\t"
#define CUZK_ADX_ROW_BEGIN(i) \
  "xorl %k[lo], %k[lo]\n\t"   \
  "movq " i "(%[a]), %%rdx\n\t"
#define CUZK_ADX_ROW_STEP(j, T, NEXT) \
  "mulxq " j                          \
  "(%[b]), %[lo], %[hi]\n\t"          \
  "adoxq %[lo], %[" T                 \
  "]\n\t"                             \
  "adcxq %[hi], %[" NEXT "]\n\t"
#define CUZK_ADX_ROW_END(j, T, TOP, zero) \
  "mulxq " j "(%[b]), %[lo], %[" TOP      \
  "]\n\t"                                 \
  "adoxq %[lo], %[" T                     \
  "]\n\t"                                 \
  "adcxq " zero "(%[p]), %[" TOP          \
  "]\n\t"                                 \
  "adoxq " zero "(%[p]), %[" TOP "]\n\t"
// The reduction: T += m * p, whose lowest word becomes zero and free. The high halves alternate between that
// register and `hi`.
#define CUZK_ADX_REDUCE_BEGIN(inv, ones, T) \
  "movq " inv                               \
  "(%[p]), %%rdx\n\t"                       \
  "imulq %[" T                              \
  "], %%rdx\n\t"                            \
  "xorl %k[lo], %k[lo]\n\t"                 \
  "adcxq " ones "(%[p]), %[" T              \
  "]\n\t"                                   \
  "mulxq 0(%[p]), %[lo], %[hi]\n\t"
#define CUZK_ADX_REDUCE_STEP(j, T, HIGH, NEXT_HIGH) \
  "mulxq " j "(%[p]), %[lo], %[" NEXT_HIGH          \
  "]\n\t"                                           \
  "adoxq %[lo], %[" T                               \
  "]\n\t"                                           \
  "adcxq %[" HIGH "], %[" T "]\n\t"
#define CUZK_ADX_REDUCE_END(T, HIGH, zero) \
  "adcxq %[" HIGH "], %[" T                \
  "]\n\t"                                  \
  "adoxq " zero "(%[p]), %[" T "]\n\t"

#define CUZK_ADX_REDUCE4(T0, T1, T2, T3, T4) \
  CUZK_ADX_REDUCE_BEGIN("32", "48", T0)      \
  CUZK_ADX_REDUCE_STEP("8", T1, "hi", T0)    \
  CUZK_ADX_REDUCE_STEP("16", T2, T0, "hi")   \
  CUZK_ADX_REDUCE_STEP("24", T3, "hi", T0)   \
  CUZK_ADX_REDUCE_END(T4, T0, "40")
#define CUZK_ADX_ROUND4(i, T0, T1, T2, T3, T4) \
  CUZK_ADX_ROW_BEGIN(i)                        \
  CUZK_ADX_ROW_STEP("0", T0, T1)               \
  CUZK_ADX_ROW_STEP("8", T1, T2)               \
  CUZK_ADX_ROW_STEP("16", T2, T3)              \
  CUZK_ADX_ROW_END("24", T3, T4, "40")         \
  CUZK_ADX_REDUCE4(T0, T1, T2, T3, T4)

/// The product of four words each, below 2p if one factor is below p and the other below 2p.
CUZK_INLINE Fr adx_product(const std::uint64_t* a, const std::uint64_t* b) {
  std::uint64_t t0, t1, t2, t3, t4, lo, hi;
  __asm__(CUZK_ADX_FIRST_ROW_BEGIN("t0", "t1") CUZK_ADX_FIRST_ROW_STEP("addq", "8", "t1", "t2")
              CUZK_ADX_FIRST_ROW_STEP("adcq", "16", "t2", "t3")
                  CUZK_ADX_FIRST_ROW_STEP("adcq", "24", "t3", "t4") "adcq $0, %[t4]\n\t" CUZK_ADX_REDUCE4(
                      "t0", "t1", "t2", "t3", "t4") CUZK_ADX_ROUND4("8", "t1", "t2", "t3", "t4", "t0")
                      CUZK_ADX_ROUND4("16", "t2", "t3", "t4", "t0", "t1")
                          CUZK_ADX_ROUND4("24", "t3", "t4", "t0", "t1", "t2")
          : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4), [lo] "=&r"(lo),
            [hi] "=&r"(hi)
          : [a] "r"(a), [b] "r"(b), [p] "r"(kAdxConstants<FrParams>.word)
          : "rdx", "cc", "memory");
  return Fr{{t4, t0, t1, t2}};
}
#undef CUZK_ADX_ROUND4
#undef CUZK_ADX_REDUCE4

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

#define CUZK_ADX_REDUCE6(T0, T1, T2, T3, T4, T5, T6) \
  CUZK_ADX_REDUCE_BEGIN("48", "64", T0)              \
  CUZK_ADX_REDUCE_STEP("8", T1, "hi", T0)            \
  CUZK_ADX_REDUCE_STEP("16", T2, T0, "hi")           \
  CUZK_ADX_REDUCE_STEP("24", T3, "hi", T0)           \
  CUZK_ADX_REDUCE_STEP("32", T4, T0, "hi")           \
  CUZK_ADX_REDUCE_STEP("40", T5, "hi", T0)           \
  CUZK_ADX_REDUCE_END(T6, T0, "56")
#define CUZK_ADX_ROUND6(i, T0, T1, T2, T3, T4, T5, T6) \
  CUZK_ADX_ROW_BEGIN(i)                                \
  CUZK_ADX_ROW_STEP("0", T0, T1)                       \
  CUZK_ADX_ROW_STEP("8", T1, T2)                       \
  CUZK_ADX_ROW_STEP("16", T2, T3)                      \
  CUZK_ADX_ROW_STEP("24", T3, T4)                      \
  CUZK_ADX_ROW_STEP("32", T4, T5)                      \
  CUZK_ADX_ROW_END("40", T5, T6, "56")                 \
  CUZK_ADX_REDUCE6(T0, T1, T2, T3, T4, T5, T6)

/// t mod p for t < 2p.
CUZK_INLINE void adx_subtract_modulus(std::uint64_t& t0, std::uint64_t& t1, std::uint64_t& t2,
                                      std::uint64_t& t3, std::uint64_t& t4, std::uint64_t& t5) {
  std::uint64_t d0, d1, d2, d3, d4, d5;
  __asm__(
      "movq %[t0], %[d0]\n\t"
      "subq 0(%[p]), %[d0]\n\t"
      "movq %[t1], %[d1]\n\t"
      "sbbq 8(%[p]), %[d1]\n\t"
      "movq %[t2], %[d2]\n\t"
      "sbbq 16(%[p]), %[d2]\n\t"
      "movq %[t3], %[d3]\n\t"
      "sbbq 24(%[p]), %[d3]\n\t"
      "movq %[t4], %[d4]\n\t"
      "sbbq 32(%[p]), %[d4]\n\t"
      "movq %[t5], %[d5]\n\t"
      "sbbq 40(%[p]), %[d5]\n\t"
      "cmovncq %[d0], %[t0]\n\t"
      "cmovncq %[d1], %[t1]\n\t"
      "cmovncq %[d2], %[t2]\n\t"
      "cmovncq %[d3], %[t3]\n\t"
      "cmovncq %[d4], %[t4]\n\t"
      "cmovncq %[d5], %[t5]\n\t"
      : [t0] "+&r"(t0), [t1] "+&r"(t1), [t2] "+&r"(t2), [t3] "+&r"(t3), [t4] "+&r"(t4), [t5] "+&r"(t5),
        [d0] "=&r"(d0), [d1] "=&r"(d1), [d2] "=&r"(d2), [d3] "=&r"(d3), [d4] "=&r"(d4), [d5] "=&r"(d5)
      : [p] "r"(kAdxConstants<FpParams>.word)
      : "cc", "memory");
}

/// The product of six words each, below 2p if the factors' product is below p R: p is a tenth of R, so each
/// may be below 3p.
CUZK_INLINE Fp adx_product_fp(const std::uint64_t* a, const std::uint64_t* b) {
  std::uint64_t t0, t1, t2, t3, t4, t5, t6, lo, hi;
  __asm__(CUZK_ADX_FIRST_ROW_BEGIN("t0", "t1") CUZK_ADX_FIRST_ROW_STEP("addq", "8", "t1", "t2")
              CUZK_ADX_FIRST_ROW_STEP("adcq", "16", "t2", "t3") CUZK_ADX_FIRST_ROW_STEP(
                  "adcq", "24", "t3", "t4") CUZK_ADX_FIRST_ROW_STEP("adcq", "32", "t4", "t5")
                  CUZK_ADX_FIRST_ROW_STEP("adcq", "40", "t5", "t6") "adcq $0, %[t6]\n\t" CUZK_ADX_REDUCE6(
                      "t0", "t1", "t2", "t3", "t4", "t5", "t6")
                      CUZK_ADX_ROUND6("8", "t1", "t2", "t3", "t4", "t5", "t6", "t0")
                          CUZK_ADX_ROUND6("16", "t2", "t3", "t4", "t5", "t6", "t0", "t1")
                              CUZK_ADX_ROUND6("24", "t3", "t4", "t5", "t6", "t0", "t1", "t2")
                                  CUZK_ADX_ROUND6("32", "t4", "t5", "t6", "t0", "t1", "t2", "t3")
                                      CUZK_ADX_ROUND6("40", "t5", "t6", "t0", "t1", "t2", "t3", "t4")
          : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4), [t5] "=&r"(t5),
            [t6] "=&r"(t6), [lo] "=&r"(lo), [hi] "=&r"(hi)
          : [a] "r"(a), [b] "r"(b), [p] "r"(kAdxConstants<FpParams>.word)
          : "rdx", "cc", "memory");
  return Fp{{t6, t0, t1, t2, t3, t4}};
}

// A row of a square: a_i^2 and a_i times twice the words above it.
#define CUZK_ADX_SQUARE_STEP(at, T, NEXT) \
  "mulxq " at                             \
  ", %[lo], %[hi]\n\t"                    \
  "adoxq %[lo], %[" T                     \
  "]\n\t"                                 \
  "adcxq %[hi], %[" NEXT "]\n\t"
#define CUZK_ADX_SQUARE_END(at, T, TOP) \
  "mulxq " at ", %[lo], %[" TOP         \
  "]\n\t"                               \
  "adoxq %[lo], %[" T                   \
  "]\n\t"                               \
  "adcxq 56(%[p]), %[" TOP              \
  "]\n\t"                               \
  "adoxq 56(%[p]), %[" TOP "]\n\t"

/// a^2 / R mod p, below 2p, for a below 3p: 21 products of words and those of the reduction, 57 in place
/// of 72. Row i adds a_i (a_i + 2^64 2 (a_5 .. a_(i+1))) at word 2i; round i clears word i. 2 a fits six
/// words; its lowest word in a row is taken without the bit that the word below would carry in.
CUZK_INLINE Fp adx_square(const std::uint64_t* a) {
  std::uint64_t twice[11];  // 2 a, then 2 a_1 .. 2 a_5, each modulo 2^64
  std::uint64_t t0, t1, t2, t3, t4, t5, t6, lo, hi;
  for (std::size_t i = 1; i < 6; ++i) twice[5 + i] = a[i] << 1;
  for (std::size_t i = 2; i < 6; ++i) twice[i] = a[i] << 1 | a[i - 1] >> 63;
  __asm__(
      "movq 0(%[a]), %%rdx\n\t"
      "mulxq 0(%[a]), %[t0], %[t1]\n\t"
      "mulxq 48(%[b]), %[lo], %[t2]\n\t"
      "addq %[lo], %[t1]\n\t"
      "mulxq 16(%[b]), %[lo], %[t3]\n\t"
      "adcq %[lo], %[t2]\n\t"
      "mulxq 24(%[b]), %[lo], %[t4]\n\t"
      "adcq %[lo], %[t3]\n\t"
      "mulxq 32(%[b]), %[lo], %[t5]\n\t"
      "adcq %[lo], %[t4]\n\t"
      "mulxq 40(%[b]), %[lo], %[t6]\n\t"
      "adcq %[lo], %[t5]\n\t"
      "adcq $0, %[t6]\n\t" CUZK_ADX_REDUCE6("t0", "t1", "t2", "t3", "t4", "t5", "t6") CUZK_ADX_ROW_BEGIN(
          "8") CUZK_ADX_SQUARE_STEP("8(%[a])", "t2", "t3") CUZK_ADX_SQUARE_STEP("56(%[b])", "t3", "t4")
          CUZK_ADX_SQUARE_STEP("24(%[b])", "t4", "t5") CUZK_ADX_SQUARE_STEP("32(%[b])", "t5", "t6")
              CUZK_ADX_SQUARE_END("40(%[b])", "t6", "t0") CUZK_ADX_REDUCE6("t1", "t2", "t3", "t4", "t5", "t6",
                                                                           "t0") CUZK_ADX_ROW_BEGIN("16")
                  CUZK_ADX_SQUARE_STEP("16(%[a])", "t4", "t5") CUZK_ADX_SQUARE_STEP("64(%[b])", "t5", "t6")
                      CUZK_ADX_SQUARE_STEP("32(%[b])", "t6", "t0") CUZK_ADX_SQUARE_END("40(%[b])", "t0", "t1")
                          CUZK_ADX_REDUCE6("t2", "t3", "t4", "t5", "t6", "t0", "t1") CUZK_ADX_ROW_BEGIN("24")
                              CUZK_ADX_SQUARE_STEP("24(%[a])", "t6", "t0") CUZK_ADX_SQUARE_STEP(
                                  "72(%[b])", "t0", "t1") CUZK_ADX_SQUARE_END("40(%[b])", "t1", "t2")
                                  CUZK_ADX_REDUCE6("t3", "t4", "t5", "t6", "t0", "t1", "t2")
                                      CUZK_ADX_ROW_BEGIN("32") CUZK_ADX_SQUARE_STEP("32(%[a])", "t1", "t2")
                                          CUZK_ADX_SQUARE_END("80(%[b])", "t2", "t3") CUZK_ADX_REDUCE6(
                                              "t4", "t5", "t6", "t0", "t1", "t2", "t3")
                                              CUZK_ADX_ROW_BEGIN("40") CUZK_ADX_SQUARE_END("40(%[a])", "t3",
                                                                                           "t4")
                                                  CUZK_ADX_REDUCE6("t5", "t6", "t0", "t1", "t2", "t3", "t4")
      : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4), [t5] "=&r"(t5),
        [t6] "=&r"(t6), [lo] "=&r"(lo), [hi] "=&r"(hi)
      : [a] "r"(a), [b] "r"(twice), [p] "r"(kAdxConstants<FpParams>.word)
      : "rdx", "cc", "memory");
  return Fp{{t6, t0, t1, t2, t3, t4}};
}
#undef CUZK_ADX_SQUARE_STEP
#undef CUZK_ADX_SQUARE_END

// One more row on seven words.
#define CUZK_ADX_SECOND_ROW_END(j, T, TOP, zero) \
  "mulxq " j                                     \
  "(%[b]), %[lo], %[hi]\n\t"                     \
  "adoxq %[lo], %[" T                            \
  "]\n\t"                                        \
  "adcxq %[hi], %[" TOP                          \
  "]\n\t"                                        \
  "adoxq " zero "(%[p]), %[" TOP "]\n\t"
#define CUZK_ADX_SECOND_ROW6(i, T0, T1, T2, T3, T4, T5, T6) \
  CUZK_ADX_ROW_BEGIN(i)                                     \
  CUZK_ADX_ROW_STEP("48", T0, T1)                           \
  CUZK_ADX_ROW_STEP("56", T1, T2)                           \
  CUZK_ADX_ROW_STEP("64", T2, T3)                           \
  CUZK_ADX_ROW_STEP("72", T3, T4)                           \
  CUZK_ADX_ROW_STEP("80", T4, T5)                           \
  CUZK_ADX_SECOND_ROW_END("88", T5, T6, "56")
#define CUZK_ADX_PAIR_ROUND6(i0, i1, T0, T1, T2, T3, T4, T5, T6) \
  CUZK_ADX_ROW_BEGIN(i0)                                         \
  CUZK_ADX_ROW_STEP("0", T0, T1)                                 \
  CUZK_ADX_ROW_STEP("8", T1, T2)                                 \
  CUZK_ADX_ROW_STEP("16", T2, T3)                                \
  CUZK_ADX_ROW_STEP("24", T3, T4)                                \
  CUZK_ADX_ROW_STEP("32", T4, T5)                                \
  CUZK_ADX_ROW_END("40", T5, T6, "56")                           \
  CUZK_ADX_SECOND_ROW6(i1, T0, T1, T2, T3, T4, T5, T6)           \
  CUZK_ADX_REDUCE6(T0, T1, T2, T3, T4, T5, T6)

/// (a_0 b_0 + a_1 b_1) / R mod p, below 2p, with one reduction: a and b are twelve words each, both elements
/// at most p. The running sum stays below 2^64 * 3p.
CUZK_INLINE Fp adx_product_sum(const std::uint64_t* a, const std::uint64_t* b) {
  std::uint64_t t0, t1, t2, t3, t4, t5, t6, lo, hi;
  __asm__(CUZK_ADX_FIRST_ROW_BEGIN("t0", "t1") CUZK_ADX_FIRST_ROW_STEP("addq", "8", "t1", "t2")
              CUZK_ADX_FIRST_ROW_STEP("adcq", "16", "t2", "t3") CUZK_ADX_FIRST_ROW_STEP(
                  "adcq", "24", "t3", "t4") CUZK_ADX_FIRST_ROW_STEP("adcq", "32", "t4", "t5")
                  CUZK_ADX_FIRST_ROW_STEP("adcq", "40", "t5", "t6") "adcq $0, %[t6]\n\t" CUZK_ADX_SECOND_ROW6(
                      "48", "t0", "t1", "t2", "t3", "t4", "t5", "t6")
                      CUZK_ADX_REDUCE6("t0", "t1", "t2", "t3", "t4", "t5", "t6") CUZK_ADX_PAIR_ROUND6(
                          "8", "56", "t1", "t2", "t3", "t4", "t5", "t6",
                          "t0") CUZK_ADX_PAIR_ROUND6("16", "64", "t2", "t3", "t4", "t5", "t6", "t0", "t1")
                          CUZK_ADX_PAIR_ROUND6("24", "72", "t3", "t4", "t5", "t6", "t0", "t1", "t2")
                              CUZK_ADX_PAIR_ROUND6("32", "80", "t4", "t5", "t6", "t0", "t1", "t2", "t3")
                                  CUZK_ADX_PAIR_ROUND6("40", "88", "t5", "t6", "t0", "t1", "t2", "t3", "t4")
          : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4), [t5] "=&r"(t5),
            [t6] "=&r"(t6), [lo] "=&r"(lo), [hi] "=&r"(hi)
          : [a] "r"(a), [b] "r"(b), [p] "r"(kAdxConstants<FpParams>.word)
          : "rdx", "cc", "memory");
  return Fp{{t6, t0, t1, t2, t3, t4}};
}
#undef CUZK_ADX_PAIR_ROUND6
#undef CUZK_ADX_SECOND_ROW6
#undef CUZK_ADX_SECOND_ROW_END
#undef CUZK_ADX_ROUND6
#undef CUZK_ADX_REDUCE6

/// t mod p for t < 2p that is seldom above p. A product is (m p + a b) / R with m all but uniform below R,
/// and a b / R is below p / 9.8: one in forty of random ones needs the subtraction. A branch on the highest
/// word is right but for those, so that the next product need not wait for a chain of six words. For r (r / R
/// = 0.45) the branch gains nothing.
CUZK_INLINE Fp adx_finish(const Fp& t) {
  std::uint64_t t0 = t.limb[0], t1 = t.limb[1], t2 = t.limb[2], t3 = t.limb[3], t4 = t.limb[4],
                t5 = t.limb[5];
  if (t5 >= FpParams::kModulus.limb[5]) [[unlikely]]
    adx_subtract_modulus(t0, t1, t2, t3, t4, t5);
  return Fp{{t0, t1, t2, t3, t4, t5}};
}

CUZK_INLINE Fp adx_mul(const Fp& a, const Fp& b) {
  return adx_finish(adx_product_fp(a.limb, b.limb));
}

#undef CUZK_ADX_FIRST_ROW_BEGIN
#undef CUZK_ADX_FIRST_ROW_STEP
#undef CUZK_ADX_ROW_BEGIN
#undef CUZK_ADX_ROW_STEP
#undef CUZK_ADX_ROW_END
#undef CUZK_ADX_REDUCE_BEGIN
#undef CUZK_ADX_REDUCE_STEP
#undef CUZK_ADX_REDUCE_END

}  // namespace cuzk::internal
