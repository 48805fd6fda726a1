#pragma once

#include "cuzk/base/result.h"
#include "cuzk/cpu/thread_pool.h"

namespace cuzk::bench {

/// Logarithms of the largest sizes; none of a kind for 0.
struct KernelSizes {
  unsigned transforms = 27;  ///< up to 28
  unsigned g1 = 27;
  unsigned g2 = 25;
};

/// Prints times of the device's transforms and sums on stdout, beside what its multipliers could do.
/// What there is no memory for is left out. kInternal when a sum is wrong; kIo without the device. Throws
/// nothing; prints from the calling thread.
Result<void> print_kernel_table(ThreadPool& pool, int device, const KernelSizes& sizes);

}  // namespace cuzk::bench
