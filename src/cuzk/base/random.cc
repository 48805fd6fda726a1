#include "cuzk/base/random.h"

#include <sys/random.h>

#include <cerrno>
#include <cstring>

namespace cuzk {

Result<void> os_random(std::span<std::uint8_t> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t n = ::getrandom(out.data() + done, out.size() - done, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return io_error(std::string("getrandom failed: ") + std::strerror(errno));
    done += static_cast<std::size_t>(n);
  }
  return {};
}

}  // namespace cuzk
