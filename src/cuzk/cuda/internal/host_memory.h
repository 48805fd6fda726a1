#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "cuzk/cuda/context.h"
#include "cuzk/cuda/pinned_budget.h"

namespace cuzk::cuda {

/// Host memory that the device's copies read: page-locked as long as the budget lasts, ordinary beyond it,
/// from where copies take some six times as long and hold up the thread that begins them. Gives the budget
/// back when destroyed. Move-only; one thread at a time, take() any thread.
class HostMemory {
 public:
  enum class Kind {
    either,
    pinned,  ///< kernels use it: whatever the budget
  };
  /// kIo when there is none. `what` names it in errors.
  static Result<HostMemory> take(Context& context, const std::shared_ptr<PinnedBudget>& budget,
                                 std::uint64_t bytes, const char* what, Kind kind = Kind::either);

  HostMemory() = default;
  HostMemory(HostMemory&& other) noexcept { *this = std::move(other); }
  HostMemory& operator=(HostMemory&& other) noexcept {
    give_back();
    budget_ = std::move(other.budget_);
    pinned_ = std::move(other.pinned_);
    ordinary_ = std::move(other.ordinary_);
    bytes_ = std::exchange(other.bytes_, 0);
    return *this;
  }
  ~HostMemory() { give_back(); }

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] bool pinned() const { return ordinary_ == nullptr; }
  template <class T>
  [[nodiscard]] T* as() const {
    return ordinary_ != nullptr ? reinterpret_cast<T*>(ordinary_.get()) : pinned_.as<T>();
  }

 private:
  void give_back() {
    if (budget_ != nullptr) budget_->give_back(bytes_);
    budget_.reset();
  }
  std::shared_ptr<PinnedBudget> budget_;  // of page-locked memory
  PinnedMemory pinned_;
  std::unique_ptr<unsigned char[]> ordinary_;
  std::uint64_t bytes_ = 0;
};

}  // namespace cuzk::cuda
