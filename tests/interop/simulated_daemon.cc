// `cuzk serve` with the engine's simulated backend: the same daemon, whose proofs cost nothing but time. For
// tests of what goes wrong around the proving.
//   simulated_daemon --config FILE [--milliseconds N] [--devices N] [--666 device|process|nothing]
//     milliseconds: of each stage of a partition; 666: what a job of this sector takes along (built in: its
//     device)
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cuzk/config/config.h"
#include "cuzk/engine/simulation.h"
#include "cuzk/server/daemon.h"

int main(int argc, char** argv) {
  std::string config;
  long milliseconds = 2;
  unsigned devices = 1;
  auto taken = cuzk::engine::SimulatedFault::kSick;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string_view(argv[i]) == "--config") config = argv[i + 1];
    if (std::string_view(argv[i]) == "--milliseconds") milliseconds = std::atol(argv[i + 1]);
    if (std::string_view(argv[i]) == "--devices") devices = static_cast<unsigned>(std::atol(argv[i + 1]));
    if (std::string_view(argv[i]) == "--666") {
      const std::string_view what = argv[i + 1];
      taken = what == "process"   ? cuzk::engine::SimulatedFault::kFatal
              : what == "nothing" ? cuzk::engine::SimulatedFault::kNone
                                  : cuzk::engine::SimulatedFault::kSick;
    }
  }
  const auto reading = cuzk::read_config_file(config);
  if (!reading || !reading->errors.empty()) {
    std::fprintf(stderr, "%s\n", reading ? reading->errors.front().c_str() : reading.error().message.c_str());
    return 2;
  }
  const auto simulation = std::make_shared<cuzk::engine::Simulation>();
  const cuzk::engine::Duration stage = std::chrono::milliseconds(milliseconds);
  simulation->times = {.synthesis = stage,
                       .prepare = stage,
                       .kernels = stage,
                       .finish = stage,
                       .verify = {},
                       .load_shape = {},
                       .load_key = {}};
  simulation->faults = [taken](cuzk::engine::SimulatedStage where, std::uint64_t tag, unsigned) {
    const bool loss = tag == 666 && where == cuzk::engine::SimulatedStage::kLaunch;
    return loss ? taken : cuzk::engine::SimulatedFault::kNone;
  };
  cuzk::server::DaemonOptions options;
  options.config = reading->config;
  options.config_path = config;
  options.version = "simulated";
  options.backend = [&](const cuzk::Config&, cuzk::ThreadPool&, const cuzk::server::Warn&,
                        const cuzk::server::Told&) -> cuzk::Result<cuzk::server::Backend> {
    std::vector<std::shared_ptr<cuzk::engine::Device>> list;
    for (unsigned d = 0; d < devices; ++d)
      list.push_back(std::make_shared<cuzk::engine::SimulatedDevice>(simulation, d));
    return cuzk::server::Backend{.name = "simulated",
                                 .devices = std::move(list),
                                 .circuits = std::make_shared<cuzk::engine::SimulatedCircuits>(simulation),
                                 .read_request = cuzk::engine::simulated_reader(simulation)};
  };
  const cuzk::Result<void> done = cuzk::server::run_daemon(options);
  if (done) return 0;
  return done.error().code == cuzk::ErrorCode::kUsage ? 2 : 3;
}
