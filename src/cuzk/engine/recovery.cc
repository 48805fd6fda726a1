// What becomes of the jobs that an earlier process left in the journal.

#include <algorithm>

#include "cuzk/engine/internal/engine_impl.h"
#include "cuzk/engine/internal/guarded.h"

namespace cuzk::engine {
namespace {

// A job that takes the process with it must not do so for ever, and one that only ran when the process died
// must not fail for that. Counted is how many processes died after they had begun the job (Journal::begin); a
// stop in good order takes the start back. It is
//
//     a job like others   until kSuspicious of them have died,
//     a suspect           from then on: the suspects come when every other job that the journal had is done,
//                         one after another, those with the fewest deaths first, each alone: while it runs no
//                         partition of another job is in flight, so only its own runs are counted from here,
//     failed              when kMostAlone processes have died of which it was all that they did.

constexpr std::uint32_t kSuspicious = 3;
/// Many, because a machine that is restarted a few times while it runs is not its fault.
constexpr std::uint32_t kMostAlone = 16;

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
  std::multimap<std::uint32_t, JobPtr> suspects;  // by their deaths
  for (const Journal::Unfinished& unfinished : recovered.unfinished) {
    auto job = std::make_shared<Job>();
    job->identity = unfinished.identity;
    job->sequence = next_job_++;
    job->accepted = now();
    job->recovered = true;
    job->suspect = unfinished.starts >= kSuspicious;
    jobs_[job->identity.job_id] = job;
    live_[job->sequence] = job;
    if (!job->identity.request_id.empty())
      by_request_[{job->identity.request_id, job->identity.kind, job->identity.digest}] = job;
    ++counters_.recovered;
    if (unfinished.starts >= kSuspicious + kMostAlone)
      fail(job, FailureClass::kInternal,
           "the process has died " + std::to_string(unfinished.starts) +
               " times after it was begun, the last " + std::to_string(unfinished.starts - kSuspicious) +
               " when nothing else was");
    else if (job->suspect)
      suspects.emplace(unfinished.starts, job);
    else
      load_queue_.push(key_of(*job, 0), LoadTask{nullptr, job});
  }
  for (auto& [starts, job] : suspects) suspects_.push_back(std::move(job));
}

/// Whether the suspect whose turn it is has begun, or something of it is still in flight: nothing of another
/// job is begun then.
bool Engine::Impl::suspect_runs() const {
  return launches_alone_ > 0 || (suspect_ != nullptr && suspect_->running && !suspect_->settled);
}

/// The next suspect gets its turn, if nothing is before it.
void Engine::Impl::release_suspect() {
  while (!suspects_.empty() && suspects_.front()->settled) suspects_.pop_front();  // cancelled meanwhile
  if (suspects_.empty() || stopping_ || suspect_runs() || (suspect_ != nullptr && !suspect_->settled)) return;
  for (const auto& [sequence, job] : live_)
    if (job->recovered && !job->suspect && !job->settled) return;
  suspect_ = std::move(suspects_.front());
  suspects_.pop_front();
  load_queue_.push(key_of(*suspect_, 0), LoadTask{nullptr, suspect_});
  changed();
}

/// The engine has ended in good order: it is not these that ended it. Without the mutex, when no thread is
/// left.
void Engine::Impl::take_starts_back(const std::vector<JobPtr>& stopped) {
  std::vector<std::string> ids;
  for (const JobPtr& job : stopped)
    if (job->running && job->result->failure == FailureClass::kShutdown) ids.push_back(job->identity.job_id);
  if (parts_.journal != nullptr && !ids.empty())
    (void)guarded([&] { return parts_.journal->take_back(ids); });
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
