#include "cuzk/devices/devices.h"
#include "cuzk/engine/saved_shapes.h"
#include "cuzk/server/daemon.h"
#include "cuzk/server/options.h"

namespace cuzk::server {

Result<Backend> configured_backend(const Config& config, ThreadPool& pool, const Warn& warn,
                                   const Told& told) {
  if (config.gpus.gpu_threads != 0)
    warn("gpus.gpu_threads: without effect; synthesis.threads is the number of threads");
  CUZK_TRY_ASSIGN(devices::Devices opened,
                  devices::open_devices(pool,
                                        {.names = config.gpus.devices,
                                         .vram_limit = config.gpus.vram_limit.value_or(0),
                                         .points_per_base = config.gpus.points_per_base,
                                         .told = told},
                                        warn));
  std::shared_ptr<const engine::SavedShapes> shapes;
  if (const std::string folder = shape_folder(config); !folder.empty()) {
    CUZK_TRY_ASSIGN(const Bytes32 program, engine::running_program());
    shapes = std::make_shared<const engine::SavedShapes>(folder, program, warn);
  }
  return Backend{.name = std::move(opened.backend),
                 .devices = std::move(opened.list),
                 .circuits = std::make_shared<engine::FileCircuitSource>(parameter_folder(config), shapes)};
}

}  // namespace cuzk::server
