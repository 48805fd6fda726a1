// The cuzk command: reads the command line, calls one command, maps its error to an exit code.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <fcntl.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <exception>
#include <new>

#include "commands.h"
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

constexpr const char* kFooter =
    "Exit codes: 0 done, 1 the proof or the input is bad, 2 usage, 3 the environment failed (files, "
    "parameters, memory).";

void add_common(CLI::App* command, CommonOptions& options, bool with_json) {
  command->add_option("--threads", options.threads, "Threads to use; 0 is one per processor")
      ->check(CLI::Range(0, 1024));
  command->add_flag("--no-progress", options.no_progress, "No progress on stderr");
  if (with_json) command->add_flag("--json", options.json, "Print JSON on stdout");
  command->footer(kFooter);
}

/// For numbers of 64 bits: decimal digits and nothing else. CLI11 would take "-1" for the largest one.
std::string check_u64(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return {};
  return "'" + text + "' is not a number from 0 to 2^64 - 1";
}

/// A descriptor that the caller closed would be given to the next file that is opened, which would then
/// receive our messages. Hold its place with something that cannot be written to.
void hold_standard_descriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) == -1 && errno == EBADF) (void)::open("/dev/null", O_RDONLY);
  }
}

int run(int argc, char** argv) {
  CLI::App app("cuzk: Groth16 proofs (BLS12-381) for Filecoin");
  app.require_subcommand(1);
  app.set_version_flag("--version", CUZK_VERSION);
  app.footer(kFooter);

  SetupOptions setup;
  auto* setup_command = app.add_subcommand(
      "setup",
      "Make INSECURE test parameters for a circuit: whoever knows the secrets can prove anything under them");
  setup_command
      ->add_option("--circuit", setup.circuit,
                   "Circuit: porep-2k, porep-4k, porep-16k, porep-32k, porep-8m, ...")
      ->required();
  setup_command
      ->add_option("--out", setup.out, "Folder for the .params and .vk, under the reference's file names")
      ->required();
  setup_command->add_option("--toxic", setup.toxic,
                            "JSON file with an object `toxic` {alpha, beta, gamma, delta, tau}; without it: "
                            "random, never written down");
  setup_command->add_flag("--overwrite", setup.overwrite,
                          "Replace parameters that are there; without it they are an error");
  add_common(setup_command, setup, true);

  ProveOptions prove;
  auto* prove_command =
      app.add_subcommand("prove", "Prove a PoRep from its C1 output; verifies the proof before writing it");
  prove_command
      ->add_option("--c1", prove.c1,
                   "C1 output: phase-1 JSON, Curio's wrapper JSON, or NAME.c1.bincode beside NAME.json; each "
                   "also as .gz")
      ->required();
  prove_command->add_option("--params", prove.params, "Folder of the parameter files")->required();
  prove_command->add_option("--out", prove.out, "Proof file, 192 bytes a partition")->required();
  prove_command->add_option("--fixed-rs", prove.fixed_rs,
                            "Tests only: JSON file with r and s of each partition, which makes the proof "
                            "reproducible and not zero-knowledge");
  prove_command
      ->add_option("--miner", prove.miner, "Miner actor id: recompute replica_id and compare (with --sector)")
      ->check(check_u64);
  prove_command->add_option("--sector", prove.sector, "Sector number (with --miner)")->check(check_u64);
  add_common(prove_command, prove, true);

  VerifyOptions verify;
  auto* verify_command =
      app.add_subcommand("verify", "Verify a proof against the public inputs of a C1 output");
  verify_command->add_option("--c1", verify.c1, "C1 output, as for prove")->required();
  verify_command->add_option("--params", verify.params, "Folder with the .vk")->required();
  verify_command->add_option("--proof", verify.proof, "Proof file")->required();
  verify_command->add_option("--miner", verify.miner, "Miner actor id: recompute replica_id (with --sector)")
      ->check(check_u64);
  verify_command->add_option("--sector", verify.sector, "Sector number (with --miner)")->check(check_u64);
  add_common(verify_command, verify, true);

  InspectOptions inspect;
  auto* inspect_command = app.add_subcommand(
      "inspect", "Say what is in a file: C1 output, .params, .vk or proof, recognised by content");
  inspect_command->add_option("file", inspect.file, "The file");
  inspect_command->add_option("--c1", inspect.c1, "A C1 output (for bincode: NAME.json must lie beside it)");
  inspect_command->add_flag("--digests", inspect.digests,
                            "Per partition: digests of R1CS and witness, public inputs, counts, densities");
  inspect_command->add_flag("--check-points", inspect.check_points,
                            "For .params: check every point, the subgroup included");
  add_common(inspect_command, inspect, true);

  SynthSectorOptions synth;
  auto* synth_command =
      app.add_subcommand("synth-sector", "Fabricate a valid C1 output of any sector size without sealing");
  synth_command
      ->add_option("--registered-proof", synth.registered_proof, "Registered seal proof type, 0 to 9")
      ->check(CLI::Range(0, 9));
  synth_command
      ->add_option("--sector-size", synth.sector_size,
                   "Sector bytes, for sizes without a registered type (4, 16, 32 KiB, 16 MiB, 1 GiB)")
      ->check(check_u64);
  synth_command->add_option("--porep-number", synth.porep_number, "Number in porep_id, with --sector-size")
      ->check(check_u64);
  synth_command->add_option("--miner", synth.miner, "Miner actor id")
      ->check(check_u64)
      ->capture_default_str();
  synth_command->add_option("--sector", synth.sector, "Sector number")
      ->check(check_u64)
      ->capture_default_str();
  synth_command->add_flag("--wrapper", synth.wrapper, "Write Curio's wrapper around the phase-1 output");
  synth_command
      ->add_option("--out", synth.out,
                   "File to write; with --sector-size: NAME of NAME.c1.bincode and NAME.json")
      ->required();
  add_common(synth_command, synth, false);

  TimelineOptions timeline;
  auto* timeline_command = app.add_subcommand(
      "timeline", "How busy the devices were, where they waited and for what, from a file of TIMELINE lines");
  timeline_command->add_option("file", timeline.file, "The lines, also as .gz; - is standard input")
      ->required();
  timeline_command->add_flag("--json", timeline.json, "Print JSON on stdout, with every gap");
  timeline_command->add_option("--svg", timeline.svg, "Draw a Gantt chart into this file");
  timeline_command->add_option("--trace", timeline.trace, "Write a trace for Perfetto or chrome://tracing");
  timeline_command->footer(kFooter);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11's own codes are not ours: help and version are 0, everything else is usage.
    return app.exit(error) == 0 ? kDone : kUsage;
  }

  const Result<void> result = setup_command->parsed()      ? run_setup(setup)
                              : prove_command->parsed()    ? run_prove(prove)
                              : verify_command->parsed()   ? run_verify(verify)
                              : inspect_command->parsed()  ? run_inspect(inspect)
                              : timeline_command->parsed() ? run_timeline(timeline)
                                                           : run_synth_sector(synth);
  if (result) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return kDone;
    tell("cuzk: cannot write to standard output\n");
    return kEnvironmentFailed;
  }
  tell("cuzk: {}\n", result.error().message);
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
