#include "cuzk/cuda/device_list.h"

#include <cuda_runtime.h>

namespace cuzk::cuda {
namespace {

std::string uuid_text(const cudaUUID_t& uuid) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace

Result<std::vector<DeviceDescription>> list_devices(std::vector<std::string>* left_out) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorNoDevice) count = 0;
  if (status != cudaSuccess) (void)cudaGetLastError();
  if (status != cudaSuccess && status != cudaErrorNoDevice)
    return io_error(std::string("CUDA devices: ") + cudaGetErrorString(status));
  std::vector<DeviceDescription> devices;
  std::string last;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    cudaDeviceProp properties{};
    if (const cudaError_t failed = cudaGetDeviceProperties(&properties, ordinal); failed != cudaSuccess) {
      (void)cudaGetLastError();
      last = "CUDA device " + std::to_string(ordinal) + ": " + cudaGetErrorString(failed);
      if (left_out != nullptr) left_out->push_back(last);
      continue;
    }
    devices.push_back({ordinal, uuid_text(properties.uuid), properties.name, properties.totalGlobalMem,
                       properties.major, properties.minor});
  }
  if (devices.empty() && !last.empty()) return io_error(last);
  return devices;
}

}  // namespace cuzk::cuda
