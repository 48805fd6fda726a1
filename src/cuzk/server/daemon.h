#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cuzk/config/config.h"
#include "cuzk/cpu/thread_pool.h"
#include "cuzk/engine/engine.h"

namespace cuzk::server {

/// What proves: the devices and what belongs to them.
struct Backend {
  std::string name;  ///< "cpu", "cuda", "simulated"
  std::vector<std::shared_ptr<engine::Device>> devices;
  std::shared_ptr<engine::CircuitSource> circuits;
  engine::RequestReader read_request = cuzk::read_request;
};
/// What goes wrong without stopping anything, for the log. Thread-safe.
using Warn = std::function<void(const std::string&)>;
/// Gets a line, from any thread, for every key that a device takes.
using Told = std::function<void(const std::string&)>;
/// `pool` outlives what is made, and so does what `warn` and `told` refer to. kUsage when the configuration
/// names a device that is not there.
using BackendFactory = std::function<Result<Backend>(const Config& config, ThreadPool& pool, const Warn& warn,
                                                     const Told& told)>;

/// The devices that gpus.devices names (devices/devices.h): without names every CUDA device, the processor
/// where there is none. Parameters from the configured folder, shapes kept in shape_folder.
Result<Backend> configured_backend(const Config& config, ThreadPool& pool, const Warn& warn,
                                   const Told& told);

struct DaemonOptions {
  Config config;
  std::vector<std::string> warnings;  ///< of reading the configuration, for the log
  std::string config_path;            ///< read again on SIGHUP; empty: there is none
  /// What the command line says instead of the file; applied to each reading of it. Empty: nothing.
  std::function<void(Config&)> apply_flags;
  std::string version;
  std::string timeline_file;  ///< events are appended to it as lines; empty: not
  Isa isa = best_isa();       ///< of the processor's batch kernels
  BackendFactory backend = configured_backend;
};

/// The exit code of a daemon whose devices are lost. (3 is that of other failures of the environment.)
inline constexpr int kExitDevicesLost = 4;

/// Runs the daemon until SIGTERM or SIGINT, drains and returns; a second signal ends the process at once with
/// exit code 3. When no device proves any more in this process (EngineParts::on_devices_lost) it ends the
/// process with kExitDevicesLost, within seconds and as if killed: jobs that are not done stay in the
/// journal, begun; without a journal they have failed with DEVICE by then. Sets signal masks and the limit of
/// open files of the process, so: once in it, from the main thread, before there are others. kUsage: the
/// configuration cannot be; kIo: an address, the journal or a file cannot be had. The log has the error
/// already.
Result<void> run_daemon(const DaemonOptions& options);

}  // namespace cuzk::server
