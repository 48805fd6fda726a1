#include "cuzk/filecoin/porep/replica_id.h"

#include "cuzk/field/fr.h"
#include "cuzk/hash/sha256.h"

namespace cuzk::porep {

Bytes32 prover_id(std::uint64_t miner) {
  Bytes32 id{};
  std::size_t at = 0;
  for (; miner >= 0x80; miner >>= 7) id[at++] = static_cast<std::uint8_t>(miner | 0x80);
  id[at] = static_cast<std::uint8_t>(miner);
  return id;
}

Bytes32 replica_id(const Bytes32& prover_id, std::uint64_t sector_number, const Bytes32& ticket,
                   const Bytes32& comm_d, const Bytes32& porep_id) {
  std::array<std::uint8_t, 8> number;
  store_be64(number.data(), sector_number);  // the one big-endian field
  Sha256 hash;
  hash.update(prover_id);
  hash.update(number);
  hash.update(ticket);
  hash.update(comm_d);
  hash.update(porep_id);
  return truncate_to_254_bits(hash.finish());
}

}  // namespace cuzk::porep
