// Times of the device's transforms and sums: `cuzk bench kernels` where nothing but the CUDA toolkit is.
//   cuzk_kernels_bench [largest log size of transforms, default 27] [of G1 sums, 27] [of G2 sums, 25]
// Exits with 1 when a sum is wrong, 2 for wrong arguments, 3 when the device does not serve.
#include <cstdio>
#include <cstdlib>

#include "kernel_table.h"

int main(int argc, char** argv) {
  cuzk::bench::KernelSizes sizes;
  unsigned* const places[] = {&sizes.transforms, &sizes.g1, &sizes.g2};
  for (int i = 1; i < argc; ++i) {
    char* end = nullptr;
    const unsigned long value = std::strtoul(argv[i], &end, 10);
    if (i > 3 || end == argv[i] || *end != 0 || value > 28) {
      std::fprintf(stderr, "cuzk_kernels_bench: %s is not one of three sizes from 0 to 28\n", argv[i]);
      return 2;
    }
    *places[i - 1] = static_cast<unsigned>(value);
  }
  cuzk::ThreadPool pool;
  const auto printed = cuzk::bench::print_kernel_table(pool, 0, sizes);
  if (printed) return 0;
  std::fprintf(stderr, "%s\n", printed.error().message.c_str());
  return printed.error().code == cuzk::ErrorCode::kInternal ? 1 : 3;
}
