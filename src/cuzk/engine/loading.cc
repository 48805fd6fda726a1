// Which circuits are loaded: the loaders, who waits for them, and what is let go.

#include <algorithm>
#include <optional>

#include "cuzk/engine/internal/engine_impl.h"
#include "cuzk/engine/internal/guarded.h"

namespace cuzk::engine {
namespace {

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
  std::shared_ptr<const CircuitKey> key;
  std::vector<DeviceSlot*> asked_to_hold;
  lock.unlock();
  const Result<void> loaded = guarded(no_memory, [&]() -> Result<void> {
    if (params == nullptr) {
      CUZK_TRY_ASSIGN(params, parts_.circuits->open_params(parts_.pool, circuit.id));
      const Lock warm(mutex_);
      circuit.params = params;
    }
    CUZK_TRY_ASSIGN(key, parts_.circuits->load_key(parts_.pool, params, shape, stop_loads_.get_token()));
    asked_to_hold.reserve(devices_.size());
    for (const auto& slot : devices_) {
      {
        const Lock in_service(mutex_);
        if (slot->quarantined) continue;
      }
      asked_to_hold.push_back(slot.get());
      const Result<void> held = slot->device->hold(key->proving_key(), key_access(*slot, "copy", circuit.id));
      if (held) continue;
      // A device that is lost does not take the key from the others.
      const Lock lost(mutex_);
      const DeviceFault fault = slot->device->fault();
      if (!slot->quarantined && fault != DeviceFault::kNone) quarantine(*slot, held.error().message, fault);
      if (slot->quarantined) continue;
      by_device = true;
      return held.error();
    }
    return {};
  });
  if (!loaded && key != nullptr) {
    // What one device refuses does not stay with the others, nor its memory taken.
    for (DeviceSlot* slot : asked_to_hold) drop_from(*slot, *key, circuit.id);
    key = nullptr;
  }
  lock.lock();
  circuit.loading = false;
  if (!loaded) {
    cache_.cancel_key(circuit);
    // The file may be another one the next time.
    discard(std::exchange(circuit.params, nullptr));
    load_failed(circuit, loaded.error(),
                by_device ? classify_device(loaded.error()) : classify_load(loaded.error(), no_memory));
    return;
  }
  ++counters_.key_loads;
  circuit.key = std::move(key);
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

// ---- who asks for a circuit without a job

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
  if (submissions_stopped_) {
    lock.unlock();
    done(shutting_down());
    return;
  }
  preloads_.emplace(circuit_id, PreloadWaiter{std::move(done), now()});
  go_on_with_preload(circuit);
}

/// Loads what the circuit lacks, now or when memory that is coming is there.
void Engine::Impl::go_on_with_preload(CachedCircuit& circuit) {
  // No loader may be left to take what would be queued.
  if (stopping_) {
    answer_preloads(circuit, shutting_down());
    return;
  }
  Wake wake;
  if (want(circuit, kPreloadKey, false, wake) == Room::kNone)
    answer_preloads(circuit, io_error("the parameters of " + circuit.id +
                                      " do not fit into the memory budget beside what is in use"));
}

void Engine::Impl::answer_preloads(CachedCircuit& circuit, const Result<Preloaded>& answer) {
  const auto [first, last] = preloads_.equal_range(circuit.id);
  for (auto at = first; at != last; ++at) {
    Result<Preloaded> mine = answer;
    if (mine) mine->load_time = now() - at->second.since;
    chores_.push_back([done = std::move(at->second.done), mine] { tell(done, mine); });
  }
  preloads_.erase(first, last);
  changed();
}

/// Bytes of a circuit's parameters. Those that are loaded do not need their file's name any more.
Result<std::uint64_t> Engine::Impl::loaded_or_file_bytes(const std::string& circuit_id) {
  {
    const Lock lock(mutex_);
    const CachedCircuit* circuit = cache_.find(circuit_id);
    if (circuit != nullptr && circuit->hot()) return circuit->file_bytes;
  }
  return parts_.circuits->params_bytes(circuit_id);
}

// ---- what is let go

Result<Evicted> Engine::Impl::evict(const std::string& circuit_id) {
  const Result<std::uint64_t> bytes = parts_.circuits->params_bytes(circuit_id);
  const Lock lock(mutex_);
  CachedCircuit* circuit = cache_.find(circuit_id);
  if (circuit == nullptr) {
    // Whether its file is there or not, nothing of it is loaded.
    if (!bytes && bytes.error().code != ErrorCode::kParams) return bytes.error();
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

/// Before the engine lets its reference go. Without the mutex; blocks.
void Engine::Impl::drop_from(DeviceSlot& slot, const CircuitKey& key, const std::string& circuit_id) {
  (void)guarded([&]() -> Result<void> {
    slot.device->drop(key.proving_key(), key_access(slot, "drop", circuit_id));
    return {};
  });
}

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
        for (const auto& slot : devices_) drop_from(*slot, *dropped.key, dropped.circuit_id);
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

/// Memory that nobody holds any more goes back to the budget; whoever waits for it goes on.
void Engine::Impl::collect_freed() {
  if (!freed_.collect()) return;
  std::set<std::string> waiting;
  for (const auto& [id, waiter] : preloads_) waiting.insert(id);
  for (const std::string& id : waiting)
    if (CachedCircuit& circuit = cache_.entry(id); !circuit.loading) go_on_with_preload(circuit);
  changed();
}

}  // namespace cuzk::engine
