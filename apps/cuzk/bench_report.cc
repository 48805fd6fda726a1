#include "bench_report.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <map>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/engine/config.h"

namespace cuzk::app {
namespace {

using engine::BenchRun;
using engine::BenchSample;
using Json = nlohmann::ordered_json;

double seconds(engine::Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

std::int64_t milliseconds(engine::Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

Json distribution(const std::vector<engine::Duration>& ascending) {
  engine::Duration sum{};
  for (const engine::Duration value : ascending) sum += value;
  const auto at = [&](double percent) { return seconds(engine::percentile(ascending, percent)); };
  const double mean = ascending.empty() ? 0 : seconds(sum) / static_cast<double>(ascending.size());
  return {{"count", ascending.size()},
          {"min", at(0)},
          {"mean", mean},
          {"p50", at(50)},
          {"p90", at(90)},
          {"p99", at(99)},
          {"max", at(100)}};
}

/// A palette that colour-blind readers can tell apart (Okabe and Ito).
const char* colour(std::size_t index) {
  static constexpr const char* kColours[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7"};
  return kColours[index % std::size(kColours)];
}

std::string bars_over_time(const BenchRun& run) {
  constexpr double kWidth = 900;
  const double row = std::clamp(400.0 / static_cast<double>(run.samples.size() + 1), 2.0, 14.0);
  const double scale = kWidth / std::max(seconds(run.wall), 1e-9);
  const std::vector<std::string> names = run.kinds();
  std::string out;
  std::size_t line = 0;
  for (const BenchSample& sample : run.samples) {
    const auto kind =
        static_cast<std::size_t>(std::find(names.begin(), names.end(), sample.kind) - names.begin());
    out += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"><title>{}: {:.2f} "
        "s</title></rect>\n",
        20 + seconds(sample.begin) * scale, 40 + static_cast<double>(line++) * row,
        std::max(1.0, seconds(sample.end - sample.begin) * scale), row * 0.8,
        sample.outcome.failure ? "#d55e00" : colour(kind), sample.kind, seconds(sample.end - sample.begin));
  }
  const double height = 60 + static_cast<double>(line) * row;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += fmt::format("<text x=\"{}\" y=\"30\" fill=\"{}\">{}</text>\n", 20 + 120 * i, colour(i), names[i]);
  out += fmt::format("<text x=\"20\" y=\"{:.0f}\">0 to {:.1f} s, {:.2f} s a proof</text>\n", height,
                     seconds(run.wall), run.seconds_per_proof());
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"940\" height=\"{:.0f}\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n{}</svg>\n",
      height + 20, out);
}

std::string bars_of_runs(const std::vector<BenchRun>& runs) {
  double longest = 1e-9;
  for (const BenchRun& run : runs) longest = std::max(longest, run.seconds_per_proof());
  std::string out;
  double y = 20;
  for (const BenchRun& run : runs) {
    out += fmt::format(
        "<text x=\"20\" y=\"{:.0f}\">{}</text>\n<rect x=\"340\" y=\"{:.0f}\" width=\"{:.1f}\" height=\"14\" "
        "fill=\"{}\"/>\n<text x=\"{:.0f}\" y=\"{:.0f}\">{:.2f} s a proof</text>\n",
        y + 12, run.label, y, 440 * run.seconds_per_proof() / longest, colour(0),
        350 + 440 * run.seconds_per_proof() / longest, y + 12, run.seconds_per_proof());
    y += 22;
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"940\" height=\"{:.0f}\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n{}</svg>\n",
      y + 10, out);
}

}  // namespace

Json machine_description() {
  std::string processor = "unknown";
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (!line.starts_with("model name")) continue;
    processor = line.substr(line.find(':') + 2);
    break;
  }
  utsname system{};
  ::uname(&system);
  const std::time_t now = std::time(nullptr);
  char date[32];
  std::tm utc{};
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", ::gmtime_r(&now, &utc));
  return {{"processor", processor},
          {"processors", ThreadPool::available_processors()},
          {"memory_bytes", engine::available_memory()},
          {"kernel", system.release},
          {"date", date}};
}

Json to_json(const BenchRun& run) {
  Json by_kind = Json::object();
  for (const std::string& kind : run.kinds()) by_kind[kind] = distribution(run.latencies(kind));
  Json samples = Json::array();
  for (const BenchSample& sample : run.samples) {
    const engine::StageTimes& times = sample.outcome.times;
    samples.push_back({{"kind", sample.kind},
                       {"begin_s", seconds(sample.begin)},
                       {"end_s", seconds(sample.end)},
                       {"failed", sample.outcome.failure.has_value()},
                       {"error", sample.outcome.failure ? sample.outcome.failure->message : ""},
                       {"queue_wait_ms", milliseconds(times.queue_wait)},
                       {"synthesis_ms", milliseconds(times.synthesis)},
                       {"device_wait_ms", milliseconds(times.device_wait)},
                       {"gpu_compute_ms", milliseconds(times.gpu_compute)}});
  }
  Json out{{"label", run.label},
           {"target", run.target},
           {"proofs", run.completed()},
           {"failures", run.samples.size() - run.completed()},
           {"wall_seconds", seconds(run.wall)},
           {"seconds_per_proof", run.seconds_per_proof()},
           {"latency_seconds", distribution(run.latencies())},
           {"latency_seconds_by_kind", std::move(by_kind)},
           {"device_efficiency", run.lock_held},
           {"peak_resident_bytes", run.peak_rss}};
  if (run.insight) {
    Json figures = Json::parse(timeline::to_json(run.insight->analysis));
    for (Json& device : figures["devices"])
      for (const char* lane : {"lock", "job", "kernel"})
        if (device[lane].is_object()) device[lane].erase("gap_list");
    out["partition_workers"] = run.insight->partition_workers;
    out["gpu_workers_per_device"] = run.insight->workers_per_device;
    out["mode"] = engine::to_string(run.insight->mode);
    out["peak_reserved_bytes"] = run.insight->memory_peak;
    out["timeline"] = std::move(figures);
  }
  out["samples"] = std::move(samples);
  return out;
}

std::string to_svg(const std::vector<BenchRun>& runs) {
  return runs.size() == 1 ? bars_over_time(runs.front()) : bars_of_runs(runs);
}

}  // namespace cuzk::app
