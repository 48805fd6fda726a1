#include "cuzk/server/rpc_convert.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <string>
#include <utility>
#include <vector>

#include "cuzk/server/side_port.h"
#include "cuzk/timeline/json.h"

namespace cuzk::server {
namespace {

/// Moves a field's bytes out of the message and frees them there.
std::vector<std::uint8_t> take(std::string* field) {
  const std::string bytes = std::move(*field);
  field->clear();
  field->shrink_to_fit();
  return {bytes.begin(), bytes.end()};
}

std::uint64_t milliseconds(engine::Duration duration) {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

/// The path of a text that is not UTF-8, which ends the decoding of a message but is in it then; or nothing.
std::string broken_text(const google::protobuf::Message& message) {
  using google::protobuf::FieldDescriptor;
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->is_repeated()) continue;
    if (field->type() == FieldDescriptor::TYPE_STRING &&
        !timeline::is_utf8(reflection.GetString(message, field)))
      return field->name();
    if (field->type() != FieldDescriptor::TYPE_MESSAGE) continue;
    const std::string inner = broken_text(reflection.GetMessage(message, field));
    if (!inner.empty()) return field->name() + "." + inner;
  }
  return {};
}

}  // namespace

grpc::Status read_message(grpc::ByteBuffer& bytes, google::protobuf::Message& out) {
  bool whole = false;
  {
    grpc::ProtoBufferReader reader(&bytes);
    whole = reader.status().ok() && out.ParseFromZeroCopyStream(&reader) && reader.status().ok();
  }
  bytes.Clear();
  if (whole) return grpc::Status::OK;
  const std::string text = broken_text(out);
  return {grpc::StatusCode::INVALID_ARGUMENT,
          "INVALID_INPUT: " +
              (text.empty() ? "the message is no " + out.GetDescriptor()->name() : text + ": is not UTF-8")};
}

engine::Priority priority_of(grpc::ByteBuffer& bytes, bool is_prove) {
  using google::protobuf::internal::WireFormatLite;
  // A request has thousands of fields at most. The two come before the payload, wherever clients write
  // fields in the order of their numbers.
  constexpr int kMostFields = 10'000;
  grpc::ProtoBufferReader reader(&bytes);
  if (!reader.status().ok()) return engine::Priority::kNormal;
  google::protobuf::io::CodedInputStream in(&reader);
  std::uint32_t kind = 0;
  std::uint32_t priority = 0;
  bool inside = !is_prove;
  for (int i = 0; i < kMostFields; ++i) {
    const std::uint32_t tag = in.ReadTag();
    if (tag == 0) break;
    const int field = WireFormatLite::GetTagFieldNumber(tag);
    const bool is_number = WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_VARINT;
    std::uint32_t value = 0;
    if (!inside && field == v1::ProveRequest::kSubmitFieldNumber && !is_number) {
      // Its fields follow; what comes behind them would be more of the same.
      if (!in.ReadVarint32(&value)) break;
      inside = true;
    } else if (inside && is_number && field == v1::SubmitProofRequest::kProofKindFieldNumber) {
      if (!in.ReadVarint32(&kind)) break;
    } else if (inside && is_number && field == v1::SubmitProofRequest::kPriorityFieldNumber) {
      if (!in.ReadVarint32(&priority)) break;
    } else if (!WireFormatLite::SkipField(&in, tag)) {
      break;
    }
  }
  if (priority > v1::CRITICAL || kind < v1::POREP_SEAL_COMMIT || kind > v1::WINNING_POST)
    return engine::Priority::kNormal;
  return engine::effective_priority(static_cast<engine::Priority>(priority), static_cast<ProofKind>(kind));
}

Result<engine::JobRequest> to_job_request(v1::SubmitProofRequest& message,
                                          std::optional<engine::Duration> abandon_grace) {
  if (message.proof_kind() < v1::POREP_SEAL_COMMIT || message.proof_kind() > v1::WINNING_POST)
    return bad_input("INVALID_INPUT: proof_kind: " + std::to_string(message.proof_kind()) +
                     " is none of the kinds 1 to 4");
  if (message.priority() < v1::PRIORITY_UNSPECIFIED || message.priority() > v1::CRITICAL)
    return bad_input("INVALID_INPUT: priority: " + std::to_string(message.priority()) +
                     " is none of the priorities 0 to 4");
  // It stays in memory, journal, log and status for as long as the result does.
  constexpr std::size_t kMaxRequestId = 256;
  if (message.request_id().size() > kMaxRequestId)
    return bad_input("INVALID_INPUT: request_id: " + std::to_string(message.request_id().size()) +
                     " bytes; it may have " + std::to_string(kMaxRequestId));
  engine::JobRequest out;
  out.request_id = message.request_id();
  out.priority = static_cast<engine::Priority>(message.priority());
  out.abandon_grace = abandon_grace;
  ProofRequest& proof = out.proof;
  proof.kind = static_cast<ProofKind>(message.proof_kind());
  proof.sector_size = message.sector_size();
  proof.registered_proof = message.registered_proof();
  proof.vanilla_proof = take(message.mutable_vanilla_proof());
  proof.vanilla_proofs.reserve(static_cast<std::size_t>(message.vanilla_proofs_size()));
  for (std::string& bytes : *message.mutable_vanilla_proofs()) proof.vanilla_proofs.push_back(take(&bytes));
  proof.sector_number = message.sector_number();
  proof.miner_id = message.miner_id();
  proof.randomness = take(message.mutable_randomness());
  proof.partition_index = message.partition_index();
  proof.comm_r_old = take(message.mutable_comm_r_old());
  proof.comm_r_new = take(message.mutable_comm_r_new());
  proof.comm_d_new = take(message.mutable_comm_d_new());
  return out;
}

std::string repeated(std::string_view text) {
  constexpr std::size_t kMost = 256;
  if (text.size() <= kMost) return std::string(text);
  std::size_t end = kMost;
  // Not inside a character.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "...";
}

grpc::Status to_grpc_status(const engine::Submission& submission) {
  using Outcome = engine::Submission::Outcome;
  const auto code = [&] {
    switch (submission.outcome) {
      case Outcome::kAccepted:
      case Outcome::kAttached:
      case Outcome::kStored:
        return grpc::StatusCode::OK;
      case Outcome::kInvalid:
        return grpc::StatusCode::INVALID_ARGUMENT;
      case Outcome::kQueueFull:
      case Outcome::kTooLarge:
      case Outcome::kJournalFailed:
        return grpc::StatusCode::RESOURCE_EXHAUSTED;
      case Outcome::kConflict:
        return grpc::StatusCode::ALREADY_EXISTS;
      case Outcome::kParams:
        return grpc::StatusCode::FAILED_PRECONDITION;
      case Outcome::kDraining:
      case Outcome::kNoDevice:
        return grpc::StatusCode::UNAVAILABLE;
      case Outcome::kDefect:
        break;
    }
    return grpc::StatusCode::INTERNAL;
  }();
  return code == grpc::StatusCode::OK ? grpc::Status::OK : grpc::Status(code, submission.message);
}

void fill_response(const std::string& job_id, const engine::Awaited& awaited, v1::AwaitProofResponse& out) {
  out.set_job_id(job_id);
  if (awaited.result == nullptr) {
    out.set_status(v1::AwaitProofResponse::TIMEOUT);
    return;
  }
  const engine::JobResult& result = *awaited.result;
  switch (result.state) {
    case engine::JobState::kCompleted:
      out.set_status(v1::AwaitProofResponse::COMPLETED);
      break;
    case engine::JobState::kCancelled:
      out.set_status(v1::AwaitProofResponse::CANCELLED);
      break;
    default:
      out.set_status(v1::AwaitProofResponse::FAILED);
      break;
  }
  out.set_proof(result.proof.data(), result.proof.size());
  out.set_error_message(result.message);
  out.set_queue_wait_ms(milliseconds(result.times.queue_wait));
  out.set_srs_load_ms(milliseconds(result.times.srs_load));
  out.set_synthesis_ms(milliseconds(result.times.synthesis));
  out.set_gpu_compute_ms(milliseconds(result.times.gpu_compute));
  out.set_total_ms(milliseconds(result.times.total));
  out.set_device_wait_ms(milliseconds(result.times.device_wait));
}

void fill_response(const engine::Status& status, v1::GetStatusResponse& out) {
  for (const engine::DeviceStatus& device : status.devices) {
    v1::GPUStatus& row = *out.add_gpus();
    row.set_ordinal(device.info.ordinal);
    row.set_name(device.info.name);
    row.set_vram_total_bytes(device.info.memory_bytes);
    row.set_vram_free_bytes(device.free_memory);
    row.set_current_job_id(device.current_job_id);
    if (!device.current_job_id.empty())
      row.set_current_proof_kind(std::string(to_string(device.current_kind)));
    if (device.quarantined) row.set_quarantine_reason(device.quarantine_reason);
  }
  for (const engine::CircuitStatus& circuit : status.circuits) {
    v1::SRSStatus& row = *out.add_loaded_srs();
    row.set_circuit_id(circuit.circuit_id);
    row.set_tier(static_cast<v1::SRSStatus::Tier>(circuit.tier));
    row.set_size_bytes(circuit.size_bytes);
    row.set_ref_count(circuit.ref_count);
  }
  for (const engine::QueueStatus& queue : status.queues) {
    v1::QueueStatus& row = *out.add_queues();
    row.set_proof_kind(std::string(to_string(queue.kind)));
    row.set_pending(queue.pending);
    row.set_in_progress(queue.in_progress);
  }
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  for (const std::uint64_t n : status.counters.completed) completed += n;
  for (const std::uint64_t n : status.counters.failed) failed += n;
  out.set_total_proofs_completed(completed);
  out.set_total_proofs_failed(failed);
  out.set_uptime_seconds(
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(status.uptime).count()));
  out.set_pinned_memory_bytes(status.memory_reserved);
  out.set_pinned_memory_limit_bytes(status.memory_budget);
  out.set_readiness(readiness(status.draining ? "draining" : "ready", status));
}

}  // namespace cuzk::server
