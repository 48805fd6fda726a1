#include "cuzk/devices/device_choice.h"

#include <algorithm>

namespace cuzk::devices {
namespace {

using cuda::DeviceDescription;

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

std::string text_of(const DeviceName& name) {
  if (const auto* ordinal = std::get_if<std::uint32_t>(&name)) return std::to_string(*ordinal);
  return "\"" + std::get<std::string>(name) + "\"";
}

bool is_word(const DeviceName& name, const char* word) {
  const auto* text = std::get_if<std::string>(&name);
  return text != nullptr && lower(*text) == word;
}

bool has_name(const DeviceDescription& device, const DeviceName& name) {
  if (const auto* ordinal = std::get_if<std::uint32_t>(&name))
    return static_cast<std::uint32_t>(device.ordinal) == *ordinal;
  const std::string text = lower(std::get<std::string>(name));
  return lower(device.uuid).starts_with(text.starts_with("gpu-") ? text : "gpu-" + text);
}

Error refused(const std::string& what, const std::vector<DeviceDescription>& present) {
  std::string message = std::string(kDevicesKey) + ": " + what;
  if (present.empty()) return usage_error(message + "; no CUDA device is present");
  message += "; present:";
  for (const DeviceDescription& device : present)
    message += std::string(&device == present.data() ? " " : ", ") + std::to_string(device.ordinal) + " (" +
               device.uuid + ", " + device.name + ")";
  return usage_error(message);
}

}  // namespace

Result<bool> asks_for_cpu(const std::vector<DeviceName>& names) {
  const bool cpu =
      std::any_of(names.begin(), names.end(), [](const DeviceName& name) { return is_word(name, "cpu"); });
  if (cpu && names.size() > 1)
    return usage_error(std::string(kDevicesKey) +
                       ": \"cpu\" stands alone; the processor does not prove beside devices");
  return cpu;
}

Result<std::vector<DeviceDescription>> choose_devices(const std::vector<DeviceName>& names,
                                                      const std::vector<DeviceDescription>& present) {
  std::vector<bool> chosen(present.size(), names.empty());
  for (const DeviceName& name : names) {
    const bool all = is_word(name, "all");
    std::size_t matches = 0;
    for (std::size_t i = 0; i < present.size(); ++i) {
      if (!all && !has_name(present[i], name)) continue;
      chosen[i] = true;
      ++matches;
    }
    if (matches == 0) return refused("no device is called " + text_of(name), present);
    if (matches > 1 && !all) return refused("several devices are called " + text_of(name), present);
  }
  std::vector<DeviceDescription> out;
  for (std::size_t i = 0; i < present.size(); ++i)
    if (chosen[i]) out.push_back(present[i]);
  return out;
}

}  // namespace cuzk::devices
