#pragma once

#include <atomic>

namespace cuzk {

/// target = min(target, value), atomically. For the first fault that a parallel loop finds: the smallest
/// index wins, so that the answer does not depend on the number of threads.
template <class T>
void atomic_min(std::atomic<T>& target, T value) {
  T seen = target.load();
  while (value < seen && !target.compare_exchange_weak(seen, value)) {
  }
}

}  // namespace cuzk
