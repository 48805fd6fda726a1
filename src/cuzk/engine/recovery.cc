// What becomes of the jobs that an earlier process left in the journal.

#include <algorithm>

#include "cuzk/engine/internal/engine_impl.h"
#include "cuzk/engine/internal/guarded.h"

namespace cuzk::engine {
namespace {

/// A job that this many processes have begun and none has finished is the likely reason why they end. Many,
/// because a machine that is restarted a few times while it runs is not its fault.
constexpr std::uint32_t kMostStarts = 32;

}  // namespace

void Engine::Impl::recover(const Journal::Recovered& recovered) {
  const Lock lock(mutex_);
  for (const Journal::Finished& finished : recovered.finished) {
    auto job = std::make_shared<Job>();
    job->identity = finished.result->identity;
    job->sequence = next_job_++;
    job->settled = job->final = job->running = true;
    job->result = std::make_shared<JobResult>(*finished.result);
    job->settled_at = now() - finished.age;
    jobs_[job->identity.job_id] = job;
    if (!job->identity.request_id.empty())
      by_request_[{job->identity.request_id, job->identity.kind, job->identity.digest}] = job;
    retained_.emplace_back(deadline(job->settled_at, config_.result_retention), job);
    budget_.take(MemoryUse::kResults, result_bytes(*job->result));
    if (finished.place != Journal::Place::kStored) unstored_.push_back(job);
  }
  for (const Journal::Unfinished& unfinished : recovered.unfinished) {
    auto job = std::make_shared<Job>();
    job->identity = unfinished.identity;
    job->sequence = next_job_++;
    job->accepted = now();
    jobs_[job->identity.job_id] = job;
    live_[job->sequence] = job;
    if (!job->identity.request_id.empty())
      by_request_[{job->identity.request_id, job->identity.kind, job->identity.digest}] = job;
    ++counters_.recovered;
    if (unfinished.starts >= kMostStarts)
      fail(job, FailureClass::kInternal,
           "the process has ended " + std::to_string(unfinished.starts) + " times after it was begun");
    else
      load_queue_.push(key_of(*job, 0), LoadTask{nullptr, job});
  }
}

/// How large a request of the journal is shows only when it is there. Half of a small budget, so that those
/// that are read already do not keep the next one out until they are done.
std::uint64_t Engine::Impl::most_reading_bytes() const {
  return std::min(3 * kMostRequestBytes, budget_.room(MemoryUse::kRequests) / 2);
}

void Engine::Impl::read_recovered(Lock& lock, const JobPtr& job) {
  if (job->settled) return;
  const std::string id = job->identity.job_id;
  const std::uint64_t reading = most_reading_bytes();
  begin_reading(reading);
  lock.unlock();
  std::uint64_t params_bytes = 0;
  // By its reader, or because it is damaged: no later start will think otherwise.
  std::optional<FailureClass> refused;
  bool readable = false;
  Result<std::shared_ptr<const Statement>> statement =
      guarded([&]() -> Result<std::shared_ptr<const Statement>> {
        Result<ProofRequest> request = parts_.journal->payload(id);
        if (!request) {
          if (request.error().code == ErrorCode::kInternal) refused = FailureClass::kInternal;
          return request.error();
        }
        Result<std::shared_ptr<const Statement>> read = parts_.read_request(parts_.pool, *std::move(request));
        if (!read) {
          if (classify(read.error()) == FailureClass::kInvalidInput) refused = FailureClass::kInvalidInput;
          return read.error();
        }
        readable = true;
        CUZK_TRY_ASSIGN(params_bytes, parts_.circuits->params_bytes((*read)->circuit_id()));
        return read;
      });
  lock.lock();
  end_reading(reading);
  if (job->settled) {
    if (statement) discard(std::move(*statement));
    return;
  }
  if (!statement) {
    const Error error = statement.error().within("read again from the journal");
    if (refused) {
      fail(job, *refused, error.message);
      return;
    }
    // A volume that is not mounted, a lack of memory or of descriptors: the job was accepted, so it is not
    // given up for what may be otherwise at the next start.
    job->kept = true;
    fail(job, readable ? FailureClass::kParams : classify(statement.error()),
         error.message + "; the journal keeps the job and the next start tries again");
    return;
  }
  hold_statement(*job, std::move(*statement));
  cache_.entry(job->statement->circuit_id()).file_bytes = params_bytes;
  adopt(job);
}

}  // namespace cuzk::engine
