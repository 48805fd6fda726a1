#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "cuzk/engine/device.h"

namespace cuzk::engine {

/// Another device, for classes that change a part of it. As thread-safe as that one.
class ForwardingDevice : public Device {
 public:
  explicit ForwardingDevice(std::shared_ptr<Device> device) : device_(std::move(device)) {}

  [[nodiscard]] const DeviceInfo& info() const override { return device_->info(); }
  [[nodiscard]] groth16::Prover& prover() override { return device_->prover(); }
  [[nodiscard]] DeviceFault fault() override { return device_->fault(); }
  [[nodiscard]] std::uint64_t free_memory() override { return device_->free_memory(); }
  [[nodiscard]] KeyHostBytes key_host_bytes(const Shape& shape) const override {
    return device_->key_host_bytes(shape);
  }
  [[nodiscard]] std::vector<HeldKey> held_keys() const override { return device_->held_keys(); }
  Result<void> hold(const std::shared_ptr<const groth16::ProvingKey>& key,
                    const groth16::LaunchOptions& options) override {
    return device_->hold(key, options);
  }
  void drop(const std::shared_ptr<const groth16::ProvingKey>& key,
            const groth16::LaunchOptions& options) override {
    device_->drop(key, options);
  }

 private:
  std::shared_ptr<Device> device_;
};

}  // namespace cuzk::engine
