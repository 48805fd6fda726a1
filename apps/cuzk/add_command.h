#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <memory>
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

}  // namespace cuzk::app
