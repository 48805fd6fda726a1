#pragma once

#include "cuzk/cuda/context.h"

namespace cuzk::device_test {

/// What no program does on purpose but this test.
enum class Harm {
  illegal_address,     ///< a kernel writes where there is no memory
  misaligned_address,  ///< a kernel writes eight bytes at an odd address
  trap,                ///< a kernel stops itself
  reported_lost,       ///< the driver's status of a device that is gone reaches the context
};
/// Free memory of the card in bytes, as the driver says; 0 where it gives no answer.
std::uint64_t free_on_card();
/// Whether the runtime has no error left of this thread's calls, which it would take for that of the next
/// launch, on whatever device.
bool nothing_left();
/// In the order of the context's stream; does not wait.
void do_harm(Harm harm, cuda::Context& context);

}  // namespace cuzk::device_test
