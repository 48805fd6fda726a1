#include "daemon_commands.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "add_command.h"
#include "commands.h"
#include "cuzk/config/config.h"
#include "cuzk/engine/config.h"
#include "cuzk/proving/request.h"

namespace cuzk::app {
namespace {

constexpr const char* kDefaultAddress = "unix:///run/curio/cuzk.sock";

/// gRPC would look up a name that is none, and takes a port above 65535 for what is left of it after 16 bits.
std::string check_address(const std::string& address) {
  constexpr std::string_view kUnix = "unix://";
  if (address.starts_with(kUnix) && address.size() > kUnix.size() && address[kUnix.size()] == '/') return {};
  if (check_host_port(address, 1)) return {};
  return fmt::format("'{}' is neither unix:///path nor host:port with a port from 1 to 65535", address);
}

void add_connection(CLI::App* command, ConnectOptions& options) {
  command->add_option("-a,--addr", options.addr, "The daemon: unix:///path or host:port")
      ->envname("CUZK_ADDR")
      ->check(CLI::Validator(check_address, "", ""))
      ->default_val(kDefaultAddress);
  command->add_option("--token-file", options.token_file, "File with the token that the daemon wants");
  command->add_option("--tls-ca", options.tls_ca, "CA of the daemon's certificate (PEM); turns TLS on");
  auto* cert = command->add_option("--tls-cert", options.tls_cert, "Client certificate (PEM)");
  auto* key = command->add_option("--tls-key", options.tls_key, "Its key (PEM)");
  cert->needs(key);
  key->needs(cert);
}

/// What every kind has, and a sector's PoRep, whose file does not say it.
void add_sector(CLI::App* command, PayloadOptions& options) {
  command->add_option("--registered-proof", options.registered_proof, "Registered proof type")
      ->check(whole_number());
  command->add_option("--sector-size", options.sector_size, "Bytes; 0: as the registered type says")
      ->check(whole_number());
  command->add_option("--sector-num,--sector", options.sector_num, "Sector number")->check(whole_number());
  command->add_option("--miner-id,--miner", options.miner_id, "Miner actor id")->check(whole_number());
  command->add_option("--priority", options.priority, "low, normal, high or critical; without it: by kind")
      ->check(CLI::IsMember({"low", "normal", "high", "critical"}));
}

CLI::Option* add_payload(CLI::App* command, PayloadOptions& options) {
  CLI::Option* const type =
      command->add_option("-t,--type,--kind", options.type, "porep, snap, wpost or winning");
  type->check([](const std::string& name) {
    const auto kind = proof_kind_from_string(name);
    return kind ? std::string() : kind.error().message;
  });
  command->add_option("--c1", options.c1,
                      "PoRep: the C1 output, as phase-1 JSON or Curio's wrapper JSON, also as .gz; goes with "
                      "--registered-proof, --sector-num and --miner-id");
  command->add_option(
      "--vanilla", options.vanilla,
      "The other kinds: a vanilla proof (bincode, also as .gz), once for each sector or partition");
  command->add_option(
      "--request", options.request,
      "The other kinds: JSON file that names the vanilla proofs and the rest, instead of flags");
  add_sector(command, options);
  command->add_option("--partition", options.partition, "Partition index (wpost)")
      ->check(whole_number(0, std::numeric_limits<std::uint32_t>::max()));
  command->add_option("--randomness", options.randomness, "64 hex digits (wpost, winning)");
  command->add_option("--comm-r-old", options.comm_r_old, "64 hex digits (snap)");
  command->add_option("--comm-r-new", options.comm_r_new, "64 hex digits (snap)");
  command->add_option("--comm-d-new", options.comm_d_new, "64 hex digits (snap)");
  return type;
}

void add_serve(CLI::App& app, Chosen& chosen) {
  auto [command, options] =
      add_command(app, chosen, "serve", "Run the proving daemon (docs/operations.md)",
                  "Exit codes: 0 a clean stop, 2 usage or configuration, 3 the environment failed (files, "
                  "memory, devices, addresses), 4 no device proves any more in this process: start it again.",
                  run_serve);
  command->add_option(
      "--config", options.config,
      "Configuration (TOML). Without it: $CUZK_CONFIG, /etc/cuzk/cuzk.toml, /data/zk/cuzk.toml, "
      "whichever is there, or the built-in values");
  command->add_flag("--check-config", options.check_config,
                    "Check the configuration, print what it amounts to, and end");
  command->add_option("--log-level", options.log_level, "Instead of logging.level")
      ->check(CLI::IsMember({"trace", "debug", "info", "warn", "error"}));
  command->add_option("--log-format", options.log_format, "Instead of logging.format")
      ->check(CLI::IsMember({"text", "json"}));
  command->add_option("--timeline", options.timeline,
                      "Append the engine's events to this file (cuzk timeline)");
}

void add_submit(CLI::App& app, Chosen& chosen) {
  auto [command, options] =
      add_command(app, chosen, "submit", "Give the daemon a job; prints its id", kExitCodesHelp, run_submit);
  add_connection(command, options);
  add_payload(command, options)->required();
  command->add_option("--request-id", options.request_id,
                      "Idempotency key: the same request again finds its job or result");
  auto* wait = command->add_flag("--wait", options.wait, "Wait for the proof, in one call");
  command->add_option("--out", options.out, "File for the proof")->needs(wait);
  command->add_flag("--json", options.json, "Print JSON");
}

void add_job_commands(CLI::App& app, Chosen& chosen) {
  {
    auto [command, options] =
        add_command(app, chosen, "await", "Wait for a job and print its proof", kExitCodesHelp, run_await);
    add_connection(command, options);
    command->add_option("job", options.job, "Job id, as from submit")->required();
    command->add_option("--timeout-ms", options.timeout_ms, "Give up after this time; the job goes on")
        ->check(whole_number());
    command->add_option("--out", options.out, "File for the proof");
    command->add_flag("--json", options.json, "Print JSON");
  }
  {
    auto [command, options] = add_command(app, chosen, "cancel", "End a job", kExitCodesHelp, run_cancel);
    add_connection(command, options);
    command->add_option("job", options.job, "Job id")->required();
    command->add_flag("--json", options.json, "Print JSON");
  }
}

void add_state_commands(CLI::App& app, Chosen& chosen) {
  {
    auto [command, options] = add_command(
        app, chosen, "status", "Queues, devices and parameters of the daemon", kExitCodesHelp, run_status);
    add_connection(command, options);
    command->add_flag("--json", options.json, "Print JSON");
  }
  {
    auto [command, options] =
        add_command(app, chosen, "metrics", "The daemon's Prometheus metrics", kExitCodesHelp, run_metrics);
    add_connection(command, options);
  }
  for (const auto& [name, help, run] :
       {std::tuple{"preload", "Load the parameters of a circuit before a job needs them", &run_preload},
        std::tuple{"evict", "Drop the parameters of a circuit from memory", &run_evict}}) {
    auto [command, options] = add_command(app, chosen, name, help, kExitCodesHelp, run);
    add_connection(command, options);
    CLI::Option_group* const which = command->add_option_group("Circuit");
    which->add_option("circuit", options.circuit, "porep-32g, wpost-32g, ...");
    which->add_option("-c,--circuit-id", options.circuit, "The same");
    which->require_option(1);
    command->add_flag("--json", options.json, "Print JSON");
  }
}

/// A time in seconds, a week at most.
std::string check_seconds(const std::string& text) {
  constexpr double kMost = 7 * 24 * 3600;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && value > 0 && value <= kMost) return {};
  return fmt::format("'{}' is not a number of seconds above 0, up to {}", text, kMost);
}

constexpr std::uint64_t kMostProofs = 1'000'000;
/// Each has a thread while it waits.
constexpr std::uint64_t kMostAtATime = 10'000;

/// What the four kinds of benchmark have in common.
void add_bench_options(CLI::App* command, BenchOptions& options, bool only_local) {
  if (!only_local) add_connection(command, options);
  CLI::Option* const local =
      command->add_flag("--local", options.local,
                        only_local ? "An engine in this process: always so, needs --params"
                                   : "An engine in this process instead of a daemon, needs --params");
  // A daemon has its own configuration: what would be ignored is wrong usage.
  const auto of_local = [&](CLI::Option* option) {
    if (!only_local) option->needs(local);
  };
  of_local(command->add_option("--params", options.params,
                               "Folder of the parameter files, for an engine in this process"));
  of_local(command->add_option("--threads", options.threads, "Its threads; 0 is one per processor")
               ->check(whole_number(0, engine::kMostWorkers)));
  of_local(
      command
          ->add_option("--devices", options.devices,
                       "Its devices, as gpus.devices: CUDA ordinals, UUIDs, all, cpu; none named: every CUDA "
                       "device, or the CPU")
          ->delimiter(','));
  of_local(
      command->add_option("--vram-limit", options.vram_limit, "Memory of a device that it takes, e.g. 8GiB"));
  of_local(
      command
          ->add_option("--points-per-base", options.points_per_base,
                       "As gpus.points_per_base: points that a resident key keeps for each of its bases, "
                       "at most; 0: as many as fit and are worth it")
          ->check(whole_number(0, kMaxPointsPerBase))
          ->capture_default_str());
  command->add_option("--warm-up", options.warm_up, "Proofs before the clock starts")
      ->check(whole_number(0, kMostProofs))
      ->capture_default_str();
  command->add_option("--out", options.out, "File for the report (JSON)");
  command->add_option("--svg", options.svg, "File for the plot");
  command->add_flag("--json", options.json, "Print the report as JSON");
}

/// An option that takes whole numbers with commas between them. `out` has those that are taken without it.
void add_settings(CLI::App* command, const char* name, std::vector<unsigned>& out, unsigned least,
                  unsigned most, const char* help) {
  const CLI::Validator check = whole_number(least, most);
  command
      ->add_option_function<std::string>(
          name,
          [&out, check, name](const std::string& list) {
            out.clear();
            for (std::size_t begin = 0; begin <= list.size();) {
              const std::size_t end = std::min(list.find(',', begin), list.size());
              std::string entry = list.substr(begin, end - begin);
              if (const std::string wrong = check(entry); !wrong.empty())
                throw CLI::ValidationError(name, wrong);
              out.push_back(static_cast<unsigned>(std::stoul(entry)));
              begin = end + 1;
            }
          },
          help)
      ->default_str(fmt::format("[{}]", fmt::join(out, ",")));
}

void add_bench(CLI::App& app, Chosen& chosen) {
  CLI::App* const bench = app.add_subcommand("bench", "Time proofs; when one fails, the exit code says why");
  bench->require_subcommand(1);
  bench->footer(kExitCodesHelp);
  const auto add = [&](const char* mode, const char* help) -> std::pair<CLI::App*, BenchOptions&> {
    auto [command, options] = add_command(*bench, chosen, mode, help, kExitCodesHelp, run_bench);
    options.mode = mode;
    return {command, options};
  };
  const auto add_counts = [](CLI::App* command, BenchOptions& options) {
    command->add_option("-c,--count", options.count, "Proofs")
        ->check(whole_number(1, kMostProofs))
        ->capture_default_str();
    command->add_option("-j,--concurrency", options.concurrency, "Proofs asked for at a time")
        ->check(whole_number(1, kMostAtATime))
        ->capture_default_str();
  };
  {
    auto [command, options] = add("single", "One proof");
    add_bench_options(command, options, false);
    add_payload(command, options)->required();
  }
  {
    auto [command, options] = add("batch", "Several proofs, some at a time");
    add_bench_options(command, options, false);
    add_payload(command, options)->required();
    add_counts(command, options);
  }
  {
    auto [command, options] = add("sweep", "A batch for each setting, in this process");
    add_bench_options(command, options, true);
    add_payload(command, options)->required();
    add_counts(command, options);
    add_settings(command, "--partition-workers", options.partition_workers, 0, engine::kMostWorkers,
                 "Settings of synthesis.partition_workers");
    add_settings(command, "--workers-per-device", options.workers_per_device, 1, kMaxWorkersPerDevice,
                 "Settings of gpus.gpu_workers_per_device");
  }
  {
    auto [command, options] = add("stress", "Mixed kinds at given rates");
    add_bench_options(command, options, false);
    add_sector(command, options);
    command
        ->add_option("--load", options.loads,
                     "TYPE:RATE:FILE, once for each kind: proofs a second; FILE as for --c1 or --request")
        ->required();
    command->add_option("--seconds", options.seconds, "How long proofs are asked for")
        ->check(check_seconds)
        ->capture_default_str();
  }
}

}  // namespace

void add_daemon_commands(CLI::App& app, std::function<Result<void>()>& chosen) {
  add_serve(app, chosen);
  add_submit(app, chosen);
  add_job_commands(app, chosen);
  add_state_commands(app, chosen);
  add_bench(app, chosen);
}

}  // namespace cuzk::app
