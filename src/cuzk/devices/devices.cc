#include "cuzk/devices/devices.h"

#if CUZK_HAVE_CUDA
#include "cuzk/devices/cuda_device.h"
#include "cuzk/engine/config.h"
#endif

namespace cuzk::devices {
namespace {

using Warn = std::function<void(const std::string&)>;

Devices processor(ThreadPool& pool, const DeviceOptions& options, const Warn& warn) {
  if (options.vram_limit != 0) warn("gpus.vram_limit: without effect on the CPU backend");
  if (options.points_per_base != 1) warn("gpus.points_per_base: without effect on the CPU backend");
  return {"cpu", {std::make_shared<engine::CpuDevice>(pool)}};
}

#if CUZK_HAVE_CUDA
Result<Devices> open_cuda(ThreadPool& pool, const DeviceOptions& options, const Warn& warn) {
  std::vector<std::string> left_out;
  auto present = cuda::list_devices(&left_out);
  for (const std::string& reason : left_out) warn(reason + "; it is left out");
  if (!present) {
    if (!options.names.empty()) return present.error().within(kDevicesKey);
    warn(present.error().message + "; the processor proves");
    return processor(pool, options, warn);
  }
  CUZK_TRY_ASSIGN(const std::vector<cuda::DeviceDescription> chosen, choose_devices(options.names, *present));
  if (chosen.empty()) return processor(pool, options, warn);
  Devices out{"cuda", {}};
  // Page-locked memory is the machine's or the cgroup's, not a device's.
  const auto pinned =
      std::make_shared<cuda::PinnedBudget>(cuda::PinnedBudget::share_of(engine::available_memory()));
  for (const cuda::DeviceDescription& description : chosen) {
    CUZK_TRY_ASSIGN(std::shared_ptr<engine::Device> device,
                    CudaDevice::open(pool, description,
                                     {options.vram_limit, pinned, options.points_per_base, options.told}));
    out.list.push_back(std::move(device));
  }
  return out;
}
#else
Result<Devices> open_cuda(ThreadPool& pool, const DeviceOptions& options, const Warn& warn) {
  if (!options.names.empty())
    return usage_error(std::string(kDevicesKey) +
                       ": this program was built without CUDA; the list must be empty or [\"cpu\"]");
  return processor(pool, options, warn);
}
#endif

}  // namespace

Result<Devices> open_devices(ThreadPool& pool, const DeviceOptions& options, const Warn& warn) {
  CUZK_TRY_ASSIGN(const bool cpu, asks_for_cpu(options.names));
  if (cpu) return processor(pool, options, warn);
  return open_cuda(pool, options, warn);
}

}  // namespace cuzk::devices
