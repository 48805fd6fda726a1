#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuzk/base/bytes.h"
#include "cuzk/proving/request.h"

namespace cuzk::engine {

using Duration = std::chrono::nanoseconds;

/// How urgent a job is, with the numbers of the API. Larger goes first, in every queue.
enum class Priority : std::uint8_t {
  kByKind = 0,  ///< WinningPoSt critical, WindowPoSt high, the others normal
  kLow = 1,
  kNormal = 2,
  kHigh = 3,
  kCritical = 4,
};

/// `priority`, or what the kind stands for when it is kByKind.
[[nodiscard]] Priority effective_priority(Priority priority, ProofKind kind);
/// "low", "normal", "high", "critical"; "by-kind".
[[nodiscard]] std::string_view to_string(Priority priority);

/// Where a job is: see the state machine above Engine (engine.h). The last three are final.
enum class JobState : std::uint8_t { kQueued, kRunning, kCompleted, kFailed, kCancelled };
/// "queued", "running", "completed", "failed", "cancelled".
[[nodiscard]] std::string_view to_string(JobState state);
[[nodiscard]] constexpr bool is_final(JobState state) {
  return state >= JobState::kCompleted;
}

/// Whose fault a failure is. The first word of every failure text.
enum class FailureClass : std::uint8_t {
  kNone,
  kInvalidInput,  ///< INVALID_INPUT: the request, whatever proves it
  kParams,        ///< PARAMS: the parameter file is missing, damaged or of another circuit
  kResource,      ///< RESOURCE: memory or disk ran out, or would have to be larger
  kDevice,        ///< DEVICE: no working device is left for it
  kSelfCheck,     ///< SELF_CHECK: a partition's proof failed verification twice; see SelfCheckEvidence
  kInternal,      ///< INTERNAL: a defect of this program
  kShutdown,      ///< SHUTDOWN: the engine was stopped first. With a journal the job runs at the next start
};
[[nodiscard]] std::string_view to_string(FailureClass failure);

/// What names a job.
struct JobIdentity {
  std::string job_id;      ///< made by the engine, unique across restarts
  std::string request_id;  ///< the client's; with kind and digest the key under which a repetition is known
  ProofKind kind = ProofKind::porep_seal_commit;
  Bytes32 digest{};                       ///< payload_digest of the request
  Priority priority = Priority::kNormal;  ///< never kByKind
  std::uint32_t attempt = 1;  ///< counts runs of one key: 2 after the first failed or was cancelled
};

/// What a client asks for.
struct JobRequest {
  std::string request_id;  ///< empty: no repetition is recognised
  Priority priority = Priority::kByKind;
  ProofRequest proof;
  /// Set: the job is cancelled when nobody has waited for it for this long (the client of Prove hung up).
  /// Absent: it runs whether somebody waits or not.
  std::optional<Duration> abandon_grace;
};

/// How long the parts of a job took. Synthesis, device wait and device time are sums over its partitions, so
/// they may exceed `total`; the device time is that for which the lock was held for them (shared evenly by
/// the circuits of one launch).
struct StageTimes {
  Duration queue_wait{};  ///< from acceptance to the first synthesis, without srs_load
  Duration srs_load{};    ///< of that, waiting for shape and parameters
  Duration synthesis{};
  Duration gpu_compute{};
  Duration total{};        ///< from acceptance to the outcome
  Duration device_wait{};  ///< with a witness: for a device worker, then for the lock; not in the journal
};

/// What is kept of a partition whose proof failed its check twice.
struct SelfCheckEvidence {
  std::uint32_t partition = 0;
  std::vector<std::string> devices;  ///< that made the proofs, in order
  /// 192 bytes each, whether they read back or not; empty where no proof came out at all.
  std::vector<std::vector<std::uint8_t>> proofs;
  std::string reason;  ///< why the last one was refused
};

/// The outcome of a job; immutable.
struct JobResult {
  JobIdentity identity;
  JobState state = JobState::kFailed;    ///< final
  std::vector<std::uint8_t> proof = {};  ///< kCompleted: 192 bytes per partition, in partition order
  FailureClass failure = FailureClass::kNone;
  std::string message = {};  ///< kFailed: "CLASS: what happened"; kCancelled: why
  StageTimes times = {};
  std::optional<SelfCheckEvidence> evidence = {};  ///< with kSelfCheck; not kept by the journal
  /// Not kept by the journal either; empty when the job ended before its request was read.
  std::string circuit_id = {};
};

}  // namespace cuzk::engine
