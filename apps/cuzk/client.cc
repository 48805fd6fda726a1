// The commands that talk to a daemon: one call each, its answer as text or JSON.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cuzk/base/bytes.h"
#include "cuzk/base/file_sink.h"
#include "cuzk/base/hex.h"
#include "cuzk/server/rpc_server.h"
#include "files.h"
#include "output.h"
#include "rpc_client.h"

namespace cuzk::app {
namespace {

using Json = nlohmann::ordered_json;

void print(const Json& json) {
  say("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

const char* name_of(v1::SRSStatus::Tier tier) {
  switch (tier) {
    case v1::SRSStatus::HOT:
      return "hot";
    case v1::SRSStatus::WARM:
      return "warm";
    default:
      return "cold";
  }
}

std::string what_it_does(const v1::GPUStatus& gpu) {
  if (!gpu.quarantine_reason().empty()) return "IN QUARANTINE: " + gpu.quarantine_reason();
  if (gpu.current_job_id().empty()) return "idle";
  return gpu.current_proof_kind() + " of job " + gpu.current_job_id();
}

/// Before a proof is asked for that could not be written: minutes of work.
Result<void> check_output(const std::string& path) {
  if (path.empty()) return {};
  CUZK_TRY(FileSink::create(path));  // leaves nothing
  return {};
}

/// Prints a job's outcome, writes the proof, and says whether it is one.
Result<void> report(const v1::AwaitProofResponse& result, const std::string& out, bool json) {
  const Result<void> outcome = outcome_of(result);
  if (json)
    print({{"job_id", result.job_id()},
           {"status", v1::AwaitProofResponse::Status_Name(result.status())},
           {"proof", to_hex(byte_span(result.proof()))},
           {"error", result.error_message()},
           {"queue_wait_ms", result.queue_wait_ms()},
           {"srs_load_ms", result.srs_load_ms()},
           {"synthesis_ms", result.synthesis_ms()},
           {"device_wait_ms", result.device_wait_ms()},
           {"gpu_compute_ms", result.gpu_compute_ms()},
           {"total_ms", result.total_ms()}});
  if (!outcome) return outcome;
  if (!json) {
    say("job          {}\n", result.job_id());
    say("times        waited {} ms, parameters {} ms, synthesis {} ms, for the device {} ms, device {} ms, "
        "in all {} ms\n",
        result.queue_wait_ms(), result.srs_load_ms(), result.synthesis_ms(), result.device_wait_ms(),
        result.gpu_compute_ms(), result.total_ms());
    if (out.empty()) say("proof        {}\n", to_hex(byte_span(result.proof())));
  }
  if (out.empty()) return {};
  CUZK_TRY(write_file_atomically(out, byte_span(result.proof())));
  if (!json) say("written to   {}\n", out);
  return {};
}

}  // namespace

Result<void> run_submit(const SubmitOptions& options) {
  CUZK_TRY(check_output(options.out));
  std::vector<std::string> read = options.files();
  CUZK_TRY_ASSIGN(v1::SubmitProofRequest request, read_payload(options, read));
  CUZK_TRY(refuse_to_replace("--out", options.out, read));
  request.set_request_id(options.request_id);
  if (const std::size_t bytes = request.ByteSizeLong(); bytes > server::kMaxMessageBytes)
    return bad_input(
        fmt::format("the request has {} bytes, a message may have {}", bytes, server::kMaxMessageBytes));
  CUZK_TRY_ASSIGN(const RpcClient client, RpcClient::open(options));
  if (options.wait) {
    CUZK_TRY_ASSIGN(const v1::AwaitProofResponse result, client.prove(request));
    return report(result, options.out, options.json);
  }
  CUZK_TRY_ASSIGN(const v1::SubmitProofResponse response, client.submit(request));
  if (options.json)
    print({{"job_id", response.job_id()}, {"queue_position", response.queue_position()}});
  else
    say("{}\n", response.job_id());
  return {};
}

Result<void> run_await(const AwaitOptions& options) {
  CUZK_TRY(refuse_to_replace("--out", options.out, options.files()));
  CUZK_TRY(check_output(options.out));
  CUZK_TRY_ASSIGN(const RpcClient client, RpcClient::open(options));
  CUZK_TRY_ASSIGN(const v1::AwaitProofResponse result, client.await(options.job, options.timeout_ms));
  return report(result, options.out, options.json);
}

Result<void> run_cancel(const CancelOptions& options) {
  CUZK_TRY_ASSIGN(const RpcClient client, RpcClient::open(options));
  CUZK_TRY_ASSIGN(const v1::CancelProofResponse response, client.cancel(options.job));
  if (options.json)
    print({{"job_id", options.job},
           {"was_running", response.was_running()},
           {"was_finished", response.was_finished()}});
  else if (response.was_finished())
    say("nothing to cancel: the job was finished\n");
  else
    say("cancelled; it {}\n", response.was_running() ? "was running" : "was waiting");
  return {};
}

Result<void> run_status(const StatusOptions& options) {
  CUZK_TRY_ASSIGN(const RpcClient client, RpcClient::open(options));
  CUZK_TRY_ASSIGN(const v1::GetStatusResponse status, client.status());
  if (options.json) {
    Json gpus = Json::array();
    for (const v1::GPUStatus& gpu : status.gpus())
      gpus.push_back({{"ordinal", gpu.ordinal()},
                      {"name", gpu.name()},
                      {"vram_total_bytes", gpu.vram_total_bytes()},
                      {"vram_free_bytes", gpu.vram_free_bytes()},
                      {"current_job_id", gpu.current_job_id()},
                      {"current_proof_kind", gpu.current_proof_kind()},
                      {"quarantine_reason", gpu.quarantine_reason()}});
    Json srs = Json::array();
    for (const v1::SRSStatus& row : status.loaded_srs())
      srs.push_back({{"circuit_id", row.circuit_id()},
                     {"tier", name_of(row.tier())},
                     {"size_bytes", row.size_bytes()},
                     {"ref_count", row.ref_count()}});
    Json queues = Json::array();
    for (const v1::QueueStatus& row : status.queues())
      queues.push_back(
          {{"proof_kind", row.proof_kind()}, {"pending", row.pending()}, {"in_progress", row.in_progress()}});
    print({{"readiness", status.readiness()},
           {"uptime_seconds", status.uptime_seconds()},
           {"gpus", std::move(gpus)},
           {"loaded_srs", std::move(srs)},
           {"queues", std::move(queues)},
           {"total_proofs_completed", status.total_proofs_completed()},
           {"total_proofs_failed", status.total_proofs_failed()},
           {"pinned_memory_bytes", status.pinned_memory_bytes()},
           {"pinned_memory_limit_bytes", status.pinned_memory_limit_bytes()}});
    return {};
  }
  constexpr double kGiB = 1 << 30;
  if (!status.readiness().empty())  // empty: from a daemon of an earlier version
    say("state        {}{}\n", status.readiness() == "ready" ? "" : "NOT READY: ", status.readiness());
  say("up           {} s, {} proofs completed, {} failed\n", status.uptime_seconds(),
      status.total_proofs_completed(), status.total_proofs_failed());
  say("memory       {:.1f} of {:.1f} GiB reserved\n",
      static_cast<double>(status.pinned_memory_bytes()) / kGiB,
      static_cast<double>(status.pinned_memory_limit_bytes()) / kGiB);
  for (const v1::QueueStatus& row : status.queues())
    say("{:12} {} waiting, {} in progress\n", row.proof_kind(), row.pending(), row.in_progress());
  for (const v1::GPUStatus& gpu : status.gpus())
    say("device {:<5} {}, {}\n", gpu.ordinal(), gpu.name(), what_it_does(gpu));
  for (const v1::SRSStatus& row : status.loaded_srs())
    say("parameters   {} {}, {:.2f} GiB, {} in use\n", row.circuit_id(), name_of(row.tier()),
        static_cast<double>(row.size_bytes()) / kGiB, row.ref_count());
  return {};
}

Result<void> run_metrics(const MetricsOptions& options) {
  CUZK_TRY_ASSIGN(const RpcClient client, RpcClient::open(options));
  CUZK_TRY_ASSIGN(const std::string text, client.metrics());
  say("{}", text);
  return {};
}

Result<void> run_preload(const CircuitOptions& options) {
  CUZK_TRY_ASSIGN(const RpcClient client, RpcClient::open(options));
  CUZK_TRY_ASSIGN(const v1::PreloadSrsResponse response, client.preload(options.circuit));
  if (options.json)
    print({{"circuit_id", options.circuit},
           {"already_loaded", response.already_loaded()},
           {"load_time_ms", response.load_time_ms()}});
  else if (response.already_loaded())
    say("{} was loaded already\n", options.circuit);
  else
    say("{} loaded in {} ms\n", options.circuit, response.load_time_ms());
  return {};
}

Result<void> run_evict(const CircuitOptions& options) {
  CUZK_TRY_ASSIGN(const RpcClient client, RpcClient::open(options));
  CUZK_TRY_ASSIGN(const v1::EvictSrsResponse response, client.evict(options.circuit));
  if (options.json)
    print({{"circuit_id", options.circuit},
           {"was_loaded", response.was_loaded()},
           {"freed_bytes", response.freed_bytes()}});
  else if (response.was_loaded())
    say("{} dropped, {} bytes freed\n", options.circuit, response.freed_bytes());
  else
    say("{} was not loaded\n", options.circuit);
  return {};
}

}  // namespace cuzk::app
