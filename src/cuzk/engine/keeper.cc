// What happens because time has passed: deadlines of waiters, batches, abandoned jobs, retention. And the
// chores that others leave.

#include <algorithm>

#include "cuzk/engine/internal/engine_impl.h"
#include "cuzk/engine/internal/guarded.h"

namespace cuzk::engine {
namespace {

/// Until the keeper looks again whether somebody still holds what was let go.
constexpr Duration kFreedAgain = std::chrono::seconds(1);

}  // namespace

/// The engine stops and everything that was begun has ended. A load that is under way still has somebody to
/// answer.
bool Engine::Impl::nothing_left() const {
  return stopping_ && delivered_all_ && launches_in_flight_ == 0 &&
         std::none_of(cache_.entries().begin(), cache_.entries().end(),
                      [](const auto& entry) { return entry.second->loading; });
}

/// What devices had done when they were lost is checked, and every outcome is with whom it concerns.
bool Engine::Impl::finished_is_delivered() const {
  return finishing_ == 0 &&
         std::none_of(live_.begin(), live_.end(), [](const auto& entry) { return entry.second->settled; });
}

/// Who waits for what the next process will prove, and then the owner. Once, without the mutex.
void Engine::Impl::tell_of_loss(Lock& lock) {
  loss_->told = true;
  std::vector<AwaitCallback> callbacks;
  for (const auto& [sequence, job] : live_) {
    if (job->settled) continue;
    ++loss_->what.jobs_kept;
    for (const WaiterId id : std::exchange(job->waiters, {})) {
      const auto at = waiters_.find(id);
      if (at->second.deadline) deadlines_.erase({*at->second.deadline, id});
      callbacks.push_back(std::move(at->second.done));
      waiters_.erase(at);
    }
  }
  changed();
  const DevicesLost what = loss_->what;
  lock.unlock();
  for (const AwaitCallback& done : callbacks) tell(done, Awaited{.result = {}, .stored = true, .kept = true});
  callbacks.clear();
  if (parts_.on_devices_lost) tell(parts_.on_devices_lost, what);
  lock.lock();
}

void Engine::Impl::keeper() {
  Lock lock(mutex_);
  while (true) {
    // Things to do without the mutex.
    if (!chores_.empty()) {
      std::vector<std::function<void()>> chores = std::exchange(chores_, {});
      lock.unlock();
      for (const std::function<void()>& chore : chores) chore();
      chores.clear();
      lock.lock();
      collect_freed();
      continue;
    }
    collect_freed();

    const TimePoint time = now();
    if (loss_ && !loss_->told && (finished_is_delivered() || loss_->tell_at <= time)) {
      tell_of_loss(lock);
      continue;
    }
    if (!deadlines_.empty() && deadlines_.begin()->first <= time) {
      const WaiterId id = deadlines_.begin()->second;
      deadlines_.erase(deadlines_.begin());
      const auto at = waiters_.find(id);
      const AwaitCallback done = std::move(at->second.done);
      const JobPtr job = at->second.job;
      waiters_.erase(at);
      waiter_left(*job, id);
      lock.unlock();
      tell(done, Awaited{});
      lock.lock();
      continue;
    }
    if (batch_ && batch_->flush_at <= time) {
      flush_batch();
      changed();
    }
    while (!abandoned_.empty() && abandoned_.begin()->first <= time) {
      const auto job = live_.find(abandoned_.begin()->second);
      abandoned_.erase(abandoned_.begin());
      if (job != live_.end())
        settle(job->second, JobState::kCancelled, FailureClass::kNone, "nobody waited for it");
    }
    while (!retained_.empty() &&
           (retained_.front().first <= time || retained_.size() > config_.max_results)) {
      const JobPtr job = std::move(retained_.front().second);
      retained_.pop_front();
      budget_.release(MemoryUse::kResults, result_bytes(*job->result));
      jobs_.erase(job->identity.job_id);
      changed();
      // One that the journal keeps is known until its next attempt takes its place there.
      if (job->kept) continue;
      const auto request =
          by_request_.find({job->identity.request_id, job->identity.kind, job->identity.digest});
      if (request != by_request_.end() && request->second == job) by_request_.erase(request);
      to_forget_.push_back(job->identity.job_id);
    }
    if (!chores_.empty()) continue;
    if (nothing_left()) return;

    Wake next;
    const auto consider_time = [&](TimePoint at) { next = std::min(next.value_or(at), at); };
    if (!deadlines_.empty()) consider_time(deadlines_.begin()->first);
    if (batch_) consider_time(batch_->flush_at);
    if (!abandoned_.empty()) consider_time(abandoned_.begin()->first);
    if (!retained_.empty()) consider_time(retained_.front().first);
    if (!freed_.empty()) consider_time(time + kFreedAgain);
    if (loss_ && !loss_->told) consider_time(loss_->tell_at);
    wait(lock, next);
  }
}

}  // namespace cuzk::engine
