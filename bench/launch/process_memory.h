#pragma once

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

namespace cuzk::bench {

/// Bytes that a line of /proc/self/status says, "VmRSS" or "VmHWM"; 0 where there is none.
inline std::uint64_t process_memory(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == name + ":") {
      std::uint64_t kib = 0;
      status >> kib;
      return kib * 1024;
    }
  return 0;
}

/// VmHWM is from now on the most since this call, where the system allows it.
inline void reset_peak_memory() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

}  // namespace cuzk::bench
