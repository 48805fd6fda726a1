// The analysis in words and as JSON.
#include <algorithm>
#include <cstdio>

#include "cuzk/timeline/analysis.h"
#include "cuzk/timeline/internal/concat.h"
#include "cuzk/timeline/json.h"

namespace cuzk::timeline {
namespace {

/// A number with two decimals, for percentages and means.
std::string fixed2(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

/// "12.34 s", "56.7 ms"
std::string duration(std::int64_t ns) {
  char text[64];
  const double ms = static_cast<double>(ns) / 1e6;
  if (ms >= 1000) {
    std::snprintf(text, sizeof text, "%.2f s", ms / 1e3);
  } else {
    std::snprintf(text, sizeof text, "%.1f ms", ms);
  }
  return text;
}

std::string name_work(const Work& work) {
  std::string out = work.job;
  if (work.partition) append(out, " partition ", std::to_string(*work.partition));
  if (!work.stage.empty()) append(out, " ", work.stage);
  if (work.worker) append(out, " (worker ", std::to_string(*work.worker), ")");
  return out;
}

std::string count_of(std::uint64_t n, const char* one) {
  return concat(std::to_string(n), " ", one, (n == 1 ? "" : "s"));
}

struct GapClass {
  const char* name;
  const char* json;
  GapSum Lane::*sum;
};
constexpr std::array<GapClass, 3> kClasses = {{{"below 50 ms", "below_50_ms", &Lane::below_50_ms},
                                               {"50 to 500 ms", "50_to_500_ms", &Lane::from_50_to_500_ms},
                                               {"above 500 ms", "above_500_ms", &Lane::above_500_ms}}};

const GapClass& class_of(const Gap& gap) {
  const std::int64_t ns = gap.time.length();
  return kClasses[ns < 50'000'000 ? 0 : ns <= 500'000'000 ? 1 : 2];
}

// ---- text ----

void say_lane(std::string& out, const char* name, const std::optional<Lane>& lane) {
  char head[64];
  if (!lane) {
    std::snprintf(head, sizeof head, "%-8s efficiency: not in this log\n", name);
    out += head;
    return;
  }
  std::snprintf(head, sizeof head, "%-8s efficiency: %6.2f %%", name, 100 * lane->efficiency());
  out += head;
  append(out, "  busy ", duration(lane->busy_ns), " of ", duration(lane->span_ns), ", ",
         count_of(lane->intervals, "interval"), " in ", std::to_string(lane->merged), "\n");
}

void say_gaps(std::string& out, const char* name, const DeviceLane& lane) {
  append(out, "  gaps of the ", name, " lane: ", std::to_string(lane.gaps.count), ", ",
         duration(lane.gaps.total_ns), ", largest ", duration(lane.largest_gap_ns), "; cross-job ",
         std::to_string(lane.cross_job.count), " (", duration(lane.cross_job.total_ns), "), cross-partition ",
         std::to_string(lane.cross_partition.count), " (", duration(lane.cross_partition.total_ns),
         "), within a partition ", std::to_string(lane.within_partition.count), " (",
         duration(lane.within_partition.total_ns), ")\n");
  for (const GapClass& gap_class : kClasses) {
    const GapSum& sum = lane.*gap_class.sum;
    if (sum.count == 0) continue;
    append(out, "    ", gap_class.name, ": ", std::to_string(sum.count), ", ", duration(sum.total_ns), "\n");
    std::vector<const Gap*> longest;
    for (const Gap& gap : lane.gap_list)
      if (&class_of(gap) == &gap_class) longest.push_back(&gap);
    const std::size_t shown = std::min<std::size_t>(3, longest.size());
    std::partial_sort(longest.begin(), longest.begin() + shown, longest.end(),
                      [](const Gap* a, const Gap* b) {
                        return a->time.length() != b->time.length() ? a->time.length() > b->time.length()
                                                                    : a->time.begin < b->time.begin;
                      });
    for (std::size_t i = 0; i < shown; ++i)
      append(out, "      ", duration(longest[i]->time.length()), " at ", format_ms(longest[i]->time.begin),
             " ms: after ", name_work(longest[i]->ended), ", until ", name_work(longest[i]->began), "\n");
  }
}

void say_blame(std::string& out, const std::vector<Blame>& blame, const char* indent) {
  std::int64_t total = 0;
  for (const Blame& b : blame) total += b.idle_ns;
  for (const Blame& b : blame) {
    const auto* stage = std::find_if(kBlameStages.begin(), kBlameStages.end(),
                                     [&](const BlameStage& s) { return s.name == b.stage; });
    append(out, indent, b.stage, ": ", duration(b.idle_ns), " (",
           fixed2(100 * static_cast<double>(b.idle_ns) / static_cast<double>(total)),
           " %): ", std::string(stage->meaning), "\n");
  }
}

void say_device(std::string& out, const Device& device, bool queue_is_known) {
  append(out, "device ", std::to_string(device.ordinal), "\n");
  if (device.lock) say_gaps(out, "lock", *device.lock);
  if (device.job) say_gaps(out, "job", *device.job);
  if (device.kernel) say_gaps(out, "kernel", *device.kernel);
  for (const Turnaround& t : device.workers) {
    if (t.count == 0) continue;
    append(out, "  worker ", std::to_string(t.worker),
           " turnaround: ", duration(t.total_ns / static_cast<std::int64_t>(t.count)),
           " on average, at most ", duration(t.largest_ns), " (", std::to_string(t.count),
           queue_is_known ? concat("); without a task ", duration(t.waiting_ns))
                          : "), waiting for a task included: no GPU_QUEUE events",
           "\n");
  }
}

// ---- JSON ----

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

std::string json_optional(const std::optional<std::uint32_t>& value) {
  return value ? std::to_string(*value) : "null";
}

void put_sum(std::string& out, const char* name, const GapSum& sum) {
  append(out, ", \"", name, "\": {\"count\": ", std::to_string(sum.count),
         ", \"total_ms\": ", format_ms(sum.total_ns), "}");
}

/// The members of a lane, without braces.
std::string lane_members(const Lane& lane) {
  std::string out = concat(
      "\"intervals\": ", std::to_string(lane.intervals), ", \"merged\": ", std::to_string(lane.merged),
      ", \"busy_ms\": ", format_ms(lane.busy_ns), ", \"span_ms\": ", format_ms(lane.span_ns),
      ", \"efficiency_percent\": ", fixed2(100 * lane.efficiency()),
      ", \"gaps\": ", std::to_string(lane.gaps.count), ", \"gap_total_ms\": ", format_ms(lane.gaps.total_ns));
  for (const GapClass& gap_class : kClasses)
    append(out, ", \"gaps_", gap_class.json, "\": ", std::to_string((lane.*gap_class.sum).count));
  append(out, ", \"largest_gap_ms\": ", format_ms(lane.largest_gap_ns));
  put_sum(out, "cross_job", lane.cross_job);
  put_sum(out, "cross_partition", lane.cross_partition);
  put_sum(out, "within_partition", lane.within_partition);
  return out;
}

std::string work_json(const Work& work) {
  return concat("{\"job\": ", json_string(work.job), ", \"partition\": ", json_optional(work.partition),
                ", \"worker\": ", json_optional(work.worker), ", \"stage\": ", json_string(work.stage), "}");
}

void put_lane(std::string& out, const char* name, const std::optional<Lane>& lane) {
  append(out, ",\n \"", name, "\": ", lane ? concat("{", lane_members(*lane), "}") : "null");
}

void put_device_lane(std::string& out, const char* name, const std::optional<DeviceLane>& lane) {
  append(out, ",\n   \"", name, "\": ");
  if (!lane) {
    out += "null";
    return;
  }
  append(out, "{", lane_members(*lane), ", \"gap_list\": [");
  for (const Gap& gap : lane->gap_list) {
    out += &gap == lane->gap_list.data() ? "\n    " : ",\n    ";
    append(out, "{\"begin_ms\": ", format_ms(gap.time.begin), ", \"ms\": ", format_ms(gap.time.length()),
           ", \"class\": \"", class_of(gap).json, "\", \"kind\": \"", std::string(name_of(gap.kind)),
           "\", \"ended\": ", work_json(gap.ended), ", \"began\": ", work_json(gap.began), "}");
  }
  out += "]}";
}

void put_blame(std::string& out, const std::vector<Blame>& blame) {
  out += "\"starved_by\": [";
  for (const Blame& b : blame)
    append(out, std::string(&b == blame.data() ? "" : ", "), "{\"stage\": \"", b.stage,
           "\", \"idle_ms\": ", format_ms(b.idle_ns), "}");
  out += "]";
}

void put_device(std::string& out, const Device& device) {
  append(out, "{\"device\": ", std::to_string(device.ordinal));
  put_device_lane(out, "lock", device.lock);
  put_device_lane(out, "job", device.job);
  put_device_lane(out, "kernel", device.kernel);
  out += ",\n   \"worker_turnaround\": [";
  for (const Turnaround& t : device.workers) {
    const double count = static_cast<double>(std::max<std::uint64_t>(1, t.count));
    append(out, std::string(&t == device.workers.data() ? "" : ", "),
           "{\"worker\": ", std::to_string(t.worker), ", \"count\": ", std::to_string(t.count),
           ", \"mean_ms\": ", fixed2(static_cast<double>(t.total_ns) / 1e6 / count),
           ", \"largest_ms\": ", format_ms(t.largest_ns), ", \"without_task_ms\": ", format_ms(t.waiting_ns),
           "}");
  }
  out += "],\n   ";
  put_blame(out, device.starved_by);
  out += "}";
}

}  // namespace

std::string to_text(const Analysis& analysis) {
  std::string out = concat(count_of(analysis.events, "event"), ", ", count_of(analysis.jobs, "job"), ", ",
                           count_of(analysis.tasks, "partition run"), " (", std::to_string(analysis.retries),
                           " of them retries), ", count_of(analysis.devices.size(), "device"), "\n");
  if (analysis.lost != 0)
    append(out, "INCOMPLETE: the log says that ", count_of(analysis.lost, "event"), " are missing\n");
  if (analysis.unpaired != 0)
    append(out, count_of(analysis.unpaired, "event"),
           " without counterpart left out: the log begins or ends in the "
           "middle of work\n");
  say_lane(out, "lock", analysis.lock);
  say_lane(out, "job", analysis.job);
  say_lane(out, "kernel", analysis.kernel);
  const bool queue_is_known = std::any_of(analysis.stages.begin(), analysis.stages.end(),
                                          [](const StageTime& s) { return s.stage == "queue"; });
  for (const Device& device : analysis.devices) say_device(out, device, queue_is_known);
  if (analysis.starved_by.empty()) {
    if (analysis.lock || analysis.job) out += "no stage starves the device: it had no gap\n";
  } else {
    append(out, "starved by: ", analysis.starved_by.front().stage, "\n");
    say_blame(out, analysis.starved_by, "  ");
  }
  if (!analysis.stages.empty())
    out += "stage                      count      mean ms       min ms       max ms\n";
  for (const StageTime& s : analysis.stages) {
    char line[160];
    std::snprintf(line, sizeof line, "%8llu %12.2f %12.2f %12.2f\n", static_cast<unsigned long long>(s.count),
                  s.mean_ms(), s.min_ms, s.max_ms);
    std::string name = s.stage;
    if (name.size() < 24) name.resize(24, ' ');
    out += name + line;
  }
  return out;
}

std::string to_json(const Analysis& analysis) {
  std::string out = concat(
      "{\"events\": ", std::to_string(analysis.events), ", \"lost\": ", std::to_string(analysis.lost),
      ", \"unpaired\": ", std::to_string(analysis.unpaired), ", \"jobs\": ", std::to_string(analysis.jobs),
      ", \"tasks\": ", std::to_string(analysis.tasks), ", \"retries\": ", std::to_string(analysis.retries));
  put_lane(out, "lock", analysis.lock);
  put_lane(out, "job", analysis.job);
  put_lane(out, "kernel", analysis.kernel);
  out += ",\n ";
  put_blame(out, analysis.starved_by);
  out += ",\n \"stages\": [";
  for (const StageTime& s : analysis.stages)
    append(out, std::string(&s == analysis.stages.data() ? "\n  " : ",\n  "),
           "{\"stage\": ", json_string(s.stage), ", \"count\": ", std::to_string(s.count),
           ", \"mean_ms\": ", fixed2(s.mean_ms()), ", \"min_ms\": ", fixed2(s.min_ms),
           ", \"max_ms\": ", fixed2(s.max_ms), "}");
  out += "],\n \"devices\": [";
  for (const Device& device : analysis.devices) {
    out += &device == analysis.devices.data() ? "\n  " : ",\n  ";
    put_device(out, device);
  }
  out += "]}\n";
  return out;
}

}  // namespace cuzk::timeline
