#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/devices/device_choice.h"
#include "cuzk/engine/device.h"

namespace cuzk::devices {

struct DeviceOptions {
  /// Empty: every CUDA device, and where there is none (or no CUDA in this program) the processor.
  std::vector<DeviceName> names;
  std::uint64_t vram_limit = 0;  ///< bytes that are taken of a device; 0: what is free
  /// As gpus.points_per_base: the most points that a resident key keeps for each base of h, itself counted
  /// (cuda::CudaProverOptions::multiples). Of other values than 1 it also keeps sums of pairs of bit bases.
  unsigned points_per_base = 1;
  /// Gets one line for every key that a device takes and where it lies, on any thread. May be empty.
  std::function<void(const std::string&)> told = nullptr;
};

/// What proves.
struct Devices {
  std::string backend;  ///< "cuda" or "cpu"
  std::vector<std::shared_ptr<engine::Device>> list;
};

/// Opens the devices that the options name. `pool` must outlive them; `warn` is told of options without
/// effect and of a driver that does not work where none was asked for. kUsage for a name without a device,
/// in a program without CUDA for any name but "cpu"; kIo for a device that cannot be opened.
Result<Devices> open_devices(ThreadPool& pool, const DeviceOptions& options,
                             const std::function<void(const std::string&)>& warn);

}  // namespace cuzk::devices
