#pragma once

#include <cstddef>
#include <cstdint>

#include "cuzk/base/hd.h"

#if defined(__CUDACC__)
// nvcc's front end does not count assembly's outputs as uses.
#pragma nv_diagnostic push
#pragma nv_diag_suppress 550
#endif

/// Modular sums and differences of 4 and 6 limbs with the carry flag, by inline assembly that every x86-64
/// processor runs. Compilers turn the portable loops into shifts and compares, twice as slow. t and b are
/// fully reduced, t becomes t + b or t - b modulo p, fully reduced; p leaves its top bit free.
///
/// The "memory" clobber makes *b and *p operands. Registers are reused for as few as 13, which frame pointers
/// leave.
namespace cuzk::internal {

CUZK_INLINE void x86_add(std::uint64_t (&t)[4], const std::uint64_t* b, const std::uint64_t* p) {
  std::uint64_t c0, c1, c2, c3;
  __asm__(
      "addq 0(%[b]), %[t0]\n\t"
      "adcq 8(%[b]), %[t1]\n\t"
      "adcq 16(%[b]), %[t2]\n\t"
      "adcq 24(%[b]), %[t3]\n\t"
      "movq %[t0], %[c0]\n\t"
      "subq 0(%[p]), %[c0]\n\t"
      "movq %[t1], %[c1]\n\t"
      "sbbq 8(%[p]), %[c1]\n\t"
      "movq %[t2], %[c2]\n\t"
      "sbbq 16(%[p]), %[c2]\n\t"
      "movq %[t3], %[c3]\n\t"
      "sbbq 24(%[p]), %[c3]\n\t"
      "cmovncq %[c0], %[t0]\n\t"
      "cmovncq %[c1], %[t1]\n\t"
      "cmovncq %[c2], %[t2]\n\t"
      "cmovncq %[c3], %[t3]\n\t"
      : [t0] "+&r"(t[0]), [t1] "+&r"(t[1]), [t2] "+&r"(t[2]), [t3] "+&r"(t[3]), [c0] "=&r"(c0),
        [c1] "=&r"(c1), [c2] "=&r"(c2), [c3] "=&r"(c3)
      : [b] "r"(b), [p] "r"(p)
      : "cc", "memory");
}

CUZK_INLINE void x86_add(std::uint64_t (&t)[6], const std::uint64_t* b, const std::uint64_t* p) {
  std::uint64_t c0, c1, c2, c3, c4;
  __asm__(
      "addq 0(%[b]), %[t0]\n\t"
      "adcq 8(%[b]), %[t1]\n\t"
      "adcq 16(%[b]), %[t2]\n\t"
      "adcq 24(%[b]), %[t3]\n\t"
      "adcq 32(%[b]), %[t4]\n\t"
      "adcq 40(%[b]), %[t5]\n\t"
      "movq %[t0], %[c0]\n\t"
      "subq 0(%[p]), %[c0]\n\t"
      "movq %[t1], %[c1]\n\t"
      "sbbq 8(%[p]), %[c1]\n\t"
      "movq %[t2], %[c2]\n\t"
      "sbbq 16(%[p]), %[c2]\n\t"
      "movq %[t3], %[c3]\n\t"
      "sbbq 24(%[p]), %[c3]\n\t"
      "movq %[t4], %[c4]\n\t"
      "sbbq 32(%[p]), %[c4]\n\t"
      "movq %[t5], %[b]\n\t"
      "sbbq 40(%[p]), %[b]\n\t"
      "cmovncq %[c0], %[t0]\n\t"
      "cmovncq %[c1], %[t1]\n\t"
      "cmovncq %[c2], %[t2]\n\t"
      "cmovncq %[c3], %[t3]\n\t"
      "cmovncq %[c4], %[t4]\n\t"
      "cmovncq %[b], %[t5]\n\t"
      : [t0] "+&r"(t[0]), [t1] "+&r"(t[1]), [t2] "+&r"(t[2]), [t3] "+&r"(t[3]), [t4] "+&r"(t[4]),
        [t5] "+&r"(t[5]), [c0] "=&r"(c0), [c1] "=&r"(c1), [c2] "=&r"(c2), [c3] "=&r"(c3), [c4] "=&r"(c4),
        [b] "+&r"(b)
      : [p] "r"(p)
      : "cc", "memory");
}

CUZK_INLINE void x86_sub(std::uint64_t (&t)[4], const std::uint64_t* b, const std::uint64_t* p) {
  std::uint64_t c0, c1, c2, c3;
  __asm__(
      "xorl %k[c1], %k[c1]\n\t"
      "xorl %k[c2], %k[c2]\n\t"
      "xorl %k[c3], %k[c3]\n\t"
      "xorl %k[c0], %k[c0]\n\t"
      "subq 0(%[b]), %[t0]\n\t"
      "sbbq 8(%[b]), %[t1]\n\t"
      "sbbq 16(%[b]), %[t2]\n\t"
      "sbbq 24(%[b]), %[t3]\n\t"
      "cmovcq 0(%[p]), %[c0]\n\t"
      "cmovcq 8(%[p]), %[c1]\n\t"
      "cmovcq 16(%[p]), %[c2]\n\t"
      "cmovcq 24(%[p]), %[c3]\n\t"
      "addq %[c0], %[t0]\n\t"
      "adcq %[c1], %[t1]\n\t"
      "adcq %[c2], %[t2]\n\t"
      "adcq %[c3], %[t3]\n\t"
      : [t0] "+&r"(t[0]), [t1] "+&r"(t[1]), [t2] "+&r"(t[2]), [t3] "+&r"(t[3]), [c0] "=&r"(c0),
        [c1] "=&r"(c1), [c2] "=&r"(c2), [c3] "=&r"(c3)
      : [b] "r"(b), [p] "r"(p)
      : "cc", "memory");
}

CUZK_INLINE void x86_sub(std::uint64_t (&t)[6], const std::uint64_t* b, const std::uint64_t* p) {
  std::uint64_t c0, c1, c2, c3, c4;
  __asm__(
      "xorl %k[c0], %k[c0]\n\t"
      "xorl %k[c1], %k[c1]\n\t"
      "xorl %k[c2], %k[c2]\n\t"
      "xorl %k[c3], %k[c3]\n\t"
      "xorl %k[c4], %k[c4]\n\t"
      "subq 0(%[b]), %[t0]\n\t"
      "sbbq 8(%[b]), %[t1]\n\t"
      "sbbq 16(%[b]), %[t2]\n\t"
      "sbbq 24(%[b]), %[t3]\n\t"
      "sbbq 32(%[b]), %[t4]\n\t"
      "sbbq 40(%[b]), %[t5]\n\t"
      "movl $0, %k[b]\n\t"  // leaves the borrow alone
      "cmovcq 0(%[p]), %[c0]\n\t"
      "cmovcq 8(%[p]), %[c1]\n\t"
      "cmovcq 16(%[p]), %[c2]\n\t"
      "cmovcq 24(%[p]), %[c3]\n\t"
      "cmovcq 32(%[p]), %[c4]\n\t"
      "cmovcq 40(%[p]), %[b]\n\t"
      "addq %[c0], %[t0]\n\t"
      "adcq %[c1], %[t1]\n\t"
      "adcq %[c2], %[t2]\n\t"
      "adcq %[c3], %[t3]\n\t"
      "adcq %[c4], %[t4]\n\t"
      "adcq %[b], %[t5]\n\t"
      : [t0] "+&r"(t[0]), [t1] "+&r"(t[1]), [t2] "+&r"(t[2]), [t3] "+&r"(t[3]), [t4] "+&r"(t[4]),
        [t5] "+&r"(t[5]), [c0] "=&r"(c0), [c1] "=&r"(c1), [c2] "=&r"(c2), [c3] "=&r"(c3), [c4] "=&r"(c4),
        [b] "+&r"(b)
      : [p] "r"(p)
      : "cc", "memory");
}

}  // namespace cuzk::internal

#if defined(__CUDACC__)
#pragma nv_diagnostic pop
#endif
