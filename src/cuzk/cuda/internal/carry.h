#pragma once

#include <cstdint>

#include "cuzk/base/hd.h"

/// Before a loop over limbs: the device compiler must unroll it, or limbs would be indexed in memory.
#if defined(__CUDACC__)
#define CUZK_UNROLL _Pragma("unroll")
#else
#define CUZK_UNROLL
#endif

namespace cuzk::cuda {

/// The carry flag of a chain of the functions below. On the device it is the processor's own flag and this
/// type is empty; on the host it is a word, so that the same templates run there, carry for carry.
///
/// A function named *_cc sets the flag, one named *c_* reads it. On the device nothing else may touch the
/// flag between two of them, which holds for compiled C++: PTX has the flag only in instructions that name
/// it.
struct Carry {
#if !defined(__CUDA_ARCH__)
  std::uint32_t flag = 0;
#endif
};

#if defined(__CUDA_ARCH__)
#define CUZK_CARRY_BINARY(name, instruction)                                                \
  __device__ __forceinline__ std::uint32_t name(Carry&, std::uint32_t a, std::uint32_t b) { \
    std::uint32_t r;                                                                        \
    asm volatile(instruction " %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));                    \
    return r;                                                                               \
  }
CUZK_CARRY_BINARY(add_cc, "add.cc.u32")
CUZK_CARRY_BINARY(addc_cc, "addc.cc.u32")
CUZK_CARRY_BINARY(addc, "addc.u32")
CUZK_CARRY_BINARY(sub_cc, "sub.cc.u32")
CUZK_CARRY_BINARY(subc_cc, "subc.cc.u32")
CUZK_CARRY_BINARY(subc, "subc.u32")
#undef CUZK_CARRY_BINARY

/// (low, high) += a * b, or = a * b + (c_low, c_high): one 32 x 32 + 64 bit instruction when the pair lies in
/// neighbouring registers.
__device__ __forceinline__ void mad_wide_cc(Carry&, std::uint32_t& low, std::uint32_t& high, std::uint32_t a,
                                            std::uint32_t b, std::uint32_t c_low, std::uint32_t c_high) {
  asm volatile("mad.lo.cc.u32 %0, %2, %3, %4;\n\tmadc.hi.cc.u32 %1, %2, %3, %5;"
               : "=&r"(low), "=r"(high)
               : "r"(a), "r"(b), "r"(c_low), "r"(c_high));
}
__device__ __forceinline__ void madc_wide_cc(Carry&, std::uint32_t& low, std::uint32_t& high, std::uint32_t a,
                                             std::uint32_t b, std::uint32_t c_low, std::uint32_t c_high) {
  asm volatile("madc.lo.cc.u32 %0, %2, %3, %4;\n\tmadc.hi.cc.u32 %1, %2, %3, %5;"
               : "=&r"(low), "=r"(high)
               : "r"(a), "r"(b), "r"(c_low), "r"(c_high));
}
/// The low word of a * b + c and the carry.
__device__ __forceinline__ std::uint32_t madc_low(Carry&, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t r;
  asm volatile("madc.lo.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  return r;
}
__device__ __forceinline__ void mul_wide(std::uint32_t& low, std::uint32_t& high, std::uint32_t a,
                                         std::uint32_t b) {
  asm volatile("mul.lo.u32 %0, %2, %3;\n\tmul.hi.u32 %1, %2, %3;" : "=&r"(low), "=r"(high) : "r"(a), "r"(b));
}
#else
namespace detail {
CUZK_INLINE std::uint32_t split(Carry& c, std::uint64_t v) {
  c.flag = static_cast<std::uint32_t>(v >> 32);
  return static_cast<std::uint32_t>(v);
}
}  // namespace detail
CUZK_HD CUZK_INLINE std::uint32_t add_cc(Carry& c, std::uint32_t a, std::uint32_t b) {
  return detail::split(c, std::uint64_t{a} + b);
}
CUZK_HD CUZK_INLINE std::uint32_t addc_cc(Carry& c, std::uint32_t a, std::uint32_t b) {
  return detail::split(c, std::uint64_t{a} + b + c.flag);
}
CUZK_HD CUZK_INLINE std::uint32_t addc(Carry& c, std::uint32_t a, std::uint32_t b) {
  return a + b + c.flag;
}
CUZK_HD CUZK_INLINE std::uint32_t sub_cc(Carry& c, std::uint32_t a, std::uint32_t b) {
  c.flag = a < b ? 1 : 0;
  return a - b;
}
CUZK_HD CUZK_INLINE std::uint32_t subc_cc(Carry& c, std::uint32_t a, std::uint32_t b) {
  const std::uint64_t v = std::uint64_t{a} - b - c.flag;
  c.flag = static_cast<std::uint32_t>(v >> 63);
  return static_cast<std::uint32_t>(v);
}
CUZK_HD CUZK_INLINE std::uint32_t subc(Carry& c, std::uint32_t a, std::uint32_t b) {
  return a - b - c.flag;
}
CUZK_HD CUZK_INLINE void madc_wide_cc(Carry& c, std::uint32_t& low, std::uint32_t& high, std::uint32_t a,
                                      std::uint32_t b, std::uint32_t c_low, std::uint32_t c_high) {
  const std::uint64_t product = std::uint64_t{a} * b;
  low = addc_cc(c, static_cast<std::uint32_t>(product), c_low);
  high = addc_cc(c, static_cast<std::uint32_t>(product >> 32), c_high);
}
CUZK_HD CUZK_INLINE void mad_wide_cc(Carry& c, std::uint32_t& low, std::uint32_t& high, std::uint32_t a,
                                     std::uint32_t b, std::uint32_t c_low, std::uint32_t c_high) {
  c.flag = 0;
  madc_wide_cc(c, low, high, a, b, c_low, c_high);
}
CUZK_HD CUZK_INLINE std::uint32_t madc_low(Carry& c, std::uint32_t a, std::uint32_t b, std::uint32_t addend) {
  return a * b + addend + c.flag;
}
CUZK_HD CUZK_INLINE void mul_wide(std::uint32_t& low, std::uint32_t& high, std::uint32_t a, std::uint32_t b) {
  const std::uint64_t product = std::uint64_t{a} * b;
  low = static_cast<std::uint32_t>(product);
  high = static_cast<std::uint32_t>(product >> 32);
}
#endif

}  // namespace cuzk::cuda
