#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <utility>

#include "cuzk/base/result.h"
#include "cuzk/engine/job.h"

namespace cuzk::engine {

/// The place of a piece of work in every queue: more urgent first, then by kind where the configuration asks
/// for it, then in the order of submission, then of partitions. `serial` is of a sequence that never repeats,
/// so no two entries of a queue are equal and n pushed means n popped.
struct OrderKey {
  std::uint8_t reverse_priority = 0;  ///< 4 - priority
  std::uint8_t kind = 0;              ///< 0 unless sorted by kind
  std::uint64_t job = 0;
  std::uint32_t partition = 0;
  std::uint64_t serial = 0;

  friend auto operator<=>(const OrderKey&, const OrderKey&) = default;

  /// The same order as a number for DeviceLock, larger first; exact for 8 kinds and 2^46 jobs of 2^12
  /// partitions.
  [[nodiscard]] std::uint64_t urgency() const {
    constexpr std::uint64_t kPlaces = (std::uint64_t{1} << 58) - 1;
    return (std::uint64_t{4} - reverse_priority) << 61 | (std::uint64_t{7} - (kind & 7U)) << 58 |
           (kPlaces - ((job << 12 | partition) & kPlaces));
  }
};

/// How many entries went into and came out of all queues of an engine.
struct QueueCounts {
  std::uint64_t pushed = 0;
  std::uint64_t popped = 0;
};

/// A queue in the order of keys. Not thread-safe: the engine's mutex guards it.
template <class T>
class OrderedQueue {
 public:
  using Map = std::map<OrderKey, T>;
  using Iterator = typename Map::iterator;

  explicit OrderedQueue(QueueCounts& counts) : counts_(counts) {}

  void push(const OrderKey& key, T value) {
    CUZK_CHECK(entries_.emplace(key, std::move(value)).second);
    ++counts_.pushed;
  }
  T pop(Iterator at) {
    T value = std::move(at->second);
    entries_.erase(at);
    ++counts_.popped;
    return value;
  }
  T pop_front() { return pop(entries_.begin()); }
  /// Takes the entry out, if it is there.
  bool erase(const OrderKey& key) {
    if (entries_.erase(key) == 0) return false;
    ++counts_.popped;
    return true;
  }

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] Iterator begin() { return entries_.begin(); }
  [[nodiscard]] Iterator end() { return entries_.end(); }
  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }
  [[nodiscard]] Iterator find(const OrderKey& key) { return entries_.find(key); }
  /// Whether the entry is one of the first `limit`.
  [[nodiscard]] bool among_first(const OrderKey& key, std::size_t limit) const {
    for (auto at = entries_.begin(); at != entries_.end() && limit > 0; ++at, --limit)
      if (at->first == key) return true;
    return false;
  }

 private:
  QueueCounts& counts_;
  Map entries_;
};

}  // namespace cuzk::engine
