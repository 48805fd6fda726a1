#include "launch_options.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "synthetic_circuit.h"

namespace cuzk::bench {
namespace {

[[noreturn]] void usage(const char* what) {
  std::fprintf(stderr, "cuzk_launch_bench: %s; see the head of launch.cc\n", what);
  std::exit(2);
}

std::uint64_t number(const char* text) {
  char* end = nullptr;
  const std::uint64_t value = std::strtoull(text, &end, 10);
  if (end == text || *end != 0) usage(text);
  return value;
}

/// 12, or 1.5G.
std::uint64_t bytes(const std::string& text) {
  if (!text.ends_with('G')) return number(text.c_str());
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size() - 1 || !(value > 0 && value < 1e6)) usage(text.c_str());
  return static_cast<std::uint64_t>(value * 1e9);
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto value = [&] {
      if (++i == argc) usage((name + " needs a value").c_str());
      return argv[i];
    };
    const auto count = [&] { return static_cast<unsigned>(number(value())); };
    if (name == "--log-size") {
      o.log_size = count();
    } else if (name == "--launches") {
      o.launches = count();
    } else if (name == "--engine" || name == "--vram-limit" || name == "--multiples") {
      const std::string list = value();
      for (std::size_t at = 0; at < list.size();) {
        const std::size_t comma = std::min(list.find(',', at), list.size());
        const std::string item = list.substr(at, comma - at);
        if (name == "--vram-limit")
          o.actions.push_back({Action::Kind::vram_limit, bytes(item)});
        else
          o.actions.push_back(
              {name == "--engine" ? Action::Kind::engine : Action::Kind::multiples, number(item.c_str())});
        at = comma + 1;
      }
    } else if (name == "--jobs") {
      o.jobs = count();
    } else if (name == "--partitions") {
      o.partitions = count();
    } else if (name == "--porep") {
      o.porep = value();
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
    } else {
      usage(("unknown option " + name).c_str());
    }
  }
  if (o.log_size < SyntheticCircuit::kMinLogSize || o.log_size > 28) usage("--log-size is 12 to 28");
  if (o.launches == 0) usage("--launches is at least 1: what follows is compared with their proof");
  std::error_code ignored;
  if (!o.out.empty() && !std::filesystem::is_directory(o.out, ignored))
    usage("--out is a folder that is there");
  if (o.partitions == 0) usage("--partitions is at least 1");
  const bool limited = std::any_of(o.actions.begin(), o.actions.end(),
                                   [](const Action& a) { return a.kind != Action::Kind::engine; });
  if (o.cpu && limited) usage("--vram-limit and --multiples are of a device's memory, --cpu uses none");
  return o;
}

}  // namespace cuzk::bench
