// A PoRep-like launch on a device: one at a time, and through the engine. Options: --help
// (launch_options.cc).
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "cuzk/cuda/point_maker.h"
#include "cuzk/devices/cuda_device.h"
#include "cuzk/filecoin/porep/c1.h"
#include "cuzk/groth16/setup.h"
#include "cuzk/proving/circuit.h"
#include "cuzk/proving/porep.h"
#include "device_check.h"
#include "engine_run.h"
#include "fabricated_request.h"
#include "launch_options.h"
#include "launch_series.h"
#include "memory_circuits.h"
#include "reference_cases.h"
#include "synthetic_circuit.h"
#include "synthetic_statement.h"

namespace {

using namespace cuzk;
using bench::Action;
using bench::Options;
using bench::require;
using bench::secret;
using bench::stop;

groth16::ToxicWaste toxic() {
  return {secret(1), secret(2), secret(3), secret(4), secret(5)};
}

Result<std::shared_ptr<const Statement>> read_porep(const std::string& path) {
  CUZK_TRY_ASSIGN(porep::C1Document document, porep::read_c1_file(path));
  return porep_statement(std::move(document.output));
}

class Program {
 public:
  explicit Program(const Options& options) : options_(options), pool_(options.threads) {
    if (options_.cpu) {
      device_ = std::make_shared<engine::CpuDevice>(pool_);
    } else {
      const auto devices = require(cuda::list_devices());
      if (devices.empty()) stop(io_error("no CUDA device"));
      description_ = devices[0];
      device_ = require(devices::CudaDevice::open(pool_, description_, {}));
    }
    kept_ = bench::keeping_keys(device_);
    std::printf("%s; %u CPU threads\n", device_->info().name.c_str(), pool_.size());
    steps_.done("start");
  }

  void synthetic() {
    const bench::SyntheticCircuit circuit(options_.log_size);
    const std::shared_ptr<const Shape> shape = circuit.shape(pool_);
    steps_.done("shape");
    describe(*shape);
    const auto witness = std::make_shared<const Witness>(circuit.witness(pool_, 0));
    std::size_t ones = 0;
    for (const std::uint64_t word : witness->bits) ones += static_cast<std::size_t>(std::popcount(word));
    steps_.done("witness, " +
                std::to_string(100.0 * static_cast<double>(ones) / static_cast<double>(shape->num_bits())) +
                " % of the bits one");
    if (options_.log_size <= 22 || options_.check) {
      report_.line("the witness satisfies every row",
                   shape->first_unsatisfied(pool_, *witness) == shape->num_constraints());
      steps_.done("satisfaction");
    }
    const auto key = make_key("synthetic", shape);
    const engine::RequestReader reader = [&](ThreadPool&, const ProofRequest& request) {
      return Result<std::shared_ptr<const Statement>>(std::make_shared<const bench::SyntheticStatement>(
          circuit, options_.partitions, request.sector_number));
    };
    prove("synthetic", "synthetic-2^" + std::to_string(options_.log_size), key, witness, reader,
          [](unsigned jobs) {
            std::vector<ProofRequest> requests(jobs);
            for (unsigned i = 0; i < jobs; ++i) requests[i].sector_number = i + 1;
            return requests;
          });
    device_->drop(key);
  }

  void porep() {
    const engine::RequestReader reader = [this](ThreadPool&, const ProofRequest&) {
      return read_porep(options_.porep);
    };
    real({}, reader, 10);
  }

  /// The jobs that clients would send for sectors of this size.
  void circuit(const std::string& id) {
    const ProofRequest request = require(bench::fabricated_request(pool_, id));
    steps_.done("a request fabricated for " + id);
    real(request, read_request, 1);
  }

  void kinds() {
    std::vector<std::string> ids;
    std::vector<std::shared_ptr<const groth16::ProvingKey>> keys;
    std::vector<ProofRequest> of_each;
    for (const device_test::ReferenceCase& c : device_test::kReferenceCases) {
      ProofRequest request = require(device_test::reference_request(c));
      const std::shared_ptr<const Statement> statement = require(read_request(pool_, request));
      const std::string& id = statement->circuit_id();
      const std::shared_ptr<const Shape> shape = record_shape(pool_, require(find_circuit(id)));
      steps_.done("shape of " + id + ": " + statement->description());
      describe(*shape);
      keys.push_back(make_key(id, shape));
      ids.push_back(id);
      of_each.push_back(std::move(request));
    }
    const auto mixed = [&](unsigned count) {
      std::vector<ProofRequest> requests;
      for (unsigned i = 0; i < count; ++i) requests.insert(requests.end(), of_each.begin(), of_each.end());
      return requests;
    };
    for (const Action& action : options_.actions) {
      if (action.kind == Action::Kind::engine) {
        run_with(action, ids, "kinds", mixed(10 * jobs_of(action)), read_request);
        continue;
      }
      if (action.kind == Action::Kind::multiples) continue;  // of one key
      const auto device = open_limited(action.value);
      if (device == nullptr) continue;
      run(device, ids, "kinds-limited", 2, mixed(options_.jobs), read_request);
      cuda::Context& memory = *context_of(*device);
      report_.line("  the limit held, and nothing is in use behind the engine",
                   device_test::limit_held(memory) && memory.bytes_in_use() == 0);
    }
    engine_device_.reset();
    for (const auto& key : keys) device_->drop(key);
  }

  /// The exit code.
  [[nodiscard]] int finish() const { return report_.finish("launches"); }

 private:
  void describe(const Shape& shape) const {
    const auto n = [](std::size_t v) { return static_cast<unsigned long long>(v); };
    const auto of = [](std::size_t part, std::size_t whole) {
      return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    };
    std::printf(
        "  domain 2^%u, %llu rows, %llu of them of inputs, %llu aux variables, %.2f %% wide, in A %.2f %%, "
        "in B "
        "%.2f %%, %.2f terms a row, %.2f GB of host memory\n",
        shape.domain_log_size(), n(shape.num_rows()), n(shape.num_inputs()), n(shape.num_aux()),
        of(shape.num_wide(), shape.num_aux()), of(shape.a_aux_count(), shape.num_aux()),
        of(shape.b_aux_count(), shape.num_aux()),
        static_cast<double>(shape.num_terms()) / static_cast<double>(shape.num_constraints()),
        static_cast<double>(shape.memory_bytes()) / 1e9);
  }

  static cuda::Context* context_of(engine::Device& device) {
    auto* cuda = dynamic_cast<devices::CudaDevice*>(&device);
    return cuda == nullptr ? nullptr : &cuda->context();
  }
  [[nodiscard]] cuda::Context* context() const { return context_of(*device_); }

  /// What the key that was held last takes, and where it lies.
  static void print_plan(engine::Device& device) {
    if (auto* cuda = dynamic_cast<devices::CudaDevice*>(&device)) print_plan(cuda->cuda_prover());
  }
  static void print_plan(const cuda::CudaProver& prover) {
    const std::vector<cuda::KeyMemory> keys = prover.keys();
    if (!keys.empty()) std::printf("  %s\n", keys.front().text().c_str());
  }

  std::shared_ptr<const groth16::ParamsFile> make_params(const std::string& id, const Shape& shape,
                                                         bool on_device) {
    groth16::SetupOptions setup;
    // A context of its own, whose memory goes back to the driver.
    std::unique_ptr<cuda::Context> own;
    std::unique_ptr<cuda::DevicePointMaker> maker;
    if (on_device) {
      own = require(cuda::Context::create({.device = context()->device()}));
      const std::uint64_t points = (std::uint64_t{1} << shape.domain_log_size()) + 3 * shape.num_aux();
      maker = std::make_unique<cuda::DevicePointMaker>(*own, pool_, setup.g1, setup.g2, points);
      setup.points = maker.get();
    }
    bool scalars = false;
    setup.progress = [&](std::uint64_t, std::uint64_t) {
      if (!scalars) steps_.done("  scalars of the parameters, and the table of G1");
      scalars = true;
    };
    auto file = require(groth16::generate_parameters_in_memory(pool_, shape, toxic(), id, setup));
    const std::uint64_t bytes = file->layout().file_bytes();
    steps_.done("  points, " + std::to_string(static_cast<double>(bytes) / 1e9) + " GB" +
                (on_device ? ", on the device" : ", on the CPU"));
    return file;
  }

  std::shared_ptr<const groth16::ProvingKey> make_key(const std::string& id,
                                                      const std::shared_ptr<const Shape>& shape) {
    const auto file = make_params(id, *shape, context() != nullptr);
    const std::uint64_t bytes = file->layout().file_bytes();
    if (options_.check && context() != nullptr) compare_params(*file, *make_params(id, *shape, false));
    auto key = require(groth16::ProvingKey::load(pool_, file, shape));
    steps_.done("key loaded on the host");
    circuits_->add(id, key, bytes);
    require(device_->hold(key));
    print_plan(*device_);
    steps_.done("key copied to the device");
    return key;
  }

  void compare_params(const groth16::ParamsFile& a, const groth16::ParamsFile& b) {
    constexpr std::uint64_t kPiece = std::uint64_t{1} << 24;
    const std::uint64_t size = a.layout().file_bytes();
    bool same = size == b.layout().file_bytes();
    std::vector<std::uint8_t> left(kPiece), right(kPiece);
    for (std::uint64_t at = 0; same && at < size; at += kPiece) {
      const std::size_t n = std::min(kPiece, size - at);
      require(a.read(at, std::span(left).first(n)));
      require(b.read(at, std::span(right).first(n)));
      same = std::memcmp(left.data(), right.data(), n) == 0;
    }
    report_.line("the parameters are the CPU's, byte for byte", same);
  }

  /// Jobs that all ask for the same; an engine run has as many times its number of jobs.
  void real(const ProofRequest& request, const engine::RequestReader& reader, unsigned times) {
    const std::shared_ptr<const Statement> statement = require(reader(pool_, request));
    const std::string id = statement->circuit_id();
    steps_.done("read and verified: " + statement->description());
    const std::shared_ptr<const Shape> shape = record_shape(pool_, require(find_circuit(id)));
    steps_.done("shape of " + id);
    describe(*shape);
    const auto witness = require(statement->synthesize(pool_, *shape, 0, {})).witness;
    steps_.done("witness of partition 0");
    const auto key = make_key(id, shape);
    prove(id, id, key, witness, reader,
          [&](unsigned jobs) { return std::vector<ProofRequest>(std::size_t{times} * jobs, request); });
    device_->drop(key);
    circuits_->remove(id);
  }

  /// Launches on the whole device, then the actions in their order; `requests` makes those of a number of
  /// jobs.
  void prove(const std::string& circuit_id, const std::string& name,
             const std::shared_ptr<const groth16::ProvingKey>& key,
             const std::shared_ptr<const Witness>& witness, const engine::RequestReader& reader,
             const std::function<std::vector<ProofRequest>(unsigned jobs)>& requests) {
    const bench::LaunchSeries series{key, witness, options_.launches, options_.check};
    const groth16::ProofBytes proof = launch(device_->prover(), context(), series);
    for (const Action& action : options_.actions) {
      if (action.kind != Action::Kind::engine || action.multiples != engine_multiples_)
        engine_device_.reset();
      if (action.kind == Action::Kind::engine) {
        if (action.multiples == 1) {
          require(device_->hold(key));  // dropped for multiples
        } else {
          device_->drop(key);
          require(context()->trim());
        }
        run_with(action, {circuit_id}, name, requests(jobs_of(action)), reader);
      } else if (action.kind == Action::Kind::vram_limit) {
        limited(action.value, series, proof);
      } else {
        with_multiples(static_cast<unsigned>(action.value), series, proof);
      }
    }
    engine_device_.reset();
  }

  [[nodiscard]] unsigned jobs_of(const Action& action) const {
    return action.jobs == 0 ? options_.jobs : action.jobs;
  }

  groth16::ProofBytes launch(groth16::Prover& prover, cuda::Context* context, bench::LaunchSeries series) {
    const groth16::ProofBytes proof = bench::run_launches(pool_, prover, context, series, report_);
    steps_.done("launches");
    return proof;
  }

  /// In the place of the key that the device holds.
  void with_multiples(unsigned multiples, bench::LaunchSeries series, const groth16::ProofBytes& expected) {
    if (context() == nullptr) return;
    const auto& key = series.key;
    series.compare = false;
    std::printf("%u points of each base\n", multiples);
    device_->drop(key);
    require(context()->trim());
    {
      cuda::CudaProver prover(*context(), pool_, {.multiples = multiples, .pairs = multiples != 1});
      std::printf("%s", require(prover.plan(*key)).text().c_str());
      steps_.done("planned");
      require(prover.hold(key));
      print_plan(prover);
      steps_.done("key copied to the device");
      const std::uint64_t held = context()->bytes_in_use();
      const groth16::ProofBytes proof = launch(prover, context(), series);
      report_.line("  the proof is that of one point of each base", proof == expected);
      report_.line("  what a launch took it gave back", context()->bytes_in_use() == held);
    }
    // A limited context that follows has a pool of its own and needs what this one's would keep.
    require(context()->trim());
  }

  /// Null on the CPU.
  std::shared_ptr<engine::Device> open_limited(std::uint64_t limit) {
    if (context() == nullptr) return nullptr;
    std::printf("at most %.3f GB of device memory\n", static_cast<double>(limit) / 1e9);
    return require(devices::CudaDevice::open(pool_, description_, {.vram_limit = limit}));
  }

  void limited(std::uint64_t limit, bench::LaunchSeries series, const groth16::ProofBytes& expected) {
    const auto device = open_limited(limit);
    if (device == nullptr) return;
    const auto& key = series.key;
    series.compare = false;
    cuda::Context& memory = *context_of(*device);
    require(device->hold(key));
    print_plan(*device);
    steps_.done("key held");
    const std::uint64_t before = memory.bytes_in_use();
    const groth16::ProofBytes proof = launch(device->prover(), &memory, series);
    report_.line("  the proof is that without a limit", proof == expected);
    report_.line("  the limit held, and what a launch took it gave back",
                 device_test::limit_held(memory) && memory.bytes_in_use() == before);
    device->drop(key);
    report_.line("  nothing is in use when the key is dropped", memory.bytes_in_use() == 0);
  }

  /// An engine run. Keys with multiples are on a device of their own, opened for the first of the runs that
  /// follow one another with as many; it prints what each key takes.
  void run_with(const Action& action, std::vector<std::string> circuit_ids, std::string name,
                std::vector<ProofRequest> requests, const engine::RequestReader& reader) {
    const auto workers = static_cast<unsigned>(action.value);
    if (action.multiples == 1)
      return run(kept_, std::move(circuit_ids), name, workers, std::move(requests), reader);
    if (engine_device_ == nullptr || engine_multiples_ != action.multiples) {
      engine_device_.reset();  // not both at a time
      engine_multiples_ = action.multiples;
      engine_device_ = bench::keeping_keys(require(devices::CudaDevice::open(
          pool_, description_, {.points_per_base = action.multiples, .told = [](const std::string& line) {
                                  std::printf("  %s\n", line.c_str());
                                }})));
    }
    name += "-m" + std::to_string(action.multiples);
    run(engine_device_, std::move(circuit_ids), name, workers, std::move(requests), reader);
  }

  void run(const std::shared_ptr<engine::Device>& device, std::vector<std::string> circuit_ids,
           const std::string& name, unsigned workers, std::vector<ProofRequest> requests,
           const engine::RequestReader& reader) {
    const std::string title = name + "-w" + std::to_string(workers) + "-" + std::to_string(requests.size());
    require(bench::run_engine(pool_, device, circuits_, reader,
                              {title, std::move(circuit_ids), workers, std::clamp(pool_.size() / 4, 2U, 4U),
                               std::move(requests), options_.memory, options_.out}));
    steps_.done("engine run");
  }

  const Options options_;
  device_test::Report report_;
  ThreadPool pool_;
  bench::Steps steps_;
  cuda::DeviceDescription description_;
  std::shared_ptr<engine::Device> device_;
  std::shared_ptr<engine::Device> kept_;
  std::shared_ptr<engine::Device> engine_device_;  ///< of engine runs with multiples
  unsigned engine_multiples_ = 1;
  std::shared_ptr<bench::MemoryCircuits> circuits_ = std::make_shared<bench::MemoryCircuits>();
};

}  // namespace

int main(int argc, char** argv) {
  const Options options = bench::parse_options(argc, argv);
  std::setvbuf(stdout, nullptr, _IOLBF,
               1 << 12);  // lines are seen when they are printed, also through a pipe
  Program program(options);
  if (options.synthetic) program.synthetic();
  if (!options.porep.empty()) program.porep();
  for (const std::string& id : options.circuits) program.circuit(id);
  if (options.kinds) program.kinds();
  return program.finish();
}
