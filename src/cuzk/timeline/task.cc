#include "cuzk/timeline/task.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace cuzk::timeline {
namespace {

/// Tasks with their kernels that have begun and not ended.
class Collector {
 public:
  void add(const Event& event);
  Tasks finish();

 private:
  using Key = std::tuple<std::string_view, std::optional<std::uint32_t>, std::optional<std::uint32_t>,
                         std::optional<std::uint32_t>>;

  Task& task_of(const Event& event, std::optional<std::int64_t> Task::*slot);
  void begin_kernel(const Event& event);
  void end_kernel(const Event& event);
  void begin_key(const Event& event);
  void end_key(const Event& event);

  Tasks out_;
  std::map<Key, std::size_t> latest_;                                              // the try that goes on
  std::map<std::pair<std::size_t, std::string>, std::vector<std::int64_t>> open_;  // (task, stage) -> begins
  std::map<std::uint32_t, std::int64_t> open_keys_;  // by device, whose lock lets in one at a time
};

bool of_synthesis(EventKind kind) {
  return kind == EventKind::kSynthStart || kind == EventKind::kSynthEnd;
}

std::optional<std::int64_t> Task::*slot_of(EventKind kind) {
  switch (kind) {
    case EventKind::kSynthStart:
      return &Task::synth_start;
    case EventKind::kSynthEnd:
      return &Task::synth_end;
    case EventKind::kGpuQueue:
      return &Task::queue;
    case EventKind::kGpuPickup:
      return &Task::pickup;
    case EventKind::kGpuStart:
      return &Task::gpu_start;
    case EventKind::kGpuEnd:
      return &Task::gpu_end;
    case EventKind::kLockWait:
      return &Task::lock_wait;
    case EventKind::kLockAcquired:
      return &Task::lock_acquired;
    case EventKind::kLockReleased:
      return &Task::lock_released;
    case EventKind::kEpilogueEnd:
      return &Task::epilogue_end;
    case EventKind::kVerifyEnd:
      return &Task::verify_end;
    case EventKind::kKernelStart:
    case EventKind::kKernelEnd:
    case EventKind::kJobDone:
    case EventKind::kKeyStart:
    case EventKind::kKeyEnd:
      break;
  }
  return nullptr;
}

Task& Collector::task_of(const Event& event, std::optional<std::int64_t> Task::*slot) {
  Key key{event.job, event.partition, {}, {}};
  if (!event.partition) key = {event.job, {}, event.device, event.worker};
  const auto [entry, fresh] = latest_.try_emplace(key, out_.tasks.size());
  if (fresh || (slot != nullptr && out_.tasks[entry->second].*slot)) {
    entry->second = out_.tasks.size();
    Task& begun = out_.tasks.emplace_back();
    begun.job = event.job;
    begun.partition = event.partition;
  }
  Task& task = out_.tasks[entry->second];
  if (of_synthesis(event.kind)) {
    if (event.worker) task.synth_worker = event.worker;
  } else {
    if (event.device) task.device = *event.device;
    // The finisher that verifies, and the queue, may have numbers of their own.
    if (event.worker && event.kind != EventKind::kVerifyEnd && event.kind != EventKind::kGpuQueue &&
        !task.worker)
      task.worker = event.worker;
  }
  return task;
}

void Collector::begin_kernel(const Event& event) {
  const Task& task = task_of(event, nullptr);
  const auto index = static_cast<std::size_t>(&task - out_.tasks.data());
  open_[{index, std::string(detail_of(event, "stage").value_or(""))}].push_back(event.time_ns);
}

void Collector::end_kernel(const Event& event) {
  Task& task = task_of(event, nullptr);
  const auto index = static_cast<std::size_t>(&task - out_.tasks.data());
  std::string stage(detail_of(event, "stage").value_or(""));
  const auto open = open_.find({index, stage});
  if (open == open_.end()) {
    ++out_.unpaired;
    return;
  }
  // The latest one that is open: where kernels of one stage overlap, union and sum are the same either way.
  task.kernels.push_back({std::move(stage), {open->second.back(), event.time_ns}});
  open->second.pop_back();
  if (open->second.empty()) open_.erase(open);
}

void Collector::begin_key(const Event& event) {
  const bool first = open_keys_.insert_or_assign(event.device.value_or(0), event.time_ns).second;
  if (!first) ++out_.unpaired;
}

void Collector::end_key(const Event& event) {
  const auto open = open_keys_.find(event.device.value_or(0));
  if (open == open_keys_.end()) {
    ++out_.unpaired;
    return;
  }
  out_.keys.push_back({open->first,
                       std::string(detail_of(event, "circuit").value_or("")),
                       std::string(detail_of(event, "what").value_or("")),
                       {open->second, event.time_ns}});
  open_keys_.erase(open);
}

void Collector::add(const Event& event) {
  if (event.kind == EventKind::kJobDone) {
    out_.done.push_back({event.job, event.time_ns, std::string(detail_of(event, "state").value_or(""))});
  } else if (event.kind == EventKind::kKernelStart) {
    begin_kernel(event);
  } else if (event.kind == EventKind::kKernelEnd) {
    end_kernel(event);
  } else if (event.kind == EventKind::kKeyStart) {
    begin_key(event);
  } else if (event.kind == EventKind::kKeyEnd) {
    end_key(event);
  } else {
    const auto slot = slot_of(event.kind);
    task_of(event, slot).*slot = event.time_ns;
  }
}

Tasks Collector::finish() {
  for (const auto& [key, begins] : open_) out_.unpaired += begins.size();
  out_.unpaired += open_keys_.size();
  for (Task& task : out_.tasks) {
    const auto count = [&](const std::optional<std::int64_t>& begin, const std::optional<std::int64_t>& end) {
      if (!Task::between(begin, end))
        out_.unpaired += static_cast<unsigned>(begin.has_value()) + end.has_value();
    };
    count(task.synth_start, task.synth_end);
    count(task.gpu_start, task.gpu_end);
    count(task.lock_acquired, task.lock_released);
    std::stable_sort(task.kernels.begin(), task.kernels.end(),
                     [](const Kernel& a, const Kernel& b) { return a.time.begin < b.time.begin; });
  }
  return std::move(out_);
}

}  // namespace

std::optional<Interval> Task::between(const std::optional<std::int64_t>& begin,
                                      const std::optional<std::int64_t>& end) {
  if (!begin || !end || *begin > *end) return std::nullopt;
  return Interval{*begin, *end};
}

std::vector<Interval> merge(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  std::vector<Interval> out;
  for (const Interval& next : intervals) {
    if (!out.empty() && next.begin <= out.back().end) {
      out.back().end = std::max(out.back().end, next.end);
    } else {
      out.push_back(next);
    }
  }
  return out;
}

std::int64_t covered(std::span<const Interval> merged, const Interval& window) {
  std::int64_t total = 0;
  auto first = std::partition_point(merged.begin(), merged.end(),
                                    [&](const Interval& i) { return i.end <= window.begin; });
  for (; first != merged.end() && first->begin < window.end; ++first)
    total += std::min(first->end, window.end) - std::max(first->begin, window.begin);
  return total;
}

Tasks collect_tasks(std::span<const Event> events) {
  std::vector<std::size_t> order(events.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return events[a].time_ns < events[b].time_ns; });
  Collector collector;
  for (const std::size_t i : order) collector.add(events[i]);
  Tasks out = collector.finish();
  if (!order.empty()) {
    out.first_ns = events[order.front()].time_ns;
    out.last_ns = events[order.back()].time_ns;
  }
  return out;
}

}  // namespace cuzk::timeline
