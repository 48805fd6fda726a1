#include "cuzk/field/product_sum.h"

#include "cuzk/cpu/features.h"

namespace cuzk {

#if CUZK_HOST_X86
namespace {

// Read on every product: set before main, like that of host_x86.cc.
const bool kHasAdx = cpu_features().adx;

// A word of a, in rdx, times b: low halves are added by adox, high halves by adcx, the ends of both to TOP.
#define CUZK_ADD_STEP(at, T, NEXT) \
  "mulxq " at                      \
  "(%[b]), %[lo], %[hi]\n\t"       \
  "adoxq %[lo], %[" T              \
  "]\n\t"                          \
  "adcxq %[hi], %[" NEXT "]\n\t"
#define CUZK_ADD_ROW(at, T0, T1, T2, T3, TOP)                                          \
  "xorl %k[lo], %k[lo]\n\t"                                                            \
  "movq " at "(%[a]), %%rdx\n\t" CUZK_ADD_STEP("0", T0, T1) CUZK_ADD_STEP("8", T1, T2) \
      CUZK_ADD_STEP("16", T2, T3) "mulxq 24(%[b]), %[lo], %[" TOP                      \
                                  "]\n\t"                                              \
                                  "adoxq %[lo], %[" T3                                 \
                                  "]\n\t"                                              \
                                  "movl $0, %k[lo]\n\t"                                \
                                  "adcxq %[lo], %[" TOP                                \
                                  "]\n\t"                                              \
                                  "adoxq %[lo], %[" TOP "]\n\t"

/// All eight words of the product first: with sums in place of the first row's beginnings each would wait for
/// the one before.
void add_product_adx(std::uint64_t* sum, const std::uint64_t* a, const std::uint64_t* b) {
  std::uint64_t t0, t1, t2, t3, t4, t5, t6, t7, lo, hi;
  __asm__ volatile(
      "movq 0(%[a]), %%rdx\n\t"
      "mulxq 0(%[b]), %[t0], %[t1]\n\t"
      "mulxq 8(%[b]), %[lo], %[t2]\n\t"
      "addq %[lo], %[t1]\n\t"
      "mulxq 16(%[b]), %[lo], %[t3]\n\t"
      "adcq %[lo], %[t2]\n\t"
      "mulxq 24(%[b]), %[lo], %[t4]\n\t"
      "adcq %[lo], %[t3]\n\t"
      "adcq $0, %[t4]\n\t"
      CUZK_ADD_ROW("8", "t1", "t2", "t3", "t4", "t5")
      CUZK_ADD_ROW("16", "t2", "t3", "t4", "t5", "t6")
      CUZK_ADD_ROW("24", "t3", "t4", "t5", "t6", "t7")
      "movq %[sum], %[lo]\n\t"
      "addq %[t0], 0(%[lo])\n\t"
      "adcq %[t1], 8(%[lo])\n\t"
      "adcq %[t2], 16(%[lo])\n\t"
      "adcq %[t3], 24(%[lo])\n\t"
      "adcq %[t4], 32(%[lo])\n\t"
      "adcq %[t5], 40(%[lo])\n\t"
      "adcq %[t6], 48(%[lo])\n\t"
      "adcq %[t7], 56(%[lo])\n\t"
      "adcq $0, 64(%[lo])\n\t"
      : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4), [t5] "=&r"(t5),
        [t6] "=&r"(t6), [t7] "=&r"(t7), [lo] "=&r"(lo), [hi] "=&r"(hi)
      : [a] "r"(a), [b] "r"(b), [sum] "m"(sum)
      : "rdx", "cc", "memory");
}
#undef CUZK_ADD_ROW
#undef CUZK_ADD_STEP

}  // namespace
#endif

void add_product(std::uint64_t (&sum)[9], const Fr& a, const Fr& b) {
#if CUZK_HOST_X86
  if (kHasAdx) return add_product_adx(sum, a.limb, b.limb);
#endif
  add_product_plain(sum, a, b);
}

void add_product_plain(std::uint64_t (&sum)[9], const Fr& a, const Fr& b) {
  std::uint64_t product[8];
  std::uint64_t carry = 0;
  for (std::size_t j = 0; j < 4; ++j) product[j] = detail::mul_add(0, a.limb[j], b.limb[0], carry);
  product[4] = carry;
  for (std::size_t i = 1; i < 4; ++i) {
    carry = 0;
    for (std::size_t j = 0; j < 4; ++j)
      product[i + j] = detail::mul_add(product[i + j], a.limb[j], b.limb[i], carry);
    product[i + 4] = carry;
  }
  carry = 0;
  for (std::size_t i = 0; i < 8; ++i) sum[i] = detail::add_carry(sum[i], product[i], carry);
  sum[8] += carry;
}

}  // namespace cuzk
