#include "cuzk/devices/cuda_device.h"

#include <algorithm>

namespace cuzk::devices {

Result<std::shared_ptr<engine::Device>> CudaDevice::open(ThreadPool& pool,
                                                         const cuda::DeviceDescription& description,
                                                         std::uint64_t vram_limit) {
  auto context = cuda::Context::create({.device = description.ordinal, .vram_limit = vram_limit});
  if (!context)
    return io_error("CUDA device " + std::to_string(description.ordinal) + " (" + description.uuid + ", " +
                    description.name + "): " + context.error().message);
  return std::shared_ptr<engine::Device>(
      std::make_shared<CudaDevice>(pool, description, std::move(*context)));
}

CudaDevice::CudaDevice(ThreadPool& pool, const cuda::DeviceDescription& description,
                       std::unique_ptr<cuda::Context> context)
    : info_{static_cast<std::uint32_t>(description.ordinal), description.uuid, description.name,
            description.memory_bytes},
      context_(std::move(context)),
      prover_(*context_, pool) {}

std::uint64_t CudaDevice::free_memory() {
  const std::uint64_t limit = context_->vram_limit();
  return limit - std::min(limit, context_->bytes_in_use());
}

std::uint64_t CudaDevice::launch_host_bytes(const Shape&) const {
  // A launch leaves a few thousand points on the host. The first one of a key may copy it: two pieces of 2^18
  // points, decoded.
  return std::uint64_t{128} << 20;
}

Result<void> CudaDevice::hold(const std::shared_ptr<const groth16::ProvingKey>& key,
                              const groth16::LaunchOptions& options) {
  return prover_.hold(key, options);
}
void CudaDevice::drop(const std::shared_ptr<const groth16::ProvingKey>& key,
                      const groth16::LaunchOptions& options) {
  prover_.drop(key, options);
}

}  // namespace cuzk::devices
