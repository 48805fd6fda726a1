#include "bench_target.h"

#include <fmt/format.h>

#include <cstdlib>
#include <future>
#include <sstream>

#include "cuzk/engine/engine.h"
#include "cuzk/server/daemon.h"
#include "cuzk/server/options.h"
#include "cuzk/server/process_usage.h"
#include "cuzk/server/rpc_convert.h"
#include "output.h"

namespace cuzk::app {
namespace {

class DaemonTarget : public BenchTarget {
 public:
  DaemonTarget(RpcClient client, std::string address)
      : client_(std::move(client)), address_(std::move(address)) {}

  Result<v1::AwaitProofResponse> prove(const v1::SubmitProofRequest& request) override {
    return client_.prove(request);
  }
  Result<Usage> usage() override {
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
  [[nodiscard]] std::string description() const override { return "daemon at " + address_; }

 private:
  RpcClient client_;
  std::string address_;
};

class LocalTarget : public BenchTarget {
 public:
  static Result<std::unique_ptr<BenchTarget>> make(const LocalSettings& settings) {
    Config config;
    config.srs.param_cache = settings.params;
    config.daemon.journal = "";  // nor saved shapes: nothing is left behind
    config.synthesis.threads = settings.threads;
    config.synthesis.partition_workers = settings.partition_workers;
    config.gpus.gpu_workers_per_device = settings.workers_per_device;
    auto out = std::make_unique<LocalTarget>(settings);
    CUZK_TRY_ASSIGN(out->backend_, server::cpu_backend(config, out->pool_,
                                                       [](const std::string& text) { tell("{}\n", text); }));
    CUZK_TRY_ASSIGN(out->engine_,
                    engine::Engine::create(server::engine_config(config, engine::available_memory()),
                                           engine::EngineParts{.pool = out->pool_,
                                                               .devices = out->backend_.devices,
                                                               .circuits = out->backend_.circuits,
                                                               .read_request = cuzk::read_request}));
    return std::unique_ptr<BenchTarget>(std::move(out));
  }
  explicit LocalTarget(const LocalSettings& settings) : settings_(settings), pool_(settings.threads) {}

  Result<v1::AwaitProofResponse> prove(const v1::SubmitProofRequest& request) override {
    v1::SubmitProofRequest message = request;
    CUZK_TRY_ASSIGN(engine::JobRequest job, server::to_job_request(message, std::nullopt));
    const engine::Submission submission = engine_->submit(std::move(job));
    if (!submission.accepted())
      return submission.outcome == engine::Submission::Outcome::kInvalid ? bad_input(submission.message)
                                                                         : io_error(submission.message);
    std::promise<v1::AwaitProofResponse> promise;
    const Result<engine::WaiterId> waiter =
        engine_->await(submission.job_id, std::nullopt, [&](const engine::Awaited& awaited) {
          v1::AwaitProofResponse response;
          server::fill_response(submission.job_id, awaited, response);
          promise.set_value(std::move(response));
        });
    if (!waiter) return waiter.error();
    return promise.get_future().get();
  }
  Result<Usage> usage() override {
    Usage out;
    out.resident_bytes = server::process_usage().resident_bytes;
    for (const engine::DeviceStatus& device : engine_->status().devices) {
      out.lock_held_seconds += std::chrono::duration<double>(device.lock_held).count();
      ++out.devices;
    }
    return out;
  }
  [[nodiscard]] std::string description() const override {
    return fmt::format(
        "in process, {} threads, partition_workers {}, gpu_workers_per_device {}", pool_.size(),
        settings_.partition_workers ? std::to_string(*settings_.partition_workers) : "by the machine",
        settings_.workers_per_device);
  }

 private:
  LocalSettings settings_;
  ThreadPool pool_;
  server::Backend backend_;
  std::unique_ptr<engine::Engine> engine_;
};

}  // namespace

Result<std::unique_ptr<BenchTarget>> daemon_target(const ConnectOptions& options) {
  CUZK_TRY_ASSIGN(RpcClient client, RpcClient::open(options));
  return std::unique_ptr<BenchTarget>(std::make_unique<DaemonTarget>(std::move(client), options.addr));
}

Result<std::unique_ptr<BenchTarget>> local_target(const LocalSettings& settings) {
  return LocalTarget::make(settings);
}

}  // namespace cuzk::app
