#include "cuzk/cuda/internal/host_memory.h"

#include <unistd.h>

#include <new>

namespace cuzk::cuda {

std::uint64_t PinnedBudget::of_machine() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return 0;
  return share_of(static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page));
}

Result<HostMemory> HostMemory::take(Context& context, const std::shared_ptr<PinnedBudget>& budget,
                                    std::uint64_t bytes, const char* what, Kind kind) {
  HostMemory memory;
  if (kind == Kind::pinned || budget->take(bytes)) {
    if (kind == Kind::pinned) budget->take_anyway(bytes);
    memory.budget_ = budget;
    memory.bytes_ = bytes;
    auto pinned = context.allocate_pinned(bytes, what);
    if (pinned) {
      memory.pinned_ = std::move(*pinned);
      return Result<HostMemory>(std::move(memory));
    }
    memory.give_back();
    // For want of memory there may still be some that is not page-locked.
    if (kind == Kind::pinned || context.fault() != Fault::none) return pinned.error();
  }
  memory.ordinary_.reset(new (std::nothrow) unsigned char[bytes == 0 ? 1 : bytes]);
  if (memory.ordinary_ == nullptr)
    return io_error(std::string(what) + ": out of host memory: " + std::to_string(bytes) + " bytes");
  memory.bytes_ = bytes;
  return Result<HostMemory>(std::move(memory));
}

}  // namespace cuzk::cuda
