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
//     a suspect           from then on: it has a turn of its own. While it runs no partition of another
//                         job is in flight and none is begun, so only its own runs are counted from here,
//     failed              when kMostAlone processes have died of which it was all that they did.
//
// The turn comes at once after kSuspicious deaths, kTurnDelay later for each further one, or when every other
// job that the journal had is done: what ends the process again and again leaves more and more time to
// others. There is one turn at a time; of several suspects the most urgent is next. Then nothing that is less
// urgent is begun, what has begun ends (it would be counted otherwise), and the suspect is begun. More urgent
// jobs go first, but not for longer than kTurnPatience.

constexpr std::uint32_t kSuspicious = 3;
/// Many, because a machine that is restarted a few times while it runs is not its fault.
constexpr std::uint32_t kMostAlone = 16;
constexpr Duration kTurnDelay = std::chrono::minutes(1);
constexpr Duration kTurnPatience = std::chrono::minutes(5);

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
      suspects_.emplace_back(now() + (unfinished.starts - kSuspicious) * kTurnDelay, job);
    else
      load_queue_.push(order_of(*job, 0), LoadTask{nullptr, job});
  }
}

/// Whether the suspect whose turn it is has begun, or something of it is still in flight: nothing of another
/// job is begun then.
bool Engine::Impl::suspect_runs() const {
  return launches_alone_ > 0 || (suspect_ != nullptr && suspect_->running && !suspect_->settled);
}

/// Whether a job that may be begun otherwise is not, because it is a suspect's turn.
bool Engine::Impl::held_back(const Job& job) const {
  if (suspect_ == nullptr || suspect_->settled || suspect_->running) return false;
  if (&job == suspect_.get())
    return launches_in_flight_ > 0 || std::any_of(live_.begin(), live_.end(), [](const auto& entry) {
             return entry.second->running && !entry.second->settled;
           });
  if (job.running) return false;
  // While there is no memory to read its request, which others have, these go on.
  if (suspect_->statement == nullptr && !suspect_reading_ && !may_read(most_reading_bytes())) return false;
  return now() >= suspect_first_at_ || goes_before(*suspect_, job);
}

/// The next suspect gets its turn, when it is time for it.
void Engine::Impl::release_suspect(Wake& wake) {
  if (stopping_ || suspect_runs()) return;
  const auto wake_at = [&](TimePoint time) {
    if (time > now() && (!wake || time < *wake)) wake = time;
  };
  if (suspect_ != nullptr && !suspect_->settled) {
    wake_at(suspect_first_at_);
    return;
  }
  std::erase_if(suspects_, [](const auto& entry) { return entry.second->settled; });  // cancelled meanwhile
  if (suspects_.empty()) return;
  auto next = std::min_element(suspects_.begin(), suspects_.end(),
                               [](const auto& a, const auto& b) { return a.first < b.first; });
  if (next->first > now()) {
    if (std::any_of(live_.begin(), live_.end(), [](const auto& entry) {
          return entry.second->recovered && !entry.second->suspect && !entry.second->settled;
        })) {
      wake_at(next->first);
      return;
    }
  } else {
    for (auto at = suspects_.begin(); at != suspects_.end(); ++at)
      if (at->first <= now() && goes_before(*at->second, *next->second)) next = at;
  }
  suspect_ = std::move(next->second);
  suspects_.erase(next);
  suspect_first_at_ = now() + kTurnPatience;
  suspect_reading_ = false;
  wake_at(suspect_first_at_);
  load_queue_.push(order_of(*suspect_, 0), LoadTask{nullptr, suspect_});
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
  if (job == suspect_) suspect_reading_ = true;
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
