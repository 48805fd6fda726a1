#pragma once

/// CUZK_HD marks a function that compiles for the host and, under nvcc, for the device as well.
/// CUZK_INLINE asks for inlining where the call would dominate (field arithmetic); CUZK_PLAIN_INLINE
/// leaves that to the compiler, where a build's time counts for more than the program's. Not for code with
/// AVX-512: an out-of-line copy could be chosen by the linker for a processor that lacks it.
#if defined(__CUDACC__)
#define CUZK_HD __host__ __device__
#else
#define CUZK_HD
#endif
#if defined(CUZK_PLAIN_INLINE) && !defined(__AVX512IFMA__)
#define CUZK_INLINE inline
#else
#define CUZK_INLINE inline __attribute__((always_inline))
#endif
