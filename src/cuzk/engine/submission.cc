// What the outside asks: submissions, waiters, cancellation.

#include <algorithm>

#include "cuzk/engine/internal/engine_impl.h"
#include "cuzk/engine/internal/guarded.h"

namespace cuzk::engine {
namespace {

Submission refusal(Submission::Outcome outcome, FailureClass failure, const std::string& what) {
  Submission out;
  out.outcome = outcome;
  out.message = std::string(to_string(failure)) + ": " + what;
  return out;
}

}  // namespace

/// Memory of a request while it is read: its bytes, the text of the wrapper decoded, the statement; and the
/// copy for the journal.
std::uint64_t reading_bytes(const ProofRequest& request, bool journal) {
  std::uint64_t bytes = request.vanilla_proof.size() + request.randomness.size() + request.comm_r_old.size() +
                        request.comm_r_new.size() + request.comm_d_new.size();
  for (const std::vector<std::uint8_t>& proof : request.vanilla_proofs) bytes += proof.size();
  return bytes * (journal ? 4 : 3);
}

/// What submit finds out about a request before it becomes a job.
struct Engine::Impl::Submitting {
  JobIdentity identity;
  std::shared_ptr<const Statement> statement;
  std::uint64_t params_bytes = 0;
};

std::string Engine::Impl::new_job_id(ProofKind kind) {
  return std::string(to_string(kind)) + "-" + id_prefix_ + "-" + std::to_string(next_job_);
}

std::uint32_t Engine::Impl::jobs_before(const Job& job) const {
  return static_cast<std::uint32_t>(std::count_if(live_.begin(), live_.end(), [&](const auto& entry) {
    const Job& other = *entry.second;
    return !other.settled && goes_before(other, job);
  }));
}

/// Whether another payload under the job's request id is a conflict (OnConflict::kReject): it runs, has
/// succeeded, or runs again at the next start. One that is forgotten and still in the journal is in nobody's
/// way.
bool Engine::Impl::blocks_its_id(const Job& job) const {
  if (!jobs_.contains(job.identity.job_id)) return false;
  return !job.settled || job.kept || job.result->state == JobState::kCompleted;
}

/// What the engine knows about the request already: a refusal, or the job of an identical one, also while it
/// takes nothing new. Nothing: it is to become a job, and `submitting` says which attempt.
std::optional<Submission> Engine::Impl::known_submission(const RequestKey& key, Submitting& submitting) {
  const auto& [request_id, kind, digest] = key;
  if (!request_id.empty()) {
    if (const auto known = by_request_.find(key); known != by_request_.end()) {
      const Job& job = *known->second;
      Submission out;
      out.job_id = job.identity.job_id;
      if (!job.settled) {
        ++counters_.attached;
        out.outcome = Submission::Outcome::kAttached;
        out.queue_position = jobs_before(job);
        return out;
      }
      if (job.result->state == JobState::kCompleted) {
        ++counters_.answered_stored;
        out.outcome = Submission::Outcome::kStored;
        return out;
      }
      submitting.identity.attempt = job.identity.attempt + 1;
    }
  }
  if (submissions_stopped_)
    return refusal(Submission::Outcome::kDraining, FailureClass::kShutdown, "the engine is shutting down");
  if (config_.on_conflict == OnConflict::kReject && !request_id.empty()) {
    for (auto at = by_request_.lower_bound({request_id, kind, Bytes32{}});
         at != by_request_.end() && std::get<0>(at->first) == request_id && std::get<1>(at->first) == kind;
         ++at)
      if (std::get<2>(at->first) != digest && blocks_its_id(*at->second))
        return refusal(Submission::Outcome::kConflict, FailureClass::kInvalidInput,
                       "request_id " + request_id + " is known with another payload, as job " +
                           at->second->identity.job_id);
  }
  if (!any_device())
    return refusal(Submission::Outcome::kNoDevice, FailureClass::kDevice, "every device is out of service");
  if (!unstored_.empty())
    return refusal(Submission::Outcome::kJournalFailed, FailureClass::kResource,
                   "the journal cannot store results");
  if (live_.size() + submissions_ >= config_.max_pending)
    return refusal(Submission::Outcome::kQueueFull, FailureClass::kResource,
                   std::to_string(live_.size() + submissions_) +
                       " jobs are not done, as many as scheduler.max_pending allows");
  return std::nullopt;
}

bool Engine::Impl::may_read(std::uint64_t bytes) const {
  return budget_.reserved(MemoryUse::kRequests) == 0 || budget_.fits(MemoryUse::kRequests, bytes);
}

void Engine::Impl::begin_reading(std::uint64_t bytes) {
  budget_.take(MemoryUse::kRequests, bytes);
  reading_bytes_ += bytes;
}

void Engine::Impl::end_reading(std::uint64_t bytes) {
  budget_.release(MemoryUse::kRequests, bytes);
  reading_bytes_ -= bytes;
  changed();
}

void Engine::Impl::hold_statement(Job& job, std::shared_ptr<const Statement> statement) {
  job.statement_bytes = statement->memory_bytes();
  budget_.take(MemoryUse::kRequests, job.statement_bytes);
  job.statement = std::move(statement);
}

/// Until there is memory to read a request: other requests are through soon. Memory of statements that wait
/// to be proved is not waited for.
std::optional<Submission> Engine::Impl::wait_to_read(Lock& lock, const OrderKey& key, std::uint64_t bytes) {
  const std::uint64_t room = budget_.room(MemoryUse::kRequests);
  if (bytes > room)
    return refusal(Submission::Outcome::kTooLarge, FailureClass::kResource,
                   "reading the request needs " + std::to_string(bytes) +
                       " bytes of memory, the budget for requests is " + std::to_string(room));
  to_read_.insert(key);
  std::optional<Submission> refused;
  while (!(key == *to_read_.begin() && may_read(bytes))) {
    const std::uint64_t held =
        budget_.reserved(MemoryUse::kRequests) - reading_bytes_ - freed_.bytes(MemoryUse::kRequests);
    if (submissions_stopped_)
      refused =
          refusal(Submission::Outcome::kDraining, FailureClass::kShutdown, "the engine is shutting down");
    else if (held > 0 && held + budget_.reserved(MemoryUse::kResults) + bytes > room)
      refused = refusal(Submission::Outcome::kQueueFull, FailureClass::kResource,
                        "the requests that are not done take " + std::to_string(held) +
                            " bytes of memory, reading this one needs " + std::to_string(bytes) +
                            ", the budget for requests is " + std::to_string(room));
    if (refused) break;
    wait(lock);
  }
  to_read_.erase(key);
  changed();
  if (!refused) begin_reading(bytes);
  return refused;
}

/// Everything that takes time before a request counts: reading it, the vanilla check, the journal. Without
/// the mutex.
std::optional<Submission> Engine::Impl::check_submission(JobRequest& request, Submitting& submitting) {
  ProofRequest for_journal;
  if (parts_.journal != nullptr) for_journal = request.proof;
  Result<std::shared_ptr<const Statement>> statement =
      parts_.read_request(parts_.pool, std::move(request.proof));
  if (!statement) {
    const FailureClass failure = classify(statement.error());
    return refusal(failure == FailureClass::kResource   ? Submission::Outcome::kTooLarge
                   : failure == FailureClass::kInternal ? Submission::Outcome::kDefect
                                                        : Submission::Outcome::kInvalid,
                   failure, statement.error().message);
  }
  if (const Result<void> provable = (*statement)->provable(); !provable)
    return refusal(Submission::Outcome::kInvalid, FailureClass::kInvalidInput, provable.error().message);
  const std::string& circuit = (*statement)->circuit_id();
  const Result<std::uint64_t> params = loaded_or_file_bytes(circuit);
  if (!params) return refusal(Submission::Outcome::kParams, FailureClass::kParams, params.error().message);
  submitting.params_bytes = *params;
  {
    const Lock lock(mutex_);
    // Exact when the circuit's shape is here; without it, the parameters alone.
    const CachedCircuit* known = cache_.find(circuit);
    const bool together = mode_ != PipelineMode::kPerPartition && mode_ != PipelineMode::kSlotted;
    const std::uint64_t need = known != nullptr && known->shape != nullptr
                                   ? known->total_bytes(together ? (*statement)->partitions() : 1)
                                   : *params;
    if (need > budget_.room(MemoryUse::kKeys))
      return refusal(Submission::Outcome::kTooLarge, FailureClass::kResource,
                     circuit + " needs " + std::to_string(need) + " bytes of memory" +
                         (need == *params ? " for its parameters alone, beside which its shape and what is "
                                            "proved have to fit"
                                          : "") +
                         ", " + budget_in_words());
  }
  submitting.statement = std::move(*statement);
  if (parts_.journal != nullptr) {
    const std::uint64_t bytes = reading_bytes(for_journal, true) / 4;
    const Result<void> stored = parts_.journal->accept(submitting.identity, for_journal);
    const Lock lock(mutex_);
    if (!stored) {
      ++counters_.journal_failures;
      const std::uint64_t before = journal_refusal_ ? journal_refusal_->bytes : 0;
      journal_refusal_ =
          JournalRefusal{stored.error().message, std::max(before, bytes), now() + kJournalRetry};
      changed();
      return refusal(Submission::Outcome::kJournalFailed, FailureClass::kResource, stored.error().message);
    }
    if (journal_refusal_ && journal_refusal_->bytes <= bytes) journal_refusal_.reset();
  }
  return std::nullopt;
}

Submission Engine::Impl::submit(JobRequest request) {
  Submitting submitting;
  JobIdentity& identity = submitting.identity;
  identity.request_id = request.request_id;
  identity.kind = request.proof.kind;
  identity.digest = payload_digest(request.proof);
  identity.priority = effective_priority(request.priority, identity.kind);
  const RequestKey key{identity.request_id, identity.kind, identity.digest};

  Lock lock(mutex_);
  while (true) {
    if (std::optional<Submission> known = known_submission(key, submitting)) {
      if (!known->accepted()) ++counters_.refused;
      if (known->outcome == Submission::Outcome::kAttached) {
        Job& job = *jobs_.at(known->job_id);
        // A job that somebody asked for without hanging on to it runs to its end. Who does hang on to it has
        // the grace anew, to begin to wait.
        if (!request.abandon_grace) job.abandon_grace.reset();
        if (job.abandoned_until) {
          not_abandoned(job);
          begin_grace(job);
        }
      }
      return *known;
    }
    // Submissions without a request id are never alike.
    if (identity.request_id.empty()) break;
    // Where another payload is a conflict, the first of two that come at once decides.
    const auto rival = submitting_.lower_bound({identity.request_id, identity.kind, Bytes32{}});
    const bool conflict = config_.on_conflict == OnConflict::kReject && rival != submitting_.end() &&
                          std::get<0>(*rival) == identity.request_id && std::get<1>(*rival) == identity.kind;
    if (!conflict && submitting_.insert(key).second) break;
    wait(lock);
  }
  identity.job_id = new_job_id(identity.kind);
  const std::uint64_t sequence = next_job_++;
  ++submissions_;

  const std::uint64_t reading = reading_bytes(request.proof, parts_.journal != nullptr);
  const OrderKey place{static_cast<std::uint8_t>(4 - static_cast<unsigned>(identity.priority)), 0, sequence,
                       0, 0};
  std::optional<Submission> refused = wait_to_read(lock, place, reading);
  if (!refused) {
    lock.unlock();
    bool no_memory = false;
    const Result<void> checked = guarded(no_memory, [&]() -> Result<void> {
      refused = check_submission(request, submitting);
      return {};
    });
    if (!checked)
      refused = no_memory
                    ? refusal(Submission::Outcome::kTooLarge, FailureClass::kResource, kOutOfMemory)
                    : refusal(Submission::Outcome::kDefect, FailureClass::kInternal, checked.error().message);
    request.proof = {};
    lock.lock();
    end_reading(reading);
  }
  --submissions_;
  if (!identity.request_id.empty()) submitting_.erase(key);
  changed();
  if (refused) {
    ++counters_.refused;
    return *refused;
  }
  auto job = std::make_shared<Job>();
  job->identity = identity;
  job->sequence = sequence;
  job->abandon_grace = request.abandon_grace;
  job->accepted = now();
  hold_statement(*job, std::move(submitting.statement));
  cache_.entry(job->statement->circuit_id()).file_bytes = submitting.params_bytes;
  ++counters_.accepted;
  jobs_[identity.job_id] = job;
  live_[sequence] = job;
  if (!identity.request_id.empty()) {
    JobPtr& latest = by_request_[key];
    // The next start needs one attempt only.
    if (latest != nullptr && latest->kept) to_forget_.push_back(latest->identity.job_id);
    latest = job;
  }
  adopt(job);
  Submission out;
  out.outcome = Submission::Outcome::kAccepted;
  out.job_id = identity.job_id;
  out.queue_position = jobs_before(*job);
  return out;
}

/// A job whose statement is there enters the queues.
void Engine::Impl::adopt(const JobPtr& job) {
  job->circuit_id = job->statement->circuit_id();
  job->partitions.resize(job->statement->partitions());
  job->assembler.emplace(job->partitions.size());
  if (stopping_) {
    fail(job, FailureClass::kShutdown, "the engine was shut down");
  } else if (loss_ && keeps_jobs()) {
    // The journal has it; the next process begins it.
  } else if (!any_device()) {
    fail(job, FailureClass::kDevice, "every device is out of service");
  } else {
    enqueue(job);
    prefetch(*job);
  }
  changed();
}

// ---- waiters

Result<WaiterId> Engine::Impl::await(const std::string& job_id, std::optional<Duration> timeout,
                                     AwaitCallback done) {
  Lock lock(mutex_);
  const auto known = jobs_.find(job_id);
  if (known == jobs_.end()) return usage_error("there is no job '" + job_id + "'");
  const JobPtr job = known->second;
  const WaiterId id = next_waiter_++;
  if (job->final) {
    const bool stored = job->stored;
    lock.unlock();
    done({job->result, stored});
    return id;
  }
  if (loss_ && loss_->told && !job->settled) {
    lock.unlock();
    done({.result = {}, .stored = true, .kept = true});
    return id;
  }
  Waiter waiter{job, std::move(done), {}};
  // Beyond what the clock can say a limit is none.
  if (timeout && *timeout < TimePoint::max() - now()) {
    waiter.deadline = now() + *timeout;
    deadlines_.emplace(*waiter.deadline, id);
  }
  waiters_.emplace(id, std::move(waiter));
  job->waiters.insert(id);
  not_abandoned(*job);
  changed();
  return id;
}

void Engine::Impl::not_abandoned(Job& job) {
  if (job.abandoned_until)
    abandoned_.erase({*std::exchange(job.abandoned_until, std::nullopt), job.sequence});
}

bool Engine::Impl::forget(WaiterId waiter) {
  const Lock lock(mutex_);
  const auto at = waiters_.find(waiter);
  if (at == waiters_.end()) return false;
  const JobPtr job = at->second.job;
  if (at->second.deadline) deadlines_.erase({*at->second.deadline, waiter});
  waiters_.erase(at);
  waiter_left(*job, waiter);
  changed();
  return true;
}

/// Without an answer. The last one starts the job's grace.
void Engine::Impl::waiter_left(Job& job, WaiterId waiter) {
  job.waiters.erase(waiter);
  if (job.waiters.empty() && !job.settled) begin_grace(job);
}

void Engine::Impl::begin_grace(Job& job) {
  if (!job.abandon_grace) return;
  job.abandoned_until = deadline(now(), *job.abandon_grace);
  abandoned_.emplace(*job.abandoned_until, job.sequence);
}

Result<Cancelled> Engine::Impl::cancel(const std::string& job_id) {
  const Lock lock(mutex_);
  const auto known = jobs_.find(job_id);
  if (known == jobs_.end()) return usage_error("there is no job '" + job_id + "'");
  const JobPtr& job = known->second;
  if (job->settled) return Cancelled{.was_running = false, .was_settled = true};
  const bool was_running = job->running;
  settle(job, JobState::kCancelled, FailureClass::kNone, "cancelled");
  return Cancelled{.was_running = was_running, .was_settled = false};
}

}  // namespace cuzk::engine
