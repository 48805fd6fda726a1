#pragma once

#include <cstdint>

#include "cuzk/base/hd.h"
#include "cuzk/field/fr.h"
#include "cuzk/field/internal/adx.h"

/// What the mulx/adx transform kernels compute with. Included by kernels_adx.cc alone.
///
/// Values are any four words: 2^256 is 2.2 r, so that a sum that carries out of the fourth word, or a
/// difference that borrows, is brought back by 2r once, and nothing else is ever compared (lazy_cross).
///
/// Factors are known beforehand and have their quotient by r with them (Shoup's method): a product w y mod r
/// is w y - q r with q = floor(w' y / 2^256), w' = floor(w 2^256 / r), of which only the low four words are
/// wanted. Beside the Montgomery product that is 33 multiplications of words in place of 36, 53 additions in
/// place of 67, and above all no chain of four multiplications that each wait for the one before: the
/// scheduler's window holds less than a product's operations, so that what waits costs.
namespace cuzk::internal {

/// A factor w: w' and w, both plain integers.
struct QuotientFactor {
  static constexpr std::size_t kWords = 8;
};

/// 2^256 - r.
static constexpr std::uint64_t kMinusModulus[4] = {0x00000000ffffffff, 0xac425bfd0001a401, 0xccc627f7f65e27fa,
                                                   0x8c1258acd66282b7};
static constexpr std::uint64_t kNoWord = 0;

// A word of w' times the word of y in rdx: low half to LOW, high half to HIGH. The carry chains are those of
// the flags C (adcx) and O (adox).
#define CUZK_ADX_MUL(at, lo, hi) "mulxq " at ", %[" lo "], %[" hi "]\n\t"
#define CUZK_ADX_O(from, to) "adoxq %[" from "], %[" to "]\n\t"
#define CUZK_ADX_C(from, to) "adcxq %[" from "], %[" to "]\n\t"
#define CUZK_ADX_CLEAR "xorl %k[lo], %k[lo]\n\t"
#define CUZK_ADX_ENDS(to) "adcxq %[none], %[" to "]\n\tadoxq %[none], %[" to "]\n\t"

/// y w mod r, below 2r, from y at `y` (any four words) and a factor; `fraction` gets the word below q, up to
/// five too small. Unless it is within five of 2^64, q is exact.
CUZK_INLINE Fr quotient_product(const std::uint64_t* y, const std::uint64_t* factor,
                                std::uint64_t& fraction) {
  std::uint64_t a0, a1, a2, a3, c3, c4, c5, c6, lo, hi;
  __asm__(
      // y_0
      "movq 0(%[y]), %%rdx\n\t"             //
      CUZK_ADX_MUL("32(%[w])", "a0", "a1")  //
      CUZK_ADX_MUL("40(%[w])", "lo", "a2")  //
      CUZK_ADX_MUL("48(%[w])", "hi", "a3")  //
      "addq %[lo], %[a1]\n\t"               //
      "adcq %[hi], %[a2]\n\t"               //
      CUZK_ADX_MUL("56(%[w])", "lo", "hi")  //
      "adcq %[lo], %[a3]\n\t"               //
      CUZK_ADX_MUL("16(%[w])", "lo", "c3")  //
      CUZK_ADX_MUL("24(%[w])", "lo", "c4")  //
      "addq %[lo], %[c3]\n\t"               //
      "adcq $0, %[c4]\n\t"                  //
      // y_1
      "movq 8(%[y]), %%rdx\n\t" CUZK_ADX_CLEAR                                                //
          CUZK_ADX_MUL("8(%[w])", "hi", "c5") CUZK_ADX_C("c5", "c3")                          //
      CUZK_ADX_MUL("16(%[w])", "lo", "hi") CUZK_ADX_O("lo", "c3") CUZK_ADX_C("hi", "c4")      //
      CUZK_ADX_MUL("24(%[w])", "lo", "c5") CUZK_ADX_O("lo", "c4") CUZK_ADX_ENDS("c5")         //
      CUZK_ADX_CLEAR                                                                          //
          CUZK_ADX_MUL("32(%[w])", "lo", "hi") CUZK_ADX_O("lo", "a1") CUZK_ADX_C("hi", "a2")  //
      CUZK_ADX_MUL("40(%[w])", "lo", "hi") CUZK_ADX_O("lo", "a2") CUZK_ADX_C("hi", "a3")      //
      CUZK_ADX_MUL("48(%[w])", "lo", "hi") CUZK_ADX_O("lo", "a3")                             //
      // y_2
      "movq 16(%[y]), %%rdx\n\t" CUZK_ADX_CLEAR                                               //
          CUZK_ADX_MUL("0(%[w])", "hi", "c6") CUZK_ADX_C("c6", "c3")                          //
      CUZK_ADX_MUL("8(%[w])", "lo", "hi") CUZK_ADX_O("lo", "c3") CUZK_ADX_C("hi", "c4")       //
      CUZK_ADX_MUL("16(%[w])", "lo", "hi") CUZK_ADX_O("lo", "c4") CUZK_ADX_C("hi", "c5")      //
      CUZK_ADX_MUL("24(%[w])", "lo", "c6") CUZK_ADX_O("lo", "c5") CUZK_ADX_ENDS("c6")         //
      CUZK_ADX_CLEAR                                                                          //
          CUZK_ADX_MUL("32(%[w])", "lo", "hi") CUZK_ADX_O("lo", "a2") CUZK_ADX_C("hi", "a3")  //
      CUZK_ADX_MUL("40(%[w])", "lo", "hi") CUZK_ADX_O("lo", "a3")                             //
      // y_3, whose address is not wanted any more: its register takes the highest word.
      "movq 24(%[y]), %%rdx\n\t" CUZK_ADX_CLEAR                                              //
          CUZK_ADX_MUL("0(%[w])", "lo", "hi") CUZK_ADX_O("lo", "c3") CUZK_ADX_C("hi", "c4")  //
      CUZK_ADX_MUL("8(%[w])", "lo", "hi") CUZK_ADX_O("lo", "c4") CUZK_ADX_C("hi", "c5")      //
      CUZK_ADX_MUL("16(%[w])", "lo", "hi") CUZK_ADX_O("lo", "c5") CUZK_ADX_C("hi", "c6")     //
      CUZK_ADX_MUL("24(%[w])", "lo", "y") CUZK_ADX_O("lo", "c6") CUZK_ADX_ENDS("y")          //
      "imulq 32(%[w]), %%rdx\n\t"                                                            //
      "addq %%rdx, %[a3]\n\t"                                                                //
      // plus q (2^256 - r), modulo 2^256
      "movq %[c4], %%rdx\n\t" CUZK_ADX_CLEAR                                              //
          CUZK_ADX_MUL("%[m]", "lo", "hi") CUZK_ADX_O("lo", "a0") CUZK_ADX_C("hi", "a1")  //
      CUZK_ADX_MUL("8+%[m]", "lo", "hi") CUZK_ADX_O("lo", "a1") CUZK_ADX_C("hi", "a2")    //
      CUZK_ADX_MUL("16+%[m]", "lo", "hi") CUZK_ADX_O("lo", "a2") CUZK_ADX_C("hi", "a3")   //
      CUZK_ADX_MUL("24+%[m]", "lo", "hi") CUZK_ADX_O("lo", "a3")                          //
      "movq %[c5], %%rdx\n\t" CUZK_ADX_CLEAR                                              //
          CUZK_ADX_MUL("%[m]", "lo", "hi") CUZK_ADX_O("lo", "a1") CUZK_ADX_C("hi", "a2")  //
      CUZK_ADX_MUL("8+%[m]", "lo", "hi") CUZK_ADX_O("lo", "a2") CUZK_ADX_C("hi", "a3")    //
      CUZK_ADX_MUL("16+%[m]", "lo", "hi") CUZK_ADX_O("lo", "a3")                          //
      "movq %[c6], %%rdx\n\t" CUZK_ADX_CLEAR                                              //
          CUZK_ADX_MUL("%[m]", "lo", "hi") CUZK_ADX_O("lo", "a2") CUZK_ADX_C("hi", "a3")  //
      CUZK_ADX_MUL("8+%[m]", "lo", "hi") CUZK_ADX_O("lo", "a3")                           //
      "imulq %[m], %[y]\n\t"                                                              //
      "addq %[y], %[a3]\n\t"
      : [a0] "=&r"(a0), [a1] "=&r"(a1), [a2] "=&r"(a2), [a3] "=&r"(a3), [c3] "=&r"(c3), [c4] "=&r"(c4),
        [c5] "=&r"(c5), [c6] "=&r"(c6), [lo] "=&r"(lo), [hi] "=&r"(hi), [y] "+&r"(y)
      : [w] "r"(factor), [m] "m"(kMinusModulus[0]), [none] "m"(kNoWord)
      : "rdx", "cc", "memory");
  fraction = c3;
  return Fr{{a0, a1, a2, a3}};
}

/// From here on a word below q leaves q in doubt.
inline constexpr std::uint64_t kUncertainFraction = ~std::uint64_t{0} - 4;

/// The same product, reduced, without any estimate.
[[gnu::noinline, gnu::cold]] inline Fr exact_product(const std::uint64_t* y, const std::uint64_t* factor) {
  const Fr value = adx_reduce(adx_reduce(Fr{{y[0], y[1], y[2], y[3]}}));
  return Fr::mul_plain(value, Fr::from_int({{factor[4], factor[5], factor[6], factor[7]}}));
}

/// w' and w of an element w. Its memory form is e = w 2^256 mod r, so that w' r = w 2^256 - e, and modulo
/// 2^256 w' = -e / r.
inline void prepare_quotient_factor(const Fr& w, std::uint64_t* out) {
  constexpr std::uint64_t kMinusInverse[4] = {0xfffffffeffffffff, 0x53ba5bfffffe5bfd, 0x181b2c170004ec06,
                                              0x3d443ab0d7bf2839};  // -1 / r mod 2^256
  const FrInt plain = w.to_int();
  for (std::size_t i = 0; i < 4; ++i) out[i] = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; i + j < 4; ++j)
      out[i + j] = detail::mul_add(out[i + j], w.limb[i], kMinusInverse[j], carry);
  }
  for (std::size_t i = 0; i < 4; ++i) out[4 + i] = plain.limb[i];
}

/// Zero, then 2r: what a sum is diminished by or a difference raised by, chosen by address.
inline constexpr std::uint64_t kNoneOrTwice[8] = {
    0, 0, 0, 0, 0xfffffffe00000002, 0xa77b4805fffcb7fd, 0x6673b0101343b00a, 0xe7db4ea6533afa90};

/// v less 2r if v is not below it.
CUZK_INLINE Fr below_twice(Fr v) {
  std::uint64_t d0, d1, d2, d3;
  __asm__(
      "movq %[v0], %[d0]\n\t"
      "movq %[v1], %[d1]\n\t"
      "movq %[v2], %[d2]\n\t"
      "movq %[v3], %[d3]\n\t"
      "subq 32(%[c]), %[d0]\n\t"
      "sbbq 40(%[c]), %[d1]\n\t"
      "sbbq 48(%[c]), %[d2]\n\t"
      "sbbq 56(%[c]), %[d3]\n\t"
      "cmovncq %[d0], %[v0]\n\t"
      "cmovncq %[d1], %[v1]\n\t"
      "cmovncq %[d2], %[v2]\n\t"
      "cmovncq %[d3], %[v3]\n\t"
      : [v0] "+&r"(v.limb[0]), [v1] "+&r"(v.limb[1]), [v2] "+&r"(v.limb[2]), [v3] "+&r"(v.limb[3]),
        [d0] "=&r"(d0), [d1] "=&r"(d1), [d2] "=&r"(d2), [d3] "=&r"(d3)
      : [c] "r"(kNoneOrTwice)
      : "cc", "memory");
  return v;
}

/// (x, y) <- (x + t, x - t) modulo r, for t < 2r and any four words x: a sum below 2^256 + 2r that carries is
/// at least 2^256, a difference that borrows at least -2r.
CUZK_INLINE void lazy_cross(std::uint64_t* x, std::uint64_t* y, Fr t) {
  std::uint64_t s0, s1, s2, s3, by, twice;
  __asm__ volatile(
      "movq 0(%[x]), %[s0]\n\t"
      "movq 8(%[x]), %[s1]\n\t"
      "movq 16(%[x]), %[s2]\n\t"
      "movq 24(%[x]), %[s3]\n\t"
      "leaq 32(%[c]), %[twice]\n\t"
      "movq %[c], %[by]\n\t"
      "subq %[t0], %[s0]\n\t"
      "sbbq %[t1], %[s1]\n\t"
      "sbbq %[t2], %[s2]\n\t"
      "sbbq %[t3], %[s3]\n\t"
      "cmovcq %[twice], %[by]\n\t"
      "addq 0(%[by]), %[s0]\n\t"
      "adcq 8(%[by]), %[s1]\n\t"
      "adcq 16(%[by]), %[s2]\n\t"
      "adcq 24(%[by]), %[s3]\n\t"
      "movq %[c], %[by]\n\t"
      "addq 0(%[x]), %[t0]\n\t"
      "adcq 8(%[x]), %[t1]\n\t"
      "adcq 16(%[x]), %[t2]\n\t"
      "adcq 24(%[x]), %[t3]\n\t"
      "cmovcq %[twice], %[by]\n\t"
      "movq %[s0], 0(%[y])\n\t"
      "movq %[s1], 8(%[y])\n\t"
      "movq %[s2], 16(%[y])\n\t"
      "movq %[s3], 24(%[y])\n\t"
      "subq 0(%[by]), %[t0]\n\t"
      "sbbq 8(%[by]), %[t1]\n\t"
      "sbbq 16(%[by]), %[t2]\n\t"
      "sbbq 24(%[by]), %[t3]\n\t"
      "movq %[t0], 0(%[x])\n\t"
      "movq %[t1], 8(%[x])\n\t"
      "movq %[t2], 16(%[x])\n\t"
      "movq %[t3], 24(%[x])\n\t"
      : [t0] "+&r"(t.limb[0]), [t1] "+&r"(t.limb[1]), [t2] "+&r"(t.limb[2]), [t3] "+&r"(t.limb[3]),
        [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3), [by] "=&r"(by), [twice] "=&r"(twice)
      : [x] "r"(x), [y] "r"(y), [c] "r"(kNoneOrTwice)
      : "cc", "memory");
}

}  // namespace cuzk::internal
