#pragma once

#include <cstdint>

namespace cuzk::server {

/// What /proc/self says; zeros for what cannot be read. Thread-safe.
struct ProcessUsage {
  std::uint64_t resident_bytes = 0;
  double cpu_seconds = 0;
  std::uint64_t open_fds = 0;
  std::uint64_t max_fds = 0;
  double start_time_seconds = 0;  ///< since 1970
};
ProcessUsage process_usage();

}  // namespace cuzk::server
