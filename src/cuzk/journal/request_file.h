#pragma once

#include <string>

#include "cuzk/base/bytes.h"
#include "cuzk/base/result.h"
#include "cuzk/proving/request.h"

namespace cuzk::journal {

/// Writes a request to a file of its own; it is on disk, with its folder's entry, when this returns.
///
/// The file: "cuzkreq1", then each member of ProofRequest in its order, numbers as eight little-endian bytes,
/// bytes behind their length, the list behind its count.
Result<void> write_request(const std::string& path, const ProofRequest& request);

/// Reads it back. kInternal, naming the offset, when there is no such file, it is no request or its
/// payload_digest is not `digest`: what was accepted is not what is there. kIo when it cannot be read now.
Result<ProofRequest> read_request_file(const std::string& path, const Bytes32& digest);

/// The request in a file's bytes. kInternal, naming the offset.
Result<ProofRequest> parse_request(ByteSpan file);

}  // namespace cuzk::journal
