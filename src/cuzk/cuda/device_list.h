#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuzk/base/result.h"

namespace cuzk::cuda {

/// A device as the driver lists it.
struct DeviceDescription {
  int ordinal = 0;
  std::string uuid;  ///< "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", lower case, as nvidia-smi prints it
  std::string name;
  std::uint64_t memory_bytes = 0;
  int major = 0;  ///< of the compute capability
  int minor = 0;
};

/// All devices that this process may use, in CUDA's order; none where there is no device. One that the driver
/// lists but does not describe is left out, and `left_out`, which may be null, gets a line that says why. kIo
/// where there is no driver or one too old for this program, with its reason, and where every device is left
/// out. For any thread.
Result<std::vector<DeviceDescription>> list_devices(std::vector<std::string>* left_out = nullptr);

}  // namespace cuzk::cuda
