// How results leave: into the journal, then visible, then to the waiters; and what the journal could not do.

#include <algorithm>

#include "cuzk/engine/internal/engine_impl.h"
#include "cuzk/engine/internal/guarded.h"

namespace cuzk::engine {

void Engine::Impl::delivery() {
  Lock lock(mutex_);
  while (true) {
    if (!delivery_queue_.empty()) {
      deliver(lock, delivery_queue_.pop_front());
    } else if (!unstored_.empty() && (stopping_ || now() >= retry_journal_at_)) {
      retry_journal(lock);
    } else if (journal_refusal_ && !stopping_ && now() >= journal_refusal_->probe_at) {
      probe_journal(lock);
    } else if (!to_forget_.empty()) {
      forget_results(lock);
    } else if (stopping_ && live_.empty() && submissions_ == 0) {
      delivered_all_ = true;
      changed();
      return;
    } else {
      Wake wake;
      if (!unstored_.empty()) wake = retry_journal_at_;
      if (journal_refusal_ && !stopping_)
        wake = std::min(wake.value_or(journal_refusal_->probe_at), journal_refusal_->probe_at);
      wait(lock, wake);
    }
  }
}

/// SETTLED to final: into the journal, then visible, then to the waiters.
void Engine::Impl::deliver(Lock& lock, const JobPtr& job) {
  const std::shared_ptr<const JobResult> result = job->result;
  const bool to_journal = parts_.journal != nullptr && !job->kept;
  lock.unlock();
  Result<Journal::Place> place = Journal::Place::kStored;
  if (to_journal) place = guarded([&] { return parts_.journal->finish(*result); });
  record_done(*result);
  if (parts_.on_result) tell(parts_.on_result, *result);
  lock.lock();
  if (!stored_now(*job, place)) {
    unstored_.push_back(job);
    retry_journal_at_ = now() + kJournalRetry;
  }
  const bool stored = job->stored;
  job->final = true;
  live_.erase(job->sequence);
  const auto kind = static_cast<std::size_t>(result->identity.kind);
  switch (result->state) {
    case JobState::kCompleted:
      ++counters_.completed[kind];
      break;
    case JobState::kFailed:
      ++counters_.failed[kind];
      break;
    default:
      ++counters_.cancelled[kind];
  }
  retained_.emplace_back(deadline(job->settled_at, config_.result_retention), job);
  budget_.take(MemoryUse::kResults, result_bytes(*result));
  std::vector<AwaitCallback> callbacks;
  for (const WaiterId id : job->waiters) {
    const auto at = waiters_.find(id);
    if (at->second.deadline) deadlines_.erase({*at->second.deadline, id});
    callbacks.push_back(std::move(at->second.done));
    waiters_.erase(at);
  }
  job->waiters.clear();
  changed();
  lock.unlock();
  for (const AwaitCallback& done : callbacks) tell(done, Awaited{result, stored});
  lock.lock();
}

/// Whether the result is where the journal stores results.
bool Engine::Impl::stored_now(Job& job, const Result<Journal::Place>& place) {
  job.stored = place.has_value();
  if (place && *place == Journal::Place::kStored) return true;
  ++counters_.journal_failures;
  return false;
}

void Engine::Impl::retry_journal(Lock& lock) {
  const JobPtr job = unstored_.front();
  lock.unlock();
  const Result<Journal::Place> place = guarded([&] { return parts_.journal->finish(*job->result); });
  lock.lock();
  if (stored_now(*job, place)) {
    std::erase(unstored_, job);
    changed();
    return;
  }
  retry_journal_at_ = now() + kJournalRetry;
  // Past the end there is nobody to try again: the journal has kept them elsewhere, or still as accepted.
  if (stopping_) unstored_.clear();
}

/// While the journal takes no requests the engine is not ready, so that perhaps none come that would show
/// that it takes them again.
void Engine::Impl::probe_journal(Lock& lock) {
  const std::uint64_t bytes = journal_refusal_->bytes;
  lock.unlock();
  const Result<void> room = guarded([&] { return parts_.journal->probe(bytes); });
  lock.lock();
  // A larger request may have been refused meanwhile.
  if (!journal_refusal_ || (room && journal_refusal_->bytes <= bytes))
    journal_refusal_.reset();
  else
    journal_refusal_->probe_at = now() + kJournalRetry;
}

void Engine::Impl::forget_results(Lock& lock) {
  const std::vector<std::string> ids = std::exchange(to_forget_, {});
  lock.unlock();
  // One that stays in the journal is found again at the next start, and forgotten then.
  if (parts_.journal != nullptr)
    for (const std::string& id : ids) (void)guarded([&] { return parts_.journal->forget(id); });
  lock.lock();
}

}  // namespace cuzk::engine
