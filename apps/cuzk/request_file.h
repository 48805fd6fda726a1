#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuzk/proving/statement.h"
#include "json_file.h"

namespace cuzk::app {

/// A deadline has at most a few partitions, of 2349 sectors; this bounds what is read of a request.
inline constexpr std::size_t kMaxWindowSectors = 100'000;

/// A request file that can be proved as far as its members say, and what it was read from.
struct RequestFile {
  std::shared_ptr<const Statement> statement;
  Json members;                                   ///< the JSON object
  std::vector<std::vector<std::uint8_t>> proofs;  ///< the content of the files that it names, in their order
  std::vector<std::string> files;                 ///< paths of itself and of those
};

/// Reads a request for WinningPoSt, WindowPoSt or SnapDeals from a JSON file with the vanilla proofs in files
/// beside it, plain or gzip (README, "Request files"). The test data's case files are such files.
///
///   PoSt: kind ("Winning", "Window"), registered_post_proof or null, sector_size, api_version, randomness,
///     partition_index (0 when missing), vanilla: [{file, len, sha256, sector, comm_r}]
///   SnapDeals: registered_update_proof or null, sector_size, comm_r_old, comm_r_new, comm_d_new,
///     partitions: [{file, len, sha256}]
///
/// A file lies in the folder of the JSON file or below it. What repeats something may be missing; where it is
/// there, it must agree: len, sha256, sector and comm_r with the file, params, sector_count, challenge_count
/// and h with the circuit, k and the length of `partitions` with the number of partitions. Members of another
/// kind and members that occur twice are refused; those that no kind has are ignored. Errors name the member
/// by its JSON path. A window with more sectors than the circuit holds becomes several partitions. `kind`,
/// when given, must be that of the file. The vanilla proofs are not verified.
Result<RequestFile> read_request_file(const std::string& path, std::optional<ProofKind> kind);

}  // namespace cuzk::app
