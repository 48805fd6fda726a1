// Runs of a benchmark for people.

#include <cstdio>

#include "cuzk/engine/bench.h"

namespace cuzk::engine {
namespace {

double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

template <class... Values>
std::string line(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

std::string efficiency(const char* name, const std::optional<timeline::Lane>& lane) {
  return lane ? line("%s %.1f %%", name, 100 * lane->efficiency()) : line("%s -", name);
}

double percent(const std::optional<timeline::Lane>& lane) {
  return lane ? 100 * lane->efficiency() : 0;
}

std::string insight_text(const BenchInsight& insight) {
  const timeline::Analysis& analysis = insight.analysis;
  std::string out = "efficiency   " + efficiency("lock", analysis.lock) + ", " +
                    efficiency("job", analysis.job) + ", " + efficiency("kernel", analysis.kernel) + "\n";
  if (analysis.lock) {
    const timeline::Lane& lock = *analysis.lock;
    const auto count = [](const timeline::GapSum& gaps) {
      return static_cast<unsigned long long>(gaps.count);
    };
    out += line("gaps         %llu below 50 ms, %llu of 50 to 500 ms, %llu above; %.2f s together\n",
                count(lock.below_50_ms), count(lock.from_50_to_500_ms), count(lock.above_500_ms),
                1e-9 * static_cast<double>(lock.gaps.total_ns));
  }
  if (!analysis.starved_by.empty())
    out += "starved by   " + analysis.starved_by.front().stage +
           line(", %.2f s\n", 1e-9 * static_cast<double>(analysis.starved_by.front().idle_ns));
  if (analysis.lost > 0) out += "the timeline is INCOMPLETE: the run was longer than its recorder\n";
  return out;
}

}  // namespace

std::string to_text(const BenchRun& run) {
  const std::vector<Duration> all = run.latencies();
  const auto at = [&](double percent) { return seconds(percentile(all, percent)); };
  std::string out;
  if (!run.label.empty()) out += run.label + "\n";
  out += line("proofs       %zu in %.2f s, %zu failed: %.2f s a proof\n", run.completed(), seconds(run.wall),
              run.samples.size() - run.completed(), run.seconds_per_proof());
  out += line("latency      min %.2f, p50 %.2f, p90 %.2f, p99 %.2f, max %.2f s\n", at(0), at(50), at(90),
              at(99), at(100));
  if (const std::vector<std::string> kinds = run.kinds(); kinds.size() > 1)
    for (const std::string& kind : kinds) {
      const std::vector<Duration> mine = run.latencies(kind);
      out += line("%-12s %zu proofs, p50 %.2f, p99 %.2f s\n", kind.c_str(), mine.size(),
                  seconds(percentile(mine, 50)), seconds(percentile(mine, 99)));
    }
  out += line("device       lock held %.1f %% of the time\n", 100 * run.lock_held);
  if (run.insight) out += insight_text(*run.insight);
  out += line("memory       peak %.2f GiB resident\n", static_cast<double>(run.peak_rss) / (1 << 30));
  return out;
}

std::string to_table(const std::vector<BenchRun>& runs) {
  std::string out =
      "synth  gpu-workers  proofs  failed   s/proof     p50 s     p90 s     p99 s   lock %    job %  kernel "
      "%   "
      "peak MiB  starved by\n";
  for (const BenchRun& run : runs) {
    const std::vector<Duration> all = run.latencies();
    const auto at = [&](double percent) { return seconds(percentile(all, percent)); };
    const BenchInsight insight = run.insight.value_or(BenchInsight());
    const timeline::Analysis& analysis = insight.analysis;
    out += line("%5u  %11u  %6zu  %6zu  %8.2f  %8.2f  %8.2f  %8.2f  %7.1f  %7.1f  %8.1f  %9.0f  ",
                insight.partition_workers, insight.workers_per_device, run.completed(),
                run.samples.size() - run.completed(), run.seconds_per_proof(), at(50), at(90), at(99),
                percent(analysis.lock), percent(analysis.job), percent(analysis.kernel),
                static_cast<double>(run.peak_rss) / (1 << 20));
    out += analysis.starved_by.empty() ? "-" : analysis.starved_by.front().stage;
    out += "\n";
  }
  return out;
}

}  // namespace cuzk::engine
