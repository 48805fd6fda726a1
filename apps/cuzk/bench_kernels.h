#pragma once

#include "add_command.h"

namespace cuzk::app {

/// Adds `kernels` to the subcommand `bench`, which it makes where there is none. In programs with CUDA.
void add_kernels_bench(CLI::App& app, Chosen& chosen);

}  // namespace cuzk::app
