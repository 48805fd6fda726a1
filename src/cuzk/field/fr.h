#pragma once

#include "cuzk/base/bytes.h"
#include "cuzk/base/result.h"
#include "cuzk/field/montgomery.h"

namespace cuzk {

/// The scalar field of BLS12-381: r = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001.
struct FrParams {
  static constexpr std::size_t kLimbs = 4;
  static constexpr BigInt<4> kModulus{
      {0xffffffff00000001, 0x53bda402fffe5bfe, 0x3339d80809a1d805, 0x73eda753299d7d48}};
#if CUZK_HOST_X86
  /// r = a b / R with mulx and adx where the processor has them (field/host_x86.cc). r may be a or b.
  static void host_product(std::uint64_t* r, const std::uint64_t* a, const std::uint64_t* b);
  /// r = 1 / a, 0 for 0, by division steps (field/inverse.h).
  static void host_inverse(std::uint64_t* r, const std::uint64_t* a);
#endif
};
using Fr = Montgomery<FrParams>;

/// A canonical scalar (an integer below r), for digit extraction and serialisation.
using FrInt = BigInt<4>;

inline constexpr unsigned kFrBits = 255;
inline constexpr unsigned kFrTwoAdicity = 32;

/// Clears the two top bits, which makes any 32 bytes the little-endian form of a scalar (2^254 < r).
inline Bytes32 truncate_to_254_bits(Bytes32 bytes) {
  bytes[31] &= 0x3f;
  return bytes;
}

/// Whether Fr::from_bytes_le takes these bytes, at the price of a comparison.
inline bool is_canonical_fr(const Bytes32& bytes) {
  FrInt v{};
  for (std::size_t i = 0; i < 4; ++i) v.limb[i] = load_le<std::uint64_t>(bytes.data() + 8 * i);
  return Fr::canonical(v);
}

/// The multiplicative generator 7 of Fr*.
CUZK_HD constexpr Fr fr_generator() {
  return Fr::from_u64(7);
}

/// omega of order 2^log_size, log_size <= 32: 7^((r-1)/2^log_size), the root that bellperson and the
/// network's keys use (snarkjs keys use another one).
Fr fr_root_of_unity(unsigned log_size);

/// A uniform scalar from the operating system's generator (rejection sampling). For r and s of a proof.
Result<Fr> random_fr();

/// A uniform scalar from a deterministic stream of 64-bit words, drawn as the reference draws them: four
/// words, least significant first, top bit cleared, redrawn until below r. For tests and benchmarks.
template <class Next>
Fr fr_from_words(Next&& next) {
  while (true) {
    FrInt v{};
    for (auto& l : v.limb) l = next();
    v.limb[3] &= ~(std::uint64_t{1} << 63);
    if (Fr::canonical(v)) return Fr::from_int(v);
  }
}

}  // namespace cuzk
