// cuzk bench kernels: what a CUDA device's kernels take, by themselves. The table is bench/kernels'.
#include "bench_kernels.h"

#include "kernel_table.h"

namespace cuzk::app {
namespace {

struct KernelOptions {
  bench::KernelSizes sizes;
  unsigned device = 0;
  unsigned threads = 0;
  Isa isa = best_isa();
};

Result<void> run(const KernelOptions& options) {
  ThreadPool pool(options.threads, options.isa);
  auto printed = bench::print_kernel_table(pool, static_cast<int>(options.device), options.sizes);
  // Exit code 1, as of every program that checks what a device computes.
  if (!printed && printed.error().code == ErrorCode::kInternal) return bad_input(printed.error().message);
  return printed;
}

}  // namespace

void add_kernels_bench(CLI::App& bench, Chosen& chosen) {
  auto [command, options] =
      add_command(bench, chosen, "kernels", "Transforms and sums of a CUDA device, by themselves",
                  "Exit codes: 0 done, 1 a sum is wrong, 2 usage, 3 the device failed.", run);
  const auto size = [&command = command](const char* name, unsigned& to, const char* help) {
    command->add_option(name, to, help)->check(CLI::Range(0, 28))->capture_default_str();
  };
  size("--transforms", options.sizes.transforms, "Logarithm of the largest transform; 0: none");
  size("--g1", options.sizes.g1, "Of the largest sum in G1");
  size("--g2", options.sizes.g2, "Of the largest sum in G2");
  command->add_option("--device", options.device, "CUDA's ordinal")->check(CLI::Range(0, 1024));
  command->add_option("--threads", options.threads, "Threads of the checks; 0 is one per processor")
      ->check(CLI::Range(0, 1024));
}

}  // namespace cuzk::app
