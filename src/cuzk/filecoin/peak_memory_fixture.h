#pragma once

// What the process has taken at most, for tests of the streaming systems. Test support.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>

#include "cuzk/base/result.h"

namespace cuzk {

inline long peak_kib() {
  rusage usage{};
  CUZK_CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
  return usage.ru_maxrss;
}

/// The streaming systems promise to stay below 2 GiB with 130 M constraints.
inline void expect_small_peak() {
  EXPECT_LT(peak_kib(), 2L << 20) << "KiB resident at the peak";
  std::printf("peak resident memory %ld MiB\n", peak_kib() >> 10);
}

}  // namespace cuzk
