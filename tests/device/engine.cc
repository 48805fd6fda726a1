// The engine over all devices of the machine in one process: real jobs of porep-2k and a synthetic circuit,
// every proof verified, with one and two workers a device; then a device that is lost in the middle, by the
// driver's word, while the jobs go on on the others; then one whose kernel goes wrong, after which CUDA
// refuses all work of the process (Context): the jobs go on, or they and all devices end with a typed error.
#include <chrono>
#include <future>
#include <optional>

#include "cuzk/cuda/point_maker.h"
#include "cuzk/devices/cuda_device.h"
#include "cuzk/devices/devices.h"
#include "cuzk/engine/engine.h"
#include "cuzk/groth16/setup.h"
#include "cuzk/proving/circuit.h"
#include "cuzk/timeline/analysis.h"
#include "device_check.h"
#include "harm.h"
#include "memory_circuits.h"
#include "reference_cases.h"
#include "synthetic_circuit.h"
#include "synthetic_statement.h"

namespace {

using namespace cuzk;
using device_test::Harm;
using device_test::Report;
using device_test::require;

constexpr unsigned kPartitions = 10;

Fr secret(std::uint64_t i) {
  return Fr::from_u64(0x9e3779b97f4a7c15 * i) * -Fr::from_u64(0x123456789abcdef);
}

/// Parameters from fixed secrets, made on a device.
std::shared_ptr<const groth16::ProvingKey> make_key(ThreadPool& pool, const std::string& id,
                                                    const std::shared_ptr<const Shape>& shape,
                                                    bench::MemoryCircuits& circuits) {
  groth16::SetupOptions setup;
  auto context = require(cuda::Context::create());
  const std::uint64_t points = (std::uint64_t{1} << shape->domain_log_size()) + 3 * shape->num_aux();
  cuda::DevicePointMaker maker(*context, pool, setup.g1, setup.g2, points);
  setup.points = &maker;
  const groth16::ToxicWaste toxic{secret(1), secret(2), secret(3), secret(4), secret(5)};
  const auto file = require(groth16::generate_parameters_in_memory(pool, *shape, toxic, id, setup));
  auto key = require(groth16::ProvingKey::load(pool, file, shape));
  circuits.add(id, key, file->layout().file_bytes());
  return key;
}

/// Jobs of one circuit.
struct Work {
  std::string circuit_id;
  std::vector<ProofRequest> requests;
  engine::RequestReader reader;
};

/// The devices of one run: all of the machine, opened for it.
class Machine {
 public:
  explicit Machine(ThreadPool& pool)
      : devices_(require(devices::open_devices(
            pool, {}, [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); }))) {}
  [[nodiscard]] const std::vector<std::shared_ptr<engine::Device>>& list() const { return devices_.list; }
  /// Null for the processor.
  [[nodiscard]] cuda::Context* context(std::size_t i) const {
    auto* const device = dynamic_cast<devices::CudaDevice*>(devices_.list.at(i).get());
    return device == nullptr ? nullptr : &device->context();
  }
  /// Nothing is in use on device i, by our accounting and by the driver's word.
  [[nodiscard]] bool unused(std::size_t i) const {
    return context(i)->bytes_in_use() == 0 && device_test::pool_memory(*context(i)).in_use == 0;
  }

 private:
  devices::Devices devices_;
};

/// What a run came to.
struct Outcome {
  std::size_t proofs = 0;   ///< of jobs that were completed; the engine verified each
  std::string first_error;  ///< of a job that failed
  double seconds = 0;
  std::vector<engine::DeviceStatus> devices;
  timeline::Analysis analysis;
};

/// Harm that is done to the last device once so many jobs are done.
struct Accident {
  Harm harm;
  std::size_t after;
};

Outcome run(ThreadPool& pool, const Machine& machine, const std::shared_ptr<bench::MemoryCircuits>& circuits,
            const Work& work, unsigned workers, const std::optional<Accident>& accident) {
  timeline::Recorder recorder(std::size_t{1} << 18);
  engine::EngineConfig config;
  config.memory_budget = std::uint64_t{1} << 40;  // the machine is known to be large enough
  config.workers_per_device = workers;
  config.partition_workers =
      static_cast<unsigned>(std::clamp<std::size_t>(pool.size() / 4, 2, 2 * workers * machine.list().size()));
  const auto engine = require(engine::Engine::create(config, {.pool = pool,
                                                              .devices = machine.list(),
                                                              .circuits = circuits,
                                                              .read_request = work.reader,
                                                              .recorder = &recorder}));
  std::promise<Result<engine::Preloaded>> loaded;
  engine->preload(work.circuit_id,
                  [&](Result<engine::Preloaded> done) { loaded.set_value(std::move(done)); });
  require(loaded.get_future().get());
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::future<std::shared_ptr<const engine::JobResult>>> results;
  for (const ProofRequest& request : work.requests) {
    const engine::Submission submission = engine->submit({"", engine::Priority::kNormal, request, {}});
    if (!submission.accepted()) require(Result<void>(io_error(submission.message)));
    auto promise = std::make_shared<std::promise<std::shared_ptr<const engine::JobResult>>>();
    results.push_back(promise->get_future());
    require(engine->await(submission.job_id, {},
                          [promise](const engine::Awaited& awaited) { promise->set_value(awaited.result); }));
  }
  Outcome out;
  std::size_t done = 0;
  for (auto& result : results) {
    const std::shared_ptr<const engine::JobResult> job = result.get();
    if (job->state == engine::JobState::kCompleted)
      out.proofs += job->proof.size() / 192;
    else if (out.first_error.empty())
      out.first_error = job->message;
    if (++done != (accident ? accident->after : 0)) continue;
    cuda::Context& last = *machine.context(machine.list().size() - 1);
    require(last.bind());
    device_test::do_harm(accident->harm, last);
  }
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  out.devices = engine->status().devices;
  engine->shut_down({});
  timeline::Recorder::Tail tail = recorder.since(0);
  out.analysis = timeline::analyse({std::move(tail.events), tail.lost});
  return out;
}

double percent(const std::optional<timeline::DeviceLane>& lane) {
  return lane ? 100 * lane->efficiency() : 0;
}

/// Each device is to launch at least this part of an equal share.
constexpr double kFairPart = 0.5;

void check_all(Report& report, ThreadPool& pool, const std::shared_ptr<bench::MemoryCircuits>& circuits,
               const Work& work, unsigned workers, std::size_t partitions) {
  const Machine machine(pool);
  const std::size_t count = machine.list().size();
  const Outcome outcome = run(pool, machine, circuits, work, workers, {});
  const std::string what = work.circuit_id + ", " + std::to_string(count) + " devices, " +
                           std::to_string(workers) + " workers each";
  std::printf("%s: %zu proofs, %.3f s, %.1f ms a proof\n", what.c_str(), outcome.proofs, outcome.seconds,
              1e3 * outcome.seconds / static_cast<double>(std::max<std::size_t>(outcome.proofs, 1)));
  for (const timeline::Device& device : outcome.analysis.devices)
    std::printf("  device %u: %llu launches; lock %.2f %%, job %.2f %%, kernel %.2f %%\n", device.ordinal,
                static_cast<unsigned long long>(outcome.devices.at(device.ordinal).launches),
                percent(device.lock), percent(device.job), percent(device.kernel));
  for (const timeline::StageTime& stage : outcome.analysis.stages)
    std::printf("  %s %.2f;", stage.stage.c_str(), stage.mean_ms());
  std::printf("  mean ms\n");
  if (!outcome.first_error.empty()) std::printf("  %s\n", outcome.first_error.c_str());
  report.line(what + ": every proof verified", outcome.proofs == partitions && outcome.first_error.empty());
  bool shared = outcome.devices.size() == count;
  bool well = true;
  for (const engine::DeviceStatus& device : outcome.devices) {
    shared =
        shared && static_cast<double>(device.launches * count) >= kFairPart * static_cast<double>(partitions);
    well = well && !device.quarantined && device.launch_failures == 0;
  }
  report.line(what + ": each device did its part, none failed", shared && well);
  bool unused = true;
  for (std::size_t i = 0; i < count; ++i) unused = unused && machine.unused(i);
  report.line(what + ": nothing is in use on any behind the engine", unused);
}

/// The last device comes to harm in the middle of the jobs.
void check_loss(Report& report, ThreadPool& pool, const std::shared_ptr<bench::MemoryCircuits>& circuits,
                const Work& work, const char* name, Harm harm, std::size_t partitions) {
  const Machine machine(pool);
  const std::size_t last = machine.list().size() - 1;
  const Accident accident{harm, work.requests.size() / 4};
  const Outcome outcome = run(pool, machine, circuits, work, 2, accident);
  const std::string what = std::string(name) + ", " + work.circuit_id;
  if (!outcome.first_error.empty()) std::printf("  %s\n", outcome.first_error.c_str());
  for (std::size_t i = 0; i < outcome.devices.size(); ++i)
    std::printf("  device %zu: %llu launches, %llu failed%s\n", i,
                static_cast<unsigned long long>(outcome.devices[i].launches),
                static_cast<unsigned long long>(outcome.devices[i].launch_failures),
                outcome.devices[i].quarantined
                    ? (", in quarantine: " + outcome.devices[i].quarantine_reason).c_str()
                    : "");
  // What takes all is the reason of each, whichever of them was the first to tell.
  const auto quarantined = [&](std::size_t i) {
    const engine::DeviceStatus& device = outcome.devices.at(i);
    const std::string own = "device " + std::to_string(i) + ", ";
    return device.quarantined &&
           device.quarantine_reason.starts_with(harm == Harm::reported_lost ? own : "device ");
  };
  bool unharmed = true;
  bool all_lost = true;
  for (std::size_t i = 0; i < last; ++i) {
    const engine::DeviceStatus& device = outcome.devices.at(i);
    unharmed = unharmed && !device.quarantined && device.launch_failures == 0 && machine.unused(i);
    all_lost = all_lost && quarantined(i);
  }
  const bool proved = outcome.proofs == partitions && outcome.first_error.empty();
  // Those that were done before are not taken back.
  const bool typed = outcome.first_error.starts_with("DEVICE: ") &&
                     outcome.proofs >= accident.after * (partitions / work.requests.size());
  const bool may_take_all = harm != Harm::reported_lost;
  report.line(what + (may_take_all ? ": every proof verified all the same, or a typed error"
                                   : ": every proof verified all the same"),
              proved || (may_take_all && typed));
  report.line(what + (may_take_all ? ": quarantine for that device, or for all with it"
                                   : ": that device is in quarantine, the others unharmed"),
              quarantined(last) && outcome.devices.at(last).launches > 0 &&
                  (proved ? unharmed : may_take_all && all_lost));
}

constexpr char kUsage[] =
    "cuzk_device_engine [log size of the synthetic circuit, 12 to 27, default 24] [jobs of porep-2k, default "
    "60]\n"
    "  In the root of the repository; zlib. Needs two devices or more.\n";

}  // namespace

int main(int argc, char** argv) {
  device_test::Arguments arguments(argc, argv, kUsage);
  const unsigned log_size = arguments.number("log size", bench::SyntheticCircuit::kMinLogSize, 27, 24);
  const unsigned jobs = arguments.number("number of jobs", 8, 10000, 60);
  arguments.end();
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 12);
  ThreadPool pool;
  const auto present = require(cuda::list_devices());
  for (const cuda::DeviceDescription& device : present)
    std::printf("device %u: %s\n", static_cast<unsigned>(device.ordinal), device.name.c_str());
  if (present.size() < 2) require(Result<void>(io_error("two devices are needed")));
  Report report;
  const auto circuits = std::make_shared<bench::MemoryCircuits>();

  ProofRequest porep = require(device_test::reference_request(device_test::kReferenceCases[0]));
  const std::string id = require(read_request(pool, porep))->circuit_id();
  const auto porep_key = make_key(pool, id, record_shape(pool, require(find_circuit(id))), *circuits);
  const bench::SyntheticCircuit circuit(log_size);
  const auto synthetic_key = make_key(pool, "synthetic", circuit.shape(pool), *circuits);

  const Work real{id, std::vector<ProofRequest>(jobs, porep), read_request};
  Work synthetic{
      "synthetic", std::vector<ProofRequest>(4), [&](ThreadPool&, const ProofRequest& request) {
        return Result<std::shared_ptr<const Statement>>(
            std::make_shared<const bench::SyntheticStatement>(circuit, kPartitions, request.sector_number));
      }};
  for (std::size_t i = 0; i < synthetic.requests.size(); ++i) synthetic.requests[i].sector_number = i + 1;
  const std::size_t proofs = kPartitions * synthetic.requests.size();
  for (const unsigned workers : {1U, 2U}) {
    check_all(report, pool, circuits, real, workers, jobs);
    check_all(report, pool, circuits, synthetic, workers, proofs);
  }
  check_loss(report, pool, circuits, real, "a device that is said to be lost", Harm::reported_lost, jobs);
  check_loss(report, pool, circuits, synthetic, "a device that is said to be lost", Harm::reported_lost,
             proofs);
  // The last one, as what the driver knows of this device afterwards is not said anywhere.
  check_loss(report, pool, circuits, real, "a kernel that wrote where it must not", Harm::illegal_address,
             jobs);
  return report.finish("engine");
}
