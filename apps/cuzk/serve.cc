#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <functional>

#include "cuzk/config/config.h"
#include "cuzk/engine/config.h"
#include "cuzk/proving/circuit.h"
#include "cuzk/server/daemon.h"
#include "cuzk/server/options.h"
#include "daemon_commands.h"
#include "files.h"
#include "output.h"

namespace cuzk::app {
namespace {

/// The file that is meant; empty: none, the built-in values.
std::string config_path(const ServeOptions& options) {
  if (!options.config.empty()) return options.config;
  if (const char* path = std::getenv("CUZK_CONFIG"); path != nullptr && *path != '\0') return path;
  for (const char* path : {"/etc/cuzk/cuzk.toml", "/data/zk/cuzk.toml"}) {
    std::error_code error;
    if (std::filesystem::exists(path, error)) return path;
  }
  return {};
}

Result<void> circuit_exists(std::string_view id) {
  const Result<Circuit> circuit = find_circuit(id);
  if (!circuit) return circuit.error();
  return {};
}

/// What sets the values that the flags give: they win over the file, whenever it is read.
Result<std::function<void(Config&)>> flags(const ServeOptions& options) {
  std::string text;
  if (!options.log_level.empty()) text += "level = \"" + options.log_level + "\"\n";
  if (!options.log_format.empty()) text += "format = \"" + options.log_format + "\"\n";
  const ConfigReading reading = read_config("[logging]\n" + text, "command line");
  if (!reading.errors.empty()) return usage_error(reading.errors.front());
  const auto apply = [logging = reading.config.logging, level = !options.log_level.empty(),
                      format = !options.log_format.empty()](Config& config) {
    if (level) config.logging.level = logging.level;
    if (format) config.logging.format = logging.format;
  };
  return std::function<void(Config&)>(apply);
}

/// The events are appended to what is there, which must be nothing that the daemon reads or keeps.
Result<void> keep_what_the_daemon_has(const std::string& timeline, const std::string& config_file,
                                      const Config& config) {
  if (timeline.empty()) return {};
  CUZK_TRY(refuse_to_replace("--timeline", timeline,
                             {config_file, config.daemon.token_file, config.daemon.tls_cert,
                              config.daemon.tls_key, config.daemon.tls_client_ca}));
  CUZK_TRY(refuse_to_replace("--timeline", timeline, parameter_files(server::parameter_folder(config))));
  const std::string journal = server::journal_folder(config);
  if (journal.empty()) return {};
  const auto real = [](const std::string& path) {
    std::error_code error;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  };
  const std::filesystem::path folder = real(journal + "/.");
  for (std::filesystem::path place = real(timeline); place.has_relative_path(); place = place.parent_path()) {
    if (place / "" == folder / "")
      return usage_error(
          fmt::format("--timeline: '{}' is in the folder of the journal, '{}'", timeline, journal));
  }
  return {};
}

}  // namespace

Result<void> run_serve(const ServeOptions& options) {
  server::DaemonOptions daemon;
  daemon.version = CUZK_VERSION;
  daemon.isa = options.isa;
  daemon.timeline_file = options.timeline;
  daemon.config_path = config_path(options);
  ConfigReading reading;
  if (!daemon.config_path.empty()) {
    CUZK_TRY_ASSIGN(reading, read_config_file(daemon.config_path, {.circuit = circuit_exists,
                                                                   .memory = engine::available_memory()}));
  }
  if (!reading.errors.empty()) {
    for (std::size_t i = 0; i + 1 < reading.errors.size(); ++i) tell("cuzk: {}\n", reading.errors[i]);
    return usage_error(reading.errors.back());
  }
  daemon.config = std::move(reading.config);
  CUZK_TRY_ASSIGN(daemon.apply_flags, flags(options));
  daemon.apply_flags(daemon.config);
  CUZK_TRY(keep_what_the_daemon_has(options.timeline, daemon.config_path, daemon.config));
  CUZK_TRY(engine::check(server::engine_config(daemon.config, engine::available_memory())));

  if (options.check_config) {
    for (const std::string& warning : reading.warnings) tell("cuzk: warning: {}\n", warning);
    say("# {}\n{}\n{}", daemon.config_path.empty() ? "built-in values" : daemon.config_path,
        to_toml(daemon.config),
        server::effective_values(daemon.config, engine::available_memory(),
                                 ThreadPool::available_processors()));
    return {};
  }
  daemon.warnings = std::move(reading.warnings);
  const Result<void> ended = server::run_daemon(daemon);
  if (!ended) return Error{ended.error().code, {}};  // its log, text or JSON, has the message
  return {};
}

}  // namespace cuzk::app
