#include "cuzk/timeline/analysis.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace cuzk::timeline {
namespace {

constexpr std::int64_t kMs = 1'000'000;

/// Sums of lengths of intervals that a log makes up may exceed 2^63 ns, 292 years: they stop there.
void add(std::int64_t& sum, std::int64_t length) {
  if (__builtin_add_overflow(sum, length, &sum)) sum = INT64_MAX;
}

void add(GapSum& sum, std::int64_t length) {
  ++sum.count;
  add(sum.total_ns, length);
}

void add(GapSum& sum, const GapSum& other) {
  sum.count += other.count;
  add(sum.total_ns, other.total_ns);
}

Work work_of(const Task& task, const Interval& time, std::string stage = {}) {
  return {task.job, task.partition, task.worker, std::move(stage), time};
}

Gap::Kind kind_of(const Work& ended, const Work& began) {
  if (ended.job != began.job) return Gap::Kind::kCrossJob;
  return ended.partition != began.partition ? Gap::Kind::kCrossPartition : Gap::Kind::kWithinPartition;
}

void count_gap(Lane& lane, const Gap& gap) {
  const std::int64_t length = gap.time.length();
  add(lane.gaps, length);
  add(length < 50 * kMs     ? lane.below_50_ms
      : length <= 500 * kMs ? lane.from_50_to_500_ms
                            : lane.above_500_ms,
      length);
  add(gap.kind == Gap::Kind::kCrossJob         ? lane.cross_job
      : gap.kind == Gap::Kind::kCrossPartition ? lane.cross_partition
                                               : lane.within_partition,
      length);
  lane.largest_gap_ns = std::max(lane.largest_gap_ns, length);
}

std::vector<Interval> times_of(const std::vector<Work>& work) {
  std::vector<Interval> out;
  out.reserve(work.size());
  for (const Work& w : work) out.push_back(w.time);
  return out;
}

/// The lane of `work` over `span`, or over its own extent. Nothing for no work.
std::optional<DeviceLane> make_lane(std::vector<Work> work, const std::optional<Interval>& span) {
  if (work.empty()) return std::nullopt;
  std::stable_sort(work.begin(), work.end(), [](const Work& a, const Work& b) {
    return a.time.begin != b.time.begin ? a.time.begin < b.time.begin : a.time.end < b.time.end;
  });
  const std::vector<Interval> merged = merge(times_of(work));
  const Interval window = span.value_or(Interval{merged.front().begin, merged.back().end});
  DeviceLane lane;
  lane.devices = 1;
  lane.intervals = work.size();
  lane.merged = merged.size();
  lane.busy_ns = covered(merged, window);
  lane.span_ns = window.length();
  const Work* last = nullptr;
  for (const Work& next : work) {
    if (last != nullptr && next.time.begin > last->time.end) {
      Gap gap{{last->time.end, next.time.begin}, kind_of(*last, next), *last, next};
      count_gap(lane, gap);
      lane.gap_list.push_back(std::move(gap));
    }
    if (last == nullptr || next.time.end >= last->time.end) last = &next;
  }
  return lane;
}

/// What one device did, before anything is summed up.
struct DeviceWork {
  std::vector<const Task*> tasks;
  std::vector<Work> lock, job, kernel;
  std::vector<Interval> keys;
};

std::optional<Interval> extent(const std::vector<Work>& work) {
  if (work.empty()) return std::nullopt;
  Interval out = work.front().time;
  for (const Work& w : work) {
    out.begin = std::min(out.begin, w.time.begin);
    out.end = std::max(out.end, w.time.end);
  }
  return out;
}

/// The span that kernel time is compared with.
std::optional<Interval> kernel_span(const DeviceWork& device) {
  if (const auto lock = extent(device.lock)) return lock;
  if (const auto job = extent(device.job)) return job;
  return extent(device.kernel);
}

std::map<std::uint32_t, DeviceWork> by_device(const Tasks& tasks) {
  std::map<std::uint32_t, DeviceWork> devices;
  for (const Task& task : tasks.tasks) {
    const auto lock = task.lock();
    const auto gpu = task.gpu();
    if (!lock && !gpu && task.kernels.empty()) continue;
    DeviceWork& device = devices[task.device];
    device.tasks.push_back(&task);
    if (lock) device.lock.push_back(work_of(task, *lock));
    if (gpu) device.job.push_back(work_of(task, *gpu));
    for (const Kernel& kernel : task.kernels)
      device.kernel.push_back(work_of(task, kernel.time, kernel.stage));
  }
  for (const KeyTime& key : tasks.keys)
    if (const auto device = devices.find(key.device); device != devices.end())
      device->second.keys.push_back(key.time);
  return devices;
}

/// The tasks of each worker of a device, by the time that it took them.
class Workers {
 public:
  explicit Workers(const std::vector<const Task*>& tasks) {
    for (const Task* task : tasks)
      if (task->worker && begin_of(*task) && task->gpu_end) of_[*task->worker].push_back(task);
    for (auto& [worker, list] : of_)
      std::stable_sort(list.begin(), list.end(),
                       [](const Task* a, const Task* b) { return *begin_of(*a) < *begin_of(*b); });
  }

  /// GPU_PICKUP, or GPU_START in a log without it.
  static std::optional<std::int64_t> begin_of(const Task& task) {
    return task.pickup ? task.pickup : task.gpu_start;
  }

  [[nodiscard]] std::vector<Turnaround> turnarounds() const {
    std::vector<Turnaround> out;
    for (const auto& [worker, list] : of_) {
      Turnaround sum;
      sum.worker = worker;
      for (std::size_t i = 1; i < list.size(); ++i) {
        const std::int64_t begin = *begin_of(*list[i]);
        const std::int64_t free = std::min(begin, *list[i - 1]->gpu_end);
        const std::int64_t ready = std::clamp(list[i]->queue.value_or(free), free, begin);
        ++sum.count;
        add(sum.total_ns, begin - ready);
        add(sum.waiting_ns, ready - free);
        sum.largest_ns = std::max(sum.largest_ns, begin - ready);
      }
      out.push_back(sum);
    }
    return out;
  }

  /// The task that the worker of `task` had before it.
  [[nodiscard]] const Task* before(const Task& task) const {
    if (!task.worker) return nullptr;
    const auto found = of_.find(*task.worker);
    const auto begin = begin_of(task);
    if (found == of_.end() || !begin) return nullptr;
    const auto& list = found->second;
    auto at =
        std::partition_point(list.begin(), list.end(), [&](const Task* t) { return *begin_of(*t) < *begin; });
    return at == list.begin() ? nullptr : *std::prev(at);
  }

 private:
  std::map<std::uint32_t, std::vector<const Task*>> of_;
};

/// Splits idle time by what the task that ended it was waiting for.
class Blamer {
 public:
  /// `keys`: when the lock was held for a key, merged.
  Blamer(const Workers& workers, std::vector<Interval> keys) : workers_(workers), keys_(std::move(keys)) {}

  void blame(const Interval& gap, const Task& next) {
    std::int64_t at = gap.begin;
    // `name` goes on until `end`; what is before `at` or after the gap is cut off.
    const auto until = [&](std::string_view name, const std::optional<std::int64_t>& end) {
      if (!end) return;
      const std::int64_t stop = std::min(*end, gap.end);
      if (stop > at) {
        const std::int64_t key = covered(keys_, {at, stop});
        if (key > 0) add(idle_["key"], key);
        if (key < stop - at) add(idle_[name], stop - at - key);
        at = stop;
      }
    };
    until("admission", next.synth_start);
    until("synthesis", next.synth_end);
    const bool traced = next.synth_end || next.queue;
    if (next.synth_end) until("accept", next.queue);
    if (!next.synth_end && next.queue) until("untraced", next.queue);
    // Nobody took it yet: the worker that did, was it busy with the one before?
    if (const Task* busy = workers_.before(next); busy != nullptr && next.pickup) {
      if (busy->gpu_start && at < *busy->gpu_start) until(traced ? "pickup" : "untraced", busy->gpu_start);
      until("prepare", capped(busy->lock_wait, next.pickup));
      until("handover", capped(busy->lock_acquired, next.pickup));
      if (busy->lock_released && at >= *busy->lock_released)
        until("epilogue", capped(busy->gpu_end, next.pickup));
    }
    until(traced ? "pickup" : "untraced", next.pickup);
    until("pickup", next.pickup ? next.gpu_start : std::nullopt);
    if (!next.pickup) until(traced ? "pickup" : "untraced", next.gpu_start);
    until("prepare", next.lock_wait);
    until("handover", gap.end);
  }

  /// Most first.
  [[nodiscard]] std::vector<Blame> result() const {
    std::vector<Blame> out;
    for (const auto& [stage, idle] : idle_) out.push_back({std::string(stage), idle});
    std::stable_sort(out.begin(), out.end(),
                     [](const Blame& a, const Blame& b) { return a.idle_ns > b.idle_ns; });
    return out;
  }

 private:
  static std::optional<std::int64_t> capped(const std::optional<std::int64_t>& time,
                                            const std::optional<std::int64_t>& cap) {
    return time ? std::optional(std::min(*time, *cap)) : std::nullopt;
  }

  const Workers& workers_;
  std::vector<Interval> keys_;
  std::map<std::string_view, std::int64_t> idle_;
};

std::vector<Blame> starved_by(const DeviceWork& work, const DeviceLane& basis, bool of_lock,
                              const Workers& workers) {
  // The task that began at the end of a gap, by that time.
  std::map<std::int64_t, const Task*> begins;
  for (const Task* task : work.tasks) {
    const auto time = of_lock ? task->lock() : task->gpu();
    if (time) begins.try_emplace(time->begin, task);
  }
  Blamer blamer(workers, merge(work.keys));
  for (const Gap& gap : basis.gap_list) {
    const auto next = begins.find(gap.time.end);
    if (next != begins.end()) blamer.blame(gap.time, *next->second);
  }
  return blamer.result();
}

Device analyse_device(std::uint32_t ordinal, DeviceWork work) {
  Device out;
  out.ordinal = ordinal;
  const std::optional<Interval> span = kernel_span(work);
  const Workers workers(work.tasks);
  out.workers = workers.turnarounds();
  out.lock = make_lane(std::move(work.lock), std::nullopt);
  out.job = make_lane(std::move(work.job), std::nullopt);
  out.kernel = make_lane(std::move(work.kernel), span);
  if (out.lock) {
    out.starved_by = starved_by(work, *out.lock, true, workers);
  } else if (out.job) {
    out.starved_by = starved_by(work, *out.job, false, workers);
  }
  return out;
}

/// The sum of one lane over the devices; `extents` are their spans.
void add_lane(std::optional<Lane>& sum, const std::optional<DeviceLane>& lane) {
  if (!lane) return;
  if (!sum) sum = Lane{};
  sum->devices += 1;
  sum->intervals += lane->intervals;
  sum->merged += lane->merged;
  add(sum->busy_ns, lane->busy_ns);
  for (GapSum Lane::*field : {&Lane::gaps, &Lane::below_50_ms, &Lane::from_50_to_500_ms, &Lane::above_500_ms,
                              &Lane::cross_job, &Lane::cross_partition, &Lane::within_partition})
    add((*sum).*field, (*lane).*field);
  sum->largest_gap_ns = std::max(sum->largest_gap_ns, lane->largest_gap_ns);
}

void widen(std::optional<Interval>& all, const std::optional<Interval>& one) {
  if (!one) return;
  if (!all) all = one;
  all->begin = std::min(all->begin, one->begin);
  all->end = std::max(all->end, one->end);
}

void set_span(std::optional<Lane>& sum, const std::optional<Interval>& span) {
  if (!sum) return;
  for (std::uint64_t i = 0; i < sum->devices; ++i) add(sum->span_ns, span->length());
}

/// Means per stage, in the order given by the first add of each.
class Stages {
 public:
  void add(const std::string& stage, const std::optional<Interval>& time) {
    if (time) add_ms(stage, static_cast<double>(time->length()) / kMs);
  }
  void add_ms(const std::string& stage, double ms) {
    auto [entry, fresh] = index_.try_emplace(stage, out_.size());
    if (fresh) out_.push_back({stage, 0, 0, ms, ms});
    StageTime& s = out_[entry->second];
    ++s.count;
    s.total_ms += ms;
    s.min_ms = std::min(s.min_ms, ms);
    s.max_ms = std::max(s.max_ms, ms);
  }
  std::vector<StageTime> take() { return std::move(out_); }

 private:
  std::map<std::string, std::size_t> index_;
  std::vector<StageTime> out_;
};

std::vector<StageTime> stage_times(const Tasks& tasks) {
  using Slot = std::optional<std::int64_t> Task::*;
  struct Span {
    const char* stage;
    Slot begin, end;
  };
  constexpr std::array<Span, 6> kBefore = {{{"synthesis", &Task::synth_start, &Task::synth_end},
                                            {"accept", &Task::synth_end, &Task::queue},
                                            {"queue", &Task::queue, &Task::pickup},
                                            {"prepare", &Task::gpu_start, &Task::lock_wait},
                                            {"lock_wait", &Task::lock_wait, &Task::lock_acquired},
                                            {"lock_held", &Task::lock_acquired, &Task::lock_released}}};
  // One stage after the other, so that the order of the result is that of the way.
  Stages sums;
  for (const KeyTime& key : tasks.keys) sums.add(key.what == "drop" ? "key:drop" : "key:copy", key.time);
  for (const Span& span : kBefore)
    for (const Task& task : tasks.tasks)
      sums.add(span.stage, Task::between(task.*span.begin, task.*span.end));
  for (const Task& task : tasks.tasks) {
    if (task.kernels.empty()) continue;
    std::vector<Interval> all;
    for (const Kernel& kernel : task.kernels) all.push_back(kernel.time);
    const std::vector<Interval> merged = merge(std::move(all));
    sums.add_ms("kernels",
                static_cast<double>(covered(merged, {merged.front().begin, merged.back().end})) / kMs);
  }
  for (const Task& task : tasks.tasks) {
    std::map<std::string, double> of_stage;
    for (const Kernel& kernel : task.kernels)
      of_stage[kernel.stage] += static_cast<double>(kernel.time.length()) / kMs;
    for (const auto& [stage, ms] : of_stage) sums.add_ms("kernel:" + stage, ms);
  }
  for (const Task& task : tasks.tasks)
    sums.add("epilogue", Task::between(task.lock_released, task.epilogue_end));
  for (const Task& task : tasks.tasks) sums.add("gpu", task.gpu());
  for (const Task& task : tasks.tasks)
    sums.add("verify", Task::between(task.epilogue_end ? task.epilogue_end : task.gpu_end, task.verify_end));

  std::map<std::string_view, std::int64_t> first;
  for (const Task& task : tasks.tasks)
    for (Slot slot : {&Task::synth_start, &Task::queue, &Task::pickup, &Task::gpu_start, &Task::lock_wait,
                      &Task::lock_acquired}) {
      if (!(task.*slot)) continue;
      const auto [entry, fresh] = first.try_emplace(task.job, *(task.*slot));
      if (!fresh) entry->second = std::min(entry->second, *(task.*slot));
    }
  for (const JobDone& done : tasks.done)
    if (const auto begin = first.find(done.job); begin != first.end())
      sums.add("job", Task::between(begin->second, done.time_ns));
  return sums.take();
}

}  // namespace

std::string_view name_of(Gap::Kind kind) {
  switch (kind) {
    case Gap::Kind::kCrossJob:
      return "cross_job";
    case Gap::Kind::kCrossPartition:
      return "cross_partition";
    case Gap::Kind::kWithinPartition:
      break;
  }
  return "within_partition";
}

Analysis analyse(const Log& log) {
  const Tasks tasks = collect_tasks(log.events);
  Analysis out;
  out.events = log.events.size();
  out.lost = log.lost;
  out.unpaired = tasks.unpaired;
  out.tasks = tasks.tasks.size();
  std::set<std::string_view> jobs;
  std::set<std::pair<std::string_view, std::uint32_t>> partitions;
  for (const Task& task : tasks.tasks) {
    jobs.insert(task.job);
    if (task.partition && !partitions.insert({task.job, *task.partition}).second) ++out.retries;
  }
  for (const JobDone& done : tasks.done) jobs.insert(done.job);
  out.jobs = jobs.size();

  std::optional<Interval> lock_span, job_span, span_of_kernels;
  std::map<std::string, std::int64_t> blame;
  for (auto& [ordinal, work] : by_device(tasks)) {
    widen(lock_span, extent(work.lock));
    widen(job_span, extent(work.job));
    if (!work.kernel.empty()) widen(span_of_kernels, kernel_span(work));
    Device device = analyse_device(ordinal, std::move(work));
    add_lane(out.lock, device.lock);
    add_lane(out.job, device.job);
    add_lane(out.kernel, device.kernel);
    for (const Blame& b : device.starved_by) add(blame[b.stage], b.idle_ns);
    out.devices.push_back(std::move(device));
  }
  set_span(out.lock, lock_span);
  set_span(out.job, job_span);
  set_span(out.kernel, span_of_kernels);
  for (const auto& [stage, idle] : blame) out.starved_by.push_back({stage, idle});
  std::stable_sort(out.starved_by.begin(), out.starved_by.end(),
                   [](const Blame& a, const Blame& b) { return a.idle_ns > b.idle_ns; });
  out.stages = stage_times(tasks);
  return out;
}

}  // namespace cuzk::timeline
