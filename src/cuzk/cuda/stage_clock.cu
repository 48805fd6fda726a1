#include "cuzk/cuda/internal/stage_clock.h"

#include <cuda_runtime.h>

#include <algorithm>

namespace cuzk::cuda {

Result<Event> StageClock::record() {
  cudaEvent_t event = nullptr;
  CUZK_TRY(context_->check(cudaEventCreate(&event), "times of stages"));
  Event owned(event);
  CUZK_TRY(context_->check(cudaEventRecord(event, context_->stream()), "times of stages"));
  return Result<Event>(std::move(owned));
}

Result<StageClock> StageClock::start(Context& context) {
  StageClock self(context);
  CUZK_TRY(context.synchronize("times of stages"));
  CUZK_TRY_ASSIGN(self.base_, self.record());
  CUZK_TRY(context.synchronize("times of stages"));
  self.base_time_ = std::chrono::steady_clock::now();
  return Result<StageClock>(std::move(self));
}

Result<void> StageClock::begin(const char* name) {
  CUZK_TRY_ASSIGN(Event event, record());
  marks_.push_back({name, std::move(event), nullptr});
  return {};
}

Result<void> StageClock::end() {
  CUZK_CHECK(!marks_.empty() && marks_.back().end == nullptr);
  CUZK_TRY_ASSIGN(marks_.back().end, record());
  return {};
}

Result<std::vector<StageClock::Stage>> StageClock::stages() {
  CUZK_TRY(context_->synchronize("times of stages"));
  const Time now = std::chrono::steady_clock::now();
  std::vector<Stage> out;
  for (const Mark& mark : marks_) {
    CUZK_CHECK(mark.end != nullptr);
    Stage stage{mark.name, base_time_, base_time_};
    for (const auto& [event, time] :
         {std::pair{mark.begin.get(), &stage.begin}, std::pair{mark.end.get(), &stage.end}}) {
      float milliseconds = 0;
      CUZK_TRY(context_->check(cudaEventElapsedTime(&milliseconds, base_.get(), event), "times of stages"));
      const std::chrono::duration<double, std::milli> since(milliseconds);
      // The host saw the base event some microseconds late.
      *time = std::min(now, base_time_ + std::chrono::duration_cast<Time::duration>(since));
    }
    out.push_back(stage);
  }
  return out;
}

}  // namespace cuzk::cuda
