#pragma once

#include <exception>
#include <new>
#include <type_traits>

#include "cuzk/base/result.h"

namespace cuzk::engine {

inline constexpr const char* kOutOfMemory = "out of memory";

/// Calls `work`, which returns a Result, and turns what it throws into an Error: no exception leaves an
/// engine thread. std::bad_alloc is kIo with the text kOutOfMemory; no other is expected, so any other is
/// kInternal.
template <class Work>
std::invoke_result_t<Work> guarded(Work&& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return io_error(kOutOfMemory);
  } catch (const std::exception& e) {
    return Error{ErrorCode::kInternal, std::string("unexpected: ") + e.what()};
  }
}

}  // namespace cuzk::engine
