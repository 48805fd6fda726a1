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
using engine::BenchSamples;

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
  Result<BenchRun> measure(const std::function<BenchSamples()>& load) override {
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
      CUZK_TRY_ASSIGN(run.samples, load());
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
    out.times.device_wait = std::chrono::milliseconds(response->device_wait_ms());
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

/// Devices, parameters and threads for engines in this process, one at a time.
class LocalParts {
 public:
  static Result<std::unique_ptr<LocalParts>> open(const LocalSettings& settings) {
    Config config;
    config.srs.param_cache = settings.params;
    config.daemon.journal = "";  // nor saved shapes: nothing is left behind
    config.synthesis.threads = settings.threads;
    for (const std::string& name : settings.devices) config.gpus.devices.push_back(device_name(name));
    if (!settings.vram_limit.empty()) {
      const Result<std::uint64_t> limit = parse_size(settings.vram_limit);
      if (!limit) return limit.error().within("--vram-limit");
      if (*limit == 0) return usage_error("--vram-limit: must be more than nothing");
      config.gpus.vram_limit = *limit;
    }
    config.gpus.points_per_base = settings.points_per_base;
    auto out = std::make_unique<LocalParts>(settings, config);
    const auto told = [](const std::string& text) { tell("{}\n", text); };
    CUZK_TRY_ASSIGN(out->backend_, server::configured_backend(config, out->pool_, told, told));
    return out;
  }
  LocalParts(const LocalSettings& settings, const Config& config)
      : pool_(settings.threads, settings.isa),
        config_(server::engine_config(config, engine::available_memory())) {}

  [[nodiscard]] const engine::EngineConfig& config() const { return config_; }
  /// The parts must outlive the engine that it makes.
  [[nodiscard]] engine::EngineMaker maker() {
    return [this](engine::EngineConfig config, timeline::Recorder& recorder) {
      return engine::Engine::create(std::move(config), engine::EngineParts{.pool = pool_,
                                                                           .devices = backend_.devices,
                                                                           .circuits = backend_.circuits,
                                                                           .read_request = cuzk::read_request,
                                                                           .recorder = &recorder});
    };
  }
  [[nodiscard]] std::string describe(const BenchRun& run) const {
    return fmt::format(
        "in process, {} ({} devices), {} threads, {}, partition_workers {}, gpu_workers_per_device {}",
        backend_.name, backend_.devices.size(), pool_.size(), isa_name(pool_.isa()),
        run.insight->partition_workers, run.insight->workers_per_device);
  }

 private:
  ThreadPool pool_;
  engine::EngineConfig config_;
  server::Backend backend_;
};

Result<ProofRequest> to_proof_request(v1::SubmitProofRequest request) {
  CUZK_TRY_ASSIGN(engine::JobRequest job, server::to_job_request(request, std::nullopt));
  return std::move(job.proof);
}

class LocalTarget : public BenchTarget {
 public:
  LocalTarget(std::unique_ptr<LocalParts> parts, std::unique_ptr<engine::BenchEngine> engine)
      : parts_(std::move(parts)), engine_(std::move(engine)) {}

  Result<BenchProof> proof(const v1::SubmitProofRequest& request) override {
    CUZK_TRY_ASSIGN(ProofRequest proof, to_proof_request(request));
    return BenchProof([this, proof = std::move(proof)] { return engine_->prove(proof); });
  }
  Result<BenchRun> measure(const std::function<BenchSamples()>& load) override {
    CUZK_TRY_ASSIGN(BenchRun run, engine_->measure(load));
    run.target = parts_->describe(run);
    return run;
  }

 private:
  std::unique_ptr<LocalParts> parts_;
  std::unique_ptr<engine::BenchEngine> engine_;
};

}  // namespace

Result<std::unique_ptr<BenchTarget>> daemon_target(const ConnectOptions& options) {
  return DaemonTarget::open(options);
}

Result<std::unique_ptr<BenchTarget>> local_target(const LocalSettings& settings) {
  CUZK_TRY_ASSIGN(std::unique_ptr<LocalParts> parts, LocalParts::open(settings));
  CUZK_TRY_ASSIGN(std::unique_ptr<engine::BenchEngine> engine,
                  engine::BenchEngine::create(parts->maker(), parts->config()));
  return std::unique_ptr<BenchTarget>(std::make_unique<LocalTarget>(std::move(parts), std::move(engine)));
}

Result<std::vector<BenchRun>> sweep_locally(const LocalSettings& settings,
                                            const std::vector<engine::BenchPoint>& points,
                                            const engine::BenchSettings& bench,
                                            const v1::SubmitProofRequest& request,
                                            const std::function<void(const BenchRun&)>& done) {
  CUZK_TRY_ASSIGN(ProofRequest proof, to_proof_request(request));
  CUZK_TRY_ASSIGN(const std::unique_ptr<LocalParts> parts, LocalParts::open(settings));
  CUZK_TRY_ASSIGN(std::vector<BenchRun> runs, engine::sweep(parts->maker(), parts->config(), points, bench,
                                                            {std::move(proof)}, real_clock(), done));
  for (BenchRun& run : runs) run.target = parts->describe(run);
  return runs;
}

}  // namespace cuzk::app
