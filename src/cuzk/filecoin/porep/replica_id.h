#pragma once

#include <cstdint>

#include "cuzk/base/bytes.h"

namespace cuzk::porep {

/// Clears the two top bits, which makes any 32 bytes a canonical scalar (2^254 < r).
inline Bytes32 truncate_to_254_bits(Bytes32 bytes) {
  bytes[31] &= 0x3f;
  return bytes;
}

/// The miner actor's id as unsigned LEB128, left aligned, zero padded.
Bytes32 prover_id(std::uint64_t miner);

/// porep.md 3.1.
Bytes32 replica_id(const Bytes32& prover_id, std::uint64_t sector_number, const Bytes32& ticket,
                   const Bytes32& comm_d, const Bytes32& porep_id);

}  // namespace cuzk::porep
