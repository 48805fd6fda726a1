#pragma once

#include "cuzk/cuda/internal/circuit_parts.h"
#include "cuzk/cuda/internal/stage_clock.h"

namespace cuzk::cuda {

/// The device work of one circuit whose key is resident.
Result<CircuitParts> run_resident(Context& context, const DeviceKey& key, const CudaPrepared& circuit,
                                  StageClock& clock, Progress& progress);

}  // namespace cuzk::cuda
