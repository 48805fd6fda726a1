#pragma once

#include "cuzk/base/result.h"
#include "cuzk/cpu/isa.h"

namespace cuzk::app {

/// The instruction set that CUZK_ISA names, the best one when it is unset or empty. kUsage: no such one, or
/// not on this processor.
Result<Isa> isa_from_environment();

/// For --help.
inline constexpr const char* kEnvironmentHelp =
    "Environment: CUZK_ISA, the instruction set of the batch kernels: portable, adx or ifma; without it the "
    "best of this processor. Results do not depend on it.";

}  // namespace cuzk::app
