#include "cuzk/server/daemon.h"

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <ctime>
#include <mutex>
#include <thread>
#include <utility>

#include "cuzk/base/hex.h"
#include "cuzk/base/random.h"
#include "cuzk/journal/sqlite_journal.h"
#include "cuzk/proving/circuit.h"
#include "cuzk/server/credentials.h"
#include "cuzk/server/history.h"
#include "cuzk/server/http_server.h"
#include "cuzk/server/live_view.h"
#include "cuzk/server/log.h"
#include "cuzk/server/metrics.h"
#include "cuzk/server/options.h"
#include "cuzk/server/process_usage.h"
#include "cuzk/server/rpc_server.h"
#include "cuzk/server/rpc_service.h"
#include "cuzk/server/service_manager.h"
#include "cuzk/server/side_port.h"
#include "cuzk/timeline/line_file.h"

namespace cuzk::server {
namespace {

/// Events kept for the dashboard and /timeline: some hours of a busy machine, about 20 MiB.
constexpr std::size_t kRecordedEvents = 100'000;
/// Requests that are read and checked at a time.
constexpr unsigned kReaders = 4;

/// The signals that the main thread waits for; blocked in all threads.
sigset_t handled_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&set, signal);
  return set;
}

/// The next of them, or 0 when `timeout` passed.
int wait_for_signal(std::chrono::nanoseconds timeout) {
  const sigset_t set = handled_signals();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout);
  const timespec limit{seconds.count(), (timeout - seconds).count()};
  const int signal = ::sigtimedwait(&set, nullptr, &limit);
  return signal > 0 ? signal : 0;
}

void raise_open_files_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

std::string random_id() {
  std::array<std::uint8_t, 10> bytes{};
  (void)os_random(bytes);
  return to_hex(bytes);
}

/// Says which addresses anybody can reach without showing anything.
void warn_of_open_addresses(const Config& config, Log& log) {
  const bool guarded = !config.daemon.token_file.empty() || !config.daemon.tls_client_ca.empty();
  for (const std::string& address : config.daemon.listen) {
    if (!unix_path(address).empty() || is_loopback(address)) continue;
    if (config.daemon.tls_cert.empty())
      log.warn("plain text on an address that other machines can reach", {{"address", address}});
    if (!guarded)
      log.warn("anybody who reaches this address may submit and cancel jobs", {{"address", address}});
  }
  const std::string& status = config.daemon.status_listen;
  if (!status.empty() && !is_loopback(status))
    log.warn("anybody who reaches the status port may read it, in plain text", {{"address", status}});
}

class Daemon {
 public:
  explicit Daemon(const DaemonOptions& options)
      : options_(options),
        log_(log_level(options.config), log_format(options.config)),
        metrics_(options.version),
        recorder_(kRecordedEvents) {}

  Result<void> start() {
    const Config& config = options_.config;
    log_.info("starting",
              {{"version", options_.version}, {"config", options_.config_path}, {"pid", ::getpid()}});
    for (const std::string& warning : options_.warnings) log_.warn(warning);
    warn_of_open_addresses(config, log_);

    // What may fail without the engine comes before it: the engine takes jobs over from the journal and
    // begins to prove them at once, which a start that fails throws away.
    if (!config.daemon.token_file.empty()) {
      Result<std::string> token = read_token(config.daemon.token_file);
      if (!token) return token.error().within("daemon.token_file");
      token_ = *std::move(token);
    }
    if (!config.daemon.tls_cert.empty()) {
      CUZK_TRY_ASSIGN(identity_, TlsIdentity::open({config.daemon.tls_cert, config.daemon.tls_key,
                                                    config.daemon.tls_client_ca}));
    }
    CUZK_TRY_ASSIGN(listeners_, RpcServer::reserve(config.daemon.listen));
    CUZK_TRY(start_http());

    if (!options_.timeline_file.empty()) {
      CUZK_TRY_ASSIGN(timeline_file_, timeline::LineFile::open(recorder_, options_.timeline_file));
    }
    if (const std::string folder = journal_folder(config); !folder.empty()) {
      Result<std::unique_ptr<journal::SqliteJournal>> journal = journal::SqliteJournal::open(folder);
      if (!journal) return journal.error().within("daemon.journal (\"\" turns it off)");
      journal_ = *std::move(journal);
      for (const auto& notice : journal_->notices()) {
        if (notice.damage)
          log_.error(notice.text);
        else
          log_.warn(notice.text);
      }
    } else {
      log_.warn("no journal: accepted jobs do not survive a crash");
    }

    pool_ = std::make_unique<ThreadPool>(config.synthesis.threads, options_.isa);
    CUZK_TRY_ASSIGN(backend_, options_.backend(
                                  config, *pool_, [this](const std::string& text) { log_.warn(text); },
                                  [this](const std::string& text) { log_.info(text); }));
    const engine::EngineConfig engine_settings = engine_config(config, engine::available_memory());
    CUZK_TRY_ASSIGN(
        engine_,
        engine::Engine::create(
            engine_settings,
            engine::EngineParts{
                .pool = *pool_,
                .devices = backend_.devices,
                .circuits = backend_.circuits,
                .read_request = backend_.read_request,
                .journal = journal_.get(),
                .recorder = &recorder_,
                .on_result = [this](const engine::JobResult& result) { done(result); },
                .on_devices_lost = [this](const engine::DevicesLost& lost) { devices_lost(lost); }}));
    live_ = std::make_unique<LiveView>(recorder_, metrics_);
    work_ = std::make_unique<WorkPool>(kReaders);
    CUZK_TRY(start_rpc());

    state_ = "ready";
    engine_is_there_ = true;
    follow_readiness();
    const engine::Status status = engine_->status();
    log_.info("ready", {{"backend", backend_.name},
                        {"devices", status.devices.size()},
                        {"workers_per_device", config.gpus.gpu_workers_per_device},
                        {"mode", engine::to_string(status.mode)},
                        {"threads", pool_->size()},
                        {"memory_budget_bytes", status.memory_budget},
                        {"parameters", parameter_folder(config)},
                        {"recovered_jobs", status.counters.recovered}});
    notify_ready();
    preload();
    return {};
  }

  /// Why start failed, as a line of the log like any other.
  void tell(const Error& error) { log_.error("cannot start", {{"reason", error.message}}); }

  /// Until a signal asks for the end, or the devices are lost: then it does not return.
  void run() {
    const auto watchdog = watchdog_interval();
    const std::chrono::nanoseconds tick = std::min<std::chrono::nanoseconds>(
        std::chrono::seconds(1), watchdog.value_or(std::chrono::seconds(1)));
    for (;;) {
      const int signal = wait_for_signal(tick);
      if (devices_lost_) end_without_devices();
      if (signal == SIGTERM || signal == SIGINT) {
        log_.info("draining", {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"},
                               {"timeout_ms", options_.config.daemon.drain_timeout.count()}});
        return;
      }
      if (signal == SIGHUP) reload();
      follow_readiness();
      follow_certificate();
      log_.tell_left_out();
      free_memory_.give_back();
      tell_manager();
    }
  }

  void drain() {
    state_ = "draining";
    engine_->stop_submissions();  // first: GetStatus says so too, and nothing comes in, once health is told
    rpc_->set_serving(false);
    notify_stopping();
    // On a thread of its own, so that a second signal is heard until the last answer is out.
    std::atomic<bool> ended = false;
    std::jthread worker([&] {
      end();
      ended = true;
    });
    while (!ended) {
      const int signal = wait_for_signal(std::chrono::milliseconds(50));
      if (devices_lost_) end_without_devices();
      if (signal == SIGTERM || signal == SIGINT) {
        log_.warn("second signal: exit now");
        log_.flush(std::chrono::milliseconds(200));  // it may be that nobody reads it
        ::_exit(3);
      }
      notify_alive();
    }
    worker.join();
    log_.info("stopped");
  }

 private:
  /// On a thread of the engine, perhaps before the start is over.
  void devices_lost(const engine::DevicesLost& lost) {
    log_.error(lost.process_wide ? "a fault of one device ends all work on devices in this process"
                                 : "the last device is lost",
               {{"device", lost.device.ordinal},
                {"uuid", lost.device.uuid},
                {"name", lost.device.name},
                {"reason", lost.message},
                {"jobs_kept", lost.jobs_kept}});
    devices_lost_ = true;
  }

  /// The process ends as if it were killed: what is left of its devices may keep any thread that is with
  /// them.
  [[noreturn]] void end_without_devices() {
    // Answers that are under way get out, unless this hangs on a call that nobody answers any more. It may be
    // draining already.
    std::atomic<bool> ended = false;
    std::thread([&] {
      const std::lock_guard alone(stop_rpc_);
      rpc_->stop(std::chrono::seconds(1));
      ended = true;
    }).detach();
    for (int i = 0; i < 60 && !ended; ++i) {  // 3 s
      const int signal = wait_for_signal(std::chrono::milliseconds(50));
      if (signal == SIGTERM || signal == SIGINT) break;
    }
    log_.error("ended, as no device proves any more in this process",
               {{"exit_code", kExitDevicesLost},
                {"jobs", journal_ != nullptr ? "the journal has them for the next start" : "failed"}});
    log_.flush(std::chrono::milliseconds(200));  // it may be that nobody reads it
    ::_exit(kExitDevicesLost);
  }

  void end() {
    const bool whole = engine_->shut_down(options_.config.daemon.drain_timeout);
    log_.info(whole ? "drained" : "drained; what ran was failed with SHUTDOWN");
    // Everybody who waited has been answered; this lets the answers out.
    const std::lock_guard alone(stop_rpc_);
    rpc_->stop(std::chrono::seconds(5));
    work_.reset();
    http_.reset();
    if (timeline_file_) {
      if (const Result<void> closed = timeline_file_->close(); !closed) log_.warn(closed.error().message);
    }
  }

  Result<void> start_rpc() {
    const Config::Daemon& config = options_.config.daemon;
    service_ =
        std::make_unique<ProvingService>(ServiceParts{.engine = *engine_,
                                                      .work = *work_,
                                                      .log = log_,
                                                      .status = [this] { return engine_status(); },
                                                      .metrics_text = [this] { return metrics_text(); },
                                                      .disconnect_grace = config.disconnect_grace,
                                                      .token = token_,
                                                      .gate = request_limits(options_.config)});
    CUZK_TRY_ASSIGN(
        rpc_, RpcServer::start({.listeners = std::move(listeners_),
                                .tcp_credentials = identity_ != nullptr ? identity_->credentials()
                                                                        : grpc::InsecureServerCredentials(),
                                .messages = request_limits(options_.config).rooms,
                                .warn = [this](const std::string& text) { log_.warn(text); }},
                               *service_, service_->large_methods()));
    for (const std::string& address : rpc_->addresses()) log_.info("listening", {{"address", address}});
    return {};
  }

  Result<void> start_http() {
    const std::string& address = options_.config.daemon.status_listen;
    if (address.empty()) return {};
    CUZK_TRY_ASSIGN(
        http_,
        HttpServer::start(
            address,
            [this](std::string_view path, const HttpParameter& parameter) -> std::optional<HttpAnswer> {
              if (!engine_is_there_) {
                const bool alive = path == "/healthz";
                return HttpAnswer{.status = alive ? 200 : 503, .body = alive ? "ok\n" : "starting\n"};
              }
              return side_port(path, parameter,
                               SidePortParts{.instance = instance_,
                                             .recorder = recorder_,
                                             .metrics = [this] { return metrics_text(); },
                                             .status = [this] { return status_view(); },
                                             .readiness = [this] { return ready_or_why_not(); },
                                             .large_answers = large_answers_});
            },
            [this](const std::string& text) { log_.warn(text); }));
    log_.info("status port", {{"address", address}, {"port", http_->port()}});
    return {};
  }

  void preload() {
    for (const std::string& name : options_.config.srs.preload) {
      // The engine knows circuits by their own names, not by aliases; of an unknown one it says so itself.
      const Result<Circuit> known = find_circuit(name);
      const std::string circuit = known ? known->id : name;
      engine_->preload(circuit, [this, circuit](const Result<engine::Preloaded>& loaded) {
        if (!loaded)
          log_.error("preload failed", {{"circuit", circuit}, {"reason", loaded.error().message}});
        else
          log_.info(
              "preloaded",
              {{"circuit", circuit},
               {"ms", std::chrono::duration_cast<std::chrono::milliseconds>(loaded->load_time).count()}});
      });
    }
  }

  void done(const engine::JobResult& result) {
    metrics_.observe(result);
    history_.add(result);
    const auto ms = [](engine::Duration duration) {
      return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
    };
    log_.write(result.state == engine::JobState::kFailed ? LogLevel::kError : LogLevel::kInfo,
               "job " + std::string(engine::to_string(result.state)),
               {{"job", result.identity.job_id},
                {"request", result.identity.request_id},
                {"kind", to_string(result.identity.kind)},
                {"attempt", result.identity.attempt},
                {"reason", result.message},
                {"queue_wait_ms", ms(result.times.queue_wait)},
                {"synthesis_ms", ms(result.times.synthesis)},
                {"device_wait_ms", ms(result.times.device_wait)},
                {"gpu_compute_ms", ms(result.times.gpu_compute)},
                {"total_ms", ms(result.times.total)}});
    if (!result.evidence) return;
    // The log is where what a device got wrong outlives the process.
    const engine::SelfCheckEvidence& evidence = *result.evidence;
    for (std::size_t i = 0; i < evidence.proofs.size(); ++i)
      log_.error("proof that failed its check", {{"job", result.identity.job_id},
                                                 {"partition", evidence.partition},
                                                 {"device", evidence.devices[i]},
                                                 {"proof", to_hex(evidence.proofs[i])}});
  }

  /// The engine learns that its journal has gone when it next stores something; this says so at once.
  [[nodiscard]] engine::Status engine_status() const {
    engine::Status status = engine_->status();
    if (journal_ != nullptr && status.journal_refusal.empty()) {
      if (const Result<void> place = journal_->check_place(); !place)
        status.journal_refusal = place.error().message;
    }
    return status;
  }

  [[nodiscard]] std::string metrics_text() const {
    return metrics_.text(engine_status(), options_.config.gpus.gpu_workers_per_device);
  }

  [[nodiscard]] std::string state() const { return engine_->status().draining ? "draining" : state_.load(); }

  [[nodiscard]] std::string ready_or_why_not() const {
    const engine::Status status = engine_status();
    return readiness(status.draining ? "draining" : state_.load(), status);
  }

  [[nodiscard]] StatusView status_view() const {
    return {.instance = instance_,
            .version = options_.version,
            .backend = backend_.name,
            .state = state(),
            .now_ns = real_clock().now().time_since_epoch().count(),
            .workers_per_device = options_.config.gpus.gpu_workers_per_device,
            .engine = engine_status(),
            .jobs = engine_->jobs(1000),
            .live = live_->state(),
            .history = history_.latest(),
            .events_recorded = recorder_.recorded(),
            .events_dropped = recorder_.dropped(),
            .events_capacity = kRecordedEvents};
  }

  /// The health service says what /readyz says, within a tick.
  void follow_readiness() {
    const std::string readiness = ready_or_why_not();
    if (readiness == readiness_) return;
    const bool serving = readiness == "ready";
    rpc_->set_serving(serving);
    if (!serving)
      log_.error("not ready", {{"reason", readiness}});
    else if (!readiness_.empty())
      log_.info("ready again");
    readiness_ = readiness;
  }

  /// Files that were replaced are what handshakes show from now on, unless they cannot be used, such as one
  /// half of a pair.
  void follow_certificate() {
    if (identity_ == nullptr) return;
    const Config::Daemon& config = options_.config.daemon;
    const Result<bool> taken = identity_->refresh();
    const std::string failure = taken ? std::string() : taken.error().message;
    if (!taken && failure != tls_failure_)
      log_.error("the TLS files cannot be used: what was there before is shown until they are put right",
                 {{"tls_cert", config.tls_cert}, {"tls_key", config.tls_key}, {"reason", failure}});
    else if (taken && (*taken || !tls_failure_.empty()))
      log_.info(*taken ? "the TLS files were renewed" : "the TLS files can be used again",
                {{"tls_cert", config.tls_cert}, {"tls_key", config.tls_key}});
    tls_failure_ = failure;
  }

  void tell_manager() {
    notify_alive();
    const engine::Status status = engine_->status();
    std::uint64_t pending = 0;
    std::uint64_t running = 0;
    for (const engine::QueueStatus& queue : status.queues) {
      pending += queue.pending;
      running += queue.in_progress;
    }
    notify_status(std::to_string(running) + " jobs running, " + std::to_string(pending) + " waiting");
  }

  /// The level of the log can change while the daemon runs; everything else needs a restart.
  void reload() {
    if (options_.config_path.empty())
      return log_.info("SIGHUP: there is no configuration file to read again");
    const Result<ConfigReading> reading = read_config_file(options_.config_path);
    if (!reading || !reading->errors.empty()) {
      log_.error("SIGHUP: the configuration is not used",
                 {{"reason", reading ? reading->errors.front() : reading.error().message}});
      return;
    }
    Config config = reading->config;
    if (options_.apply_flags) options_.apply_flags(config);
    log_.set_level(log_level(config));
    config.logging.level = options_.config.logging.level;
    log_.info(to_toml(config) == to_toml(options_.config)
                  ? "SIGHUP: the configuration was read for the level of the log"
                  : "SIGHUP: the configuration was read for the level of the log; its other changes need a "
                    "restart");
  }

  const DaemonOptions& options_;
  const std::string instance_ = random_id();
  std::atomic<const char*> state_ = "starting";
  Log log_;
  LibraryLog library_log_{log_};
  FreeMemory free_memory_;
  Metrics metrics_;
  History history_;
  const Places large_answers_{4};
  timeline::Recorder recorder_;
  std::unique_ptr<timeline::LineFile> timeline_file_;
  std::unique_ptr<journal::SqliteJournal> journal_;
  std::unique_ptr<ThreadPool> pool_;
  Backend backend_;
  std::atomic<bool> devices_lost_ = false;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<LiveView> live_;
  std::string token_;
  std::unique_ptr<TlsIdentity> identity_;      // null without TLS; the server refers to it
  std::string tls_failure_;                    // why its files cannot be used, as last told
  std::vector<Listener> listeners_;            // until the server has them
  std::string readiness_;                      // as the health service was told
  std::atomic<bool> engine_is_there_ = false;  // for the side port, which is there first
  std::mutex stop_rpc_;                        // held to stop rpc_, by end() or a loss of devices
  // The server is stopped before the pool ends, and the service goes last: calls refer to both.
  std::unique_ptr<ProvingService> service_;
  std::unique_ptr<WorkPool> work_;
  std::unique_ptr<RpcServer> rpc_;
  std::unique_ptr<HttpServer> http_;
};

}  // namespace

Result<void> run_daemon(const DaemonOptions& options) {
  const sigset_t signals = handled_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // inherited by every thread from here on
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);  // a file at its limit is an error of write, not the end
  raise_open_files_limit();
  Daemon daemon(options);
  if (const Result<void> started = daemon.start(); !started) {
    daemon.tell(started.error());
    return started;
  }
  daemon.run();
  daemon.drain();
  return {};
}

}  // namespace cuzk::server
