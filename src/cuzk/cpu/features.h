#pragma once

namespace cuzk {

/// What this processor and operating system offer, read once with CPUID and XGETBV.
struct CpuFeatures {
  bool adx = false;          ///< ADX and BMI2 (mulx)
  bool avx512_ifma = false;  ///< AVX-512 F, DQ, BW, VL, IFMA and VBMI, and ZMM state saved by the kernel
  bool sha_ni = false;       ///< SHA extensions and SSE4.1
};

/// Thread-safe; the same answer for the whole life of the process.
const CpuFeatures& cpu_features();

}  // namespace cuzk
