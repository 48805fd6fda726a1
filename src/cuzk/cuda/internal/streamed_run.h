#pragma once

#include <span>
#include <vector>

#include "cuzk/cuda/internal/circuit_parts.h"
#include "cuzk/cuda/internal/stage_clock.h"

namespace cuzk::cuda {

/// The device work of circuits of one key that is not resident, or not all of it.
///
/// Quotients and sums over h are one circuit after the other: the additions of h take longer than the copies
/// of its bases, so nothing would be won by keeping several circuits' coefficients. Every piece of the other
/// queries' bases, whose copies take longer than their sums, is used for as many circuits as there is memory
/// for their witnesses, in most cases all of them, before the next one arrives.
///
/// Results are in the order of the circuits. Blocks until all sums are there. Errors: as run_resident's, and
/// kInternal where a phase takes other memory than planned; behind one, copies may still run that read the
/// circuits' page-locked memory and the key (see drain()). Under the device lock, by one thread.
Result<std::vector<CircuitParts>> run_streamed(Context& context, const DeviceKey& key,
                                               std::span<const CudaPrepared* const> circuits,
                                               StageClock& clock, Progress& progress);

}  // namespace cuzk::cuda
