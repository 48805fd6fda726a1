#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cuzk/engine/config.h"
#include "cuzk/engine/device.h"
#include "cuzk/engine/job.h"
#include "cuzk/engine/memory_budget.h"

namespace cuzk::engine {

/// One device now, and since the start.
struct DeviceStatus {
  DeviceInfo info;
  std::uint64_t free_memory = 0;  ///< bytes of its own that may be taken; 0 where it uses the host's
  std::vector<HeldKey> keys;      ///< on the device
  bool quarantined = false;       ///< out of service for the rest of the process
  std::string quarantine_reason;  ///< empty unless it is
  std::string lock_job_id;     ///< of the launch that has the device's lock; empty when a key or nobody has
  std::string current_job_id;  ///< the same; when it is empty, of a launch that a worker has, or empty
  ProofKind current_kind = ProofKind::porep_seal_commit;  ///< of that job
  std::uint32_t workers_busy = 0;                         ///< of gpus.gpu_workers_per_device
  std::uint64_t launches = 0;                             ///< that ended well
  std::uint64_t launch_failures = 0;
  Duration lock_held{};            ///< sum over all launches that ended well
  Duration key_held{};             ///< time that the lock was held to copy keys or to take them away
  bool lock_taken = false;         ///< a launch or a key has the device's lock now
  std::uint32_t lock_waiting = 0;  ///< launches and keys that wait for it now
};

/// Where a circuit's parameters are: ready to prove, open and sound, on disk only. With the API's numbers.
enum class ParamsTier : std::uint8_t { kHot = 0, kWarm = 1, kCold = 2 };
[[nodiscard]] std::string_view to_string(ParamsTier tier);

/// One circuit that is loaded, was asked for, or has a parameter file.
struct CircuitStatus {
  std::string circuit_id;
  ParamsTier tier = ParamsTier::kCold;
  bool loading = false;
  std::uint64_t size_bytes = 0;  ///< of the parameter file
  std::uint32_t ref_count = 0;   ///< partitions in flight that use them
  bool shape_loaded = false;
  std::uint64_t shape_bytes = 0;
  std::string last_error;  ///< why the last load failed or its key was given up; empty after a good one
};

/// The jobs of one kind that are not done.
struct QueueStatus {
  ProofKind kind = ProofKind::porep_seal_commit;
  std::uint32_t pending = 0;      ///< jobs of which nothing has begun
  std::uint32_t in_progress = 0;  ///< the other jobs that are not done
};

/// Where a partition of a job is; drawn above Engine.
enum class PartitionState : std::uint8_t { kWaiting, kSynthesis, kDeviceQueue, kDevice, kFinishing, kDone };
[[nodiscard]] std::string_view to_string(PartitionState state);

/// One job that is not forgotten.
struct JobStatus {
  JobIdentity identity;
  JobState state = JobState::kQueued;
  std::string circuit_id;                  ///< empty while the request of a recovered job is being read
  Duration age{};                          ///< since acceptance, or since the outcome of a final job
  std::vector<PartitionState> partitions;  ///< empty like circuit_id
  std::string message;                     ///< of a final job: JobResult::message
};

/// Index is the number of the ProofKind, from 1.
using CountByKind = std::array<std::uint64_t, kProofKinds.size() + 1>;

/// Counters since the start; they only grow.
struct Counters {
  CountByKind completed{};  ///< jobs by outcome and kind
  CountByKind failed{};
  CountByKind cancelled{};
  std::uint64_t accepted = 0;
  std::uint64_t attached = 0;         ///< submissions that found their job running
  std::uint64_t answered_stored = 0;  ///< submissions that found their result
  std::uint64_t refused = 0;
  std::uint64_t recovered = 0;  ///< jobs taken over from the journal
  std::uint64_t partitions_proved = 0;
  std::uint64_t partitions_proved_again = 0;  ///< after a failed check
  std::uint64_t assembly_errors = 0;          ///< duplicate or misplaced pieces: defects
  std::uint64_t shape_hits = 0;               ///< partitions of jobs that never waited for a load
  std::uint64_t shapes_recorded = 0;
  std::uint64_t shapes_read = 0;
  std::uint64_t key_loads = 0;
  std::uint64_t key_load_failures = 0;  ///< of shapes too
  std::uint64_t evictions = 0;          ///< keys and shapes that were let go, each by itself or both as one
  std::uint64_t journal_failures = 0;
  std::uint64_t queue_pushed = 0;  ///< entries of all ordered queues; equal to queue_popped when idle
  std::uint64_t queue_popped = 0;
};

/// All of an engine at one moment.
struct Status {
  PipelineMode mode = PipelineMode::kPerPartition;
  std::vector<DeviceStatus> devices;
  std::vector<CircuitStatus> circuits;  ///< loaded or with a parameter file, sorted by id
  std::vector<QueueStatus> queues;      ///< every kind, always
  Duration uptime{};
  std::uint64_t memory_budget = 0;
  std::uint64_t memory_reserved = 0;
  std::uint64_t memory_peak = 0;                           ///< largest memory_reserved
  std::array<std::uint64_t, kMemoryUses> memory_by_use{};  ///< its parts, by MemoryUse
  std::uint64_t memory_let_go = 0;  ///< of memory_reserved: nobody wants it, somebody still holds it
  unsigned synthesis_workers = 0;
  unsigned synthesis_busy = 0;
  std::size_t partitions_waiting = 0;  ///< for synthesis
  std::size_t device_queue = 0;        ///< launches that wait for a worker
  std::size_t finishing = 0;           ///< launches in or before their epilogue
  bool draining = false;
  bool journal_failing = false;  ///< results wait to be stored; submissions are refused
  /// Why the journal did not take a request; empty when nothing has shown otherwise, or when it would now.
  std::string journal_refusal;
  Counters counters;
};

}  // namespace cuzk::engine
