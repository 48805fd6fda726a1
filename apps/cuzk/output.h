#pragma once

#include <fmt/format.h>

#include <cstdio>

namespace cuzk::app {

/// Writes results to stdout. Never throws: whether everything arrived is asked once, at the end (main.cc), so
/// that a full disk behind a redirection is exit code 3 and not silence.
template <class... Args>
void say(fmt::format_string<Args...> text, Args&&... args) {
  const std::string line = fmt::format(text, std::forward<Args>(args)...);
  std::fwrite(line.data(), 1, line.size(), stdout);
}

/// Writes messages to stderr. That they cannot be written (a log on a full disk) must not cost a proof:
/// failures are ignored.
template <class... Args>
void tell(fmt::format_string<Args...> text, Args&&... args) {
  const std::string line = fmt::format(text, std::forward<Args>(args)...);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace cuzk::app
