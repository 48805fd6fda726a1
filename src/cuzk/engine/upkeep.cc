// The threads behind the scenes: loaders (shapes, parameters, requests from the journal), the delivery of
// results, the dropper of keys, and the keeper of deadlines.

#include <algorithm>
#include <optional>

#include "cuzk/engine/internal/engine_impl.h"
#include "cuzk/engine/internal/guarded.h"

namespace cuzk::engine {
namespace {

/// Until the keeper looks again whether somebody still holds what was let go.
constexpr Duration kFreedAgain = std::chrono::seconds(1);

/// Later than every job.
constexpr OrderKey kPreloadKey{4, 0, ~std::uint64_t{0}, 0, 0};

/// An error of a shape or a parameter file. One that the system refuses is a file that is not there like any
/// other; a lack of memory says nothing about the file.
FailureClass classify_load(const Error& error, bool no_memory) {
  if (no_memory) return FailureClass::kResource;
  return error.code == ErrorCode::kInternal ? FailureClass::kInternal : FailureClass::kParams;
}

}  // namespace

// ---- loaders

void Engine::Impl::loader() {
  Lock lock(mutex_);
  while (true) {
    const auto next = std::find_if(load_queue_.begin(), load_queue_.end(), [&](const auto& entry) {
      return entry.second.circuit != nullptr || may_read(most_reading_bytes());
    });
    if (next != load_queue_.end()) {
      const LoadTask task = load_queue_.pop(next);
      if (task.circuit != nullptr)
        load_circuit(lock, *task.circuit);
      else
        read_recovered(lock, task.job);
      changed();
    } else if (stopping_) {
      return;
    } else {
      wait(lock);
    }
  }
}

/// How large a request of the journal is shows only when it is there. Half of a small budget, so that those
/// that are read already do not keep the next one out until they are done.
std::uint64_t Engine::Impl::most_reading_bytes() const {
  return std::min(3 * kMostRequestBytes, budget_.room(MemoryUse::kRequests) / 2);
}

std::vector<KeyHostBytes> Engine::Impl::host_bytes_on_devices(const Shape& shape) const {
  std::vector<KeyHostBytes> bytes;
  for (const auto& slot : devices_) bytes.push_back(slot->device->key_host_bytes(shape));
  return bytes;
}

/// Loads what the circuit lacks: the shape; or, with memory reserved for it, the key.
void Engine::Impl::load_circuit(Lock& lock, CachedCircuit& circuit) {
  bool no_memory = false;
  if (circuit.shape == nullptr) {
    lock.unlock();
    std::vector<KeyHostBytes> on_devices;
    Result<LoadedShape> shape = guarded(no_memory, [&]() -> Result<LoadedShape> {
      CUZK_TRY_ASSIGN(LoadedShape loaded,
                      parts_.circuits->load_shape(parts_.pool, circuit.id, stop_loads_.get_token()));
      on_devices = host_bytes_on_devices(*loaded.shape);
      return Result<LoadedShape>(std::move(loaded));
    });
    lock.lock();
    circuit.loading = false;
    if (!shape) {
      load_failed(circuit, shape.error(), classify_load(shape.error(), no_memory));
      return;
    }
    ++(shape->from_file ? counters_.shapes_read : counters_.shapes_recorded);
    for (std::size_t i = 0; i < devices_.size(); ++i)
      if (devices_[i]->quarantined) on_devices[i] = {};
    cache_.set_shape(circuit, std::move(shape->shape), std::move(on_devices));
    circuit.last_used = now();
    // On to the key, for whoever waits for it; what has no room now is asked for again by consider.
    const auto waits = std::find_if(live_.begin(), live_.end(), [&](const auto& entry) {
      return entry.second->load_began && entry.second->circuit_id == circuit.id && !entry.second->settled;
    });
    if (waits != live_.end()) prefetch(*waits->second);
    if (preloads_.contains(circuit.id)) go_on_with_preload(circuit);
    return;
  }

  std::shared_ptr<const OpenParams> params = circuit.params;
  const std::shared_ptr<const Shape> shape = circuit.shape;
  bool by_device = false;
  lock.unlock();
  auto key = guarded(no_memory, [&]() -> Result<std::shared_ptr<const CircuitKey>> {
    if (params == nullptr) {
      CUZK_TRY_ASSIGN(params, parts_.circuits->open_params(parts_.pool, circuit.id));
      const Lock warm(mutex_);
      circuit.params = params;
    }
    CUZK_TRY_ASSIGN(std::shared_ptr<const CircuitKey> loaded,
                    parts_.circuits->load_key(parts_.pool, params, shape, stop_loads_.get_token()));
    for (const auto& slot : devices_) {
      {
        const Lock in_service(mutex_);
        if (slot->quarantined) continue;
      }
      const Result<void> held =
          slot->device->hold(loaded->proving_key(), key_access(*slot, "copy", circuit.id));
      if (held) continue;
      // A device that is lost does not take the key from the others.
      const Lock lost(mutex_);
      if (!slot->quarantined && !slot->device->usable()) quarantine(*slot, held.error().message);
      if (slot->quarantined) continue;
      by_device = true;
      return held.error();
    }
    return loaded;
  });
  lock.lock();
  circuit.loading = false;
  if (!key) {
    cache_.cancel_key(circuit);
    // The file may be another one the next time.
    discard(std::exchange(circuit.params, nullptr));
    load_failed(circuit, key.error(),
                by_device ? classify_device(key.error()) : classify_load(key.error(), no_memory));
    return;
  }
  ++counters_.key_loads;
  circuit.key = std::move(*key);
  circuit.last_used = now();
  circuit.last_error.clear();
  for (const auto& [sequence, job] : live_)
    if (job->load_began && job->circuit_id == circuit.id)
      job->times.srs_load += now() - *std::exchange(job->load_began, std::nullopt);
  answer_preloads(circuit, Preloaded{});
}

void Engine::Impl::load_failed(CachedCircuit& circuit, const Error& error, FailureClass failure) {
  ++counters_.key_load_failures;
  circuit.last_error = error.message;
  answer_preloads(circuit, error);
  // Whoever waits for it fails; a later submission tries again.
  std::vector<JobPtr> waiting;
  for (const auto& [sequence, job] : live_)
    if (job->circuit_id == circuit.id && !job->settled && job->load_began) waiting.push_back(job);
  for (const JobPtr& job : waiting) fail(job, failure, error.message);
}

void Engine::Impl::answer_preloads(CachedCircuit& circuit, const Result<Preloaded>& answer) {
  const auto [first, last] = preloads_.equal_range(circuit.id);
  for (auto at = first; at != last; ++at) {
    Result<Preloaded> mine = answer;
    if (mine) mine->load_time = now() - at->second.since;
    chores_.push_back([done = std::move(at->second.done), mine] { done(mine); });
  }
  preloads_.erase(first, last);
  changed();
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

void Engine::Impl::preload(const std::string& circuit_id, PreloadCallback done) {
  const Result<std::uint64_t> bytes = parts_.circuits->params_bytes(circuit_id);
  if (!bytes) {
    done(bytes.error());
    return;
  }
  Lock lock(mutex_);
  CachedCircuit& circuit = cache_.entry(circuit_id);
  circuit.file_bytes = *bytes;
  if (circuit.hot()) {
    circuit.last_used = now();
    lock.unlock();
    done(Preloaded{true, {}});
    return;
  }
  if (admission_stopped_) {
    lock.unlock();
    done(usage_error("the engine is shutting down"));
    return;
  }
  preloads_.emplace(circuit_id, PreloadWaiter{std::move(done), now()});
  go_on_with_preload(circuit);
}

/// Loads what the circuit lacks, now or when memory that is coming is there.
void Engine::Impl::go_on_with_preload(CachedCircuit& circuit) {
  Wake wake;
  if (want(circuit, kPreloadKey, false, wake) == Room::kNone)
    answer_preloads(circuit, io_error("the parameters of " + circuit.id +
                                      " do not fit into the memory budget beside what is in use"));
}

/// Memory that nobody holds any more goes back to the budget; whoever waits for it goes on.
void Engine::Impl::collect_freed() {
  if (!freed_.collect()) return;
  std::set<std::string> waiting;
  for (const auto& [id, waiter] : preloads_) waiting.insert(id);
  for (const std::string& id : waiting)
    if (CachedCircuit& circuit = cache_.entry(id); !circuit.loading) go_on_with_preload(circuit);
  changed();
}

Result<Evicted> Engine::Impl::evict(const std::string& circuit_id) {
  const Result<std::uint64_t> bytes = parts_.circuits->params_bytes(circuit_id);
  const Lock lock(mutex_);
  CachedCircuit* circuit = cache_.find(circuit_id);
  if (circuit == nullptr) {
    if (!bytes) return bytes.error();
    return Evicted{};
  }
  if (circuit->loading) return usage_error("the parameters of " + circuit_id + " are being loaded");
  if (circuit->refs > 0)
    return usage_error("the parameters of " + circuit_id + " are in use by " + std::to_string(circuit->refs) +
                       " partitions");
  Evicted out;
  out.was_loaded = circuit->tier() != ParamsTier::kCold;
  out.freed_bytes = cache_.evict(*circuit);
  changed();
  return out;
}

// ---- delivery

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
    } else if (stopping_ && live_.empty() && admissions_ == 0) {
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
  Result<void> stored;
  if (to_journal) stored = guarded([&] { return parts_.journal->finish(*result); });
  record_done(*result);
  if (parts_.on_result) parts_.on_result(*result);
  lock.lock();
  if (!stored) {
    ++counters_.journal_failures;
    unstored_.push_back(job);
    retry_journal_at_ = now() + kJournalRetry;
  }
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
  retained_.emplace_back(job->done + config_.result_retention, job);
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
  for (const AwaitCallback& done : callbacks) done({result});
  lock.lock();
}

void Engine::Impl::retry_journal(Lock& lock) {
  const JobPtr job = unstored_.front();
  lock.unlock();
  const Result<void> stored = guarded([&] { return parts_.journal->finish(*job->result); });
  lock.lock();
  if (stored) {
    std::erase(unstored_, job);
    changed();
    return;
  }
  ++counters_.journal_failures;
  retry_journal_at_ = now() + kJournalRetry;
  // Past the end there is nobody to try again: the journal still has them as accepted.
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

// ---- what was let go

/// Devices may block for as long as a launch or the copy of a key takes, and freeing a shape takes its time:
/// no other thread waits for either.
void Engine::Impl::dropper() {
  Lock lock(mutex_);
  while (true) {
    if (cache_.has_dropped()) {
      std::vector<CircuitCache::DroppedKey> keys = cache_.take_dropped_keys();
      std::vector<std::shared_ptr<const void>> others = cache_.take_dropped();
      lock.unlock();
      for (const CircuitCache::DroppedKey& dropped : keys)
        for (const auto& slot : devices_)
          slot->device->drop(dropped.key->proving_key(), key_access(*slot, "drop", dropped.circuit_id));
      keys.clear();
      others.clear();
      lock.lock();
      collect_freed();
    } else if (nothing_left()) {
      return;
    } else {
      wait(lock);
    }
  }
}

// ---- deadlines

/// The engine stops and everything that was begun has ended. A load that is under way still has somebody to
/// answer.
bool Engine::Impl::nothing_left() const {
  return stopping_ && delivered_all_ && launches_in_flight_ == 0 &&
         std::none_of(cache_.entries().begin(), cache_.entries().end(),
                      [](const auto& entry) { return entry.second->loading; });
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
    if (!deadlines_.empty() && deadlines_.begin()->first <= time) {
      const WaiterId id = deadlines_.begin()->second;
      deadlines_.erase(deadlines_.begin());
      const auto at = waiters_.find(id);
      const AwaitCallback done = std::move(at->second.done);
      const JobPtr job = at->second.job;
      waiters_.erase(at);
      waiter_left(*job, id);
      lock.unlock();
      done({nullptr});
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
      const auto request =
          by_request_.find({job->identity.request_id, job->identity.kind, job->identity.digest});
      if (request != by_request_.end() && request->second == job) by_request_.erase(request);
      if (!job->kept) to_forget_.push_back(job->identity.job_id);
      changed();
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
    wait(lock, next);
  }
}

}  // namespace cuzk::engine
