#pragma once

#include <chrono>
#include <vector>

#include "cuzk/cuda/context.h"
#include "cuzk/cuda/internal/device_stream.h"

namespace cuzk::cuda {

/// Times stages of a context's stream by events, and tells them in the host's time. Errors: as
/// Context::check, also those of the work before where a call waits. One thread, the one that uses the
/// context, which must outlive it.
class StageClock {
 public:
  using Time = std::chrono::steady_clock::time_point;
  struct Stage {
    const char* name;
    Time begin;
    Time end;
  };

  /// Waits for the stream, so that the device's clock and the host's meet at one moment.
  static Result<StageClock> start(Context& context);

  /// A stage begins behind what the stream has been given so far, and ends there. Neither waits. Stages do
  /// not overlap; `name` is in static storage.
  Result<void> begin(const char* name);
  Result<void> end();
  /// Waits for the last stage. Times lie between the start and now. Every stage has ended.
  Result<std::vector<Stage>> stages();

 private:
  struct Mark {
    const char* name;
    Event begin;
    Event end;
  };
  explicit StageClock(Context& context) : context_(&context) {}
  Result<Event> record();

  Context* context_;
  Event base_;
  Time base_time_;
  std::vector<Mark> marks_;
};

}  // namespace cuzk::cuda
