#include "cuzk/server/rpc_convert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace cuzk::server {
namespace {

using ::testing::HasSubstr;
using Bytes = std::vector<std::uint8_t>;

v1::SubmitProofRequest full_message() {
  v1::SubmitProofRequest out;
  out.set_request_id("porep-1000-7");
  out.set_proof_kind(v1::WINDOW_POST_PARTITION);
  out.set_sector_size(2048);
  out.set_registered_proof(5);
  out.set_priority(v1::LOW);
  out.set_vanilla_proof("c1");
  out.add_vanilla_proofs("v0");
  out.add_vanilla_proofs(std::string("v\0", 2));
  out.set_sector_number(7);
  out.set_miner_id(1000);
  out.set_randomness("r");
  out.set_partition_index(3);
  out.set_comm_r_old("o");
  out.set_comm_r_new("n");
  out.set_comm_d_new("d");
  return out;
}

grpc::ByteBuffer bytes_of(const std::string& text) {
  // In two pieces, as a message arrives in many.
  const std::array<grpc::Slice, 2> slices{grpc::Slice(text.substr(0, text.size() / 2)),
                                          grpc::Slice(text.substr(text.size() / 2))};
  return {slices.data(), slices.size()};
}

TEST(RpcConvert, AMessageThatIsNoneIsNamed) {
  v1::ProveRequest in;
  in.mutable_submit()->set_request_id("id");
  v1::ProveRequest out;
  grpc::ByteBuffer good = bytes_of(in.SerializeAsString());
  ASSERT_TRUE(read_message(good, out).ok());
  EXPECT_EQ(out.submit().request_id(), "id");
  EXPECT_EQ(good.Length(), 0U) << "freed";
  const std::pair<std::string, const char*> cases[] = {
      {std::string("\x0a\x7f"), "INVALID_INPUT: the message is no ProveRequest"},
      {std::string("\x0a\x03\x0a\x01\xff"), "INVALID_INPUT: submit.request_id: is not UTF-8"},
      {std::string("\x0a\x04\x0a\x02\xc3\x28"), "INVALID_INPUT: submit.request_id: is not UTF-8"}};
  for (const auto& [text, message] : cases) {
    grpc::ByteBuffer bytes = bytes_of(text);
    const grpc::Status status = read_message(bytes, out);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(status.error_message(), message);
  }
}

TEST(RpcConvert, AMessageShowsItsPriority) {
  const auto priority = [](const v1::SubmitProofRequest& request) {
    v1::ProveRequest prove;
    *prove.mutable_submit() = request;
    grpc::ByteBuffer alone = bytes_of(request.SerializeAsString());
    grpc::ByteBuffer inside = bytes_of(prove.SerializeAsString());
    const engine::Priority out = priority_of(alone, false);
    EXPECT_EQ(priority_of(inside, true), out);
    EXPECT_EQ(alone.Length(), request.ByteSizeLong()) << "still there";
    return out;
  };
  v1::SubmitProofRequest request;
  request.set_request_id("id");
  request.set_sector_size(2048);
  for (int i = 0; i < 3; ++i) request.add_vanilla_proofs(std::string(10'000, '\x28'));
  EXPECT_EQ(priority(request), engine::Priority::kNormal) << "without a kind";
  request.set_proof_kind(v1::WINNING_POST);
  EXPECT_EQ(priority(request), engine::Priority::kCritical);
  request.set_proof_kind(v1::WINDOW_POST_PARTITION);
  EXPECT_EQ(priority(request), engine::Priority::kHigh);
  request.set_priority(v1::LOW);
  EXPECT_EQ(priority(request), engine::Priority::kLow);
  request.set_priority(static_cast<v1::Priority>(77));
  EXPECT_EQ(priority(request), engine::Priority::kNormal);
  // Fields in another order; the last of several counts.
  grpc::ByteBuffer turned = bytes_of(std::string("\x5a\x02zz\x28\x01\x28\x02\x10\x04", 10));
  EXPECT_EQ(priority_of(turned, false), engine::Priority::kNormal);
  for (const char* none : {"", "\x0a\x7f", "\x10", "\x0b", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"}) {
    grpc::ByteBuffer bytes = bytes_of(none);
    EXPECT_EQ(priority_of(bytes, false), engine::Priority::kNormal);
    EXPECT_EQ(priority_of(bytes, true), engine::Priority::kNormal);
  }
}

TEST(RpcConvert, ALongRequestIdIsRefused) {
  v1::SubmitProofRequest message = full_message();
  message.set_request_id(std::string(256, 'x'));
  EXPECT_TRUE(to_job_request(message, {}));
  message = full_message();
  message.set_request_id(std::string(257, 'x'));
  const auto refused = to_job_request(message, {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("INVALID_INPUT: request_id: 257 bytes"));
}

TEST(RpcConvert, AnErrorRepeatsNoLongTextInFull) {
  EXPECT_EQ(repeated(std::string(256, 'x')), std::string(256, 'x'));
  EXPECT_EQ(repeated(std::string(100'000, 'x')), std::string(256, 'x') + "...");
  EXPECT_EQ(repeated(std::string(255, 'x') + "\u00e9y"), std::string(255, 'x') + "...");
}

TEST(RpcConvert, EveryFieldArrives) {
  v1::SubmitProofRequest message = full_message();
  const engine::JobRequest out = to_job_request(message, std::chrono::seconds(3)).value();
  EXPECT_EQ(out.request_id, "porep-1000-7");
  EXPECT_EQ(out.priority, engine::Priority::kLow);
  EXPECT_EQ(out.abandon_grace, engine::Duration(std::chrono::seconds(3)));
  EXPECT_EQ(out.proof.kind, ProofKind::window_post_partition);
  EXPECT_EQ(out.proof.sector_size, 2048U);
  EXPECT_EQ(out.proof.registered_proof, 5U);
  EXPECT_EQ(out.proof.vanilla_proof, (Bytes{'c', '1'}));
  EXPECT_EQ(out.proof.vanilla_proofs, (std::vector<Bytes>{{'v', '0'}, {'v', 0}}));
  EXPECT_EQ(out.proof.sector_number, 7U);
  EXPECT_EQ(out.proof.miner_id, 1000U);
  EXPECT_EQ(out.proof.randomness, Bytes{'r'});
  EXPECT_EQ(out.proof.partition_index, 3U);
  EXPECT_EQ(out.proof.comm_r_old, Bytes{'o'});
  EXPECT_EQ(out.proof.comm_r_new, Bytes{'n'});
  EXPECT_EQ(out.proof.comm_d_new, Bytes{'d'});
  EXPECT_TRUE(message.vanilla_proof().empty()) << "the bytes exist once";
}

TEST(RpcConvert, UnknownEnumsAreNamed) {
  v1::SubmitProofRequest message = full_message();
  message.set_proof_kind(static_cast<v1::ProofKind>(5));
  EXPECT_THAT(to_job_request(message, {}).error().message, HasSubstr("proof_kind: 5"));
  message.set_proof_kind(v1::PROOF_KIND_UNSPECIFIED);
  EXPECT_FALSE(to_job_request(message, {}));
  message = full_message();
  message.set_priority(static_cast<v1::Priority>(-1));
  EXPECT_THAT(to_job_request(message, {}).error().message, HasSubstr("priority: -1"));
}

TEST(RpcConvert, RefusalsHaveTheirCodes) {
  using Outcome = engine::Submission::Outcome;
  const auto code = [](Outcome outcome) {
    return to_grpc_status({.outcome = outcome, .message = "CLASS: why", .job_id = "", .queue_position = 0})
        .error_code();
  };
  EXPECT_EQ(code(Outcome::kAccepted), grpc::StatusCode::OK);
  EXPECT_EQ(code(Outcome::kAttached), grpc::StatusCode::OK);
  EXPECT_EQ(code(Outcome::kStored), grpc::StatusCode::OK);
  EXPECT_EQ(code(Outcome::kInvalid), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(code(Outcome::kQueueFull), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(code(Outcome::kTooLarge), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(code(Outcome::kJournalFailed), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(code(Outcome::kConflict), grpc::StatusCode::ALREADY_EXISTS);
  EXPECT_EQ(code(Outcome::kParams), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(code(Outcome::kDraining), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(code(Outcome::kNoDevice), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(code(Outcome::kDefect), grpc::StatusCode::INTERNAL);
}

TEST(RpcConvert, ResultsAndTimeouts) {
  v1::AwaitProofResponse out;
  fill_response("J", {}, out);
  EXPECT_EQ(out.status(), v1::AwaitProofResponse::TIMEOUT);
  EXPECT_EQ(out.job_id(), "J");

  engine::JobResult result;
  result.state = engine::JobState::kCompleted;
  result.proof = {1, 2, 3};
  using std::chrono::microseconds;
  result.times = {microseconds(1999), microseconds(2000), microseconds(3000),
                  microseconds(4000), microseconds(5000), microseconds(6000)};
  fill_response("J", {std::make_shared<engine::JobResult>(result)}, out);
  EXPECT_EQ(out.status(), v1::AwaitProofResponse::COMPLETED);
  EXPECT_EQ(out.proof(), "\1\2\3");
  EXPECT_EQ(out.queue_wait_ms(), 1U);
  EXPECT_EQ(out.srs_load_ms(), 2U);
  EXPECT_EQ(out.synthesis_ms(), 3U);
  EXPECT_EQ(out.gpu_compute_ms(), 4U);
  EXPECT_EQ(out.total_ms(), 5U);
  EXPECT_EQ(out.device_wait_ms(), 6U);

  result.state = engine::JobState::kFailed;
  result.message = "DEVICE: gone";
  fill_response("J", {std::make_shared<engine::JobResult>(result)}, out);
  EXPECT_EQ(out.status(), v1::AwaitProofResponse::FAILED);
  EXPECT_EQ(out.error_message(), "DEVICE: gone");
  result.state = engine::JobState::kCancelled;
  fill_response("J", {std::make_shared<engine::JobResult>(result)}, out);
  EXPECT_EQ(out.status(), v1::AwaitProofResponse::CANCELLED);
}

TEST(RpcConvert, StatusSumsKindsAndNamesTiers) {
  engine::Status status;
  status.counters.completed = {0, 1, 2, 3, 4};
  status.counters.failed = {0, 0, 0, 0, 5};
  status.queues = {{ProofKind::porep_seal_commit, 3, 1}, {ProofKind::winning_post, 0, 2}};
  status.uptime = std::chrono::seconds(61);
  status.memory_reserved = 10;
  status.memory_budget = 20;
  engine::CircuitStatus circuit;
  circuit.circuit_id = "porep-2k";
  circuit.tier = engine::ParamsTier::kWarm;
  circuit.size_bytes = 99;
  circuit.ref_count = 2;
  status.circuits = {circuit};
  engine::DeviceStatus device;
  device.info = {.ordinal = 3, .uuid = "GPU-1", .name = "n", .memory_bytes = 100};
  device.free_memory = 40;
  device.current_job_id = "J";
  device.current_kind = ProofKind::snap_deals_update;
  status.devices = {device};

  v1::GetStatusResponse out;
  fill_response(status, out);
  EXPECT_EQ(out.total_proofs_completed(), 10U);
  EXPECT_EQ(out.total_proofs_failed(), 5U);
  EXPECT_EQ(out.uptime_seconds(), 61U);
  EXPECT_EQ(out.pinned_memory_bytes(), 10U);
  EXPECT_EQ(out.pinned_memory_limit_bytes(), 20U);
  ASSERT_EQ(out.queues_size(), 2);
  EXPECT_EQ(out.queues(0).proof_kind(), "porep-c2");
  EXPECT_EQ(out.queues(0).pending(), 3U);
  EXPECT_EQ(out.queues(1).in_progress(), 2U);
  ASSERT_EQ(out.loaded_srs_size(), 1);
  EXPECT_EQ(out.loaded_srs(0).tier(), v1::SRSStatus::WARM);
  EXPECT_EQ(out.loaded_srs(0).ref_count(), 2U);
  ASSERT_EQ(out.gpus_size(), 1);
  EXPECT_EQ(out.gpus(0).ordinal(), 3U);
  EXPECT_EQ(out.gpus(0).vram_free_bytes(), 40U);
  EXPECT_EQ(out.gpus(0).current_proof_kind(), "snap-update");
  EXPECT_EQ(out.gpus(0).quarantine_reason(), "");
  EXPECT_EQ(out.readiness(), "ready");
}

TEST(RpcConvert, StatusSaysWhatIsNotReady) {
  engine::Status status;
  status.devices.resize(2);
  status.devices[1].quarantined = true;
  status.devices[1].quarantine_reason = "it fell off the bus";
  v1::GetStatusResponse out;
  fill_response(status, out);
  EXPECT_EQ(out.gpus(1).quarantine_reason(), "it fell off the bus");
  EXPECT_EQ(out.readiness(), "ready") << "the other device is there";
  status.devices[0].quarantined = true;
  out.Clear();
  fill_response(status, out);
  EXPECT_EQ(out.readiness(), "every device is in quarantine");
  status.draining = true;
  out.Clear();
  fill_response(status, out);
  EXPECT_EQ(out.readiness(), "draining");
}

}  // namespace
}  // namespace cuzk::server
