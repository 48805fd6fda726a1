#include <algorithm>

#include "cuzk/cuda/internal/pinned_pool.h"

namespace cuzk::cuda {

void PinnedPool::Lease::give_back() noexcept {
  if (pool_ == nullptr) return;
  {
    const std::lock_guard lock(pool_->mutex_);
    pool_->free_.push_back(std::move(memory_));  // there is room
  }
  pool_.reset();
}

Result<PinnedPool::Lease> PinnedPool::take(const std::shared_ptr<PinnedPool>& pool, Context& context,
                                           std::uint64_t bytes) {
  // Circuits of one kind ask for equal sizes; others round up, so that they can share.
  constexpr std::uint64_t kStep = std::uint64_t{1} << 20;
  const std::uint64_t size = (std::max<std::uint64_t>(bytes, 1) + kStep - 1) / kStep * kStep;
  Lease lease;
  {
    const std::lock_guard lock(pool->mutex_);
    auto best = pool->free_.end();
    for (auto it = pool->free_.begin(); it != pool->free_.end(); ++it)
      if (it->bytes() >= size && (best == pool->free_.end() || it->bytes() < best->bytes())) best = it;
    if (best != pool->free_.end()) {
      lease.memory_ = std::move(*best);
      pool->free_.erase(best);
      lease.pool_ = pool;
      return Result<Lease>(std::move(lease));
    }
  }
  CUZK_TRY(context.bind());
  CUZK_TRY_ASSIGN(lease.memory_, context.allocate_pinned(size, "witness"));
  const std::lock_guard lock(pool->mutex_);
  pool->free_.reserve(pool->made_ + 1);
  ++pool->made_;
  lease.pool_ = pool;
  return Result<Lease>(std::move(lease));
}

}  // namespace cuzk::cuda
