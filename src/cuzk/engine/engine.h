#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuzk/base/result.h"
#include "cuzk/cpu/clock.h"
#include "cuzk/cpu/thread_pool.h"
#include "cuzk/engine/circuit_source.h"
#include "cuzk/engine/config.h"
#include "cuzk/engine/device.h"
#include "cuzk/engine/job.h"
#include "cuzk/engine/journal.h"
#include "cuzk/engine/status.h"
#include "cuzk/proving/statement.h"
#include "cuzk/timeline/recorder.h"

namespace cuzk::engine {

/// What became of a submission.
struct Submission {
  enum class Outcome : std::uint8_t {
    kAccepted,       ///< a new job
    kAttached,       ///< the same request is running: its job
    kStored,         ///< the same request was proved and its result is retained: its job
    kInvalid,        ///< INVALID_ARGUMENT: `message` is INVALID_INPUT with the API's field
    kQueueFull,      ///< RESOURCE_EXHAUSTED: too many jobs are not done, or their statements take the memory
    kTooLarge,       ///< RESOURCE_EXHAUSTED: it could never fit into the memory budget, or none was there
    kConflict,       ///< ALREADY_EXISTS: scheduler.on_conflict = "reject"
    kParams,         ///< FAILED_PRECONDITION: the circuit has no parameter file
    kJournalFailed,  ///< RESOURCE_EXHAUSTED: the job could not be stored, or earlier results cannot
    kDraining,       ///< UNAVAILABLE
    kNoDevice,       ///< UNAVAILABLE: every device is in quarantine
    kDefect,         ///< INTERNAL: reading it failed by no fault of the request
  };
  Outcome outcome = Outcome::kInvalid;
  std::string message = {};  ///< of a refusal; its first word is a failure class
  std::string job_id = {};
  std::uint32_t queue_position = 0;  ///< jobs that are before it and not done
  [[nodiscard]] bool accepted() const { return outcome <= Outcome::kStored; }
};

/// What a waiter is told. Without a result the job goes on, and its time has passed or the job is `kept`.
struct Awaited {
  std::shared_ptr<const JobResult> result = {};
  bool stored = true;  ///< false: a crash now would lose the result; the journal is asked again
  bool kept = false;  ///< no device proves any more in this process; the next one proves it, from the journal
};
using AwaitCallback = std::function<void(const Awaited&)>;
/// Names a waiter; never 0.
using WaiterId = std::uint64_t;

/// What cancel found.
struct Cancelled {
  bool was_running = false;  ///< something of it had begun, and it was not settled
  bool was_settled = false;  ///< its outcome was decided before, whether or not it shows yet, and stays
};

/// A circuit that is ready to prove.
struct Preloaded {
  bool already_loaded = false;  ///< it was when preload was called
  Duration load_time{};         ///< since preload was called, waiting for memory and other loads included
};
using PreloadCallback = std::function<void(Result<Preloaded>)>;

/// What evict let go.
struct Evicted {
  bool was_loaded = false;        ///< parameters: HOT or WARM
  std::uint64_t freed_bytes = 0;  ///< of the budget: parameters, shape, and what a launch of them would take
};

/// Reads and checks a request: read_request (statement.h), or a simulation's.
using RequestReader =
    std::function<Result<std::shared_ptr<const Statement>>(ThreadPool& pool, ProofRequest request)>;

/// Why no device proves any more in this process.
struct DevicesLost {
  DeviceInfo device;          ///< the last one that was in service, or whose fault took the others along
  std::string message;        ///< of its error; names stage and cause
  bool process_wide = false;  ///< one fault took all (DeviceFault::kProcess); else one went after the other
  std::size_t jobs_kept = 0;  ///< that are not settled and stay in the journal as accepted
};

/// What an engine works with. Everything that is referred to must outlive it.
struct EngineParts {
  ThreadPool& pool;  ///< for vanilla checks, synthesis, loading and verification
  std::vector<std::shared_ptr<Device>> devices;
  std::shared_ptr<CircuitSource> circuits;
  RequestReader read_request = cuzk::read_request;
  Journal* journal = nullptr;              ///< null: jobs do not survive the process
  timeline::Recorder* recorder = nullptr;  ///< null: no timeline
  Clock& clock = real_clock();
  /// Told of every final result, once and before the waiters, on an engine thread: for histograms and logs.
  std::function<void(const JobResult&)> on_result = {};
  /// Told once when no device proves any more in this process (docs/engine.md, "Devices"); on an engine
  /// thread, without a lock, perhaps before create has returned. It must not call shut_down, and the owner
  /// should end the process without it, as shut_down waits for threads that are with a device. With a journal
  /// no job fails for it: jobs stay there as accepted, as after a crash (Journal::begin), and who waits has
  /// been told (Awaited::kept). Without a journal, or where this is empty, every job fails with DEVICE.
  std::function<void(const DevicesLost&)> on_devices_lost = {};
};

/// The proving engine: takes requests, makes verified proofs, on all devices at once.
///
/// A job:
///
///                 validated, in the journal
///     submit -----------------------------------> QUEUED
///                                                 |    |
///                      first partition dispatched |    | cancel, failure, shutdown
///                                                 v    |
///                                             RUNNING  |
///                                              |   |   |
///               last piece verified and joined |   | cancel, failure, shutdown
///                                              v   v   v
///                                              SETTLED        outcome decided, once; no more work is begun;
///                                                 |           queued partitions are dropped, running ones
///                                                 |           end and their results are dropped
///                        result in the journal    |
///                         v                       v
///             COMPLETED | FAILED | CANCELLED              retained, then forgotten
///
/// SETTLED shows as RUNNING from outside. A partition:
///
///     WAITING -> SYNTHESIS -> DEVICE_QUEUE -> DEVICE -> FINISHING -> DONE
///        ^                         ^            |           |
///        |                         '------------' the device was put into quarantine: with the witness
///        |                                      |           |
///        '--------------------------------------+-----------' from synthesis again: the proof failed its
///        check,
///                                                             or the launch or its end was a result that
///                                                             cannot be, the first time; a launch of several
///                                                             jobs failed; or the device was put into
///                                                             quarantine when the witness was gone
///
/// Every public member is thread-safe, and may be called from callbacks, except shut_down and the destructor.
/// Callbacks run without any lock of the engine; they must neither block nor throw (what one throws on an
/// engine thread is dropped). They run on an engine thread, or on the
/// caller's, before the call returns, where the answer is known already: of a final job (await); for a
/// circuit that is HOT, unknown or without a file, or when the engine shuts down (preload). So a caller must
/// not hold a lock that its callback takes. docs/engine.md explains the rules.
class Engine {
 public:
  /// kUsage for a configuration that cannot be or no device; kIo when threads are refused or the journal
  /// cannot be read. Jobs of the journal are taken over before it returns.
  static Result<std::unique_ptr<Engine>> create(EngineConfig config, EngineParts parts);
  /// shut_down without patience. No other call may be under way: one that is in submit, behind an identical
  /// request too, is not waited for once its request has been refused.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Checks all of the request, the vanilla proof included, on the calling thread and the pool (seconds for
  /// 32 GiB sectors), stores it in the journal, and queues it. An identical submission that comes meanwhile
  /// waits for this one and attaches to it.
  Submission submit(JobRequest request);

  /// Calls `done` once: with the result, before await returns if there is one, or without after `timeout`, or
  /// when the devices are lost (Awaited::lost).
  /// kUsage for a job that is not known (any more); `done` is not called then. A timeout beyond the clock's
  /// range is none.
  Result<WaiterId> await(const std::string& job_id, std::optional<Duration> timeout, AwaitCallback done);

  /// The waiter hung up. True: `done` is not and will not be called. False: it was, or is being called.
  bool forget(WaiterId waiter);

  /// Ends a job: nothing more of it is begun. Waiters get kCancelled. A job that is settled stays as it is,
  /// also while its result is still being stored: was_settled. kUsage for an unknown one.
  Result<Cancelled> cancel(const std::string& job_id);

  /// Loads shape and parameters of a circuit; `done` is called once. kUsage for an unknown circuit, kParams,
  /// kIo when they do not fit into the memory budget beside what is in use, kStopped when the engine shuts
  /// down.
  void preload(const std::string& circuit_id, PreloadCallback done);

  /// HOT or WARM to COLD. kUsage when there is no such circuit, it is being loaded, or partitions in flight
  /// use it.
  Result<Evicted> evict(const std::string& circuit_id);

  [[nodiscard]] Status status() const;
  /// Every job that is not forgotten, at most `limit`: those that run, then those that wait, both in the
  /// order of service, then the final ones, the latest first.
  [[nodiscard]] std::vector<JobStatus> jobs(std::size_t limit) const;
  /// kUsage for an unknown one.
  [[nodiscard]] Result<JobStatus> job(const std::string& job_id) const;

  /// Refuses jobs from now on (kDraining). What was accepted goes on, and repetitions of a request that runs
  /// or was proved are answered as before.
  void stop_submissions();

  /// stop_submissions, then waits until every accepted job is done, for `patience` at most (none: until they
  /// are), fails the rest with SHUTDOWN, answers every waiter and ends the threads. True: nothing had to be
  /// failed. Synthesis is asked to stop; a launch that runs is waited for.
  bool shut_down(std::optional<Duration> patience);

 private:
  class Impl;
  explicit Engine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cuzk::engine
