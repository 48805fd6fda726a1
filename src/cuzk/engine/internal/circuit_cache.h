#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cuzk/cpu/clock.h"
#include "cuzk/engine/circuit_source.h"
#include "cuzk/engine/internal/deadline.h"
#include "cuzk/engine/internal/freed_memory.h"
#include "cuzk/engine/status.h"

namespace cuzk::engine {

/// One circuit's shape and parameters.
///
///     COLD --load shape--> COLD with shape -reserve, open--> WARM, loading --check, split--> HOT
///      ^                        |  ^                              |                           |
///      |                        |  '---------- load failed -------'                           |
///      |   evicted as shape     |  '--- last partition in flight done --- SPOILED <-----------|
///      |                        |                                                             |
///      '------------------------'<------ evict ----- WARM <----- least recently used ---------'
///
/// The shape stays when the key goes, until its own memory is needed. SPOILED is a key that a proof failed
/// with: partitions in flight end with it, no other one gets it, and what comes next loads it anew.
struct CachedCircuit {
  std::string id;
  std::uint64_t file_bytes = 0;
  std::shared_ptr<const Shape> shape;
  std::shared_ptr<const OpenParams> params;
  std::shared_ptr<const CircuitKey> key;
  bool loading = false;    ///< a loader works on it; nothing of it is evicted
  bool spoiled = false;    ///< the key is not to be used any more; it goes with the last reference
  std::uint32_t refs = 0;  ///< partitions in flight
  Clock::TimePoint last_used{};
  std::uint64_t reserved_shape = 0;
  std::uint64_t reserved_key = 0;
  std::uint64_t reserved_launch = 0;  ///< beside the key: one launch on every device in service
  /// What each of the engine's devices takes for it, known with the shape; of one that is out of service
  /// nothing but what it keeps of this key.
  std::vector<KeyHostBytes> on_devices;
  std::uint64_t partition_bytes = 0;  ///< working set of one partition, known with the shape
  std::string last_error;

  [[nodiscard]] bool hot() const { return shape != nullptr && key != nullptr && !loading && !spoiled; }
  [[nodiscard]] ParamsTier tier() const {
    if (key != nullptr && !loading && !spoiled) return ParamsTier::kHot;
    return params != nullptr ? ParamsTier::kWarm : ParamsTier::kCold;
  }
  [[nodiscard]] std::uint64_t reserved() const { return reserved_shape + reserved_key + reserved_launch; }
  /// The file, and what devices keep of it in host memory.
  [[nodiscard]] std::uint64_t key_bytes() const {
    std::uint64_t sum = file_bytes;
    for (const KeyHostBytes& device : on_devices) sum += device.key;
    return sum;
  }
  /// One launch on every device in service.
  [[nodiscard]] std::uint64_t launch_bytes() const {
    std::uint64_t sum = 0;
    for (const KeyHostBytes& device : on_devices) sum += device.launch;
    return sum;
  }
  /// Everything that `partitions` partitions at a time need when nothing else is there. Known with the shape.
  [[nodiscard]] std::uint64_t total_bytes(std::size_t partitions) const {
    return shape->memory_bytes() + key_bytes() + launch_bytes() + partitions * partition_bytes;
  }
};

/// Host memory of one partition between the start of its synthesis and the end of its launch: the witness,
/// and what the prover's Prepared takes beside it, on that device which takes most.
[[nodiscard]] std::uint64_t partition_bytes(const Shape& shape, const std::vector<KeyHostBytes>& on_devices);

/// The circuits that the engine has met, and what may be let go to make room for others. Bookkeeping only:
/// loading is done elsewhere. Not thread-safe: the engine's mutex guards it.
class CircuitCache {
 public:
  CircuitCache(MemoryBudget& budget, FreedMemory& freed, Clock::Duration min_idle)
      : budget_(budget), freed_(freed), min_idle_(min_idle) {}

  CachedCircuit& entry(const std::string& id);
  [[nodiscard]] const std::map<std::string, std::unique_ptr<CachedCircuit>>& entries() const {
    return entries_;
  }
  [[nodiscard]] CachedCircuit* find(const std::string& id);

  /// Whether `bytes` more fit into what proves. When they do not, lets shapes and keys go that nobody uses,
  /// the least recently used first, keys before shapes, but only when that is enough, and never anything of
  /// `keep`. Unless `urgent`, what was used less than the minimum idle time ago stays; `wake` becomes the
  /// time at which the next of these may go, if that is earlier.
  enum class Room : std::uint8_t {
    kThere,
    kComing,  ///< when the memory of what was let go is free: ask again then
    kNone,
  };
  [[nodiscard]] Room make_room(std::uint64_t bytes, const CachedCircuit* keep, bool urgent,
                               Clock::TimePoint now, std::optional<Clock::TimePoint>& wake);
  /// Takes the memory for the circuit's key and launches, which must fit. The shape must be there.
  void reserve_key(CachedCircuit& circuit);

  /// The shape is there: takes its memory and computes the sizes that follow from it. `on_devices`: of every
  /// device, in service or not.
  void set_shape(CachedCircuit& circuit, std::shared_ptr<const Shape> shape,
                 std::vector<KeyHostBytes> on_devices);
  /// The device is out of service for good: nothing is launched on it any more, and no key is copied there.
  /// What it keeps of the keys that it has stays until they are dropped.
  void lose_device(std::size_t device);
  /// HOT or WARM to COLD; `circuit` must not be in use. Returns the bytes that come back when they are free.
  std::uint64_t evict(CachedCircuit& circuit);
  /// A partition in flight does not need the circuit any more. The last one takes a spoiled key along.
  void release(CachedCircuit& circuit, Clock::TimePoint now);
  /// The key, if there is one, is not used again: it goes when nothing in flight needs it.
  void spoil(CachedCircuit& circuit, std::string why);
  /// Gives back what was reserved for a key that could not be loaded.
  void cancel_key(CachedCircuit& circuit);

  /// What was let go: the caller destroys it without the mutex, after telling the devices.
  struct DroppedKey {
    std::string circuit_id;
    std::shared_ptr<const CircuitKey> key;
  };
  [[nodiscard]] std::vector<DroppedKey> take_dropped_keys() { return std::exchange(dropped_keys_, {}); }
  [[nodiscard]] std::vector<std::shared_ptr<const void>> take_dropped() {
    return std::exchange(dropped_, {});
  }
  [[nodiscard]] bool has_dropped() const { return !dropped_keys_.empty() || !dropped_.empty(); }
  [[nodiscard]] std::uint64_t evictions() const { return evictions_; }

 private:
  void drop_key(CachedCircuit& circuit);
  void drop_shape(CachedCircuit& circuit);
  void drop_spoiled(CachedCircuit& circuit);
  /// Without a key lost devices take nothing for the circuit.
  void forget_lost_devices(CachedCircuit& circuit) const;

  MemoryBudget& budget_;
  FreedMemory& freed_;
  Clock::Duration min_idle_;
  std::map<std::string, std::unique_ptr<CachedCircuit>> entries_;
  std::set<std::size_t> lost_devices_;
  std::vector<DroppedKey> dropped_keys_;
  std::vector<std::shared_ptr<const void>> dropped_;
  std::uint64_t evictions_ = 0;
};

}  // namespace cuzk::engine
