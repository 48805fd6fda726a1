#pragma once

/// CUZK_HD marks a function that compiles for the host and, under nvcc, for the device as well.
/// CUZK_INLINE asks for inlining where the call would dominate (field arithmetic).
#if defined(__CUDACC__)
#define CUZK_HD __host__ __device__
#else
#define CUZK_HD
#endif
#define CUZK_INLINE inline __attribute__((always_inline))
