// `cuzk bench kernels` where nothing but the CUDA toolkit is.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "kernel_table.h"

namespace {

constexpr const char* kUsage = R"(Times of a CUDA device's transforms and sums; sums are checked on the CPU.
  cuzk_kernels_bench [TRANSFORMS [G1 [G2]]]
    TRANSFORMS  logarithm of the largest transform, 0 (none) to 28 (default 27)
    G1          of the largest sum in G1, likewise (27)
    G2          of the largest sum in G2, likewise (25)
Exits with 1 when a sum is wrong, 2 for wrong arguments, 3 when the device does not serve.
)";

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && (argv[1] == std::string_view("--help") || argv[1] == std::string_view("-h"))) {
    std::fputs(kUsage, stdout);
    return 0;
  }
  cuzk::bench::KernelSizes sizes;
  unsigned* const places[] = {&sizes.transforms, &sizes.g1, &sizes.g2};
  for (int i = 1; i < argc; ++i) {
    char* end = nullptr;
    const unsigned long value = std::strtoul(argv[i], &end, 10);
    if (i > 3 || end == argv[i] || *end != 0 || value > 28) {
      std::fprintf(stderr, "cuzk_kernels_bench: '%s' is not one of three sizes from 0 to 28\n%s", argv[i],
                   kUsage);
      return 2;
    }
    *places[i - 1] = static_cast<unsigned>(value);
  }
  cuzk::ThreadPool pool;
  const auto printed = cuzk::bench::print_kernel_table(pool, 0, sizes);
  if (printed) return 0;
  std::fprintf(stderr, "cuzk_kernels_bench: %s\n", printed.error().message.c_str());
  return printed.error().code == cuzk::ErrorCode::kInternal ? 1 : 3;
}
