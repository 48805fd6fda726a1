#pragma once

#include <deque>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "cuzk/engine/engine.h"
#include "cuzk/engine/internal/assembler.h"
#include "cuzk/engine/internal/circuit_cache.h"
#include "cuzk/engine/internal/order.h"

namespace cuzk::engine {

struct Job;
struct Launch;
using JobPtr = std::shared_ptr<Job>;
using LaunchPtr = std::shared_ptr<Launch>;

/// One partition of a job.
struct Partition {
  /// kDeviceQueue from the moment that it has its witness, also while its launch waits for other members.
  PartitionState state = PartitionState::kWaiting;
  LaunchPtr launch;                        ///< from admission until its proof is checked
  OrderKey waiting_order{};                ///< of its entry in Impl::waiting_, before admission
  OrderKey admitted_order{};               ///< of its entry in Impl::admitted_, from admission to synthesis
  std::shared_ptr<const Witness> witness;  ///< from synthesis to the end of the launch
  Clock::TimePoint waits_since;            ///< for a device worker, in kDeviceQueue
  std::vector<Fr> inputs;
  unsigned failed_checks = 0;
  unsigned lost_devices = 0;  ///< devices that went into quarantine when it failed
  /// Who made the proof that failed its check: not to be who makes it again.
  struct Maker {
    std::size_t device;
    unsigned worker;
  };
  std::optional<Maker> avoid = {};
  SelfCheckEvidence evidence = {};
};

struct Job {
  JobIdentity identity;
  std::uint64_t sequence = 0;
  std::optional<Duration> abandon_grace;
  /// Null while a recovered job's request is being read, and when it is settled.
  std::shared_ptr<const Statement> statement;
  std::uint64_t statement_bytes = 0;  ///< that are reserved for it
  std::string circuit_id;
  std::vector<Partition> partitions;
  std::optional<Assembler> assembler;
  std::stop_source stop;  ///< asks its synthesis to end

  bool recovered = false;  ///< an earlier process accepted it
  /// Several processes died when they had begun it: it runs alone (recovery.cc).
  bool suspect = false;
  bool running = false;  ///< something of it has begun
  bool settled = false;  ///< the outcome is decided: `result` is set and nothing more is begun
  bool final = false;    ///< the outcome is in the journal and visible
  bool stored = true;    ///< no crash takes the outcome away; false while the journal has not taken it
  bool kept = false;  ///< its end is not for the journal, where it stays as accepted: the next start runs it
  std::shared_ptr<JobResult> result;

  Clock::TimePoint accepted{};
  std::optional<Clock::TimePoint> load_began;  ///< it waits for its circuit since then
  bool waited_for_load = false;
  Clock::TimePoint settled_at{};  ///< in an earlier process: by its age
  StageTimes times;
  std::set<WaiterId> waiters;
  std::optional<Clock::TimePoint> abandoned_until;  ///< nobody waits: cancelled then

  [[nodiscard]] JobState state() const {
    if (final) return result->state;
    return running || settled ? JobState::kRunning : JobState::kQueued;
  }
};

/// A partition of a job, by value.
struct Member {
  JobPtr job;
  std::uint32_t partition = 0;
  [[nodiscard]] Partition& get() const { return job->partitions[partition]; }
};

/// What waits for admission: the partitions of one job, or of one batch of jobs. All of one circuit.
struct Waiting {
  std::deque<Member> members;
  bool together = false;  ///< admitted and launched as one; otherwise one partition after the other
};

/// Partitions that go to the device together; one is the usual case. It holds the members' memory from
/// admission to the end of the launch, and a reference on the circuit for each until its proof is checked.
struct Launch {
  OrderKey order;
  CachedCircuit* circuit = nullptr;
  std::vector<Member> members;   ///< in partition order; those of settled jobs are taken out between stages
  std::size_t in_synthesis = 0;  ///< members without witness
  bool holds_memory = true;      ///< of its members; until the launch is over
  bool queued = false;           ///< is in device_queue_
  bool accepted = false;         ///< the device queue had room for it: no permit is held any more
  bool alone = false;            ///< of a suspect: nothing else is in flight
};

/// One device and its workers' shared state.
struct DeviceSlot {
  std::shared_ptr<Device> device;
  std::size_t index = 0;
  groth16::DeviceLock lock;
  bool quarantined = false;
  std::string quarantine_reason;
  std::vector<JobPtr> current;  ///< by worker: a job of the launch that it has
  JobPtr holder;                ///< a job of the launch that has the lock
  std::uint32_t workers_busy = 0;
  std::uint64_t launches = 0;
  std::uint64_t launch_failures = 0;
  Duration lock_held{};
  Duration key_held{};
};

/// A launch that waits for its epilogue and check, or is in it.
struct Finishing {
  LaunchPtr launch;
  DeviceSlot* device = nullptr;
  unsigned worker = 0;
  std::optional<groth16::Pending> pending;
  Duration device_time{};  ///< in which stages of the launch ran
};

/// What an event says beside who and when.
struct EventDetail {
  const char* stage = nullptr;
  std::optional<Duration> device_time = {};
};

/// What a loader does.
struct LoadTask {
  CachedCircuit* circuit = nullptr;  ///< load what it lacks; or
  JobPtr job;                        ///< read the request of a recovered job
};

// Words that the members below share:
//   gather    jobs into a batch, before they wait for admission (batched mode)
//   admit     a launch gets its memory, and its circuit a reference for each member; then it is synthesised
//   accept    of a job: submit took it. Of a launch: the device queue has room, so the permit is free
//   settle    a job's outcome is decided; final: it is in the journal and visible
//   take out  a member leaves its launch, whatever became of it, with its memory and its reference
//   release   of a reference on a circuit; of bytes in the budget: they are free at once
//   evict     a circuit's key or shape goes to make room, or because somebody asked for it
//   spoil     a key is not used again, and is evicted with the last reference
//   drop      what was evicted is taken from the devices and freed (the dropper); a job's queued partitions
//             are taken out
//   discard   something large is left to the keeper to free; let go: the same with its bytes, which count as
//             taken until nobody holds it (FreedMemory), when collect_freed gives them back
//   forget    a waiter that hung up; a result whose retention is over

/// The engine behind its public face. One mutex guards everything below it; one condition tells of every
/// change. Whatever may take time (synthesis, provers, verification, loading, the journal, callbacks, freeing
/// large objects) runs without the mutex.
class Engine::Impl {
 public:
  Impl(EngineConfig config, EngineParts parts);

  // ---- engine.cc
  Result<void> start();
  bool shut_down(std::optional<Duration> patience);
  void stop_submissions();

  // ---- submission.cc
  Submission submit(JobRequest request);
  Result<WaiterId> await(const std::string& job_id, std::optional<Duration> timeout, AwaitCallback done);
  bool forget(WaiterId waiter);
  Result<Cancelled> cancel(const std::string& job_id);

  // ---- loading.cc
  void preload(const std::string& circuit_id, PreloadCallback done);
  Result<Evicted> evict(const std::string& circuit_id);
  Result<std::uint64_t> loaded_or_file_bytes(const std::string& circuit_id);
  [[nodiscard]] std::string budget_in_words() const;

  // ---- status.cc
  [[nodiscard]] Status status() const;
  [[nodiscard]] std::vector<JobStatus> jobs(std::size_t limit) const;
  [[nodiscard]] Result<JobStatus> job(const std::string& job_id) const;

 private:
  [[nodiscard]] JobStatus describe(const Job& job) const;

  using Lock = std::unique_lock<std::mutex>;
  using TimePoint = Clock::TimePoint;
  using Wake = std::optional<TimePoint>;
  /// request id, kind, payload digest
  using RequestKey = std::tuple<std::string, ProofKind, Bytes32>;

  [[nodiscard]] TimePoint now() const { return parts_.clock.now(); }
  void changed() { condition_->notify_all(); }
  void wait(Lock& lock, Wake until = {}) {
    until ? condition_->wait_until(lock, *until) : condition_->wait(lock);
  }

  // ---- submission.cc
  struct Submitting;
  [[nodiscard]] bool blocks_its_id(const Job& job) const;
  [[nodiscard]] std::optional<Submission> known_submission(const RequestKey& key, Submitting& submitting);
  [[nodiscard]] std::optional<Submission> check_submission(JobRequest& request, Submitting& submitting);
  [[nodiscard]] std::optional<Submission> wait_to_read(Lock& lock, const OrderKey& key, std::uint64_t bytes);
  [[nodiscard]] bool may_read(std::uint64_t bytes) const;
  void begin_reading(std::uint64_t bytes);
  void end_reading(std::uint64_t bytes);
  void hold_statement(Job& job, std::shared_ptr<const Statement> statement);
  [[nodiscard]] std::string new_job_id(ProofKind kind);
  void adopt(const JobPtr& job);
  void not_abandoned(Job& job);
  void waiter_left(Job& job, WaiterId waiter);
  void begin_grace(Job& job);
  [[nodiscard]] std::uint32_t jobs_before(const Job& job) const;

  // ---- scheduling.cc: everything with the mutex held
  [[nodiscard]] OrderKey order_of(const Job& job, std::uint32_t partition);
  void enqueue(const JobPtr& job);
  void gather(const JobPtr& job);
  void flush_batch();
  void wait_for_admission(std::deque<Member> members, bool together);
  enum class Verdict { kRoom, kPass, kNoRoom, kNever };
  [[nodiscard]] Verdict consider(const OrderKey& key, const Waiting& waiting, Wake& wake);
  [[nodiscard]] bool goes_before(const Job& a, const Job& b) const;
  [[nodiscard]] bool gate_open(const Waiting& waiting) const;
  using Room = CircuitCache::Room;
  [[nodiscard]] Room make_room(std::uint64_t bytes, const CachedCircuit& keep, bool urgent, Wake& wake);
  [[nodiscard]] Room want(CachedCircuit& circuit, const OrderKey& key, bool urgent, Wake& wake);
  void prefetch(Job& job);
  void waits_for_load(Job& job);
  struct Admitted {
    Member member;
    LaunchPtr launch;
  };
  [[nodiscard]] std::optional<Admitted> next_partition(Wake& wake);
  void refuse(Waiting waiting, const CachedCircuit& circuit);
  void admit(std::deque<Member> members, CachedCircuit& circuit);
  void left_synthesis(const LaunchPtr& launch);
  void queue_launch(const LaunchPtr& launch);
  void queue_by_job(Launch& launch);
  void accept_launch(Launch& launch);

  // ---- outcomes.cc: everything with the mutex held
  void take_out(const Member& member);
  /// Leaves it to the keeper, as a chore, to free something large without the mutex.
  void discard(std::shared_ptr<const void> what) {
    if (what != nullptr) chores_.push_back([what = std::move(what)] {});
  }
  /// The same with its memory, which is free when nobody else holds it either.
  void let_go(MemoryUse use, std::uint64_t bytes, std::shared_ptr<const void> what) {
    if (what == nullptr) {
      budget_.release(use, bytes);
      return;
    }
    freed_.add(use, bytes, {what});
    discard(std::move(what));
  }
  void prove_again(const Member& member, std::optional<Partition::Maker> avoid);
  void piece_done(const Member& member, const groth16::Proof& proof);
  void settle(const JobPtr& job, JobState state, FailureClass failure, std::string message);
  void fail(const JobPtr& job, FailureClass failure, const std::string& what) {
    settle(job, JobState::kFailed, failure, what);
  }
  void drop_queued_partitions(const JobPtr& job);
  void check_failed(const Member& member, const DeviceSlot& device, unsigned worker,
                    std::vector<std::uint8_t> proof, const std::string& reason);
  [[nodiscard]] bool avoids(const Launch& launch, const DeviceSlot& device, unsigned worker) const;
  void quarantine(DeviceSlot& device, const std::string& why, DeviceFault fault);
  [[nodiscard]] bool any_device() const;
  [[nodiscard]] bool is_last(const DeviceSlot& device, DeviceFault fault) const;
  /// Whether jobs outlive the loss of all devices.
  [[nodiscard]] bool keeps_jobs() const { return parts_.journal != nullptr && parts_.on_devices_lost; }

  // ---- workers.cc
  void synthesis_worker(unsigned worker);
  void synthesise(Lock& lock, unsigned worker, const Admitted& admitted);
  void device_worker(DeviceSlot& device, unsigned worker);
  void run_launch(Lock& lock, DeviceSlot& device, unsigned worker, const LaunchPtr& launch);
  void proving_failed(DeviceSlot& device, unsigned worker, const LaunchPtr& launch, const Error& error);
  void spoil_after(CachedCircuit& circuit, const Error& error);
  void finisher();
  void finish(Lock& lock, Finishing& work);
  /// Who does something to a launch or a partition, for the timeline.
  struct Actor {
    const DeviceSlot* device;
    std::optional<unsigned> worker;
  };
  void record(timeline::EventKind kind, const Member& member, TimePoint time, Actor actor) const;
  void record(timeline::EventKind kind, const std::vector<Member>& members, TimePoint time, Actor actor,
              const EventDetail& detail = {}) const;
  void record_done(const JobResult& result) const;
  [[nodiscard]] groth16::DeviceLock watched_lock(DeviceSlot& device, const std::vector<Member>& members,
                                                 const Actor& actor);
  /// How keys are copied to a device and taken from it (`what`: "copy" or "drop"; static storage): under its
  /// lock, seen by the timeline, and next. Whoever asked for a key had its turn in the order of loads; and
  /// freed memory is waited for by somebody whose place is not known here.
  [[nodiscard]] groth16::LaunchOptions key_access(DeviceSlot& device, const char* what,
                                                  const std::string& circuit_id);
  void record_key(timeline::EventKind kind, TimePoint time, const DeviceSlot& device, const char* what,
                  const std::string& circuit_id) const;

  // ---- loading.cc
  void loader();
  void load_circuit(Lock& lock, CachedCircuit& circuit);
  void load_failed(CachedCircuit& circuit, const Error& error, FailureClass failure);
  /// For every device, in service or not. Without the mutex.
  [[nodiscard]] std::vector<KeyHostBytes> host_bytes_on_devices(const Shape& shape) const;
  void go_on_with_preload(CachedCircuit& circuit);
  void answer_preloads(CachedCircuit& circuit, const Result<Preloaded>& answer);
  void dropper();
  void drop_from(DeviceSlot& slot, const CircuitKey& key, const std::string& circuit_id);
  void collect_freed();

  // ---- recovery.cc
  void recover(const Journal::Recovered& recovered);
  [[nodiscard]] std::uint64_t most_reading_bytes() const;
  void read_recovered(Lock& lock, const JobPtr& job);
  void release_suspect(Wake& wake);
  void take_starts_back(const std::vector<JobPtr>& stopped);
  [[nodiscard]] bool suspect_runs() const;
  [[nodiscard]] bool held_back(const Job& job) const;

  // ---- delivery.cc
  void delivery();
  void deliver(Lock& lock, const JobPtr& job);
  bool stored_now(Job& job, const Result<Journal::Place>& place);
  void retry_journal(Lock& lock);
  void probe_journal(Lock& lock);
  void forget_results(Lock& lock);

  // ---- keeper.cc
  void keeper();
  [[nodiscard]] bool nothing_left() const;
  [[nodiscard]] bool finished_is_delivered() const;
  void tell_of_loss(Lock& lock);

  const EngineConfig config_;
  const EngineParts parts_;
  const PipelineMode mode_;
  const TimePoint started_;
  unsigned synthesis_workers_ = 0;
  unsigned finishers_ = 0;
  std::size_t queue_depth_ = 0;
  std::string id_prefix_;  // random: job ids differ between processes

  mutable std::mutex mutex_;
  const std::unique_ptr<Condition> condition_;
  // Everything below is guarded by mutex_.
  QueueCounts queue_counts_;
  Counters counters_;
  MemoryBudget budget_;
  FreedMemory freed_;
  CircuitCache cache_;
  std::vector<std::unique_ptr<DeviceSlot>> devices_;  // the vector itself never changes

  std::map<std::string, JobPtr> jobs_;       // by job id: every job that is not forgotten
  std::map<RequestKey, JobPtr> by_request_;  // the latest attempt
  std::set<RequestKey> submitting_;          // being checked and stored by submit
  std::size_t submissions_ = 0;              // the same, with those that have no request id
  std::set<OrderKey> to_read_;               // submissions that wait for memory to read their request
  std::uint64_t reading_bytes_ = 0;          // of MemoryUse::kRequests: of requests that are read now
  std::map<std::uint64_t, JobPtr> live_;     // by sequence: jobs that are not final
  std::deque<std::pair<TimePoint, JobPtr>> retained_;  // final jobs, by the end of their retention
  std::uint64_t next_job_ = 1;
  std::uint64_t next_serial_ = 1;
  WaiterId next_waiter_ = 1;

  struct Waiter {
    JobPtr job;
    AwaitCallback done;
    std::optional<TimePoint> deadline;
  };
  std::map<WaiterId, Waiter> waiters_;
  std::set<std::pair<TimePoint, WaiterId>> deadlines_;
  std::set<std::pair<TimePoint, std::uint64_t>> abandoned_;  // until when, and the job's sequence

  /// The jobs that gather (batched mode).
  struct Batch {
    std::vector<JobPtr> jobs;
    TimePoint flush_at{};
  };
  std::optional<Batch> batch_;

  OrderedQueue<Waiting> waiting_{queue_counts_};
  OrderedQueue<Admitted> admitted_{queue_counts_};
  OrderedQueue<LaunchPtr> device_queue_{queue_counts_};
  OrderedQueue<Finishing> finish_queue_{queue_counts_};
  OrderedQueue<LoadTask> load_queue_{queue_counts_};
  OrderedQueue<JobPtr> delivery_queue_{queue_counts_};
  std::size_t launches_in_flight_ = 0;  // admitted, not yet through their check
  std::size_t launches_in_synthesis_ = 0;
  std::size_t launches_alone_ = 0;  // of those in flight: of a suspect
  std::size_t finishing_ = 0;       // launches in finish_queue_ or in their epilogue
  unsigned synthesis_busy_ = 0;
  unsigned synthesis_helpers_ = 0;  // threads of the pool that they have work for beside their own

  struct PreloadWaiter {
    PreloadCallback done;
    TimePoint since{};
  };
  std::multimap<std::string, PreloadWaiter> preloads_;  // by circuit id
  std::vector<std::function<void()>> chores_;           // for the keeper, without the mutex
  std::vector<JobPtr> unstored_;                        // final, but not where the journal stores results
  TimePoint retry_journal_at_{};
  /// The journal did not take a request of so many bytes, and was not seen to have room for it since.
  struct JournalRefusal {
    std::string message;
    std::uint64_t bytes = 0;
    TimePoint probe_at{};
  };
  std::optional<JournalRefusal> journal_refusal_;
  std::vector<std::string> to_forget_;                  // job ids that leave the journal
  std::vector<std::pair<TimePoint, JobPtr>> suspects_;  // whose turn has not come, and from when it may
  JobPtr suspect_;                                      // whose turn it is, or was
  TimePoint suspect_first_at_{};                        // from then on nothing goes before it
  bool suspect_reading_ = false;                        // its request is being read, or was

  std::stop_source stop_loads_;  // not guarded: it is thread-safe

  /// Every device is lost: nothing is begun any more.
  struct Loss {
    DevicesLost what;
    TimePoint tell_at{};  // at the latest
    bool told = false;
  };
  std::optional<Loss> loss_;

  bool submissions_stopped_ = false;
  bool stopping_ = false;             // threads end when their queues are empty
  bool delivered_all_ = false;        // the delivery thread has ended
  std::vector<std::thread> threads_;  // not guarded: start and shut_down only
};

/// Maps an error of reading, synthesis or loading to a failure class.
[[nodiscard]] FailureClass classify(const Error& error);
/// Likewise one of a prover or of a device that works: memory is what they run out of.
[[nodiscard]] FailureClass classify_device(const Error& error);

/// What whoever asked for a circuit is told then.
[[nodiscard]] inline Error shutting_down() {
  return {ErrorCode::kStopped, "the engine is shutting down"};
}

/// What a retained result is budgeted for.
[[nodiscard]] std::uint64_t result_bytes(const JobResult& result);

/// How long what is finished may take to be delivered when every device is lost.
inline constexpr Duration kLossPatience = std::chrono::seconds(5);

/// How long after a write that the journal could not do the next one is tried.
inline constexpr Duration kJournalRetry = std::chrono::seconds(1);

/// Of the API: no request, and none in the journal, is larger.
inline constexpr std::uint64_t kMostRequestBytes = std::uint64_t{256} << 20;

}  // namespace cuzk::engine
