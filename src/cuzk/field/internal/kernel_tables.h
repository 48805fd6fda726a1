#pragma once

#include "cuzk/field/kernels.h"

/// The tables behind fr_kernels and its like, one set per instruction set, and what they share.
namespace cuzk::internal {

/// A lambda that must vanish into its caller.
#define CUZK_LAMBDA_INLINE __attribute__((always_inline))

extern const FrKernels kFrPortable;
extern const FpKernels kFpPortable;
extern const NttKernels kNttPortable;
// Defined where the build has these files; only kernels.cc asks.
extern const FrKernels kFrAdx;
extern const FpKernels kFpAdx;
extern const NttKernels kNttAdx;
extern const FrKernels kFrIfma;
extern const FpKernels kFpIfma;
extern const NttKernels kNttIfma;

/// Out of line on purpose, and compiled for the plain processor: what the special kernels need outside their
/// loops.
Fr multiply(const Fr& a, const Fr& b);
Fp multiply(const Fp& a, const Fp& b);
Fr invert(const Fr& a);
Fp invert(const Fp& a);

/// Scratch words, aligned to a cache line, uninitialised. Out of line for the same reason.
class ScratchWords {
 public:
  explicit ScratchWords(std::size_t count);
  ~ScratchWords();
  ScratchWords(const ScratchWords&) = delete;
  ScratchWords& operator=(const ScratchWords&) = delete;
  [[nodiscard]] std::uint64_t* data() const { return words_; }

 private:
  std::uint64_t* words_;
};

/// Elements that share one inversion in batch_inverse.
inline constexpr std::size_t kInversionBatch = 8192;

/// Ends the program when the lengths of one call differ.
void check_lengths(bool equal);

/// i reversed in `bits` bits.
CUZK_INLINE std::size_t reverse_bits(std::size_t i, unsigned bits) {
  if (bits == 0) return 0;
  std::uint64_t v = i;
  v = ((v >> 1) & 0x5555555555555555U) | ((v & 0x5555555555555555U) << 1);
  v = ((v >> 2) & 0x3333333333333333U) | ((v & 0x3333333333333333U) << 2);
  v = ((v >> 4) & 0x0f0f0f0f0f0f0f0fU) | ((v & 0x0f0f0f0f0f0f0f0fU) << 4);
  return __builtin_bswap64(v) >> (64 - bits);
}

}  // namespace cuzk::internal
