#pragma once

#include <string>

#include "cuzk/timeline/analysis.h"
#include "cuzk/timeline/text.h"

namespace cuzk::timeline {

/// A Gantt chart as one SVG file without scripts and without outside references: rows of synthesis and, for
/// every device, its workers, its lock and its kernels, with the efficiencies beside them; idle time of the
/// lock is shaded. Colour is the job, the number the partition; a tooltip has the times. What is narrower
/// than a fifth of a pixel beside its neighbour is drawn with it, so that the size of the file is bounded by
/// its width and kMaxRows. Thread-safe.
std::string to_svg(const Log& log, const Analysis& analysis);
inline constexpr std::size_t kMaxRows = 256;

}  // namespace cuzk::timeline
