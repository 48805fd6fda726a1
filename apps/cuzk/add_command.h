#pragma once

#include <CLI/CLI.hpp>

#include <charconv>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "cuzk/base/result.h"
#include "environment.h"

namespace cuzk::app {

/// The command that the command line named; each adds itself with a callback that sets this.
using Chosen = std::function<Result<void>()>;

/// A subcommand that calls `run` with its own options; `footer` tells its exit codes. Options that have a
/// member `isa` get it from the environment. `chosen` must outlive the parsing.
template <class Options>
std::pair<CLI::App*, Options&> add_command(CLI::App& app, Chosen& chosen, const char* name, const char* help,
                                           const char* footer, Result<void> (*run)(const Options&)) {
  CLI::App* const command = app.add_subcommand(name, help);
  const auto options = std::make_shared<Options>();
  constexpr bool kComputes = requires {
    options->isa;
  };
  command->callback([&chosen, options, run] {
    chosen = [options, run]() -> Result<void> {
      if constexpr (kComputes) {
        CUZK_TRY_ASSIGN(options->isa, isa_from_environment());
      }
      return run(*options);
    };
  });
  command->footer(kComputes ? std::string(footer) + "\n" + kEnvironmentHelp : footer);
  return {command, *options};
}

/// For options that are whole numbers: decimal digits and nothing else, from `least` to `most`. CLI11 would
/// take "-1" for the largest number of 64 bits.
inline CLI::Validator whole_number(std::uint64_t least = 0,
                                   std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
  return {[least, most](const std::string& text) -> std::string {
            std::uint64_t value = 0;
            const char* const end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(text.data(), end, value);
            if (error == std::errc() && stop == end && value >= least && value <= most) return {};
            return "'" + text + "' is not a whole number from " + std::to_string(least) + " to " +
                   std::to_string(most);
          },
          "", ""};
}

}  // namespace cuzk::app
