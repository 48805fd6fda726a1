#pragma once

#include <span>

#include "cuzk/base/bytes.h"
#include "cuzk/base/result.h"

namespace cuzk {

/// Fills `out` from the operating system's generator (getrandom(2)). Fails rather than returning weak bytes.
Result<void> os_random(std::span<std::uint8_t> out);

/// SplitMix64: a small deterministic generator for tests and benchmarks. Never for secrets.
class TestRandom {
 public:
  explicit TestRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

}  // namespace cuzk
