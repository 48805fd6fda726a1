#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "cuzk/base/result.h"
#include "cuzk/cuda/device_list.h"

namespace cuzk::devices {

/// How an operator names a device: CUDA's ordinal, a UUID as nvidia-smi prints it (its beginning is enough
/// where only one device has it), "all", or "cpu".
using DeviceName = std::variant<std::uint32_t, std::string>;

/// The key that holds the names, for errors.
inline constexpr const char* kDevicesKey = "gpus.devices";

/// Whether the names ask for the processor, and for nothing else beside it. kUsage for "cpu" beside others.
Result<bool> asks_for_cpu(const std::vector<DeviceName>& names);

/// The devices of `present` that `names` (no "cpu" among them) ask for, each once, by ordinal; all of them
/// for no name. kUsage, listing what is present, for a name that none or several have, and where names ask
/// for devices and there is none.
Result<std::vector<cuda::DeviceDescription>> choose_devices(
    const std::vector<DeviceName>& names, const std::vector<cuda::DeviceDescription>& present);

}  // namespace cuzk::devices
