// What the daemon shows of itself: live view, status JSON, metrics, options.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include <thread>

#include "cuzk/server/history.h"
#include "cuzk/server/http_server.h"
#include "cuzk/server/live_view.h"
#include "cuzk/server/metrics.h"
#include "cuzk/server/options.h"
#include "cuzk/server/side_port.h"
#include "cuzk/server/status_json.h"

namespace cuzk::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using timeline::Event;
using timeline::EventKind;

Event event(std::int64_t ms, EventKind kind, std::string job, std::optional<std::uint32_t> partition,
            std::optional<std::uint32_t> device = {}, std::optional<std::uint32_t> worker = {}) {
  return {.time_ns = ms * 1'000'000,
          .kind = kind,
          .job = std::move(job),
          .partition = partition,
          .device = device,
          .worker = worker,
          .detail = {}};
}

/// One partition of job J on worker 1 of device 0, up to the event before `end`.
std::vector<Event> one_partition() {
  return {
      event(0, EventKind::kSynthStart, "J", 3, {}, 5),    event(100, EventKind::kSynthEnd, "J", 3, {}, 5),
      event(100, EventKind::kGpuQueue, "J", 3),           event(150, EventKind::kGpuPickup, "J", 3, 0, 1),
      event(150, EventKind::kGpuStart, "J", 3, 0, 1),     event(200, EventKind::kLockWait, "J", 3, 0, 1),
      event(300, EventKind::kLockAcquired, "J", 3, 0, 1), event(700, EventKind::kLockReleased, "J", 3, 0, 1),
      event(750, EventKind::kEpilogueEnd, "J", 3, 0, 1),  event(760, EventKind::kGpuEnd, "J", 3, 0, 1),
      event(765, EventKind::kVerifyEnd, "J", 3),          event(766, EventKind::kJobDone, "J", {})};
}

TEST(LiveState, FollowsWorkerAndPartition) {
  Metrics metrics("test");
  LiveState state;
  const auto events = one_partition();
  auto up_to = [&, next = std::size_t{0}](EventKind last) mutable {
    do state.apply(events[next], metrics);
    while (events[next++].kind != last);
  };
  up_to(EventKind::kLockWait);
  EXPECT_EQ(state.jobs.at("J").at(3).synth_ns, 100'000'000);
  EXPECT_EQ(state.workers.at({0, 1}).job, "J");
  EXPECT_EQ(state.workers.at({0, 1}).since_ns, 150'000'000);
  up_to(EventKind::kGpuEnd);
  EXPECT_EQ(state.workers.at({0, 1}).job, "");
  EXPECT_EQ(state.jobs.at("J").at(3).gpu_ns, 610'000'000);
  up_to(EventKind::kJobDone);
  EXPECT_TRUE(state.jobs.empty());

  const std::string text = metrics.text({}, 2);
  EXPECT_THAT(text, HasSubstr("cuzk_stage_duration_seconds_sum{stage=\"synthesis\"} 0.1\n"));
  EXPECT_THAT(text, HasSubstr("cuzk_stage_duration_seconds_sum{stage=\"device_queue\"} 0.05\n"));
  EXPECT_THAT(text, HasSubstr("cuzk_stage_duration_seconds_sum{stage=\"lock_wait\"} 0.1\n"));
  EXPECT_THAT(text, HasSubstr("cuzk_stage_duration_seconds_sum{stage=\"lock_held\"} 0.4\n"));
  EXPECT_THAT(text, HasSubstr("cuzk_stage_duration_seconds_count{stage=\"verify\"} 1\n"));
}

TEST(LiveState, AWorkerKeepsWhatItTookMeanwhile) {
  Metrics metrics("test");
  LiveState state;
  state.apply(event(0, EventKind::kGpuPickup, "J", 0, 0, 1), metrics);
  state.apply(event(5, EventKind::kGpuPickup, "J", 1, 0, 1), metrics);
  state.apply(event(6, EventKind::kGpuEnd, "J", 0, 0, 1), metrics);  // a finisher's
  EXPECT_EQ(state.workers.at({0, 1}).job, "J");
  EXPECT_EQ(state.workers.at({0, 1}).partition, 1U);
  state.apply(event(9, EventKind::kGpuEnd, "J", 1, 0, 1), metrics);
  EXPECT_EQ(state.workers.at({0, 1}).job, "");
}

TEST(LiveState, LateEventsOfAFinishedJobLeaveNothing) {
  Metrics metrics("test");
  LiveState state;
  state.apply(event(0, EventKind::kGpuPickup, "J", 0, 0, 1), metrics);
  state.apply(event(1, EventKind::kJobDone, "J", {}), metrics);
  state.apply(event(2, EventKind::kSynthEnd, "J", 1, {}, 0), metrics);
  state.apply(event(3, EventKind::kGpuEnd, "J", 0, 0, 1), metrics);
  EXPECT_TRUE(state.jobs.empty());
  EXPECT_EQ(state.workers.at({0, 1}).job, "");
  state.apply(event(4, EventKind::kSynthStart, "K", 0, {}, 0), metrics);
  EXPECT_EQ(state.jobs.size(), 1U);
}

TEST(LiveState, GapsBetweenLaunches) {
  Metrics metrics("test");
  LiveState state;
  state.apply(event(0, EventKind::kLockAcquired, "J", 0, 2, 0), metrics);
  state.apply(event(10, EventKind::kLockReleased, "J", 0, 2, 0), metrics);
  state.apply(event(260, EventKind::kLockAcquired, "J", 1, 2, 1), metrics);
  EXPECT_THAT(metrics.text({}, 2), HasSubstr("cuzk_gpu_idle_gap_seconds_sum{gpu=\"2\"} 0.25\n"));
  // The lock is not free while a key is copied.
  state.apply(event(270, EventKind::kLockReleased, "J", 1, 2, 1), metrics);
  state.apply(event(300, EventKind::kKeyStart, "", {}, 2), metrics);
  state.apply(event(700, EventKind::kKeyEnd, "", {}, 2), metrics);
  state.apply(event(920, EventKind::kLockAcquired, "J", 2, 2, 1), metrics);
  EXPECT_THAT(metrics.text({}, 2), HasSubstr("cuzk_gpu_idle_gap_seconds_sum{gpu=\"2\"} 0.5\n"));
}

TEST(LiveView, FollowsARecorder) {
  Metrics metrics("test");
  timeline::Recorder recorder(100);
  const LiveView view(recorder, metrics);
  for (const Event& e : one_partition()) {
    if (e.kind != EventKind::kJobDone) recorder.record(e);
  }
  while (!view.state().jobs["J"][3].gpu_ns) std::this_thread::yield();
  EXPECT_EQ(view.state().jobs["J"][3].worker, 1U);
}

/// A start that fails behind it ends the server at once; it must not wait for a request first.
TEST(HttpServer, EndsRightAfterItsBeginning) {
  for (int i = 0; i < 50; ++i) {
    const auto server = HttpServer::start("127.0.0.1:0", [](auto, const auto&) { return std::nullopt; });
    ASSERT_TRUE(server);
    EXPECT_GT((*server)->port(), 0);
  }
}

struct Exchange {
  std::size_t sent = 0;
  std::string answer;
};
/// Sends `begin` and then `again` for up to 200 MB, or until the server has enough of it.
Exchange exchange(int port, const std::string& begin, const std::string& again = "") {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  Exchange out;
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    const auto send = [&](const std::string& text) {
      const ssize_t n = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
      if (n > 0) out.sent += static_cast<std::size_t>(n);
      return n > 0;
    };
    bool open = send(begin);
    while (open && !again.empty() && out.sent < 200'000'000) open = send(again);
    ::shutdown(socket, SHUT_WR);
    char bytes[4096];
    for (ssize_t n = 0; (n = ::recv(socket, bytes, sizeof bytes, 0)) > 0;)
      out.answer.append(bytes, static_cast<std::size_t>(n));
  }
  ::close(socket);
  return out;
}

TEST(HttpServer, BoundsRequestLineAndHeaders) {
  const auto server = HttpServer::start("127.0.0.1:0", [](std::string_view path, const auto&) {
    return std::optional<HttpAnswer>({.body = "path of " + std::to_string(path.size())});
  });
  ASSERT_TRUE(server);
  const int port = (*server)->port();
  const auto get = [](std::size_t path) { return "GET /" + std::string(path - 1, 'x') + " HTTP/1.1\r\n"; };
  const auto answer = [&](const std::string& request) { return exchange(port, request).answer; };
  EXPECT_THAT(answer(get(8000) + "Host: x\r\n\r\n"), HasSubstr("path of 8000"));
  EXPECT_THAT(answer(get(8200) + "Host: x\r\n\r\n"), HasSubstr("HTTP/1.1 414 "));
  std::string headers;
  for (int i = 0; i < 30; ++i) headers += "X-" + std::to_string(i) + ": " + std::string(1000, 'y') + "\r\n";
  EXPECT_THAT(answer(get(10) + headers + "\r\n"), HasSubstr("path of 10"));
  // What is too much has one answer.
  for (const std::string& much : {headers + headers, "X: " + std::string(40'000, 'y') + "\r\n"}) {
    const std::string refused = answer(get(10) + much + "\r\n");
    EXPECT_THAT(refused, StartsWith("HTTP/1.1 431 "));
    EXPECT_EQ(refused.find("HTTP/", 1), std::string::npos) << refused;
  }
  // So has what cannot be read; the rest of it is no request.
  for (const std::string& bad : {get(10) + "X: " + std::string(9000, 'y') + "\r\nY: z\r\n\r\n",
                                 std::string("GET\r\nY: z\r\n\r\n"), get(10) + "Range: bytes=z\r\n\r\n"}) {
    const std::string refused = answer(bad + get(7) + "\r\n");
    EXPECT_THAT(refused, ::testing::AllOf(StartsWith("HTTP/1.1 400 "), HasSubstr("Connection: close\r\n"),
                                          HasSubstr("Cache-Control: no-store\r\n")));
    EXPECT_EQ(refused.find("HTTP/", 1), std::string::npos) << refused;
  }
  // Thousands of ranges do not multiply the answer.
  std::string ranges = "Range: bytes=0-";
  for (int i = 0; i < 2000; ++i) ranges += ",0-";
  EXPECT_THAT(answer(get(10) + ranges + "\r\n\r\n"),
              ::testing::AllOf(HasSubstr("HTTP/1.1 200 "), HasSubstr("Content-Length: 10\r\n")));
  // What is held goes with its answer.
  {
    std::weak_ptr<void> held;
    const auto holding = HttpServer::start("127.0.0.1:0", [&held](std::string_view, const auto&) {
      const auto place = std::make_shared<int>();
      held = place;
      return std::optional<HttpAnswer>({.body = std::string(1 << 20, 'b'), .held = place});
    });
    ASSERT_TRUE(holding);
    const std::string got =
        exchange((*holding)->port(), "GET / HTTP/1.1\r\nConnection: close\r\n\r\n").answer;
    EXPECT_THAT(got, HasSubstr("Content-Length: 1048576\r\n"));
    EXPECT_GT(got.size(), 1U << 20);
    EXPECT_TRUE(held.expired());
  }
  // Two in one piece.
  EXPECT_THAT(answer(get(7) + "\r\n" + get(9) + "\r\n"),
              ::testing::AllOf(HasSubstr("path of 7"), HasSubstr("path of 9")));
  // A body is not the next request.
  EXPECT_THAT(answer("POST / HTTP/1.1\r\nContent-Length: 40\r\n\r\n" + get(9) + "\r\n"),
              ::testing::AllOf(HasSubstr("HTTP/1.1 405 "), HasSubstr("Connection: close"),
                               Not(HasSubstr("path of"))));
  // Without end: the connection goes after what the buffers of the system hold.
  for (const std::string& begin : {std::string("GET /"), get(10) + "X: "})
    EXPECT_LT(exchange(port, begin, std::string(1 << 20, 'z')).sent, 100'000'000U);
  EXPECT_THAT(answer(get(5) + "Host: x\r\n\r\n"), HasSubstr("path of 5"));
  // What is announced is what is done, so that a client does not send into a connection that is closed.
  EXPECT_THAT(answer(get(5) + "\r\n"), HasSubstr("\r\nKeep-Alive: timeout=2, max=100\r\n"));
}

StatusView full_view() {
  StatusView view;
  view.instance = "I";
  view.version = "V";
  view.backend = "cpu";
  view.state = "ready";
  view.now_ns = 5'000'000'000;
  view.workers_per_device = 2;
  view.engine.memory_budget = 100;
  view.engine.memory_reserved = 30;
  view.engine.memory_by_use = {10, 8, 6, 3, 2, 1};
  view.engine.queues = {{ProofKind::porep_seal_commit, 1, 1}};
  view.engine.counters.completed = {0, 7, 0, 0, 0};
  engine::DeviceStatus device;
  device.info.name = "the CPU";
  device.workers_busy = 1;
  device.lock_taken = true;
  device.lock_waiting = 1;
  device.lock_job_id = "J";
  device.keys = {{"/p/k.params", true, 3, 15, 16, 40, 30}};
  view.engine.devices = {device};
  engine::CircuitStatus circuit;
  circuit.circuit_id = "porep-2k";
  circuit.tier = engine::ParamsTier::kHot;
  circuit.shape_loaded = true;
  view.engine.circuits = {circuit};
  engine::JobStatus running;
  running.identity.job_id = "J";
  running.identity.request_id = "bad \xff utf-8";
  running.state = engine::JobState::kRunning;
  running.circuit_id = "porep-2k";
  running.age = std::chrono::milliseconds(1500);
  running.partitions = {engine::PartitionState::kDone, engine::PartitionState::kDevice,
                        engine::PartitionState::kWaiting};
  engine::JobStatus queued = running;
  queued.identity.job_id = "K";
  queued.state = engine::JobState::kQueued;
  engine::JobStatus done = running;
  done.identity.job_id = "D";
  done.state = engine::JobState::kCompleted;
  view.jobs = {running, queued, done};
  view.live.jobs["J"][1].synth_ns = 2'500'000;
  view.live.workers[{0, 1}] = {"J", 1, 4'000'000'000};
  History history;
  engine::JobResult result;
  result.identity.job_id = "D";
  result.state = engine::JobState::kCompleted;
  result.circuit_id = "porep-2k";
  result.proof.assign(1920, 0);
  history.add(result);
  view.history = history.latest();
  return view;
}

TEST(StatusJson, SaysWhatTheViewHolds) {
  const auto json = nlohmann::json::parse(status_json(full_view()));
  EXPECT_EQ(json["state"], "ready");
  EXPECT_EQ(json["now_ms"], 5000.0);
  EXPECT_EQ(json["memory"]["available_bytes"], 70);
  ASSERT_EQ(json["memory"]["reservations"].size(), 6U);
  EXPECT_EQ(json["memory"]["reservations"][3]["tag"], "witnesses");
  EXPECT_EQ(json["memory"]["reservations"][3]["bytes"], 3);
  EXPECT_EQ(json["queues"][0]["oldest_secs"], 1.5);
  ASSERT_EQ(json["pipelines"].size(), 2U);
  const auto& job = json["pipelines"][0];
  EXPECT_EQ(job["job_id"], "J");
  EXPECT_EQ(job["partitions_done"], 1);
  EXPECT_EQ(job["partitions"][1]["state"], "gpu");
  EXPECT_EQ(job["partitions"][1]["synth_ms"], 2.5);
  EXPECT_TRUE(job["partitions"][2]["synth_ms"].is_null());
  EXPECT_TRUE(json["pipelines"][1]["partitions"].empty());
  EXPECT_EQ(json["pipelines_omitted"], 0);
  ASSERT_EQ(json["gpu_workers"].size(), 2U);
  EXPECT_EQ(json["gpu_workers"][0]["state"], "idle");
  EXPECT_EQ(json["gpu_workers"][1]["current_job"], "J");
  EXPECT_EQ(json["gpu_workers"][1]["busy_secs"], 1.0);
  EXPECT_EQ(json["devices"][0]["lock_held"], true);
  EXPECT_EQ(json["devices"][0]["lock_waiting"], 1);
  EXPECT_EQ(json["devices"][0]["lock_job"], "J");
  EXPECT_EQ(json["devices"][0]["keys"],
            nlohmann::json::parse(R"([{"params": "/p/k.params", "residency": "streamed", "vram_held_bytes": 3,
      "vram_needed_bytes": 15, "vram_limit_bytes": 16, "host_bytes": 40, "pinned_bytes": 30,
      "h_multiples": 1, "pair_sums": 0}])"));
  EXPECT_EQ(json["allocations"]["srs"][0]["tier"], "hot");
  EXPECT_EQ(json["allocations"]["pce"].size(), 1U);
  EXPECT_EQ(json["counters"]["completed_by_kind"]["porep-c2"], 7);
  EXPECT_EQ(json["history"][0]["partitions"], 10);
  EXPECT_EQ(json["history"][0]["circuit_id"], "porep-2k");
}

TEST(History, KeepsTheLatest) {
  History history;
  for (std::size_t i = 0; i < History::kEntries + 5; ++i) {
    engine::JobResult result;
    result.identity.job_id = std::to_string(i);
    history.add(result);
  }
  const auto latest = history.latest();
  ASSERT_EQ(latest.size(), History::kEntries);
  EXPECT_EQ(latest.front().result->identity.job_id, std::to_string(History::kEntries + 4));
}

TEST(Metrics, FailuresByClassAndDurations) {
  Metrics metrics("1.2.3");
  engine::JobResult result;
  result.identity.kind = ProofKind::winning_post;
  result.state = engine::JobState::kFailed;
  result.failure = engine::FailureClass::kSelfCheck;
  metrics.observe(result);
  result.state = engine::JobState::kCompleted;
  result.times.total = std::chrono::milliseconds(1500);
  metrics.observe(result);
  const std::string text = metrics.text(full_view().engine, 2);
  EXPECT_THAT(text, HasSubstr("cuzk_build_info{version=\"1.2.3\"} 1\n"));
  EXPECT_THAT(text,
              HasSubstr("cuzk_proofs_failed_total{proof_kind=\"winning_post\",reason=\"SELF_CHECK\"} 1\n"));
  EXPECT_THAT(text,
              HasSubstr("cuzk_proof_duration_seconds_bucket{proof_kind=\"winning_post\",le=\"2\"} 1\n"));
  EXPECT_THAT(text,
              HasSubstr("cuzk_proof_duration_seconds_bucket{proof_kind=\"winning_post\",le=\"1\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("cuzk_proofs_completed_total{proof_kind=\"porep_c2\"} 7\n"));
  EXPECT_THAT(text, HasSubstr("cuzk_memory_reserved_by_use_bytes{use=\"requests\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("cuzk_gpu_workers{gpu=\"0\"} 2\n"));
  EXPECT_THAT(text, Not(HasSubstr("job_id")));
}

TEST(SidePort, PathsAndParameters) {
  timeline::Recorder recorder(4);
  for (int i = 0; i < 6; ++i) recorder.record(event(i, EventKind::kGpuQueue, "J", 0));
  std::string state = "ready";
  engine::Status status;
  status.devices.resize(2);
  const std::string instance = "I";
  const Places places(2);
  const SidePortParts parts{.instance = instance,
                            .recorder = recorder,
                            .metrics = [] { return std::string("m 1\n"); },
                            .status = [] { return full_view(); },
                            .readiness = [&] { return readiness(state, status); },
                            .large_answers = places};
  std::map<std::string, std::string> query;
  const HttpParameter parameter = [&](const char* name) -> std::optional<std::string> {
    return query.contains(name) ? std::optional(query[name]) : std::nullopt;
  };
  const auto get = [&](const char* path) { return side_port(path, parameter, parts); };
  EXPECT_EQ(get("/metrics")->body, "m 1\n");
  EXPECT_EQ(get("/healthz")->status, 200);
  {
    const auto first = get("/trace");
    auto second = get("/timeline");
    EXPECT_EQ(get("/trace")->status, 503);  // as long as the answers are on their way
    second.reset();
    EXPECT_EQ(get("/trace")->status, 200);
  }
  EXPECT_EQ(get("/readyz")->status, 200);
  state = "draining";
  EXPECT_EQ(get("/readyz")->status, 503);
  EXPECT_EQ(get("/readyz")->body, "draining\n");
  state = "ready";
  status.devices[0].quarantined = true;
  EXPECT_EQ(get("/readyz")->status, 200);
  status.devices[1].quarantined = true;
  EXPECT_EQ(get("/readyz")->status, 503);
  EXPECT_THAT(get("/readyz")->body, HasSubstr("quarantine"));
  status.devices[1].quarantined = false;
  status.journal_failing = true;
  EXPECT_EQ(get("/readyz")->status, 503);
  EXPECT_THAT(get("/readyz")->body, HasSubstr("journal"));
  status.journal_failing = false;
  EXPECT_EQ(get("/readyz")->status, 200);
  status.journal_refusal = "no space left";
  EXPECT_EQ(get("/readyz")->body, "the journal cannot store requests: no space left\n");
  EXPECT_THAT(get("/")->body, HasSubstr("<html"));
  EXPECT_THAT(get("/dashboard/main.js")->content_type, HasSubstr("javascript"));
  EXPECT_FALSE(get("/nothing"));
  EXPECT_FALSE(get("/../etc/passwd"));
  EXPECT_EQ(nlohmann::json::parse(get("/status")->body)["instance"], "I");

  auto json = nlohmann::json::parse(get("/events")->body);
  EXPECT_EQ(json["next"], 6);
  EXPECT_EQ(json["lost"], 2);
  EXPECT_EQ(json["events"].size(), 4U);
  query["since"] = "5";
  json = nlohmann::json::parse(get("/events")->body);
  EXPECT_EQ(json["events"].size(), 1U);
  for (const char* bad : {"-1", "x", "", "1e3", "99999999999999999999"}) {
    query["since"] = bad;
    EXPECT_EQ(get("/events")->status, 400) << bad;
  }
  EXPECT_THAT(get("/timeline")->body, HasSubstr("# lost 2\nTIMELINE,2,GPU_QUEUE,J,"));
  EXPECT_TRUE(nlohmann::json::accept(get("/trace")->body));
}

TEST(Options, TheEngineGetsTheFilesValues) {
  Config config;
  constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
  EXPECT_EQ(request_limits(config).rooms, 6U);  // of 768 MiB
  EXPECT_EQ(engine_config(config, 64 * kGiB).memory_budget, 59 * kGiB);
  EXPECT_EQ(engine_config(config, 8 * kGiB).memory_budget, 4 * kGiB);  // the margin would leave less
  config.memory.total_budget = 3 * kGiB;
  EXPECT_EQ(engine_config(config, 64 * kGiB).memory_budget, 3 * kGiB);
  config.gpus.gpu_workers_per_device = 3;
  config.scheduler.max_batch_size = 4;
  config.scheduler.sort_by_type = true;
  config.scheduler.max_pending = 5;
  config.scheduler.max_results = 6;
  config.scheduler.on_conflict = Config::Scheduler::OnConflict::kReject;
  config.synthesis.partition_workers = 0;
  config.pipeline.enabled = false;
  config.pipeline.slot_size = 7;
  config.pipeline.synthesis_lookahead = 8;
  config.pipeline.synthesis_concurrency = 9;
  config.pipeline.max_parallel_synthesis = 10;
  config.pipeline.max_gpu_queue_depth = 11;
  const engine::EngineConfig out = engine_config(config, 0);
  EXPECT_EQ(out.workers_per_device, 3U);
  EXPECT_EQ(out.max_batch_size, 4U);
  EXPECT_TRUE(out.sort_by_type);
  EXPECT_EQ(out.max_pending, 5U);
  EXPECT_EQ(out.max_results, 6U);
  EXPECT_EQ(out.on_conflict, engine::OnConflict::kReject);
  EXPECT_EQ(out.partition_workers, 0U);
  EXPECT_FALSE(out.pipeline_enabled);
  EXPECT_EQ(out.slot_size, 7U);
  EXPECT_EQ(out.synthesis_lookahead, 8U);
  EXPECT_EQ(out.synthesis_concurrency, 9U);
  EXPECT_EQ(out.max_parallel_synthesis, 10U);
  EXPECT_EQ(out.max_gpu_queue_depth, 11U);
}

TEST(Options, FoldersOfTheEnvironment) {
  Config config;
  ::setenv("STATE_DIRECTORY", "/a:/b", 1);
  ::setenv("FIL_PROOFS_PARAMETER_CACHE", "/p", 1);
  EXPECT_EQ(journal_folder(config), "/a");
  EXPECT_EQ(parameter_folder(config), "/p");
  ::unsetenv("STATE_DIRECTORY");
  ::unsetenv("FIL_PROOFS_PARAMETER_CACHE");
  EXPECT_EQ(journal_folder(config), "/var/lib/cuzk");
  EXPECT_EQ(parameter_folder(config), "/var/tmp/filecoin-proof-parameters");
  config.daemon.journal = "";
  config.srs.param_cache = "/q";
  EXPECT_EQ(journal_folder(config), "");
  EXPECT_EQ(parameter_folder(config), "/q");
}

TEST(Options, EveryKeyWithoutAValueSaysWhatItAmountsTo) {
  constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
  Config config;
  const std::string text = effective_values(config, 64 * kGiB, 6);
  for (const char* line :
       {"\n# daemon.journal = \"/var/lib/cuzk\"\n", "\n# memory.total_budget = \"59GiB\"\n",
        "\n# synthesis.partition_workers = 6, one for each thread\n",
        "\n# pipeline.max_gpu_queue_depth = 8 for each device\n",
        "\n# srs.param_cache = \"/var/tmp/filecoin-proof-parameters\"\n"})
    EXPECT_THAT(text, HasSubstr(line));
  EXPECT_EQ(to_toml(read_config(to_toml(config) + text, "with what keys amount to").config), to_toml(config));
  config.daemon.journal = "";
  config.daemon.tls_cert = config.daemon.tls_client_ca = config.daemon.token_file = "x";
  config.memory.total_budget = config.gpus.vram_limit = kGiB;
  config.gpus.devices.emplace_back(0U);
  config.synthesis.threads = 3;
  config.pipeline.max_gpu_queue_depth = 1;
  config.srs.param_cache = "/p";
  const std::string rest = effective_values(config, 64 * kGiB, 6);
  EXPECT_THAT(rest, HasSubstr("\n# synthesis.partition_workers = 3, one for each thread\n"));
  config.synthesis.partition_workers = 0;
  config.pipeline.max_parallel_synthesis = 1;
  EXPECT_THAT(effective_values(config, 64 * kGiB, 6), Not(HasSubstr("\n# "))) << "every key has a value";
}

}  // namespace
}  // namespace cuzk::server
