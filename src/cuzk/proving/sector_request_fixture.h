#pragma once

// The request of the sealed 2 KiB sectors in tests/data, which needs no JSON library. Test support.

#include <string>

#include "cuzk/filecoin/porep/c1.h"
#include "cuzk/proving/request.h"

namespace cuzk::test {

/// What Curio sends for a C1 output of a 2 KiB sector (miner 1234, sector 42).
inline Result<ProofRequest> sector_request(const std::string& c1_file) {
  CUZK_TRY_ASSIGN(const porep::C1Document c1, porep::read_c1_file(c1_file));
  ProofRequest request;
  request.kind = ProofKind::porep_seal_commit;
  request.registered_proof = 5;
  request.sector_size = 2048;
  request.miner_id = 1234;
  request.sector_number = 42;
  const std::string wrapper = porep::write_c1_wrapper({42, 2048}, porep::write_c1_json(c1.output));
  request.vanilla_proof.assign(wrapper.begin(), wrapper.end());
  return request;
}

}  // namespace cuzk::test
