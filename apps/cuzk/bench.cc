// cuzk bench: proofs against a daemon or an engine in this process, timed.
#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <mutex>
#include <thread>

#include "bench_report.h"
#include "bench_target.h"
#include "cuzk/base/file_sink.h"
#include "cuzk/base/hex.h"
#include "cuzk/base/random.h"
#include "output.h"

namespace cuzk::app {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Request ids that no other run has, so that nothing is answered from a stored result.
class RequestIds {
 public:
  static Result<RequestIds> make() {
    std::array<std::uint8_t, 8> bytes{};
    CUZK_TRY(os_random(bytes));
    return RequestIds(to_hex(bytes));
  }
  RequestIds(RequestIds&& other) noexcept : run_(std::move(other.run_)) {}
  std::string next() { return "bench-" + run_ + "-" + std::to_string(++count_); }

 private:
  explicit RequestIds(std::string run) : run_(std::move(run)) {}
  std::string run_;
  std::atomic<std::uint64_t> count_ = 0;
};

/// Proves a request once and notes how it went.
BenchSample measure(BenchTarget& target, v1::SubmitProofRequest request, const std::string& kind,
                    RequestIds& ids, Clock::time_point epoch) {
  request.set_request_id(ids.next());
  BenchSample out;
  out.kind = kind;
  out.begin = since(epoch);
  const Result<v1::AwaitProofResponse> response = target.prove(request);
  out.end = since(epoch);
  const Result<void> outcome = response ? outcome_of(*response) : Result<void>(response.error());
  out.failed = !outcome;
  if (!outcome) out.error = outcome.error().message;
  if (response) {
    out.queue_wait_ms = response->queue_wait_ms();
    out.synthesis_ms = response->synthesis_ms();
    out.gpu_compute_ms = response->gpu_compute_ms();
  }
  return out;
}

/// Watches memory and devices while `work` runs.
Result<BenchRun> watched(BenchTarget& target,
                         const std::function<void(BenchRun&, Clock::time_point epoch)>& work) {
  CUZK_TRY_ASSIGN(const BenchTarget::Usage before, target.usage());
  BenchRun run;
  run.target = target.description();
  std::atomic<std::uint64_t> peak = before.resident_bytes;
  {
    const std::jthread sampler([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        if (const auto usage = target.usage()) peak = std::max(peak.load(), usage->resident_bytes);
        for (int i = 0; i < 5 && !stop.stop_requested(); ++i)
          std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
    });
    const Clock::time_point epoch = Clock::now();
    work(run, epoch);
    run.wall_seconds = since(epoch);
  }
  CUZK_TRY_ASSIGN(const BenchTarget::Usage after, target.usage());
  run.peak_resident_bytes = std::max(peak.load(), after.resident_bytes);
  if (after.devices > 0)
    run.device_efficiency =
        (after.lock_held_seconds - before.lock_held_seconds) / (run.wall_seconds * after.devices);
  return run;
}

/// `count` proofs, `concurrency` at a time.
Result<BenchRun> batch(BenchTarget& target, const v1::SubmitProofRequest& request, const std::string& kind,
                       unsigned count, unsigned concurrency, RequestIds& ids) {
  return watched(target, [&](BenchRun& run, Clock::time_point epoch) {
    std::mutex mutex;
    std::atomic<unsigned> next = 0;
    std::vector<std::jthread> clients;
    for (unsigned i = 0; i < std::min(count, concurrency); ++i) {
      clients.emplace_back([&] {
        while (next++ < count) {
          BenchSample sample = measure(target, request, kind, ids, epoch);
          const std::lock_guard guard(mutex);
          run.samples.push_back(std::move(sample));
        }
      });
    }
  });
}

/// One part of a stress run: proofs of one kind at a rate.
struct Load {
  std::string kind;
  double per_second = 0;
  v1::SubmitProofRequest request;
};

/// A request that waits has a thread, so there must not be too many.
constexpr double kMaxRate = 100;
constexpr double kMaxRequests = 10'000;

/// TYPE:RATE:FILE, the rate in proofs a second; FILE as for --c1 (porep) or --request (the others).
Result<Load> read_load(const std::string& text, const PayloadOptions& common) {
  const std::size_t first = text.find(':');
  const std::size_t second = first == std::string::npos ? first : text.find(':', first + 1);
  if (second == std::string::npos) return usage_error("--load '" + text + "' is not TYPE:RATE:FILE");
  Load out;
  PayloadOptions payload = common;
  payload.type = out.kind = text.substr(0, first);
  const std::string rate = text.substr(first + 1, second - first - 1);
  const auto [end, error] = std::from_chars(rate.data(), rate.data() + rate.size(), out.per_second);
  if (error != std::errc() || end != rate.data() + rate.size() || !(out.per_second > 0) ||
      out.per_second > kMaxRate)
    return usage_error(
        fmt::format("--load '{}': the rate must be a number of proofs a second, up to {}", text, kMaxRate));
  // Another type that is none is refused below.
  (payload.type.starts_with("porep") ? payload.c1 : payload.request) = text.substr(second + 1);
  Result<v1::SubmitProofRequest> request = read_payload(payload);
  if (!request) return request.error().within("--load '" + text + "'");
  out.request = *std::move(request);
  return out;
}

/// Every load at its rate (exponential intervals, seeded) for `seconds`, whatever comes back in the meantime;
/// then the rest is waited for.
Result<BenchRun> stress(BenchTarget& target, const std::vector<Load>& loads, double seconds,
                        RequestIds& ids) {
  return watched(target, [&](BenchRun& run, Clock::time_point epoch) {
    std::mutex mutex;
    std::vector<std::jthread> sources;
    for (std::size_t i = 0; i < loads.size(); ++i) {
      sources.emplace_back([&, i] {
        const Load& load = loads[i];
        TestRandom random(i + 1);
        std::vector<std::jthread> clients;
        for (double at = 0;;) {
          const double uniform = (static_cast<double>(random.next() >> 11) + 1) * 0x1p-53;
          at -= std::log(uniform) / load.per_second;
          if (at >= seconds) return;
          std::this_thread::sleep_until(
              epoch + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(at)));
          clients.emplace_back([&] {
            BenchSample sample = measure(target, load.request, load.kind, ids, epoch);
            const std::lock_guard guard(mutex);
            run.samples.push_back(std::move(sample));
          });
        }
      });
    }
  });
}

Result<std::unique_ptr<BenchTarget>> open_target(const BenchOptions& options) {
  if (!options.local) return daemon_target(options);
  return local_target({.params = options.params,
                       .threads = options.threads,
                       .partition_workers = {},
                       .workers_per_device = 2});
}

/// Loads shape and parameters, and whatever else only the first proof pays for.
Result<void> warm_up(BenchTarget& target, const v1::SubmitProofRequest& request, const std::string& kind,
                     unsigned count, RequestIds& ids) {
  for (unsigned i = 0; i < count; ++i) {
    const BenchSample sample = measure(target, request, kind, ids, Clock::now());
    if (sample.failed) return io_error("warm-up: " + sample.error);
  }
  return {};
}

Result<std::vector<BenchRun>> run_modes(const BenchOptions& options, RequestIds& ids) {
  std::vector<BenchRun> runs;
  if (options.mode == "stress") {
    std::vector<Load> loads;
    for (const std::string& text : options.loads) {
      CUZK_TRY_ASSIGN(Load load, read_load(text, options));
      loads.push_back(std::move(load));
    }
    double requests = 0;
    for (const Load& load : loads) requests += load.per_second * options.seconds;
    if (requests > kMaxRequests)
      return usage_error(
          fmt::format("--load, --seconds: these rates ask for about {:.0f} proofs, more than {}", requests,
                      kMaxRequests));
    CUZK_TRY_ASSIGN(const std::unique_ptr<BenchTarget> target, open_target(options));
    for (const Load& load : loads) CUZK_TRY(warm_up(*target, load.request, load.kind, options.warm_up, ids));
    CUZK_TRY_ASSIGN(BenchRun run, stress(*target, loads, options.seconds, ids));
    runs.push_back(std::move(run));
    return runs;
  }

  CUZK_TRY_ASSIGN(const v1::SubmitProofRequest request, read_payload(options));
  if (options.mode != "sweep") {
    CUZK_TRY_ASSIGN(const std::unique_ptr<BenchTarget> target, open_target(options));
    CUZK_TRY(warm_up(*target, request, options.type, options.warm_up, ids));
    const bool single = options.mode == "single";
    CUZK_TRY_ASSIGN(BenchRun run, batch(*target, request, options.type, single ? 1 : options.count,
                                        single ? 1 : options.concurrency, ids));
    runs.push_back(std::move(run));
    return runs;
  }
  for (const unsigned workers : options.partition_workers) {
    for (const unsigned per_device : options.workers_per_device) {
      CUZK_TRY_ASSIGN(const std::unique_ptr<BenchTarget> target,
                      local_target({.params = options.params,
                                    .threads = options.threads,
                                    .partition_workers = workers,
                                    .workers_per_device = per_device}));
      CUZK_TRY(warm_up(*target, request, options.type, options.warm_up, ids));
      CUZK_TRY_ASSIGN(BenchRun run,
                      batch(*target, request, options.type, options.count, options.concurrency, ids));
      run.label = fmt::format("partition_workers {}, gpu_workers_per_device {}", workers, per_device);
      tell("{}: {:.2f} s a proof\n", run.label, run.seconds_per_proof());
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

}  // namespace

Result<void> run_bench(const BenchOptions& options) {
  if ((options.local || options.mode == "sweep") && options.params.empty())
    return usage_error("an engine in this process needs --params, the folder of the parameter files");
  CUZK_TRY_ASSIGN(RequestIds ids, RequestIds::make());
  CUZK_TRY_ASSIGN(const std::vector<BenchRun> runs, run_modes(options, ids));

  Json report{{"mode", options.mode}, {"version", CUZK_VERSION}, {"machine", machine_description()}};
  report["runs"] = Json::array();
  for (const BenchRun& run : runs) report["runs"].push_back(to_json(run));
  const std::string json = report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  if (!options.out.empty()) CUZK_TRY(write_file_atomically(options.out, byte_span(json)));
  if (!options.svg.empty()) CUZK_TRY(write_file_atomically(options.svg, byte_span(to_svg(runs))));
  if (options.json) {
    say("{}", json);
  } else {
    const Json& machine = report["machine"];
    say("machine      {}, {} processors, {:.0f} GiB\n", machine["processor"].get<std::string>(),
        machine["processors"].get<unsigned>(), machine["memory_bytes"].get<double>() / (1 << 30));
    say("target       {}\n", runs.front().target);
    for (const BenchRun& run : runs) say("{}", to_text(run));
  }
  for (const BenchRun& run : runs) {
    for (const BenchSample& sample : run.samples) {
      if (sample.failed)
        return io_error(fmt::format("{} of {} proofs failed; the first: {}", run.failures(),
                                    run.samples.size(), sample.error));
    }
  }
  return {};
}

}  // namespace cuzk::app
