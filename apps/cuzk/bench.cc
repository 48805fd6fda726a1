// cuzk bench: proofs against a daemon or an engine in this process, timed. What measures is engine/bench.h.
#include <fmt/format.h>

#include <charconv>
#include <chrono>

#include "bench_report.h"
#include "bench_target.h"
#include "cuzk/base/file_sink.h"
#include "files.h"
#include "output.h"

namespace cuzk::app {
namespace {

using engine::BenchLoad;
using engine::BenchRun;
using Json = nlohmann::ordered_json;

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
/// Its files are added to `read`.
Result<Load> read_load(const std::string& text, const PayloadOptions& common,
                       std::vector<std::string>& read) {
  const std::size_t first = text.find(':');
  const std::size_t second = first == std::string::npos ? first : text.find(':', first + 1);
  if (second == std::string::npos) return usage_error("--load '" + text + "' is not TYPE:RATE:FILE");
  Load out;
  const std::string type = text.substr(0, first);
  const bool porep = type.starts_with("porep");  // another type that is none is refused below
  PayloadOptions payload;
  if (porep) payload = common;
  payload.priority = common.priority;
  payload.type = out.kind = type;
  const std::string rate = text.substr(first + 1, second - first - 1);
  const auto [end, error] = std::from_chars(rate.data(), rate.data() + rate.size(), out.per_second);
  if (error != std::errc() || end != rate.data() + rate.size() || !(out.per_second > 0) ||
      out.per_second > kMaxRate)
    return usage_error(
        fmt::format("--load '{}': the rate must be a number of proofs a second, up to {}", text, kMaxRate));
  (porep ? payload.c1 : payload.request) = text.substr(second + 1);
  Result<v1::SubmitProofRequest> request = read_payload(payload, read);
  if (!request) return request.error().within("--load '" + text + "'");
  out.request = *std::move(request);
  return out;
}

/// Before hours of measuring: a report must not take the place of what was read.
Result<void> keep_what_was_read(const BenchOptions& options, std::vector<std::string> read) {
  for (const std::string& path : options.files()) read.push_back(path);
  if (!options.params.empty())
    for (const std::string& path : parameter_files(options.params)) read.push_back(path);
  CUZK_TRY(refuse_to_replace("--out", options.out, read));
  read.push_back(options.out);
  return refuse_to_replace("--svg", options.svg, read);
}

LocalSettings local_settings(const BenchOptions& options) {
  return {.params = options.params,
          .threads = options.threads,
          .isa = options.isa,
          .devices = options.devices,
          .vram_limit = options.vram_limit,
          .points_per_base = options.points_per_base};
}

Result<std::unique_ptr<BenchTarget>> open_target(const BenchOptions& options) {
  return options.local ? local_target(local_settings(options)) : daemon_target(options);
}

Result<BenchRun> batch(const BenchOptions& options, const v1::SubmitProofRequest& request, unsigned count,
                       unsigned concurrency) {
  CUZK_TRY_ASSIGN(const std::unique_ptr<BenchTarget> target, open_target(options));
  CUZK_TRY_ASSIGN(const engine::BenchProof prove, target->proof(request));
  CUZK_TRY(engine::warm_up(prove, options.warm_up));
  return target->measure([&] { return engine::run_batch(options.type, prove, count, concurrency); });
}

Result<BenchRun> stress(const BenchOptions& options) {
  std::vector<Load> loads;
  std::vector<std::string> read;
  double requests = 0;
  for (const std::string& text : options.loads) {
    CUZK_TRY_ASSIGN(Load load, read_load(text, options, read));
    requests += load.per_second * options.seconds;
    loads.push_back(std::move(load));
  }
  CUZK_TRY(keep_what_was_read(options, std::move(read)));
  if (requests > kMaxRequests)
    return usage_error(fmt::format("--load, --seconds: these rates ask for about {:.0f} proofs, more than {}",
                                   requests, kMaxRequests));
  CUZK_TRY_ASSIGN(const std::unique_ptr<BenchTarget> target, open_target(options));
  std::vector<BenchLoad> proofs;
  for (const Load& load : loads) {
    CUZK_TRY_ASSIGN(engine::BenchProof prove, target->proof(load.request));
    CUZK_TRY(engine::warm_up(prove, options.warm_up));
    proofs.push_back({load.kind, load.per_second, std::move(prove)});
  }
  const auto time =
      std::chrono::duration_cast<engine::Duration>(std::chrono::duration<double>(options.seconds));
  return target->measure([&] { return engine::run_stress(proofs, time); });
}

Result<std::vector<BenchRun>> sweep(const BenchOptions& options, const v1::SubmitProofRequest& request) {
  std::vector<engine::BenchPoint> points;
  for (const unsigned workers : options.partition_workers)
    for (const unsigned per_device : options.workers_per_device) points.push_back({workers, per_device});
  return sweep_locally(local_settings(options), points,
                       {.kind = options.type,
                        .jobs = options.count,
                        .concurrency = options.concurrency,
                        .warm_up = options.warm_up},
                       request, [](const BenchRun& run) {
                         tell("{}: {:.2f} s a proof\n", run.label, run.seconds_per_proof());
                       });
}

Result<std::vector<BenchRun>> run_modes(const BenchOptions& options) {
  if (options.mode == "stress") {
    CUZK_TRY_ASSIGN(BenchRun run, stress(options));
    return std::vector<BenchRun>{std::move(run)};
  }
  std::vector<std::string> read;
  CUZK_TRY_ASSIGN(const v1::SubmitProofRequest request, read_payload(options, read));
  CUZK_TRY(keep_what_was_read(options, std::move(read)));
  if (options.mode == "sweep") return sweep(options, request);
  const bool single = options.mode == "single";
  CUZK_TRY_ASSIGN(BenchRun run,
                  batch(options, request, single ? 1 : options.count, single ? 1 : options.concurrency));
  return std::vector<BenchRun>{std::move(run)};
}

}  // namespace

Result<void> run_bench(const BenchOptions& options) {
  if ((options.local || options.mode == "sweep") && options.params.empty())
    return usage_error("an engine in this process needs --params, the folder of the parameter files");
  // Before hours of measuring for a report that could not be written; leaves nothing.
  for (const std::string& path : {options.out, options.svg})
    if (!path.empty()) CUZK_TRY(FileSink::create(path));
  CUZK_TRY_ASSIGN(const std::vector<BenchRun> runs, run_modes(options));

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
    if (runs.size() > 1) say("{}", to_table(runs));
  }
  for (const BenchRun& run : runs)
    if (run.samples.empty())
      return usage_error(
          "no proof was asked for, so nothing was measured: take a higher rate or more --seconds");
  for (const BenchRun& run : runs)
    if (const std::optional<Error> failure = run.first_failure())
      return failure->within(fmt::format("{} of {} proofs failed; the first",
                                         run.samples.size() - run.completed(), run.samples.size()));
  return {};
}

}  // namespace cuzk::app
