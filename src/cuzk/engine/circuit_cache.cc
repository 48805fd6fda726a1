#include "cuzk/engine/internal/circuit_cache.h"

#include <algorithm>

namespace cuzk::engine {

std::uint64_t partition_bytes(const Shape& shape) {
  const std::uint64_t witness = shape.num_bits() / 8 + sizeof(Fr) * (shape.num_wide() + shape.num_inputs());
  return 4 * witness;
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

bool CircuitCache::reserve(std::uint64_t bytes, const CachedCircuit* keep, bool urgent, Clock::TimePoint now,
                           std::optional<Clock::TimePoint>& wake) {
  if (budget_.reserve(bytes)) return true;

  std::vector<CachedCircuit*> unused;
  for (const auto& [id, circuit] : entries_) {
    if (circuit->refs > 0 || circuit->loading || circuit.get() == keep) continue;
    if (circuit->reserved_key + circuit->reserved_shape == 0) continue;
    const Clock::TimePoint idle_at = circuit->last_used + min_idle_;
    if (!urgent && idle_at > now) {
      wake = std::min(wake.value_or(idle_at), idle_at);
      continue;
    }
    unused.push_back(circuit.get());
  }
  std::uint64_t enough = budget_.reserved() > budget_.total()
                             ? budget_.reserved() - budget_.total() + bytes
                             : bytes - (budget_.total() - budget_.reserved());
  std::uint64_t available = 0;
  for (const CachedCircuit* circuit : unused) available += circuit->reserved_key + circuit->reserved_shape;
  if (available < enough) return false;

  std::sort(unused.begin(), unused.end(),
            [](const CachedCircuit* a, const CachedCircuit* b) { return a->last_used < b->last_used; });
  for (const bool keys : {true, false})
    for (CachedCircuit* circuit : unused) {
      const std::uint64_t freed = keys ? circuit->reserved_key : circuit->reserved_shape;
      if (enough == 0 || freed == 0) continue;
      keys ? drop_key(*circuit) : drop_shape(*circuit);
      ++evictions_;
      enough -= std::min(enough, freed);
    }
  return budget_.reserve(bytes);
}

void CircuitCache::set_shape(CachedCircuit& circuit, std::shared_ptr<const Shape> shape,
                             std::uint64_t launch_bytes) {
  circuit.reserved_shape = shape->memory_bytes();
  budget_.take(circuit.reserved_shape);
  circuit.partition_bytes = partition_bytes(*shape);
  circuit.launch_bytes = launch_bytes;
  circuit.shape = std::move(shape);
}

void CircuitCache::lower_launch_bytes(CachedCircuit& circuit, std::uint64_t launch_bytes) {
  const std::uint64_t less = circuit.launch_bytes - launch_bytes;
  circuit.launch_bytes = launch_bytes;
  if (circuit.reserved_key == 0) return;
  circuit.reserved_key -= less;
  budget_.release(less);
}

std::uint64_t CircuitCache::evict(CachedCircuit& circuit) {
  CUZK_CHECK(circuit.refs == 0 && !circuit.loading);
  const std::uint64_t before = budget_.reserved();
  drop_key(circuit);
  drop_shape(circuit);
  dropped_.push_back(std::move(circuit.mapped));
  circuit.mapped = nullptr;
  ++evictions_;
  return before - budget_.reserved();
}

void CircuitCache::cancel_key(CachedCircuit& circuit) {
  budget_.release(std::exchange(circuit.reserved_key, 0));
}

void CircuitCache::drop_key(CachedCircuit& circuit) {
  if (circuit.key != nullptr) dropped_keys_.push_back(std::exchange(circuit.key, nullptr));
  budget_.release(std::exchange(circuit.reserved_key, 0));
}

void CircuitCache::drop_shape(CachedCircuit& circuit) {
  if (circuit.shape != nullptr) dropped_.push_back(std::exchange(circuit.shape, nullptr));
  budget_.release(std::exchange(circuit.reserved_shape, 0));
}

}  // namespace cuzk::engine
