#pragma once

#include <exception>
#include <new>
#include <type_traits>
#include <utility>

#include "cuzk/base/result.h"

namespace cuzk::engine {

inline constexpr const char* kOutOfMemory = "out of memory";

/// Calls `work`, which returns a Result, and turns what it throws into an Error: what an engine thread calls
/// outside the engine (sources, provers, journal, callbacks) does not end it. std::bad_alloc is kIo with the
/// text kOutOfMemory; no other is expected, so any other is kInternal. The engine's own bookkeeping is not
/// guarded: without memory for an entry of a queue the process ends.
///
/// `no_memory` is set for std::bad_alloc, so that a caller can tell it from other errors of the system.
template <class Work>
std::invoke_result_t<Work> guarded(bool& no_memory, Work&& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    no_memory = true;
    return io_error(kOutOfMemory);
  } catch (const std::exception& e) {
    return Error{ErrorCode::kInternal, std::string("unexpected: ") + e.what()};
  }
}

template <class Work>
std::invoke_result_t<Work> guarded(Work&& work) {
  bool no_memory = false;
  return guarded(no_memory, std::forward<Work>(work));
}

/// Calls a callback, which must not throw; what it throws all the same is dropped.
template <class Callback, class... Arguments>
void tell(const Callback& callback, const Arguments&... arguments) {
  (void)guarded([&]() -> Result<void> {
    callback(arguments...);
    return {};
  });
}

}  // namespace cuzk::engine
