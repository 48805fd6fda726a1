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

/// Gives memory back to the system that the allocator keeps after it was freed: the large messages of clients
/// that came once would stay for good. Not thread-safe.
class FreeMemory {
 public:
  /// To be called about once a second. Does something where 64 MiB more are free than after the last time, or
  /// at the least since.
  void give_back();

 private:
  std::uint64_t kept_ = 0;  // bytes that were free then
};

}  // namespace cuzk::server
