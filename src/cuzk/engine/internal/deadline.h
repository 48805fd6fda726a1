#pragma once

#include "cuzk/cpu/clock.h"

namespace cuzk::engine {

/// The time that comes `after`, which is not negative, after `from`. What the clock cannot say is its end.
[[nodiscard]] inline Clock::TimePoint deadline(Clock::TimePoint from, Clock::Duration after) {
  const bool beyond = from > Clock::TimePoint() && after > Clock::TimePoint::max() - from;
  return beyond ? Clock::TimePoint::max() : from + after;
}

}  // namespace cuzk::engine
