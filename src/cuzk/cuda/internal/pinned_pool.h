#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "cuzk/cuda/context.h"

namespace cuzk::cuda {

/// Page-locked buffers that are used again. Taking and freeing them makes the driver wait for the device, so
/// what comes back stays until the pool goes: as much as was in use at a time. Thread-safe.
class PinnedPool {
 public:
  /// A buffer on loan; goes back when destroyed, without a CUDA call, and may outlive the pool's owner.
  class Lease {
   public:
    Lease() = default;
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&& other) noexcept {
      give_back();
      pool_ = std::move(other.pool_);
      memory_ = std::move(other.memory_);
      return *this;
    }
    ~Lease() { give_back(); }
    [[nodiscard]] unsigned char* data() const { return memory_.as<unsigned char>(); }

   private:
    friend class PinnedPool;
    void give_back() noexcept;
    std::shared_ptr<PinnedPool> pool_;
    PinnedMemory memory_;
  };

  /// At least `bytes`.
  static Result<Lease> take(const std::shared_ptr<PinnedPool>& pool, Context& context, std::uint64_t bytes);

 private:
  std::mutex mutex_;
  std::vector<PinnedMemory> free_;  // guarded by mutex_; has room for every buffer that was made
  std::size_t made_ = 0;
};

}  // namespace cuzk::cuda
