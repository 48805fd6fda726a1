#pragma once

#include "cuzk/cuda/internal/circuit_parts.h"
#include "cuzk/cuda/internal/stage_clock.h"

namespace cuzk::cuda {

/// The device work of one circuit whose key is resident. Blocks until all sums are there. Errors: as
/// Context::check, kIo where memory runs out, kInternal for a wrong quotient; memory that was taken is back
/// in the order of the stream by then, but work may still run (see drain()). Under the device lock, by one
/// thread.
Result<CircuitParts> run_resident(Context& context, const DeviceKey& key, const CudaPrepared& circuit,
                                  StageClock& clock, Progress& progress);

}  // namespace cuzk::cuda
