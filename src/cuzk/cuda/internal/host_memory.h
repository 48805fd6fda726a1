#pragma once

#include <cstdint>
#include <memory>

#include "cuzk/cuda/context.h"

namespace cuzk::cuda {

/// Bytes that may still be page-locked. What is page-locked cannot be swapped out, so a program that locks
/// most of a machine's memory hurts everybody.
struct HostBudget {
  std::uint64_t bytes = 0;
  /// Three quarters of the machine's memory.
  static HostBudget of_machine();
};

/// Host memory that the device's copies read: page-locked as long as the budget lasts, ordinary beyond it,
/// from where copies take some six times as long and hold up the thread that begins them. Move-only.
class HostMemory {
 public:
  /// kIo when there is neither. `what` names it in errors.
  static Result<HostMemory> take(Context& context, HostBudget& budget, std::uint64_t bytes, const char* what);

  [[nodiscard]] bool pinned() const { return ordinary_ == nullptr; }
  template <class T>
  [[nodiscard]] T* as() const {
    return ordinary_ != nullptr ? reinterpret_cast<T*>(ordinary_.get()) : pinned_.as<T>();
  }

 private:
  PinnedMemory pinned_;
  std::unique_ptr<unsigned char[]> ordinary_;
};

}  // namespace cuzk::cuda
