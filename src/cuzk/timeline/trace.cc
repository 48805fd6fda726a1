#include "cuzk/timeline/trace.h"

#include <map>
#include <set>

#include "cuzk/timeline/internal/concat.h"
#include "cuzk/timeline/json.h"
#include "cuzk/timeline/rows.h"
#include "cuzk/timeline/task.h"

namespace cuzk::timeline {
namespace {

// Process ids; a device is kDevices + its ordinal.
constexpr std::uint64_t kSynthesis = 1;
constexpr std::uint64_t kVerification = 2;
constexpr std::uint64_t kDevices = 10;
// Thread ids within a device. Workers are numbers of 32 bits from 0.
constexpr std::uint64_t kLock = std::uint64_t{1} << 32;
constexpr std::uint64_t kKernels = kLock + 1;

/// Microseconds with the nanoseconds as decimals.
std::string us(std::int64_t ns) {
  std::string out = std::to_string(ns / 1000);
  if (ns < 0 && ns / 1000 == 0) out = "-0";
  const std::string rest = std::to_string(std::abs(ns % 1000));
  return concat(out, ".", std::string(3 - rest.size(), '0'), rest);
}

class Trace {
 public:
  void complete(std::uint64_t process, std::uint64_t thread, std::string_view name, const Task& task,
                const Interval& time) {
    begin("X", name, process, thread, time.begin);
    append(out_, ",\"dur\":", us(time.length()), ",\"args\":{\"job\":");
    append_json_string(out_, task.job);
    if (task.partition) append(out_, ",\"partition\":", std::to_string(*task.partition));
    out_ += "}}";
    threads_.insert({process, thread});
  }

  void key(std::uint64_t process, std::uint64_t thread, const KeyTime& key) {
    begin("X", concat("key ", key.what), process, thread, key.time.begin);
    append(out_, ",\"dur\":", us(key.time.length()), ",\"args\":{\"circuit\":");
    append_json_string(out_, key.circuit);
    out_ += "}}";
    threads_.insert({process, thread});
  }

  void flow(const char* phase, std::uint64_t id, std::uint64_t process, std::uint64_t thread,
            std::int64_t at) {
    begin(phase, "partition", process, thread, at);
    append(out_, ",\"cat\":\"partition\",\"id\":", std::to_string(id));
    if (*phase == 'f') out_ += ",\"bp\":\"e\"";
    out_ += "}";
  }

  void job_done(const JobDone& done) {
    begin("i", concat("JOB_DONE ", done.state), kVerification, 0, done.time_ns);
    out_ += ",\"s\":\"p\",\"args\":{\"job\":";
    append_json_string(out_, done.job);
    out_ += "}}";
    threads_.insert({kVerification, 0});
  }

  std::string finish() {
    std::set<std::uint64_t> processes;
    for (const auto& [process, thread] : threads_) {
      if (processes.insert(process).second)
        metadata("process_name", process, 0,
                 process == kSynthesis      ? "synthesis"
                 : process == kVerification ? "verification"
                                            : concat("device ", std::to_string(process - kDevices)));
      metadata("thread_name", process, thread,
               process < kDevices   ? concat("row ", std::to_string(thread))
               : thread == kLock    ? "lock"
               : thread >= kKernels ? concat("kernels ", std::to_string(thread - kKernels))
                                    : concat("worker ", std::to_string(thread)));
    }
    return concat("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[", out_, "]}\n");
  }

 private:
  /// The members that every event has; the caller adds the rest and the brace.
  void begin(const char* phase, std::string_view name, std::uint64_t process, std::uint64_t thread,
             std::int64_t at) {
    out_ += out_.empty() ? "\n{\"ph\":\"" : ",\n{\"ph\":\"";
    out_.append(phase).append("\",\"name\":");
    append_json_string(out_, name);
    append(out_, ",\"pid\":", std::to_string(process), ",\"tid\":", std::to_string(thread),
           ",\"ts\":", us(at));
  }

  void metadata(const char* what, std::uint64_t process, std::uint64_t thread, const std::string& name) {
    begin("M", what, process, thread, 0);
    out_ += ",\"args\":{\"name\":";
    append_json_string(out_, name);
    out_ += "}}";
  }

  std::string out_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> threads_;
};

std::string title(const Task& task) {
  return task.partition ? concat(task.job, " #", std::to_string(*task.partition)) : task.job;
}

/// Things with a time, in its order, with the rows that keep them apart.
struct Packed {
  const Task* task;
  Interval time;
  std::string_view name;
};

std::vector<std::size_t> pack(std::vector<Packed>& items) {
  std::stable_sort(items.begin(), items.end(),
                   [](const Packed& a, const Packed& b) { return a.time.begin < b.time.begin; });
  std::vector<Interval> times;
  for (const Packed& item : items) times.push_back(item.time);
  return assign_rows(times);
}

void put_synthesis(Trace& trace, const Tasks& tasks) {
  std::vector<Packed> items;
  for (const Task& task : tasks.tasks)
    if (const auto time = task.synthesis()) items.push_back({&task, *time, {}});
  const std::vector<std::size_t> rows = pack(items);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Task& task = *items[i].task;
    trace.complete(kSynthesis, rows[i], title(task), task, items[i].time);
    const auto gpu = task.gpu();
    if (!gpu || !task.worker || gpu->begin < items[i].time.end) continue;
    const auto id = static_cast<std::uint64_t>(&task - tasks.tasks.data());
    trace.flow("s", id, kSynthesis, rows[i], items[i].time.end);
    trace.flow("f", id, kDevices + task.device, *task.worker, gpu->begin);
  }
}

/// A worker's task and, inside it, what it did.
void put_worker(Trace& trace, const Task& task) {
  const auto gpu = task.gpu();
  if (!gpu) return;
  const std::uint64_t process = kDevices + task.device;
  const std::uint64_t worker = task.worker.value_or(0);
  trace.complete(process, worker, title(task), task, *gpu);
  const auto part = [&](const char* name, const std::optional<std::int64_t>& begin,
                        const std::optional<std::int64_t>& end) {
    const auto time = Task::between(begin, end);
    if (time && time->begin >= gpu->begin && time->end <= gpu->end)
      trace.complete(process, worker, name, task, *time);
  };
  part("prepare", task.gpu_start, task.lock_wait);
  part("lock wait", task.lock_wait, task.lock_acquired);
  part("lock", task.lock_acquired, task.lock_released);
  part("epilogue", task.lock_released, task.epilogue_end);
}

void put_device_lanes(Trace& trace, const Tasks& tasks) {
  std::map<std::uint32_t, std::vector<Packed>> kernels;
  for (const Task& task : tasks.tasks) {
    put_worker(trace, task);
    if (const auto lock = task.lock())
      trace.complete(kDevices + task.device, kLock, title(task), task, *lock);
    for (const Kernel& kernel : task.kernels)
      kernels[task.device].push_back(
          {&task, kernel.time,
           kernel.stage.empty() ? std::string_view("kernel") : std::string_view(kernel.stage)});
  }
  for (const KeyTime& key : tasks.keys) trace.key(kDevices + key.device, kLock, key);
  for (auto& [device, items] : kernels) {
    const std::vector<std::size_t> rows = pack(items);
    for (std::size_t i = 0; i < items.size(); ++i)
      trace.complete(kDevices + device, kKernels + rows[i], items[i].name, *items[i].task, items[i].time);
  }
}

void put_verification(Trace& trace, const Tasks& tasks) {
  std::vector<Packed> items;
  for (const Task& task : tasks.tasks)
    if (const auto time =
            Task::between(task.epilogue_end ? task.epilogue_end : task.gpu_end, task.verify_end))
      items.push_back({&task, *time, {}});
  const std::vector<std::size_t> rows = pack(items);
  for (std::size_t i = 0; i < items.size(); ++i)
    trace.complete(kVerification, rows[i], title(*items[i].task), *items[i].task, items[i].time);
}

}  // namespace

std::string to_trace(const Log& log) {
  const Tasks tasks = collect_tasks(log.events);
  Trace trace;
  put_synthesis(trace, tasks);
  put_device_lanes(trace, tasks);
  put_verification(trace, tasks);
  for (const JobDone& done : tasks.done) trace.job_done(done);
  return trace.finish();
}

}  // namespace cuzk::timeline
