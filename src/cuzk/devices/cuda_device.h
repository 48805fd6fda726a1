#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/cuda/context.h"
#include "cuzk/cuda/cuda_prover.h"
#include "cuzk/cuda/device_list.h"
#include "cuzk/engine/device.h"

namespace cuzk::devices {

/// A CUDA device: one context and one prover on it, for as long as the object lives. Thread-safe.
class CudaDevice : public engine::Device {
 public:
  struct Options {
    std::uint64_t vram_limit = 0;                          ///< as ContextOptions
    std::shared_ptr<cuda::PinnedBudget> pinned = nullptr;  ///< as CudaProverOptions
    unsigned points_per_base = 1;                          ///< as DeviceOptions
    /// Gets one line for every key that hold() has copied, on its thread. May be empty.
    std::function<void(const std::string&)> told = nullptr;
  };
  /// kIo, naming the device, when it cannot be used.
  static Result<std::shared_ptr<engine::Device>> open(ThreadPool& pool,
                                                      const cuda::DeviceDescription& description,
                                                      const Options& options);
  CudaDevice(ThreadPool& pool, const cuda::DeviceDescription& description,
             std::unique_ptr<cuda::Context> context, const Options& options);

  [[nodiscard]] const engine::DeviceInfo& info() const override { return info_; }
  [[nodiscard]] groth16::Prover& prover() override { return prover_; }
  /// kNone until the context is dead; running out of memory leaves it alive.
  [[nodiscard]] engine::DeviceFault fault() override;
  /// Of what may be taken (ContextOptions::vram_limit).
  [[nodiscard]] std::uint64_t free_memory() override { return context_->free_bytes(); }
  [[nodiscard]] engine::KeyHostBytes key_host_bytes(const Shape& shape) const override;
  [[nodiscard]] std::vector<engine::HeldKey> held_keys() const override;
  Result<void> hold(const std::shared_ptr<const groth16::ProvingKey>& key,
                    const groth16::LaunchOptions& options = {}) override;
  void drop(const std::shared_ptr<const groth16::ProvingKey>& key,
            const groth16::LaunchOptions& options = {}) override;

  /// For measurements: its memory accounting and plans.
  [[nodiscard]] cuda::Context& context() { return *context_; }
  [[nodiscard]] cuda::CudaProver& cuda_prover() { return prover_; }

 private:
  engine::DeviceInfo info_;
  std::function<void(const std::string&)> told_;
  std::unique_ptr<cuda::Context> context_;
  cuda::CudaProver prover_;
};

}  // namespace cuzk::devices
