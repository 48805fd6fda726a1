#include "cuzk/engine/internal/circuit_cache.h"

#include <algorithm>

namespace cuzk::engine {

std::uint64_t partition_bytes(const Shape& shape, const std::vector<KeyHostBytes>& on_devices) {
  std::uint64_t prepared = 0;
  for (const KeyHostBytes& device : on_devices) prepared = std::max(prepared, device.prepared);
  return witness_bytes(shape) + prepared;
}

CachedCircuit& CircuitCache::entry(const std::string& id) {
  std::unique_ptr<CachedCircuit>& slot = entries_[id];
  if (slot == nullptr) {
    slot = std::make_unique<CachedCircuit>();
    slot->id = id;
  }
  return *slot;
}

CachedCircuit* CircuitCache::find(const std::string& id) {
  const auto at = entries_.find(id);
  return at == entries_.end() ? nullptr : at->second.get();
}

CircuitCache::Room CircuitCache::make_room(std::uint64_t bytes, const CachedCircuit* keep, bool urgent,
                                           Clock::TimePoint now, std::optional<Clock::TimePoint>& wake) {
  const std::uint64_t room = budget_.available(MemoryUse::kKeys);
  if (bytes <= room) return Room::kThere;
  std::uint64_t enough = bytes - room;
  const std::uint64_t coming = freed_.for_proving();
  if (enough <= coming) return Room::kComing;
  enough -= coming;

  std::vector<CachedCircuit*> unused;
  for (const auto& [id, circuit] : entries_) {
    if (circuit->refs > 0 || circuit->loading || circuit.get() == keep) continue;
    if (circuit->reserved() == 0) continue;
    const Clock::TimePoint idle_at = deadline(circuit->last_used, min_idle_);
    if (!urgent && idle_at > now) {
      wake = std::min(wake.value_or(idle_at), idle_at);
      continue;
    }
    unused.push_back(circuit.get());
  }
  std::uint64_t available = 0;
  for (const CachedCircuit* circuit : unused) available += circuit->reserved();
  if (available < enough) return Room::kNone;

  std::sort(unused.begin(), unused.end(),
            [](const CachedCircuit* a, const CachedCircuit* b) { return a->last_used < b->last_used; });
  for (const bool keys : {true, false})
    for (CachedCircuit* circuit : unused) {
      const std::uint64_t freed =
          keys ? circuit->reserved_key + circuit->reserved_launch : circuit->reserved_shape;
      if (enough == 0 || freed == 0) continue;
      keys ? drop_key(*circuit) : drop_shape(*circuit);
      ++evictions_;
      enough -= std::min(enough, freed);
    }
  return Room::kComing;
}

void CircuitCache::reserve_key(CachedCircuit& circuit) {
  circuit.reserved_key = circuit.key_bytes();
  circuit.reserved_launch = circuit.launch_bytes();
  budget_.take(MemoryUse::kKeys, circuit.reserved_key);
  budget_.take(MemoryUse::kLaunches, circuit.reserved_launch);
}

void CircuitCache::set_shape(CachedCircuit& circuit, std::shared_ptr<const Shape> shape,
                             std::vector<KeyHostBytes> on_devices) {
  circuit.reserved_shape = shape->memory_bytes();
  budget_.take(MemoryUse::kShapes, circuit.reserved_shape);
  circuit.partition_bytes = partition_bytes(*shape, on_devices);
  circuit.on_devices = std::move(on_devices);
  circuit.shape = std::move(shape);
  forget_lost_devices(circuit);
}

void CircuitCache::lose_device(std::size_t device) {
  lost_devices_.insert(device);
  for (const auto& [id, circuit] : entries_) {
    if (circuit->on_devices.empty()) continue;
    const std::uint64_t less = std::exchange(circuit->on_devices[device].launch, 0);
    if (circuit->reserved_launch > 0) {
      circuit->reserved_launch -= less;
      budget_.release(MemoryUse::kLaunches, less);
    }
    if (circuit->reserved_key == 0) forget_lost_devices(*circuit);
  }
}

void CircuitCache::forget_lost_devices(CachedCircuit& circuit) const {
  if (circuit.on_devices.empty()) return;
  for (const std::size_t device : lost_devices_) circuit.on_devices[device] = {};
}

std::uint64_t CircuitCache::evict(CachedCircuit& circuit) {
  CUZK_CHECK(circuit.refs == 0 && !circuit.loading);
  const std::uint64_t bytes = circuit.reserved();
  drop_key(circuit);
  drop_shape(circuit);
  dropped_.push_back(std::exchange(circuit.params, nullptr));
  ++evictions_;
  return bytes;
}

void CircuitCache::release(CachedCircuit& circuit, Clock::TimePoint now) {
  CUZK_CHECK(circuit.refs > 0);
  --circuit.refs;
  circuit.last_used = now;
  drop_spoiled(circuit);
}

void CircuitCache::spoil(CachedCircuit& circuit, std::string why) {
  if (circuit.key == nullptr || circuit.loading || circuit.spoiled) return;
  circuit.spoiled = true;
  circuit.last_error = std::move(why);
  // The next load opens the file anew: it may be another one by then.
  dropped_.push_back(std::exchange(circuit.params, nullptr));
  drop_spoiled(circuit);
}

void CircuitCache::drop_spoiled(CachedCircuit& circuit) {
  if (!circuit.spoiled || circuit.refs > 0) return;
  circuit.spoiled = false;
  drop_key(circuit);
  ++evictions_;
}

void CircuitCache::cancel_key(CachedCircuit& circuit) {
  budget_.release(MemoryUse::kKeys, std::exchange(circuit.reserved_key, 0));
  budget_.release(MemoryUse::kLaunches, std::exchange(circuit.reserved_launch, 0));
  forget_lost_devices(circuit);
}

void CircuitCache::drop_key(CachedCircuit& circuit) {
  std::vector<std::weak_ptr<const void>> owners;
  if (circuit.key != nullptr) owners = {circuit.key, circuit.key->proving_key()};
  freed_.add(MemoryUse::kKeys, std::exchange(circuit.reserved_key, 0), owners);
  freed_.add(MemoryUse::kLaunches, std::exchange(circuit.reserved_launch, 0), std::move(owners));
  if (circuit.key != nullptr) dropped_keys_.push_back({circuit.id, std::exchange(circuit.key, nullptr)});
  forget_lost_devices(circuit);
}

void CircuitCache::drop_shape(CachedCircuit& circuit) {
  freed_.add(MemoryUse::kShapes, std::exchange(circuit.reserved_shape, 0), {circuit.shape});
  if (circuit.shape != nullptr) dropped_.push_back(std::exchange(circuit.shape, nullptr));
}

}  // namespace cuzk::engine
