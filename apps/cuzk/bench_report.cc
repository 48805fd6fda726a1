#include "bench_report.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <map>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/engine/config.h"

namespace cuzk::app {
namespace {

using Json = nlohmann::ordered_json;

std::vector<double> latencies(const BenchRun& run, const std::string& kind = {}) {
  std::vector<double> out;
  for (const BenchSample& sample : run.samples) {
    if (!sample.failed && (kind.empty() || sample.kind == kind)) out.push_back(sample.end - sample.begin);
  }
  return out;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

Json distribution(const std::vector<double>& values) {
  return {{"count", values.size()},        {"min", percentile(values, 0)},  {"mean", mean(values)},
          {"p50", percentile(values, 50)}, {"p90", percentile(values, 90)}, {"p99", percentile(values, 99)},
          {"max", percentile(values, 100)}};
}

std::vector<std::string> kinds(const BenchRun& run) {
  std::vector<std::string> out;
  for (const BenchSample& sample : run.samples) {
    if (std::find(out.begin(), out.end(), sample.kind) == out.end()) out.push_back(sample.kind);
  }
  return out;
}

/// A palette that colour-blind readers can tell apart (Okabe and Ito).
const char* colour(std::size_t index) {
  static constexpr const char* kColours[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7"};
  return kColours[index % std::size(kColours)];
}

std::string bars_over_time(const BenchRun& run) {
  constexpr double kWidth = 900;
  const double row = std::clamp(400.0 / static_cast<double>(run.samples.size() + 1), 2.0, 14.0);
  const double scale = kWidth / std::max(run.wall_seconds, 1e-9);
  const std::vector<std::string> names = kinds(run);
  std::string out;
  std::size_t line = 0;
  for (const BenchSample& sample : run.samples) {
    const auto kind =
        static_cast<std::size_t>(std::find(names.begin(), names.end(), sample.kind) - names.begin());
    out += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"><title>{}: {:.2f} "
        "s</title></rect>\n",
        20 + sample.begin * scale, 40 + static_cast<double>(line++) * row,
        std::max(1.0, (sample.end - sample.begin) * scale), row * 0.8,
        sample.failed ? "#d55e00" : colour(kind), sample.kind, sample.end - sample.begin);
  }
  const double height = 60 + static_cast<double>(line) * row;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += fmt::format("<text x=\"{}\" y=\"30\" fill=\"{}\">{}</text>\n", 20 + 120 * i, colour(i), names[i]);
  out += fmt::format("<text x=\"20\" y=\"{:.0f}\">0 to {:.1f} s, {:.2f} s a proof</text>\n", height,
                     run.wall_seconds, run.seconds_per_proof());
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

std::size_t BenchRun::failures() const {
  return static_cast<std::size_t>(
      std::count_if(samples.begin(), samples.end(), [](const BenchSample& sample) { return sample.failed; }));
}

double BenchRun::seconds_per_proof() const {
  const std::size_t proofs = samples.size() - failures();
  return proofs == 0 ? 0 : wall_seconds / static_cast<double>(proofs);
}

double percentile(std::vector<double> values, double percent) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double rank = std::ceil(percent / 100 * static_cast<double>(values.size()));
  return values[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

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
  for (const std::string& kind : kinds(run)) by_kind[kind] = distribution(latencies(run, kind));
  Json samples = Json::array();
  for (const BenchSample& sample : run.samples)
    samples.push_back({{"kind", sample.kind},
                       {"begin_s", sample.begin},
                       {"end_s", sample.end},
                       {"failed", sample.failed},
                       {"error", sample.error},
                       {"queue_wait_ms", sample.queue_wait_ms},
                       {"synthesis_ms", sample.synthesis_ms},
                       {"gpu_compute_ms", sample.gpu_compute_ms}});
  return {{"label", run.label},
          {"target", run.target},
          {"proofs", run.samples.size() - run.failures()},
          {"failures", run.failures()},
          {"wall_seconds", run.wall_seconds},
          {"seconds_per_proof", run.seconds_per_proof()},
          {"latency_seconds", distribution(latencies(run))},
          {"latency_seconds_by_kind", std::move(by_kind)},
          {"device_efficiency", run.device_efficiency},
          {"peak_resident_bytes", run.peak_resident_bytes},
          {"samples", std::move(samples)}};
}

std::string to_text(const BenchRun& run) {
  const std::vector<double> all = latencies(run);
  std::string out;
  if (!run.label.empty()) out += fmt::format("{}\n", run.label);
  out += fmt::format("proofs       {} in {:.2f} s, {} failed: {:.2f} s a proof\n",
                     run.samples.size() - run.failures(), run.wall_seconds, run.failures(),
                     run.seconds_per_proof());
  out += fmt::format("latency      min {:.2f}, p50 {:.2f}, p90 {:.2f}, p99 {:.2f}, max {:.2f} s\n",
                     percentile(all, 0), percentile(all, 50), percentile(all, 90), percentile(all, 99),
                     percentile(all, 100));
  if (kinds(run).size() > 1) {
    for (const std::string& kind : kinds(run)) {
      const std::vector<double> values = latencies(run, kind);
      out += fmt::format("{:12} {} proofs, p50 {:.2f}, p99 {:.2f} s\n", kind, values.size(),
                         percentile(values, 50), percentile(values, 99));
    }
  }
  out += fmt::format("device       lock held {:.1f} % of the time\n", 100 * run.device_efficiency);
  out += fmt::format("memory       peak {:.2f} GiB resident\n",
                     static_cast<double>(run.peak_resident_bytes) / (1 << 30));
  return out;
}

std::string to_svg(const std::vector<BenchRun>& runs) {
  return runs.size() == 1 ? bars_over_time(runs.front()) : bars_of_runs(runs);
}

}  // namespace cuzk::app
