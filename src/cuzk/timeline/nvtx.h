#pragma once

namespace cuzk::timeline {

/// A range of the calling thread in a profiler (NVTX, domain `cuzk`), from construction to destruction. Where
/// the program was built without CUDA it does nothing; without a profiler it costs a call. Every thread has
/// ranges of its own; one must end on the thread that it began on, innermost first.
class NvtxRange {
 public:
  /// `name` is read before the constructor returns.
  explicit NvtxRange(const char* name);
  ~NvtxRange();
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
};

}  // namespace cuzk::timeline
