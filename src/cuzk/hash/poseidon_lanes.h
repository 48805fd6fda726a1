#pragma once

#include <cstddef>
#include <cstdint>

#include "cuzk/field/fr.h"

namespace cuzk::detail {

/// A Poseidon instance as the eight-lane implementation reads it: every element as five digits of 52 bits of
/// its memory form, those that multiply scaled by 2^4 (see ifma::Field::shifted). Plain pointers, because the
/// file that uses it is compiled for AVX-512 and must not instantiate shared inline code.
struct PoseidonLaneTables {
  unsigned width;
  unsigned full_rounds;
  unsigned partial_rounds;
  const std::uint64_t* domain_tag;  ///< added
  const std::uint64_t* compressed;  ///< added
  const std::uint64_t* mds;         ///< multiplied, like the next two
  const std::uint64_t* pre_sparse;
  const std::uint64_t* sparse;
};

inline constexpr std::size_t kPoseidonLanes = 8;
inline constexpr std::size_t kPoseidonLaneDigits = 5;

/// Hashes `count` <= 8 messages of width - 1 elements, one after the other in `messages`. Only on processors
/// with AVX-512 IFMA (isa_supported(Isa::ifma)).
void poseidon_lanes_ifma(const PoseidonLaneTables& tables, const Fr* messages, Fr* out, std::size_t count);

/// The same, writing the trace of message i (poseidon_trace) from traces[i] on.
void poseidon_trace_lanes_ifma(const PoseidonLaneTables& tables, const Fr* messages, Fr* const* traces,
                               std::size_t count);

}  // namespace cuzk::detail
