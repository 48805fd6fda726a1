#include "harm.h"

#include <cuda_runtime.h>

#include <cstdio>

namespace cuzk::device_test {
namespace {

__global__ void write_to(std::uintptr_t address) {
  *reinterpret_cast<volatile unsigned long long*>(address) = 1;
}
__global__ void trap() {
  __trap();
}

}  // namespace

std::uint64_t free_on_card() {
  std::size_t free = 0;
  std::size_t total = 0;
  if (cudaMemGetInfo(&free, &total) == cudaSuccess) return free;
  (void)cudaGetLastError();
  return 0;
}

bool nothing_left() {
  const cudaError_t left = cudaPeekAtLastError();
  if (left != cudaSuccess) std::printf("  left in the thread: %s\n", cudaGetErrorName(left));
  return left == cudaSuccess;
}

void do_harm(Harm harm, cuda::Context& context) {
  switch (harm) {
    case Harm::illegal_address:
      write_to<<<1, 1, 0, context.stream()>>>(16);
      return;
    case Harm::misaligned_address:
      write_to<<<1, 1, 0, context.stream()>>>(0x1001);
      return;
    case Harm::trap:
      trap<<<1, 1, 0, context.stream()>>>();
      return;
    case Harm::reported_lost:
      (void)context.check(cudaErrorECCUncorrectable, "test");
      return;
  }
}

}  // namespace cuzk::device_test
