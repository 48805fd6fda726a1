#pragma once

#include <cstdint>

#include "cuzk/base/bytes.h"

namespace cuzk::porep {

/// The miner actor's id as unsigned LEB128, left aligned, zero padded.
Bytes32 prover_id(std::uint64_t miner);

/// porep 3.1.
Bytes32 replica_id(const Bytes32& prover_id, std::uint64_t sector_number, const Bytes32& ticket,
                   const Bytes32& comm_d, const Bytes32& porep_id);

}  // namespace cuzk::porep
