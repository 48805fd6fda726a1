#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cuzk/base/bytes.h"
#include "cuzk/base/result.h"
#include "cuzk/engine/job.h"
#include "cuzk/proving/request.h"

namespace cuzk::journal {

// Thread-safe, but for several calls with one path of which one writes.

/// Whose request it is, so that the file alone tells what was accepted.
struct RequestOwner {
  engine::JobIdentity identity;
  std::int64_t accepted_at = 0;  ///< Unix seconds
};

/// Writes a request to a file of its own; it is on disk, with its folder's entry, when this returns.
///
/// The file: "cuzkreq3"; the owner (job id, request id, digest, priority, attempt, when it was accepted) and
/// SHA-256 of it; then each member of ProofRequest in its order, numbers as eight little-endian bytes, bytes
/// behind their length, the list behind its count; then kOutcomeRoom zero bytes, which are on the disk like
/// the others: an outcome (write_outcome) has room there when nothing else has. Files of earlier versions
/// begin with "cuzkreq2" and have no owner, or with "cuzkreq1" and end without the room too; they are read
/// all the same.
Result<void> write_request(const std::string& path, const RequestOwner& owner, const ProofRequest& request);

/// Reads it back. kInternal, naming the offset, when there is no such file, it is no request or its
/// payload_digest is not `digest`: what was accepted is not what is there. kIo when it cannot be read now.
Result<ProofRequest> read_request_file(const std::string& path, const Bytes32& digest);

/// The owner of a request whose row is lost, when the whole file is what was accepted; kInternal, naming the
/// offset, or kIo as above.
Result<RequestOwner> read_owner(const std::string& path);

/// Whether a file begins like a request's, of whichever version; kIo when it cannot be read.
Result<bool> begins_like_request(const std::string& path);

struct StoredRequest {
  RequestOwner owner;  ///< without a job id in a file of an earlier version
  ProofRequest request;
};
/// What is in a file's bytes. kInternal, naming the offset.
Result<StoredRequest> parse_request(ByteSpan file);

inline constexpr std::size_t kOutcomeRoom = 8192;

/// Writes a job's outcome into the room of its request's file; it is on disk when this returns. A message
/// over 2 KiB is cut. kIo when the file has no room, or lies on a file system that needs other blocks for
/// what is overwritten (Btrfs, ZFS) and has none.
Result<void> write_outcome(const std::string& path, const engine::JobResult& result,
                           std::int64_t finished_at);

struct StoredOutcome {
  engine::JobResult result;
  std::int64_t finished_at = 0;  ///< Unix seconds
};
/// The outcome of that job, where there is a whole one.
std::optional<StoredOutcome> read_outcome(const std::string& path, const engine::JobIdentity& identity);

}  // namespace cuzk::journal
