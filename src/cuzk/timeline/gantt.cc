#include "cuzk/timeline/gantt.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "cuzk/timeline/internal/concat.h"
#include "cuzk/timeline/rows.h"
#include "cuzk/timeline/task.h"

namespace cuzk::timeline {
namespace {

constexpr double kLeft = 230;    // names of the rows
constexpr double kWidth = 1400;  // the time axis
constexpr double kRow = 22;
constexpr double kBar = 16;
constexpr double kSmallest = 0.2;  // bars narrower than this join their neighbour
constexpr std::size_t kColours = 8;

// Eight hues that people with the common colour vision deficiencies can tell apart (Okabe and Ito, Color
// Universal Design, 2008; black and yellow replaced, which vanish on dark and on white).
constexpr const char* kStyle =
    "svg{background:#fff;font:12px system-ui,sans-serif}text{fill:#222}.faint{fill:#666}.axis{stroke:#ccc}"
    ".idle{fill:#d55e00;opacity:.18}.wait{opacity:.35}.job{opacity:.55}.n{fill:#fff;font-size:10px;"
    "text-anchor:middle;pointer-events:none}"
    ".c0{fill:#0072b2}.c1{fill:#b45309}.c2{fill:#00795c}.c3{fill:#a3477a}.c4{fill:#3d6fd1}.c5{fill:#8a6d00}"
    ".c6{fill:#6b5bb5}.c7{fill:#5b6770}"
    "@media(prefers-color-scheme:dark){svg{background:#16191d}text{fill:#e6e6e6}.faint{fill:#a0a0a0}"
    ".axis{stroke:#3a3f45}}";

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

/// Text of XML: markup characters escaped, bytes that a document may not have replaced. Bytes above 127 too,
/// because a job's name need not be UTF-8.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out.push_back(c >= 0x20 && c < 0x7f ? c : '?');
    }
  }
  return out;
}

struct Bar {
  Interval time;
  std::string kind;  ///< CSS class beside the colour: "", "job" or "wait"
  std::string what;  ///< for the tooltip
  std::size_t colour = 0;
  std::optional<std::uint32_t> label;
};

struct Row {
  std::string name;
  std::string note;  ///< smaller, below the end of the name
  std::vector<Bar> bars;
  std::vector<Interval> idle;
};

/// Jobs take the colours in the order in which they appear.
class Colours {
 public:
  std::size_t of(const std::string& job) {
    return index_.try_emplace(job, index_.size()).first->second % kColours;
  }

 private:
  std::map<std::string, std::size_t> index_;
};

std::string title(const Task& task) {
  return task.partition ? concat(task.job, ", partition ", std::to_string(*task.partition)) : task.job;
}

Bar bar(const Task& task, const Interval& time, const char* what, const char* kind, Colours& colours) {
  return {time, kind, concat(what, ": ", title(task)), colours.of(task.job), task.partition};
}

std::vector<Row> synthesis_rows(const Tasks& tasks, Colours& colours) {
  std::vector<std::pair<const Task*, Interval>> items;
  for (const Task& task : tasks.tasks)
    if (const auto time = task.synthesis()) items.emplace_back(&task, *time);
  std::stable_sort(items.begin(), items.end(),
                   [](const auto& a, const auto& b) { return a.second.begin < b.second.begin; });
  std::vector<Interval> times;
  for (const auto& item : items) times.push_back(item.second);
  const std::vector<std::size_t> at = assign_rows(times);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (at[i] >= rows.size()) rows.resize(at[i] + 1);
    rows[at[i]].bars.push_back(bar(*items[i].first, items[i].second, "synthesis", "", colours));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].name = concat("synthesis ", std::to_string(i));
  return rows;
}

void add_worker_bars(Row& row, const Task& task, Colours& colours) {
  if (const auto gpu = task.gpu()) row.bars.push_back(bar(task, *gpu, "worker", "job", colours));
  if (const auto wait = Task::between(task.lock_wait, task.lock_acquired); wait && wait->length() > 0)
    row.bars.push_back(bar(task, *wait, "lock wait", "wait", colours));
  if (const auto lock = task.lock()) row.bars.push_back(bar(task, *lock, "lock held", "", colours));
}

std::string percent(const std::optional<DeviceLane>& lane) {
  return lane ? number(100 * lane->efficiency()) + " %" : "";
}

void add_device_rows(std::vector<Row>& rows, const Tasks& tasks, const Device& device, Colours& colours) {
  const std::string prefix = concat("device ", std::to_string(device.ordinal), " ");
  std::map<std::uint32_t, Row> workers;
  Row lock{prefix + "lock", percent(device.lock), {}, {}};
  Row kernels{prefix + "kernels", percent(device.kernel), {}, {}};
  for (const Task& task : tasks.tasks) {
    if (task.device != device.ordinal) continue;
    if (task.gpu() || task.lock()) add_worker_bars(workers[task.worker.value_or(0)], task, colours);
    if (const auto time = task.lock()) lock.bars.push_back(bar(task, *time, "lock held", "", colours));
    for (const Kernel& kernel : task.kernels)
      kernels.bars.push_back(bar(task, kernel.time, concat("kernel ", kernel.stage).c_str(), "", colours));
  }
  for (const KeyTime& key : tasks.keys)
    if (key.device == device.ordinal)
      lock.bars.push_back(
          {key.time, "wait", concat("key ", key.what, ": ", key.circuit), colours.of(key.circuit), {}});
  for (auto& [worker, row] : workers) {
    row.name = concat(prefix, "worker ", std::to_string(worker));
    if (worker == workers.begin()->first) row.note = concat("job ", percent(device.job));
    rows.push_back(std::move(row));
  }
  if (device.lock)
    for (const Gap& gap : device.lock->gap_list) lock.idle.push_back(gap.time);
  if (!lock.bars.empty()) rows.push_back(std::move(lock));
  if (!kernels.bars.empty()) rows.push_back(std::move(kernels));
}

class Chart {
 public:
  Chart(std::int64_t first, std::int64_t last)
      : first_(first), length_(std::max<std::int64_t>(1, last - first)) {}

  void row(Row row) {
    // In order of time: what hides behind the last one drawn adds nothing. Of equal begins the wider one is
    // drawn first.
    std::stable_sort(row.bars.begin(), row.bars.end(),
                     [](const Bar& a, const Bar& b) { return a.time.begin < b.time.begin; });
    const double top = kTop + kRow * static_cast<double>(count_++);
    text(4, top + 12, "", row.name);
    if (!row.note.empty())
      append(body_, "<text class=\"faint\" text-anchor=\"end\" x=\"", number(kLeft - 6), "\" y=\"",
             number(top + 12), "\">", escaped(row.note), "</text>\n");
    double drawn = -1;
    for (const Interval& idle : row.idle) {
      const double width = size(idle.length());
      if (width < kSmallest && x(idle.end) - drawn < kSmallest) continue;
      rect(x(idle.begin), top - 3, width, kBar + 6, "idle", concat("idle ", times(idle)));
      drawn = x(idle.end);
    }
    std::map<std::string, double> ends;  // by class
    for (const Bar& b : row.bars) {
      const double width = size(b.time.length());
      double& end = ends.try_emplace(b.kind, -1.0).first->second;
      if (width < kSmallest && x(b.time.end) - end < kSmallest) continue;
      end = std::max(end, x(b.time.end));
      const std::string css = concat("c", std::to_string(b.colour), b.kind.empty() ? "" : " ", b.kind);
      rect(x(b.time.begin), top, std::max(width, kSmallest), kBar, css, concat(b.what, ", ", times(b.time)));
      if (b.label && width > 14 && b.kind.empty())
        text(x(b.time.begin) + width / 2, top + 12, "n", std::to_string(*b.label));
    }
  }

  std::string finish(const std::string& heading, std::size_t left_out) {
    const double bottom = kTop + kRow * static_cast<double>(count_) + 4;
    const double height = bottom + 30;
    std::string out =
        concat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", number(kLeft + kWidth + 20),
               "\" height=\"", number(height), "\" viewBox=\"0 0 ", number(kLeft + kWidth + 20), " ",
               number(height), "\">\n<style>", kStyle, "</style>\n<title>", escaped(heading),
               "</title>\n<text x=\"4\" y=\"16\">", escaped(heading), "</text>\n", axis(bottom), body_);
    if (left_out != 0)
      append(out, "<text x=\"4\" y=\"", number(bottom + 26), "\">", std::to_string(left_out),
             " more rows are not drawn</text>\n");
    return concat(out, "</svg>\n");
  }

 private:
  static constexpr double kTop = 34;

  [[nodiscard]] double x(std::int64_t time) const { return kLeft + size(time - first_); }
  [[nodiscard]] double size(std::int64_t length) const {
    return kWidth * static_cast<double>(length) / static_cast<double>(length_);
  }
  [[nodiscard]] std::string times(const Interval& time) const {
    return concat(format_ms(time.length()), " ms, from ", format_ms(time.begin - first_), " to ",
                  format_ms(time.end - first_), " ms");
  }

  void text(double at, double y, const char* css, const std::string& content) {
    append(body_, "<text x=\"", number(at), "\" y=\"", number(y), "\"");
    if (*css != 0) append(body_, " class=\"", css, "\"");
    append(body_, ">", escaped(content), "</text>\n");
  }

  void rect(double at, double y, double width, double height, const std::string& css,
            const std::string& tip) {
    append(body_, "<rect class=\"", css, "\" x=\"", number(at), "\" y=\"", number(y), "\" width=\"",
           number(width), "\" height=\"", number(height), "\"><title>", escaped(tip), "</title></rect>\n");
  }

  /// Lines at 1, 2 or 5 times a power of ten nanoseconds, about ten of them, in seconds from the first event.
  [[nodiscard]] std::string axis(double bottom) const {
    const double wanted = static_cast<double>(length_) / 10;
    double step = std::pow(10.0, std::floor(std::log10(std::max(1.0, wanted))));
    step *= step * 5 <= wanted ? 5 : step * 2 <= wanted ? 2 : 1;
    std::string out;
    for (double at = 0; at <= static_cast<double>(length_); at += step) {
      const std::string where = number(kLeft + kWidth * at / static_cast<double>(length_));
      char label[48];
      std::snprintf(label, sizeof label, "%g s", at / 1e9);
      append(out, "<line class=\"axis\" x1=\"", where, "\" x2=\"", where, "\" y1=\"24\" y2=\"",
             number(bottom), "\"/><text class=\"faint\" x=\"", where, "\" y=\"", number(bottom + 12), "\">",
             label, "</text>\n");
    }
    return out;
  }

  std::int64_t first_;
  std::int64_t length_;
  std::size_t count_ = 0;
  std::string body_;
};

std::string heading(const Analysis& analysis) {
  const auto part = [](const char* name, const std::optional<Lane>& lane) {
    return concat(name, " ", lane ? number(100 * lane->efficiency()) + " %" : "not in this log");
  };
  std::string out = concat("efficiency: ", part("lock", analysis.lock), ", ", part("job", analysis.job), ", ",
                           part("kernel", analysis.kernel));
  if (!analysis.starved_by.empty()) append(out, "; starved by ", analysis.starved_by.front().stage);
  if (analysis.lost != 0) append(out, "; INCOMPLETE: ", std::to_string(analysis.lost), " events are missing");
  return out;
}

}  // namespace

std::string to_svg(const Log& log, const Analysis& analysis) {
  const Tasks tasks = collect_tasks(log.events);
  Colours colours;
  std::vector<Row> rows = synthesis_rows(tasks, colours);
  for (const Device& device : analysis.devices) {
    // More than can be drawn: the rest of the devices would only cost time.
    if (rows.size() > 2 * kMaxRows) break;
    add_device_rows(rows, tasks, device, colours);
  }
  Chart chart(tasks.first_ns, tasks.last_ns);
  const std::size_t drawn = std::min(rows.size(), kMaxRows);
  for (std::size_t i = 0; i < drawn; ++i) chart.row(std::move(rows[i]));
  return chart.finish(heading(analysis), rows.size() - drawn);
}

}  // namespace cuzk::timeline
