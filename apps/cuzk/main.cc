// The cuzk command: reads the command line, calls one command, maps its error to an exit code.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <utility>

#include "add_command.h"
#include "bench_kernels.h"
#include "commands.h"
#include "daemon_commands.h"
#include "output.h"

namespace cuzk::app {

ExitCode exit_code_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::kBadInput:
    case ErrorCode::kUnsatisfied:
    case ErrorCode::kUnsupported:
      return kInputIsBad;
    case ErrorCode::kUsage:
      return kUsage;
    case ErrorCode::kParams:
    case ErrorCode::kIo:
    case ErrorCode::kStopped:
    case ErrorCode::kInternal:
      break;
  }
  return kEnvironmentFailed;
}

namespace {

/// A descriptor that the caller closed would be given to the next file that is opened, which would then
/// receive our messages. Hold its place with something that cannot be written to.
void hold_standard_descriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) == -1 && errno == EBADF) (void)::open("/dev/null", O_RDONLY);
  }
}

void add_common(CLI::App* command, CommonOptions& options, bool with_json) {
  command->add_option("--threads", options.threads, "Threads to use; 0 is one per processor")
      ->check(whole_number(0, 1024));
  command->add_flag("--no-progress", options.no_progress, "No progress on stderr");
  if (with_json) command->add_flag("--json", options.json, "Print JSON on stdout");
}

/// What prove and verify have in common: what is to be proved, and with which parameters.
template <class Options>
void add_source(CLI::App* command, Options& options) {
  command->add_option(
      "--c1", options.c1,
      "PoRep: the C1 output, as phase-1 JSON, Curio's wrapper JSON, or NAME.c1.bincode beside "
      "NAME.json; each also as .gz");
  command
      ->add_option("--kind,-t,--type", options.kind,
                   "The other kinds, with --request: winning, wpost or snap")
      ->type_name("KIND");
  command->add_option("--request", options.request,
                      "JSON file that says what is to be proved, vanilla proofs in files beside it");
  command
      ->add_option("--miner-id,--miner", options.miner,
                   "With --c1: miner actor id; recomputes replica_id and compares (with --sector-num)")
      ->check(whole_number());
  command->add_option("--sector-num,--sector", options.sector, "Sector number (with --miner-id)")
      ->check(whole_number());
  command->add_option("--params", options.params, "Folder of the parameter files")->required();
}

void add_setup(CLI::App& app, Chosen& chosen) {
  auto [command, options] = add_command(
      app, chosen, "setup",
      "Make INSECURE test parameters for a circuit: whoever knows the secrets can prove anything under them",
      kExitCodesHelp, run_setup);
  command
      ->add_option("--circuit", options.circuit,
                   "porep-SIZE, winning-SIZE, wpost-SIZE or snap-SIZE, with 2k, 4k, 16k, 32k, 8m, 16m, 512m, "
                   "1g, 32g, 64g (snap has no 1g)")
      ->required();
  command
      ->add_option("--out", options.out, "Folder for the .params and .vk, under the reference's file names")
      ->required();
  command->add_option(
      "--toxic", options.toxic,
      "JSON file with an object `toxic` {alpha, beta, gamma, delta, tau}; without it: random, "
      "never written down");
  command->add_flag("--overwrite", options.overwrite,
                    "Replace parameters that are there; without it they are an error");
  command
      ->add_option("--device", options.device,
                   CUZK_HAVE_CUDA
                       ? "Make the points on this CUDA device (its ordinal); without it the processor does"
                       : "A CUDA device; this program was built without CUDA")
      ->check(CLI::Range(0, 1024));
  add_common(command, options, true);
}

void add_prove(CLI::App& app, Chosen& chosen) {
  auto [command, options] =
      add_command(app, chosen, "prove", "Prove; verifies the vanilla proof before and the proof after",
                  kExitCodesHelp, run_prove);
  add_source(command, options);
  command->add_option("--out", options.out, "Proof file, 192 bytes a partition")->required();
  command->add_option("--fixed-rs", options.fixed_rs,
                      "Tests only: JSON file with r and s of each partition, which makes the proof "
                      "reproducible and not zero-knowledge");
  add_common(command, options, true);
}

void add_verify(CLI::App& app, Chosen& chosen) {
  auto [command, options] =
      add_command(app, chosen, "verify", "Verify a proof against the public inputs of what was to be proved",
                  kExitCodesHelp, run_verify);
  add_source(command, options);
  command->add_option("--proof", options.proof, "Proof file")->required();
  add_common(command, options, true);
}

void add_inspect(CLI::App& app, Chosen& chosen) {
  auto [command, options] = add_command(app, chosen, "inspect",
                                        "Say what is in a file: C1 output, request, .params, .vk or proof, "
                                        "recognised by content. An input whose "
                                        "vanilla proof is false is described too, and the exit code is 1",
                                        kExitCodesHelp, run_inspect);
  command->add_option("file", options.file, "The file");
  command->add_option("--c1", options.c1, "A C1 output (for bincode: NAME.json must lie beside it)");
  command->add_option("--request", options.request, "A request file, as for prove");
  command->add_flag("--digests", options.digests,
                    "Per partition: digests of R1CS and witness, public inputs, counts, densities");
  command->add_option("--circuit", options.circuit,
                      "For .params and .vk: compare with this circuit (records its shape)");
  command->add_flag("--check-points", options.check_points,
                    "For .params: check every point, the subgroup included");
  add_common(command, options, true);
}

void add_synth_sector(CLI::App& app, Chosen& chosen) {
  auto [command, options] = add_command(app, chosen, "synth-sector",
                                        "Fabricate a valid C1 output of any sector size without sealing",
                                        kExitCodesHelp, run_synth_sector);
  command->add_option("--registered-proof", options.registered_proof, "Registered seal proof type, 0 to 9")
      ->check(whole_number(0, 9));
  command
      ->add_option("--sector-size", options.sector_size,
                   "Sector bytes, for sizes without a registered type (4, 16, 32 KiB, 16 MiB, 1 GiB)")
      ->check(whole_number());
  command->add_option("--porep-number", options.porep_number, "Number in porep_id, with --sector-size")
      ->check(whole_number());
  command->add_option("--miner-id,--miner", options.miner, "Miner actor id")
      ->check(whole_number())
      ->capture_default_str();
  command->add_option("--sector-num,--sector", options.sector, "Sector number")
      ->check(whole_number())
      ->capture_default_str();
  command->add_flag("--wrapper", options.wrapper, "Write Curio's wrapper around the phase-1 output");
  command
      ->add_option("--out", options.out,
                   "File to write; with --sector-size: NAME of NAME.c1.bincode and NAME.json")
      ->required();
  add_common(command, options, false);
}

void add_synth_post(CLI::App& app, Chosen& chosen) {
  auto [command, options] = add_command(
      app, chosen, "synth-post",
      "Fabricate a valid request for WinningPoSt or WindowPoSt, of any sector size, without sectors",
      kExitCodesHelp, run_synth_post);
  command->add_option("--kind", options.kind, "winning or wpost; needed with --sector-size");
  command->add_option("--registered-proof", options.registered_proof, "Registered PoSt proof type, 0 to 14")
      ->check(whole_number());
  command->add_option("--sector-size", options.sector_size, "Sector bytes, with or without a registered type")
      ->check(whole_number());
  command->add_option("--api-version", options.api_version,
                      "With --sector-size: 1.0.0, 1.1.0 or 1.2.0; default 1.0.0 for WinningPoSt, else 1.2.0");
  command
      ->add_option("--sectors", options.sectors, "WindowPoSt: number of sectors, of any number of partitions")
      ->check(whole_number())
      ->capture_default_str();
  command->add_option("--first-sector", options.first_sector, "Number of the first sector")
      ->check(whole_number())
      ->capture_default_str();
  command->add_option("--out", options.out, "NAME of NAME.json and NAME.sI.vanilla, I the sectors from 0")
      ->required();
  add_common(command, options, false);
}

void add_synth_update(CLI::App& app, Chosen& chosen) {
  auto [command, options] = add_command(
      app, chosen, "synth-update", "Fabricate a valid SnapDeals request of any sector size without a sector",
      kExitCodesHelp, run_synth_update);
  command->add_option("--registered-proof", options.registered_proof, "Registered update proof type, 0 to 4")
      ->check(whole_number());
  command->add_option("--sector-size", options.sector_size, "Sector bytes, with or without a registered type")
      ->check(whole_number());
  command->add_option("--out", options.out, "NAME of NAME.json and NAME.kK.vanilla, K the partitions from 0")
      ->required();
  add_common(command, options, false);
}

void add_timeline(CLI::App& app, Chosen& chosen) {
  auto [command, options] =
      add_command(app, chosen, "timeline",
                  "How busy the devices were, where they waited and for what, from a file of TIMELINE lines",
                  kExitCodesHelp, run_timeline);
  command->add_option("file", options.file, "The lines, also as .gz; - is standard input")->required();
  command->add_flag("--json", options.json, "Print JSON on stdout, with every gap");
  command->add_option("--svg", options.svg, "Draw a Gantt chart into this file");
  command->add_option("--trace", options.trace, "Write a trace for Perfetto or chrome://tracing");
}

/// The subcommand `bench`, made where there is none yet.
CLI::App& bench_command(CLI::App& app) {
  const auto found =
      app.get_subcommands([](const CLI::App* command) { return command->get_name() == "bench"; });
  if (!found.empty()) return *found.front();
  CLI::App* const bench = app.add_subcommand("bench", "Times");
  bench->require_subcommand(1);
  return *bench;
}

#if !CUZK_HAVE_CUDA
/// Takes what the command takes in programs with CUDA, and says that this is none.
void add_missing_kernels_bench(CLI::App& bench, Chosen& chosen) {
  CLI::App* const command = bench.add_subcommand(
      "kernels", "Transforms and sums of a CUDA device; this program was built without CUDA");
  command->allow_extras();
  command->callback([&chosen] {
    chosen = [] { return usage_error("bench kernels: this program was built without CUDA"); };
  });
}
#endif

/// What was typed where one of the commands had to be, and that there is none; empty when that is not what is
/// wrong.
std::string unknown_word(const CLI::App& app) {
  const CLI::App* at = &app;
  std::string place;
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    place += at->get_name() + " ";
  }
  if (at->get_require_subcommand_min() == 0) return {};
  const std::vector<std::string> words = at->remaining();
  for (const std::string& word : words)
    if (!word.starts_with('-')) return "there is no command '" + place + word + "'";
  return words.empty() ? std::string() : "there is no option '" + place + words.front() + "'";
}

int run(int argc, char** argv) {
  CLI::App app("cuzk: Groth16 proofs (BLS12-381) for Filecoin");
  app.require_subcommand(1);
  app.set_version_flag("--version", CUZK_VERSION);
  app.footer(kExitCodesHelp);
  Chosen chosen;
  add_setup(app, chosen);
  add_prove(app, chosen);
  add_verify(app, chosen);
  add_inspect(app, chosen);
  add_synth_sector(app, chosen);
  add_synth_post(app, chosen);
  add_synth_update(app, chosen);
  add_timeline(app, chosen);
#if CUZK_HAVE_SERVER
  add_daemon_commands(app, chosen);
#endif
#if CUZK_HAVE_CUDA
  add_kernels_bench(bench_command(app), chosen);
#else
  add_missing_kernels_bench(bench_command(app), chosen);
#endif

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (const std::string unknown = unknown_word(app); !unknown.empty() && error.get_exit_code() != 0) {
      tell("cuzk: {}\nRun with --help for more information.\n", unknown);
      return kUsage;
    }
    // CLI11's own codes are not ours: help and version are 0, everything else is usage.
    return app.exit(error) == 0 ? kDone : kUsage;
  }

  const Result<void> result = chosen();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    tell("cuzk: cannot write to standard output\n");
    if (result) return kEnvironmentFailed;
  }
  if (result) return kDone;
  if (!result.error().message.empty()) tell("cuzk: {}\n", result.error().message);  // else it is told
  return exit_code_of(result.error());
}

}  // namespace
}  // namespace cuzk::app

int main(int argc, char** argv) {
  cuzk::app::hold_standard_descriptors();
  try {
    return cuzk::app::run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("cuzk: out of memory\n", stderr);
  } catch (const std::exception& error) {
    cuzk::app::tell("cuzk: internal error: {}\n", error.what());
  }
  return cuzk::app::kEnvironmentFailed;
}
