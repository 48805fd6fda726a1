#include "cuzk/cuda/internal/pinned_pool.h"

#include <algorithm>

namespace cuzk::cuda {

void PinnedPool::Lease::give_back() noexcept {
  if (pool_ == nullptr) return;
  {
    const std::lock_guard lock(pool_->mutex_);
    pool_->idle_ += memory_.bytes();
    pool_->free_.push_back(std::move(memory_));  // there is room
  }
  pool_->trim();
  pool_.reset();
}

PinnedMemory PinnedPool::excess() noexcept {
  const std::lock_guard lock(mutex_);
  const auto too_many = [&](const PinnedMemory& memory) {
    std::uint64_t left = 0;
    for (const Kept& kept : kept_) left += kept.bytes == memory.bytes() ? kept.count : 0;
    for (const PinnedMemory& other : free_)
      if (other.bytes() == memory.bytes() && left-- == 0) return true;
    return false;
  };
  const auto found = std::find_if(free_.begin(), free_.end(), too_many);  // the first of its size
  if (found == free_.end()) return {};
  PinnedMemory first = std::move(*found);
  free_.erase(found);
  idle_ -= first.bytes();
  --buffers_;
  return first;
}

void PinnedPool::trim() noexcept {
  while (excess().bytes() != 0) {
    // It is freed here, without the mutex.
  }
}

void PinnedPool::keep(std::vector<Kept> kept) {
  const std::lock_guard lock(mutex_);
  kept_ = std::move(kept);
}

std::uint64_t PinnedPool::idle_bytes() const {
  const std::lock_guard lock(mutex_);
  return idle_;
}

Result<PinnedPool::Lease> PinnedPool::take(const std::shared_ptr<PinnedPool>& pool, Context& context,
                                           std::uint64_t bytes) {
  Lease lease;
  {
    const std::lock_guard lock(pool->mutex_);
    const auto found = std::find_if(pool->free_.rbegin(), pool->free_.rend(),
                                    [&](const PinnedMemory& memory) { return memory.bytes() == bytes; });
    if (found != pool->free_.rend()) {
      lease.memory_ = std::move(*found);
      pool->free_.erase(std::next(found).base());
      pool->idle_ -= bytes;
      lease.pool_ = pool;
      return Result<Lease>(std::move(lease));
    }
  }
  CUZK_TRY(context.bind());
  CUZK_TRY_ASSIGN(lease.memory_, context.allocate_pinned(bytes, "witness"));
  const std::lock_guard lock(pool->mutex_);
  pool->free_.reserve(pool->buffers_ + 1);
  ++pool->buffers_;
  lease.pool_ = pool;
  return Result<Lease>(std::move(lease));
}

}  // namespace cuzk::cuda
