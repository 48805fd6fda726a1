#pragma once

#include "add_command.h"

namespace cuzk::app {

/// Adds `kernels` to the subcommand `bench`. In programs with CUDA.
void add_kernels_bench(CLI::App& bench, Chosen& chosen);

}  // namespace cuzk::app
