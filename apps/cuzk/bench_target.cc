#include "bench_target.h"

#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "cuzk/base/hex.h"
#include "cuzk/base/random.h"
#include "cuzk/config/units.h"
#include "cuzk/server/daemon.h"
#include "cuzk/server/options.h"
#include "cuzk/server/rpc_convert.h"
#include "output.h"

namespace cuzk::app {
namespace {

using engine::BenchOutcome;
using engine::BenchProof;
using engine::BenchRun;
using engine::BenchSample;

class DaemonTarget : public BenchTarget {
 public:
  static Result<std::unique_ptr<BenchTarget>> open(const ConnectOptions& options) {
    CUZK_TRY_ASSIGN(RpcClient client, RpcClient::open(options));
    std::array<std::uint8_t, 8> bytes{};
    CUZK_TRY(os_random(bytes));
    return std::unique_ptr<BenchTarget>(
        std::make_unique<DaemonTarget>(std::move(client), options.addr, to_hex(bytes)));
  }
  DaemonTarget(RpcClient client, std::string address, std::string run)
      : client_(std::move(client)), address_(std::move(address)), run_(std::move(run)) {}

  Result<BenchProof> proof(const v1::SubmitProofRequest& request) override {
    return BenchProof([this, request] { return prove(request); });
  }

  /// Watches memory and devices while the load runs.
  Result<BenchRun> measure(const std::function<std::vector<BenchSample>()>& load) override {
    CUZK_TRY_ASSIGN(const Usage before, usage());
    BenchRun run;
    run.target = "daemon at " + address_;
    std::atomic<std::uint64_t> peak = before.resident_bytes;
    {
      const std::jthread sampler([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          if (const auto now = usage()) peak = std::max(peak.load(), now->resident_bytes);
          for (int i = 0; i < 5 && !stop.stop_requested(); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
      });
      const auto begin = std::chrono::steady_clock::now();
      run.samples = load();
      run.wall = std::chrono::steady_clock::now() - begin;
    }
    CUZK_TRY_ASSIGN(const Usage after, usage());
    run.peak_rss = std::max(peak.load(), after.resident_bytes);
    if (after.devices > 0)
      run.lock_held = (after.lock_held_seconds - before.lock_held_seconds) /
                      (std::chrono::duration<double>(run.wall).count() * after.devices);
    return run;
  }

 private:
  struct Usage {
    std::uint64_t resident_bytes = 0;
    double lock_held_seconds = 0;  ///< sum over the devices
    unsigned devices = 0;
  };

  Result<Usage> usage() {
    CUZK_TRY_ASSIGN(const std::string text, client_.metrics());
    Usage out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t space = line.rfind(' ');
      if (line.starts_with('#') || space == std::string::npos) continue;
      const double value = std::strtod(line.c_str() + space + 1, nullptr);
      if (line.starts_with("process_resident_memory_bytes "))
        out.resident_bytes = static_cast<std::uint64_t>(value);
      if (!line.starts_with("cuzk_gpu_lock_held_seconds_total{")) continue;
      out.lock_held_seconds += value;
      ++out.devices;
    }
    return out;
  }

  /// Under a request id that no other run has, so that nothing is answered from a stored result.
  BenchOutcome prove(v1::SubmitProofRequest request) {
    request.set_request_id("bench-" + run_ + "-" + std::to_string(++count_));
    const Result<v1::AwaitProofResponse> response = client_.prove(request);
    if (!response) return {response.error(), {}};
    BenchOutcome out;
    if (const Result<void> outcome = outcome_of(*response); !outcome) out.failure = outcome.error();
    out.times.queue_wait = std::chrono::milliseconds(response->queue_wait_ms());
    out.times.synthesis = std::chrono::milliseconds(response->synthesis_ms());
    out.times.gpu_compute = std::chrono::milliseconds(response->gpu_compute_ms());
    return out;
  }

  RpcClient client_;
  std::string address_;
  std::string run_;
  std::atomic<std::uint64_t> count_ = 0;
};

/// Digits are an ordinal, anything else the beginning of a UUID or a word, as in the configuration.
std::variant<std::uint32_t, std::string> device_name(const std::string& text) {
  std::uint32_t ordinal = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ordinal);
  if (error == std::errc() && end == text.data() + text.size()) return ordinal;
  return text;
}

class LocalTarget : public BenchTarget {
 public:
  static Result<std::unique_ptr<BenchTarget>> make(const LocalSettings& settings) {
    Config config;
    config.srs.param_cache = settings.params;
    config.daemon.journal = "";  // nor saved shapes: nothing is left behind
    config.synthesis.threads = settings.threads;
    config.synthesis.partition_workers = settings.partition_workers;
    config.gpus.gpu_workers_per_device = settings.workers_per_device;
    for (const std::string& name : settings.devices) config.gpus.devices.push_back(device_name(name));
    if (!settings.vram_limit.empty()) {
      const Result<std::uint64_t> limit = parse_size(settings.vram_limit);
      if (!limit) return limit.error().within("--vram-limit");
      config.gpus.vram_limit = *limit;
    }
    config.gpus.h_multiples = settings.h_multiples;
    auto out = std::make_unique<LocalTarget>(settings);
    const auto told = [](const std::string& text) { tell("{}\n", text); };
    CUZK_TRY_ASSIGN(out->backend_, server::configured_backend(config, out->pool_, told, told));
    const auto make_engine = [&](engine::EngineConfig engine_config, timeline::Recorder& recorder) {
      return engine::Engine::create(std::move(engine_config),
                                    engine::EngineParts{.pool = out->pool_,
                                                        .devices = out->backend_.devices,
                                                        .circuits = out->backend_.circuits,
                                                        .read_request = cuzk::read_request,
                                                        .recorder = &recorder});
    };
    CUZK_TRY_ASSIGN(
        out->engine_,
        engine::BenchEngine::create(make_engine, server::engine_config(config, engine::available_memory())));
    return std::unique_ptr<BenchTarget>(std::move(out));
  }
  explicit LocalTarget(const LocalSettings& settings)
      : settings_(settings), pool_(settings.threads, settings.isa) {}

  Result<BenchProof> proof(const v1::SubmitProofRequest& request) override {
    v1::SubmitProofRequest message = request;
    CUZK_TRY_ASSIGN(engine::JobRequest job, server::to_job_request(message, std::nullopt));
    return BenchProof([this, proof = std::move(job.proof)] { return engine_->prove(proof); });
  }
  Result<BenchRun> measure(const std::function<std::vector<BenchSample>()>& load) override {
    BenchRun run = engine_->measure(load);
    run.target = fmt::format(
        "in process, {} ({} devices), {} threads, {}, partition_workers {}, gpu_workers_per_device {}",
        backend_.name, backend_.devices.size(), pool_.size(), isa_name(pool_.isa()),
        settings_.partition_workers ? std::to_string(*settings_.partition_workers) : "by the machine",
        settings_.workers_per_device);
    return run;
  }

 private:
  LocalSettings settings_;
  ThreadPool pool_;
  server::Backend backend_;
  std::unique_ptr<engine::BenchEngine> engine_;
};

}  // namespace

Result<std::unique_ptr<BenchTarget>> daemon_target(const ConnectOptions& options) {
  return DaemonTarget::open(options);
}

Result<std::unique_ptr<BenchTarget>> local_target(const LocalSettings& settings) {
  return LocalTarget::make(settings);
}

}  // namespace cuzk::app
