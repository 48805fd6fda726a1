#pragma once

#include <google/protobuf/message.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <cuzk/v1/proving.pb.h>
#include "cuzk/base/result.h"
#include "cuzk/engine/engine.h"

namespace cuzk::server {

// All of them are thread-safe: they know nothing but their arguments.

/// Fills `out` from the bytes of a message and frees them. INVALID_ARGUMENT for what is no such message,
/// naming the text that is not UTF-8 where it is that.
grpc::Status read_message(grpc::ByteBuffer& bytes, google::protobuf::Message& out);

/// How urgent a submission is, of the bytes of a SubmitProofRequest, or of a ProveRequest: as far as can be
/// seen without decoding it, in about a millisecond for the largest. kNormal of what is no message.
engine::Priority priority_of(grpc::ByteBuffer& bytes, bool is_prove);

/// The engine's request from the API's. Takes the payload bytes out of `message` piece by piece, so that they
/// never exist three times. kBadInput, naming the field, for an enum's number that is not known.
Result<engine::JobRequest> to_job_request(v1::SubmitProofRequest& message,
                                          std::optional<engine::Duration> abandon_grace);

/// A caller's text as an error repeats it: at most 256 bytes and "..." after them. Clients limit what
/// trailers may have, and a call whose error is above that never ends for some of them.
std::string repeated(std::string_view text);

/// The gRPC status of a refused submission (OK for one that was accepted).
grpc::Status to_grpc_status(const engine::Submission& submission);

/// A final result; without one: TIMEOUT. `out` is otherwise empty.
void fill_response(const std::string& job_id, const engine::Awaited& awaited, v1::AwaitProofResponse& out);

void fill_response(const engine::Status& status, v1::GetStatusResponse& out);

}  // namespace cuzk::server
