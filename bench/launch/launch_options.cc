#include "launch_options.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "synthetic_circuit.h"

namespace cuzk::bench {
namespace {

constexpr const char* kUsage = R"(A PoRep-like launch on a device: one at a time, and through the engine.
  cuzk_launch_bench [options]
    --log-size N      of the synthetic circuit's domain, 12 to 28 (default 20)
    --launches N      launches one at a time, at least 1 (default 3)
    --engine LIST     workers per device, e.g. 1,2,3: an engine run for each; 2x1: of one job
    --engine-multiples N
                      gpus.points_per_base of the engine runs that follow (default 1; 0: what suits the
                      memory), wherever --multiples stands
    --vram-limit LIST bytes, or 1.5G for 1.5 * 10^9: launches under each limit, whose proofs must be the
                      first ones
    --multiples LIST  gpus.points_per_base: launches with the key so, whose proofs must be the first ones
    --jobs N          of an engine run (default 3), of --partitions N each (default 10)
    --porep FILE      a C1 output, of a small sector: the same with real jobs, 10 times --jobs
    --circuits LIST   e.g. porep-32g,winning-32g: the same with jobs fabricated for these circuits, as a
                      client would send them: the whole of a sector, of a window all that it holds
    --memory LIMIT    budget of engine runs (default: the machine is known to be large enough)
    --kinds           jobs of every kind of proof with sectors of 2 KiB (tests/data; run in the root of the
                      repository), mixed: in an engine run 10 times --jobs of each; --jobs of each under a
                      limit, with two workers, where keys make room for one another
    --no-synthetic    only --porep, --circuits and --kinds
    --check           compares parameters and proof with the CPU's, byte for byte (small sizes)
    --threads N       of the CPU (default: all)
    --cpu             everything on the CPU, for trying out this program; no --vram-limit. --porep, --circuits
                      and --kinds take many minutes so
    --out DIR         for charts and timelines
--engine, --vram-limit and --multiples may come several times and are done in their order. Parameters are
made in the process from fixed secrets: never for use. Exits with 1 when a check fails, 2 for wrong usage,
3 where the environment (device, memory, files) does not serve.
)";

[[noreturn]] void usage(const char* what) {
  std::fprintf(stderr, "cuzk_launch_bench: %s; --help has the options\n", what);
  std::exit(2);
}

std::uint64_t number(const char* text) {
  char* end = nullptr;
  if (*text < '0' || *text > '9') usage(*text == 0 ? "a number is missing" : text);  // no sign, no blank
  const std::uint64_t value = std::strtoull(text, &end, 10);
  if (end == text || *end != 0) usage(text);
  return value;
}

/// 12, or 1.5G.
std::uint64_t bytes(const std::string& text) {
  if (!text.ends_with('G')) return number(text.c_str());
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size() - 1 || !(value >= 1e-9 && value < 1e6)) usage(text.c_str());
  return static_cast<std::uint64_t>(value * 1e9);
}

/// Of a list with commas.
std::vector<std::string> items(const std::string& list) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= list.size(); at += out.back().size() + 1)
    out.push_back(list.substr(at, list.find(',', at) - at));
  return out;
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options o;
  unsigned engine_multiples = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto value = [&] {
      if (++i == argc) usage((name + " needs a value").c_str());
      return argv[i];
    };
    const auto small = [](const std::string& text) {
      const std::uint64_t n = number(text.c_str());
      if (n > 1'000'000) usage(text.c_str());
      return static_cast<unsigned>(n);
    };
    const auto count = [&] { return small(value()); };
    if (name == "--help" || name == "-h") {
      std::fputs(kUsage, stdout);
      std::exit(0);
    }
    if (name == "--log-size") {
      o.log_size = count();
    } else if (name == "--launches") {
      o.launches = count();
    } else if (name == "--engine" || name == "--vram-limit" || name == "--multiples") {
      for (const std::string& item : items(value())) {
        Action action{Action::Kind::multiples, 0, engine_multiples, 0};
        if (name == "--engine") {
          const std::size_t times = std::min(item.find('x'), item.size());
          action.kind = Action::Kind::engine;
          action.value = small(item.substr(0, times));
          if (times != item.size() && (action.jobs = small(item.substr(times + 1))) == 0)
            usage("an engine run has at least one job");
        } else if (name == "--vram-limit") {
          action = {Action::Kind::vram_limit, bytes(item), 1, 0};
        } else {
          action.value = small(item);
        }
        if (action.value == 0 && name != "--multiples") usage((name + " has no 0").c_str());
        o.actions.push_back(action);
      }
    } else if (name == "--engine-multiples") {
      engine_multiples = count();
    } else if (name == "--jobs") {
      o.jobs = count();
    } else if (name == "--partitions") {
      o.partitions = count();
    } else if (name == "--porep") {
      o.porep = value();
    } else if (name == "--circuits") {
      o.circuits = items(value());
    } else if (name == "--memory") {
      o.memory = bytes(value());
    } else if (name == "--kinds") {
      o.kinds = true;
    } else if (name == "--no-synthetic") {
      o.synthetic = false;
    } else if (name == "--check") {
      o.check = true;
    } else if (name == "--threads") {
      o.threads = count();
    } else if (name == "--cpu") {
      o.cpu = true;
    } else if (name == "--out") {
      o.out = value();
      if (o.out.empty()) usage("--out needs a folder");
    } else {
      usage(("unknown option " + name).c_str());
    }
  }
  if (o.log_size < SyntheticCircuit::kMinLogSize || o.log_size > 28) usage("--log-size is 12 to 28");
  if (o.launches == 0) usage("--launches is at least 1: what follows is compared with their proof");
  std::error_code ignored;
  if (!o.out.empty() && !std::filesystem::is_directory(o.out, ignored))
    usage("--out is a folder that is there");
  if (o.partitions == 0 || o.jobs == 0) usage("--partitions and --jobs are at least 1");
  const bool of_device = std::any_of(o.actions.begin(), o.actions.end(), [](const Action& a) {
    return a.kind != Action::Kind::engine || a.multiples != 1;
  });
  if (o.cpu && of_device) usage("--vram-limit and multiples are of a device's memory, --cpu uses none");
  return o;
}

}  // namespace cuzk::bench
