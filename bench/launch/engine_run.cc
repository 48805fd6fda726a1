#include "engine_run.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <future>

#include "cuzk/base/file_sink.h"
#include "cuzk/engine/forwarding_device.h"
#include "cuzk/timeline/analysis.h"
#include "cuzk/timeline/gantt.h"
#include "process_memory.h"

namespace cuzk::bench {
namespace {

class KeepingDevice : public engine::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  void drop(const std::shared_ptr<const groth16::ProvingKey>&, const groth16::LaunchOptions&) override {}
};

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double percent(const std::optional<timeline::Lane>& lane) {
  return lane ? 100 * lane->efficiency() : 0;
}

void print_gaps(const char* name, const std::optional<timeline::Lane>& lane) {
  if (!lane) return;
  const auto sum = [](const char* label, const timeline::GapSum& gaps) {
    std::printf("  %s %llu in %.3f ms;", label, static_cast<unsigned long long>(gaps.count),
                static_cast<double>(gaps.total_ns) / 1e6);
  };
  std::printf("  gaps of %s:", name);
  sum("below 50 ms", lane->below_50_ms);
  sum("50 to 500", lane->from_50_to_500_ms);
  sum("above", lane->above_500_ms);
  sum("cross job", lane->cross_job);
  sum("cross partition", lane->cross_partition);
  sum("within", lane->within_partition);
  std::printf("\n");
}

Result<void> write_files(const EngineRun& run, const timeline::Log& log, const timeline::Analysis& analysis) {
  if (run.folder.empty()) return {};
  const std::string stem = run.folder + "/" + run.name;
  CUZK_TRY(write_file_atomically(stem + ".svg", byte_span(timeline::to_svg(log, analysis))));
  CUZK_TRY(write_file_atomically(stem + ".txt", byte_span(timeline::to_text(analysis))));
  std::string lines;
  for (const timeline::Event& event : log.events) lines += timeline::format_line(event) + "\n";
  return write_file_atomically(stem + ".timeline", byte_span(lines));
}

}  // namespace

std::shared_ptr<engine::Device> keeping_keys(std::shared_ptr<engine::Device> device) {
  return std::make_shared<KeepingDevice>(std::move(device));
}

Result<void> run_engine(ThreadPool& pool, const std::shared_ptr<engine::Device>& device,
                        const std::shared_ptr<engine::CircuitSource>& circuits,
                        const engine::RequestReader& reader, const EngineRun& run) {
  timeline::Recorder recorder(std::size_t{1} << 18);
  engine::EngineConfig config;
  config.memory_budget = run.memory;
  config.workers_per_device = run.workers_per_device;
  config.partition_workers = run.partition_workers;
  CUZK_TRY_ASSIGN(const std::unique_ptr<engine::Engine> engine,
                  engine::Engine::create(config, {.pool = pool,
                                                  .devices = {device},
                                                  .circuits = circuits,
                                                  .read_request = reader,
                                                  .recorder = &recorder}));
  for (const std::string& id : run.circuit_ids) {
    std::promise<Result<engine::Preloaded>> loaded;
    engine->preload(id, [&](Result<engine::Preloaded> done) { loaded.set_value(std::move(done)); });
    CUZK_TRY(loaded.get_future().get());
  }
  const std::uint64_t memory_before = process_memory("VmRSS");
  reset_peak_memory();
  const auto begin = std::chrono::steady_clock::now();
  using Done = std::pair<std::shared_ptr<const engine::JobResult>, double>;
  std::vector<std::future<Done>> results;
  for (const ProofRequest& request : run.requests) {
    const auto submitted = std::chrono::steady_clock::now();
    const engine::Submission submission = engine->submit({"", engine::Priority::kNormal, request, {}});
    if (!submission.accepted()) return io_error(run.name + ": " + submission.message);
    auto promise = std::make_shared<std::promise<Done>>();
    results.push_back(promise->get_future());
    CUZK_TRY(engine->await(submission.job_id, {}, [promise, submitted](const engine::Awaited& awaited) {
      promise->set_value({awaited.result, seconds_since(submitted)});
    }));
  }
  std::size_t proofs = 0;
  std::vector<double> latencies;
  for (auto& result : results) {
    const auto [job, latency] = result.get();
    if (job->state != engine::JobState::kCompleted)
      return Error{ErrorCode::kInternal, run.name + ": " + job->message};
    proofs += job->proof.size() / 192;
    latencies.push_back(latency);
  }
  const double wall = seconds_since(begin);
  const std::uint64_t memory_peak = process_memory("VmHWM");
  engine->shut_down({});
  timeline::Recorder::Tail tail = recorder.since(0);
  const timeline::Log log{std::move(tail.events), tail.lost};
  const timeline::Analysis analysis = timeline::analyse(log);
  std::printf(
      "%s: %zu jobs, %zu proofs verified, %u workers, %.3f s, %.1f ms a proof; lock %.2f %%, job %.2f %%, "
      "kernel %.2f %%\n",
      run.name.c_str(), run.requests.size(), proofs, run.workers_per_device, wall,
      1e3 * wall / static_cast<double>(proofs), percent(analysis.lock), percent(analysis.job),
      percent(analysis.kernel));
  print_gaps("the lock", analysis.lock);
  print_gaps("kernels", analysis.kernel);
  for (const timeline::StageTime& stage : analysis.stages)
    std::printf("  %s %.2f;", stage.stage.c_str(), stage.mean_ms());
  std::printf("  mean ms\n");
  std::sort(latencies.begin(), latencies.end());
  std::printf(
      "  a job, from submission to its last proof verified: %.3f s at the least, %.3f median, %.3f at the "
      "most;",
      latencies.front(), latencies[latencies.size() / 2], latencies.back());
  for (const timeline::StageTime& stage : analysis.stages)
    if (stage.stage == "synthesis")
      std::printf(" synthesis of a partition %.1f ms mean, %.1f at the most;", stage.mean_ms(), stage.max_ms);
  std::printf(" memory %.2f GB before, %.2f at the most\n", static_cast<double>(memory_before) / 1e9,
              static_cast<double>(memory_peak) / 1e9);
  std::fflush(stdout);
  return write_files(run, log, analysis);
}

}  // namespace cuzk::bench
