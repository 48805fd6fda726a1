#include "cuzk/filecoin/update/public_inputs.h"

#include <string>

namespace cuzk::update {

Result<Commitments> commitments(const Statement& statement) {
  const auto scalar = [](const Bytes32& bytes, const char* name) -> Result<Fr> {
    if (const auto x = Fr::from_bytes_le(bytes)) return *x;
    return bad_input(std::string(name) + " is not a canonical scalar");
  };
  Commitments out;
  CUZK_TRY_ASSIGN(out.comm_r_old, scalar(statement.comm_r_old, "comm_r_old"));
  CUZK_TRY_ASSIGN(out.comm_r_new, scalar(statement.comm_r_new, "comm_r_new"));
  CUZK_TRY_ASSIGN(out.comm_d_new, scalar(statement.comm_d_new, "comm_d_new"));
  return out;
}

Result<std::vector<Fr>> public_inputs(const SectorParams& sector, const Statement& statement, unsigned k) {
  CUZK_CHECK(k < sector.partitions());
  CUZK_TRY_ASSIGN(const Commitments c, commitments(statement));
  return std::vector<Fr>{Fr::from_u64(sector.k_and_h_select(k)), c.comm_r_old, c.comm_d_new, c.comm_r_new};
}

}  // namespace cuzk::update
