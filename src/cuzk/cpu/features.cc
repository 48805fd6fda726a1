#include "cuzk/cpu/features.h"

namespace cuzk {
namespace {

CpuFeatures detect() {
  CpuFeatures f;
#if defined(__x86_64__)
  __builtin_cpu_init();
  f.adx = __builtin_cpu_supports("bmi2") != 0;
  // GCC 12 has no name for ADX and SHA in __builtin_cpu_supports: leaf 7, EBX bits 19 and 29.
  unsigned eax = 7;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  __asm__("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
  f.adx = f.adx && (ebx >> 19 & 1) != 0;
  f.sha_ni = (ebx >> 29 & 1) != 0 && __builtin_cpu_supports("sse4.1") != 0;
  // The builtin already checks XGETBV for the AVX-512 state.
  f.avx512_ifma = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                  __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
                  __builtin_cpu_supports("avx512ifma") != 0 && __builtin_cpu_supports("avx512vbmi") != 0;
#endif
  return f;
}

}  // namespace

const CpuFeatures& cpu_features() {
  static const CpuFeatures features = detect();
  return features;
}

}  // namespace cuzk
