#pragma once

#include <exception>
#include <new>
#include <type_traits>
#include <utility>

#include "cuzk/base/result.h"

namespace cuzk::engine {

inline constexpr const char* kOutOfMemory = "out of memory";

/// Calls `work`, which returns a Result, and turns what it throws into an Error: no exception leaves an
/// engine thread. std::bad_alloc is kIo with the text kOutOfMemory; no other is expected, so any other is
/// kInternal.
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

}  // namespace cuzk::engine
