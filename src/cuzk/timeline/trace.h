#pragma once

#include <string>

#include "cuzk/timeline/text.h"

namespace cuzk::timeline {

/// The log in the trace-event format (JSON object form) that Perfetto and chrome://tracing open. One process
/// for synthesis, one per device and one for verification; threads are the workers, the lock and the kernels
/// of a device. Complete events (`X`), times in microseconds; a flow leads each partition from its synthesis
/// to the device worker that took it. Thread-safe.
std::string to_trace(const Log& log);

}  // namespace cuzk::timeline
