#include "cuzk/server/process_usage.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace cuzk::server {
namespace {

/// Field `number` (proc(5) counts from 1) of /proc/self/stat. The second field is the program's name, which
/// may hold anything, so the count begins behind its last bracket.
double stat_field(int number) {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t bracket = text.rfind(')');
  if (bracket == std::string::npos) return 0;
  std::istringstream fields(text.substr(bracket + 1));
  std::string field;
  for (int i = 3; i <= number; ++i) fields >> field;
  try {
    return std::stod(field);
  } catch (const std::exception&) {
    return 0;
  }
}

double boot_time() {
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("btime ")) return std::stod(line.substr(6));
  }
  return 0;
}

}  // namespace

ProcessUsage process_usage() {
  ProcessUsage out;
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  out.resident_bytes =
      static_cast<std::uint64_t>(stat_field(24)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  out.start_time_seconds = boot_time() + stat_field(22) / ticks;
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) == 0) {
    const auto of = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    out.cpu_seconds = of(usage.ru_utime) + of(usage.ru_stime);
  }
  std::error_code error;
  for (auto it = std::filesystem::directory_iterator("/proc/self/fd", error);
       !error && it != std::filesystem::directory_iterator(); it.increment(error))
    ++out.open_fds;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) out.max_fds = limit.rlim_cur;
  return out;
}

void FreeMemory::give_back() {
#if defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 33)
  const std::uint64_t free = ::mallinfo2().fordblks;  // pages that were given back are among it
  kept_ = std::min(kept_, free);
  if (free - kept_ < (std::uint64_t{64} << 20)) return;
  (void)::malloc_trim(0);
  kept_ = ::mallinfo2().fordblks;
#endif
#endif
}

}  // namespace cuzk::server
