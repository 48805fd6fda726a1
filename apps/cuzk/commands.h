#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cuzk/base/result.h"
#include "cuzk/cpu/isa.h"

namespace cuzk::app {

/// Exit codes of every command, documented in --help and README. The daemon has one more
/// (server::kExitDevicesLost).
enum ExitCode : int {
  kDone = 0,
  kInputIsBad = 1,  ///< the proof or the input is bad
  kUsage = 2,       ///< the command line or the configuration
  kEnvironmentFailed =
      3,  ///< files, memory, parameters that are missing, the daemon, a defect of the program
};

/// The same as the end of --help, of all commands that tell nothing narrower.
inline constexpr const char* kExitCodesHelp =
    "Exit codes: 0 done, 1 the proof or the input is bad, 2 usage or configuration, 3 the environment failed "
    "(files, parameters, memory, network, the daemon).";

ExitCode exit_code_of(const Error& error);

struct CommonOptions {
  unsigned threads = 0;  ///< 0: one per processor
  bool json = false;
  bool no_progress = false;
  Isa isa = best_isa();  ///< CUZK_ISA
};

struct SetupOptions : CommonOptions {
  std::string circuit;
  std::string out;
  std::string toxic;  ///< empty: random secrets, kept nowhere
  bool overwrite = false;
  std::optional<unsigned> device = {};  ///< CUDA's ordinal, in programs with CUDA; absent: the processor
};
Result<void> run_setup(const SetupOptions& options);

/// What is to be proved: a C1 output, or a request file of another kind.
struct SourceOptions {
  std::string c1;
  std::string kind;
  std::string request;
  std::optional<std::uint64_t> miner;
  std::optional<std::uint64_t> sector;
};

struct ProveOptions : CommonOptions, SourceOptions {
  std::string params;
  std::string out;
  std::string fixed_rs;  ///< empty: fresh r and s
};
Result<void> run_prove(const ProveOptions& options);

struct VerifyOptions : CommonOptions, SourceOptions {
  std::string params;
  std::string proof;
};
Result<void> run_verify(const VerifyOptions& options);

struct InspectOptions : CommonOptions {
  std::string file;     ///< any file, recognised by content
  std::string c1;       ///< a C1 output
  std::string request;  ///< a request file of another kind
  std::string circuit;  ///< of parameters or a key; empty: not compared
  bool digests = false;
  bool check_points = false;
};
Result<void> run_inspect(const InspectOptions& options);

struct SynthSectorOptions : CommonOptions {
  std::optional<unsigned> registered_proof;
  std::uint64_t sector_size = 0;
  std::optional<std::uint64_t> porep_number;
  std::uint64_t miner = 1000;
  std::uint64_t sector = 7;
  std::string out;
  bool wrapper = false;
};
Result<void> run_synth_sector(const SynthSectorOptions& options);

struct SynthPostOptions : CommonOptions {
  std::string kind;
  std::optional<std::uint64_t> registered_proof;
  std::uint64_t sector_size = 0;
  std::string api_version;
  std::uint64_t sectors = 1;
  std::uint64_t first_sector = 1234;
  std::string out;
};
Result<void> run_synth_post(const SynthPostOptions& options);

struct SynthUpdateOptions : CommonOptions {
  std::optional<std::uint64_t> registered_proof;
  std::uint64_t sector_size = 0;
  std::string out;
};
Result<void> run_synth_update(const SynthUpdateOptions& options);

struct TimelineOptions {
  std::string file;   ///< TIMELINE lines, perhaps gzip-compressed; "-": standard input
  std::string svg;    ///< empty: none
  std::string trace;  ///< empty: none
  bool json = false;
};
Result<void> run_timeline(const TimelineOptions& options);

}  // namespace cuzk::app
