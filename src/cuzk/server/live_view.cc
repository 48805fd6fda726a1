#include "cuzk/server/live_view.h"

#include <algorithm>
#include <utility>

namespace cuzk::server {
namespace {

using timeline::Event;
using timeline::EventKind;

/// Jobs that are followed at a time; beyond, something is wrong with the events and they are not kept.
constexpr std::size_t kMaxJobs = 100'000;
/// Finished jobs that are remembered: more than the partitions that are on the devices at a time.
constexpr std::size_t kMaxFinished = 1024;

double seconds(std::int64_t from_ns, std::int64_t to_ns) {
  return to_ns > from_ns ? 1e-9 * static_cast<double>(to_ns - from_ns) : 0;
}

}  // namespace

void LiveState::apply(const Event& event, Metrics& metrics) {
  if (event.kind == EventKind::kJobDone) {
    jobs.erase(event.job);
    finished.push_back(event.job);
    if (finished.size() > kMaxFinished) finished.pop_front();
    return;
  }
  // The lock and the worker belong to the launch, whatever partitions are in it.
  if (event.device) {
    Device& device = devices[*event.device];
    switch (event.kind) {
      case EventKind::kLockAcquired:
      case EventKind::kKeyStart:
        if (device.released_ns)
          metrics.observe_idle_gap(*event.device, seconds(*device.released_ns, event.time_ns));
        break;
      case EventKind::kLockReleased:
      case EventKind::kKeyEnd:
        device.released_ns = event.time_ns;
        break;
      default:
        break;
    }
    if (event.worker && event.kind == EventKind::kGpuPickup)
      workers[{*event.device, *event.worker}] = {event.job, event.partition, event.time_ns};
    if (event.worker && event.kind == EventKind::kGpuEnd) {
      // Where a finisher runs the epilogue, the worker may have taken something else by now.
      Worker& worker = workers[{*event.device, *event.worker}];
      if (worker.job == event.job && worker.partition == event.partition) worker = {};
    }
  }

  if (!event.partition || jobs.size() > kMaxJobs) return;
  // What ran when its job ended goes on for a while.
  if (!jobs.contains(event.job) && std::find(finished.begin(), finished.end(), event.job) != finished.end())
    return;
  Partition& partition = jobs[event.job][*event.partition];
  if (event.device) partition.device = event.device;
  switch (event.kind) {
    case EventKind::kSynthStart: {
      Partition begun;
      begun.synth_start_ns = event.time_ns;
      begun.attempt = partition.attempt + 1;
      partition = begun;
    } break;
    case EventKind::kSynthEnd:
      partition.waits_since_ns = event.time_ns;
      if (!partition.synth_start_ns) break;
      partition.synth_ns = event.time_ns - *partition.synth_start_ns;
      metrics.observe(Stage::kSynthesis, seconds(*partition.synth_start_ns, event.time_ns));
      break;
    case EventKind::kGpuQueue:
      // Until the queue accepts it a partition waits too. After a lost device there is no synthesis before.
      if (!partition.waits_since_ns) partition.waits_since_ns = event.time_ns;
      break;
    case EventKind::kGpuPickup:
      if (partition.waits_since_ns)
        metrics.observe(Stage::kDeviceQueue,
                        seconds(*std::exchange(partition.waits_since_ns, {}), event.time_ns));
      partition.worker = event.worker;
      break;
    case EventKind::kGpuStart:
      partition.gpu_start_ns = event.time_ns;
      break;
    case EventKind::kGpuEnd:
      if (partition.gpu_start_ns) partition.gpu_ns = event.time_ns - *partition.gpu_start_ns;
      break;
    case EventKind::kLockWait:
      partition.lock_wait_ns = event.time_ns;
      if (partition.gpu_start_ns)
        metrics.observe(Stage::kPrepare, seconds(*partition.gpu_start_ns, event.time_ns));
      break;
    case EventKind::kLockAcquired:
      partition.lock_acquired_ns = event.time_ns;
      if (partition.lock_wait_ns)
        metrics.observe(Stage::kLockWait, seconds(*partition.lock_wait_ns, event.time_ns));
      break;
    case EventKind::kLockReleased:
      partition.lock_released_ns = event.time_ns;
      if (partition.lock_acquired_ns)
        metrics.observe(Stage::kLockHeld, seconds(*partition.lock_acquired_ns, event.time_ns));
      break;
    case EventKind::kEpilogueEnd:
      partition.epilogue_ns = event.time_ns;
      if (partition.lock_released_ns)
        metrics.observe(Stage::kEpilogue, seconds(*partition.lock_released_ns, event.time_ns));
      break;
    case EventKind::kVerifyEnd:
      if (partition.epilogue_ns)
        metrics.observe(Stage::kVerify, seconds(*partition.epilogue_ns, event.time_ns));
      break;
    default:
      break;
  }
}

LiveView::LiveView(const timeline::Recorder& recorder, Metrics& metrics)
    : recorder_(recorder),
      metrics_(metrics),
      thread_([this](const std::stop_token& stop) { follow(stop); }) {}

LiveState LiveView::state() const {
  const std::lock_guard guard(mutex_);
  return state_;
}

void LiveView::follow(const std::stop_token& stop) {
  std::uint64_t cursor = 0;
  while (!stop.stop_requested()) {
    if (!recorder_.wait(cursor, std::chrono::seconds(60), stop)) continue;
    const timeline::Recorder::Tail tail = recorder_.since(cursor, 4096);
    cursor = tail.next;
    const std::lock_guard guard(mutex_);
    if (tail.lost > 0) state_ = {};
    for (const Event& event : tail.events) state_.apply(event, metrics_);
  }
}

}  // namespace cuzk::server
