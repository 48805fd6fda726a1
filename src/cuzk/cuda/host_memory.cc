#include <unistd.h>

#include <new>

#include "cuzk/cuda/internal/host_memory.h"

namespace cuzk::cuda {

HostBudget HostBudget::of_machine() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return {};
  return {static_cast<std::uint64_t>(pages) / 4 * 3 * static_cast<std::uint64_t>(page)};
}

Result<HostMemory> HostMemory::take(Context& context, HostBudget& budget, std::uint64_t bytes,
                                    const char* what) {
  HostMemory memory;
  if (bytes <= budget.bytes) {
    auto pinned = context.allocate_pinned(bytes, what);
    if (pinned) {
      budget.bytes -= bytes;
      memory.pinned_ = std::move(*pinned);
      return Result<HostMemory>(std::move(memory));
    }
    if (context.fault() != Fault::none) return pinned.error();  // not for want of memory
  }
  memory.ordinary_.reset(new (std::nothrow) unsigned char[bytes == 0 ? 1 : bytes]);
  if (memory.ordinary_ == nullptr)
    return io_error(std::string(what) + ": out of host memory: " + std::to_string(bytes) + " bytes");
  return Result<HostMemory>(std::move(memory));
}

}  // namespace cuzk::cuda
