#include "cuzk/devices/cuda_device.h"

#include <utility>

namespace cuzk::devices {

Result<std::shared_ptr<engine::Device>> CudaDevice::open(ThreadPool& pool,
                                                         const cuda::DeviceDescription& description,
                                                         const Options& options) {
  auto context = cuda::Context::create({.device = description.ordinal, .vram_limit = options.vram_limit});
  if (!context)
    return io_error("CUDA device " + std::to_string(description.ordinal) + " (" + description.uuid + ", " +
                    description.name + "): " + context.error().message);
  return std::shared_ptr<engine::Device>(
      std::make_shared<CudaDevice>(pool, description, std::move(*context), options));
}

CudaDevice::CudaDevice(ThreadPool& pool, const cuda::DeviceDescription& description,
                       std::unique_ptr<cuda::Context> context, const Options& options)
    : info_{static_cast<std::uint32_t>(description.ordinal), description.uuid, description.name,
            description.memory_bytes},
      told_(options.told),
      context_(std::move(context)),
      prover_(*context_, pool,
              {.pinned = options.pinned,
               .multiples = options.points_per_base,
               .pairs = options.points_per_base != 1}) {}

engine::DeviceFault CudaDevice::fault() {
  switch (context_->fault()) {
    case cuda::Fault::none:
      return engine::DeviceFault::kNone;
    case cuda::Fault::illegal_access:
      return engine::DeviceFault::kProcess;
    default:
      return engine::DeviceFault::kDevice;
  }
}

engine::KeyHostBytes CudaDevice::key_host_bytes(const Shape& shape) const {
  const auto plan = prover_.plan(shape);
  if (!plan) return {};  // hold() refuses the key with the same error
  return {plan->host_bytes() + plan->kept_bytes(), plan->launch_host, plan->witness};
}

std::vector<engine::HeldKey> CudaDevice::held_keys() const {
  std::vector<engine::HeldKey> out;
  for (const cuda::KeyMemory& key : prover_.keys())
    out.push_back({key.params, key.streamed, key.held, key.needed, key.limit, key.host + key.witnesses,
                   key.pinned + key.witnesses, key.h_multiples, key.pair_sums});
  return out;
}

Result<void> CudaDevice::hold(const std::shared_ptr<const groth16::ProvingKey>& key,
                              const groth16::LaunchOptions& options) {
  CUZK_TRY_ASSIGN(const bool copied, prover_.hold(key, options));
  if (!copied || !told_) return {};
  for (const cuda::KeyMemory& held : prover_.keys())
    if (held.params == key->path())
      told_("device " + std::to_string(context_->device()) + ": " + held.params + " is " + held.text());
  return {};
}
void CudaDevice::drop(const std::shared_ptr<const groth16::ProvingKey>& key,
                      const groth16::LaunchOptions& options) {
  prover_.drop(key, options);
}

}  // namespace cuzk::devices
