// What a defect on the device becomes. A child process proves; from the progress of its launch, in the middle
// of the device work, a kernel does what it must not, or the context is told that the device is lost (a
// program cannot lose one; destroying the process's CUDA context instead makes the CUDA runtime itself
// crash). The error must be typed, say device and stage, come back for everything that follows, and free what
// was held; the parent's proofs on the same device go on. Where there is a second device, the thread that met
// the fault goes on there: it proves, but where a kernel went wrong the CUDA runtime may refuse, as it
// refuses all work of such a process, and then the error must be typed as well.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "cuzk/cuda/device_list.h"
#include "harm.h"
#include "prover_bench.h"

extern char** environ;

namespace {

using namespace cuzk;
using device_test::Bench;
using device_test::Case;
using device_test::Harm;
using device_test::require;

struct Scenario {
  const char* name;
  Harm harm;
  int step;  ///< calls of progress before it happens
  unsigned arrays;
  bool two_threads;
  cuda::Fault expected;
};
constexpr Scenario kScenarios[] = {
    {"illegal address, first step", Harm::illegal_address, 1, 0, false, cuda::Fault::illegal_access},
    {"illegal address, fourth step", Harm::illegal_address, 4, 0, false, cuda::Fault::illegal_access},
    {"illegal address, seventh step", Harm::illegal_address, 7, 0, false, cuda::Fault::illegal_access},
    {"illegal address, streamed, first step", Harm::illegal_address, 1, 2, false,
     cuda::Fault::illegal_access},
    {"illegal address, streamed, fourth step", Harm::illegal_address, 4, 2, false,
     cuda::Fault::illegal_access},
    {"illegal address, beside another thread", Harm::illegal_address, 2, 0, true,
     cuda::Fault::illegal_access},
    {"misaligned address", Harm::misaligned_address, 2, 0, false, cuda::Fault::illegal_access},
    {"stopped kernel", Harm::trap, 2, 0, false, cuda::Fault::illegal_access},
    {"lost device", Harm::reported_lost, 2, 0, false, cuda::Fault::lost},
    {"lost device, streamed", Harm::reported_lost, 2, 1, false, cuda::Fault::lost},
};

bool typed(const Error& error, const cuda::Context& context, cuda::Fault expected) {
  const ErrorCode code = expected == cuda::Fault::lost ? ErrorCode::kIo : ErrorCode::kInternal;
  const std::string device = "device " + std::to_string(context.device()) + ", ";
  std::printf("  %s (%s)\n", error.message.c_str(), cuda::fault_name(context.fault()));
  std::fflush(stdout);
  return error.code == code && error.message.starts_with(device) &&
         error.message.find(": ", device.size()) != std::string::npos && context.fault() == expected;
}

/// A launch that goes wrong on a context of its own. 0: everything as it should be; else the place that is
/// not.
int fail_once(Bench& bench, const Scenario& scenario, const Case& c, const Case& other,
              cuda::Context& context) {
  cuda::CudaProverOptions options;
  options.arrays = scenario.arrays;
  cuda::CudaProver prover(context, bench.pool, options);
  require(prover.hold(c.key));
  const Fr r = Fr::from_u64(3);
  std::vector<groth16::Prepared> batch;
  batch.push_back(require(prover.prepare(c.key, c.shape, c.witness, r, r)));
  std::atomic<int> wrong{0};
  std::thread beside;
  if (scenario.two_threads)
    beside = std::thread([&] {
      // Until the device is dead; what was proved before must be right.
      const groth16::Proof want = bench.on_cpu(c, r, r);
      for (;;) {
        const auto proof = groth16::prove(prover, c.key, c.shape, c.witness, r, r);
        if (!proof) break;
        if (!device_test::same(*proof, want)) ++wrong;
      }
    });
  groth16::LaunchOptions launch;
  int steps = 0;
  launch.progress = [&](double) {
    if (++steps == scenario.step) device_test::do_harm(scenario.harm, context);
  };
  const auto pending = prover.launch(batch, launch);
  if (beside.joinable()) beside.join();
  if (wrong != 0) return 10;
  if (pending) return 11;
  if (!typed(pending.error(), context, scenario.expected)) return 12;
  if (!device_test::nothing_left()) return 17;  // the runtime's copy of the error
  const std::string message = pending.error().message;
  const auto again = prover.launch(batch);
  if (again || again.error().message != message) return 13;
  const auto held = prover.hold(other.key);
  if (held || held.error().message != message) return 14;
  const auto taken = context.allocate(1, "test");
  if (taken || taken.error().message != message) return 15;
  prover.drop(c.key);
  if (context.bytes_in_use() != 0) return 16;
  (void)context.synchronize("test");
  return device_test::nothing_left() ? 0 : 18;
}

/// The child: as fail_once, and what is destroyed then does not crash. A device that is only said to be lost
/// has its memory back; of one where a kernel went wrong nothing can be asked any more, as is printed.
int child(Bench& bench, const Scenario& scenario) {
  alarm(60);  // a launch that hangs is a failure
  constexpr std::uint64_t kBallast = std::uint64_t{1} << 30;
  const Case c = bench.make({1022, 2}, 51);
  const Case other = bench.make({300, 2}, 52);
  auto context = require(cuda::Context::create());
  require(context->allocate(kBallast, "test")).release();  // the pool keeps it
  if (const int code = fail_once(bench, scenario, c, other, *context); code != 0) return code;
  const std::uint64_t before = device_test::free_on_card();
  context.reset();
  const std::uint64_t after = device_test::free_on_card();
  if (before == 0 && after == 0)
    std::printf("  free memory of the card: the driver gives this process no answer any more\n");
  else
    std::printf("  free memory of the card: %llu bytes with the dead context, %llu without it\n",
                static_cast<unsigned long long>(before), static_cast<unsigned long long>(after));
  std::fflush(stdout);
  return scenario.harm != Harm::reported_lost || (before != 0 && after >= before + kBallast) ? 0 : 19;
}

/// A fault of the first device, and then, in the same thread, proofs on the second one, with a key that it
/// holds and with another; or, where a kernel went wrong, an error of the second one that comes back.
int child_of_two(Bench& bench, const Scenario& scenario) {
  alarm(60);
  const Case c = bench.make({1022, 2}, 51);
  const Case other = bench.make({300, 2}, 52);
  const Fr r = Fr::from_u64(3);
  auto second = require(cuda::Context::create({.device = 1}));
  cuda::CudaProver on_second(*second, bench.pool);
  const auto proves = [&](const Case& with) {
    const auto proof = groth16::prove(on_second, with.key, with.shape, with.witness, r, r);
    if (!proof) std::printf("  %s\n", proof.error().message.c_str());
    return proof && device_test::same(*proof, bench.on_cpu(with, r, r));
  };
  if (!proves(c)) return 20;
  auto first = require(cuda::Context::create());
  if (const int code = fail_once(bench, scenario, c, other, *first); code != 0) return code;
  if (scenario.harm != Harm::reported_lost) {
    const auto proof = groth16::prove(on_second, c.key, c.shape, c.witness, r, r);
    if (!proof) {
      if (!typed(proof.error(), *second, scenario.expected)) return 23;
      const auto held = on_second.hold(other.key);
      if (held || held.error().message != proof.error().message) return 24;
      on_second.drop(c.key);
      return second->bytes_in_use() == 0 ? 0 : 25;
    }
  }
  if (!proves(c) || !proves(other)) return 21;
  std::printf("  the second device proves\n");
  std::fflush(stdout);
  first.reset();
  return proves(c) && second->fault() == cuda::Fault::none ? 0 : 22;
}

int run_child(char* program, std::string mode, const std::string& folder, std::size_t index) {
  std::string number = std::to_string(index);
  std::string path = folder;
  char* arguments[] = {program, mode.data(), number.data(), path.data(), nullptr};
  pid_t pid = 0;
  if (posix_spawn(&pid, program, nullptr, nullptr, arguments, environ) != 0) return -1;
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

constexpr char kUsage[] = "cuzk_device_faults [folder for parameters, default /tmp]\n";

}  // namespace

int main(int argc, char** argv) {
  device_test::Arguments arguments(argc, argv, kUsage);
  const bool has_two = arguments.word("child-of-two");
  const bool is_child = has_two || arguments.word("child");
  const unsigned scenario_number =
      is_child ? arguments.number("scenario", 0, static_cast<unsigned>(std::size(kScenarios)) - 1, 0) : 0;
  Bench bench;
  bench.folder = arguments.folder();
  arguments.end();
  if (is_child) return (has_two ? child_of_two : child)(bench, kScenarios[scenario_number]);
  const Case c = bench.make({500, 2}, 53);
  auto context = require(cuda::Context::create());
  cuda::CudaProver prover(*context, bench.pool);
  const Fr r = Fr::from_u64(4);
  const groth16::Proof want = bench.on_cpu(c, r, r);
  const auto check = [&](const Scenario& scenario, const char* mode, const std::string& what) {
    std::printf("%s:\n", scenario.name);
    std::fflush(stdout);
    const int code = run_child(argv[0], mode, bench.folder, static_cast<std::size_t>(&scenario - kScenarios));
    if (code != 0) std::printf("  the child ended with %d\n", code);
    const auto proof = groth16::prove(prover, c.key, c.shape, c.witness, r, r);
    bench.report.line(std::string(scenario.name) + what,
                      code == 0 && proof && device_test::same(*proof, want));
  };
  const bool two = require(cuda::list_devices()).size() > 1;
  for (const Scenario& scenario : kScenarios) {
    check(scenario, "child", ": a typed error, others unharmed");
    if (!two) continue;
    const bool must_prove = scenario.harm == Harm::reported_lost;
    check(scenario, "child-of-two",
          must_prove ? ": the second device proves" : ": the second device proves, or its error is typed");
  }
  if (!two) bench.report.skipped("proofs on a second device: there is none");
  return bench.report.finish("faults");
}
