#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cuzk/proving/statement.h"

namespace cuzk::app {

/// Reads a request for WinningPoSt, WindowPoSt or SnapDeals from a JSON file with the vanilla proofs in files
/// beside it, plain or gzip (README, "Request files"). The test data's case files are such files.
///
///   PoSt: kind ("Winning", "Window"), registered_post_proof or null, sector_size, api_version, randomness,
///     partition_index (0 when missing), vanilla: [{file, len, sha256, sector, comm_r}]
///   SnapDeals: registered_update_proof or null, sector_size, comm_r_old, comm_r_new, comm_d_new,
///     partitions: [{file, len, sha256}]
///
/// len, sha256, sector and comm_r may be missing; where they are there, the file must agree. Other members
/// are ignored. A window with more sectors than the circuit holds becomes several partitions. `kind`, when
/// given, must be that of the file. The vanilla proofs are not verified.
Result<std::shared_ptr<const Statement>> read_request_file(const std::string& path,
                                                           std::optional<ProofKind> kind);

}  // namespace cuzk::app
