#pragma once

#include <string>
#include <utility>

#include "cuzk/base/result.h"
#include "cuzk/engine/job.h"

namespace cuzk::engine {

/// What the text of a failed job (JobResult::message, and the same over gRPC) is to whoever asked for the
/// proof: kBadInput for a bad request, kParams for a bad parameter file, kIo for all else, which is no fault
/// of theirs.
[[nodiscard]] inline Error failure_error(std::string text) {
  const auto is = [&](FailureClass failure) { return text.starts_with(to_string(failure)); };
  if (is(FailureClass::kInvalidInput)) return bad_input(std::move(text));
  return is(FailureClass::kParams) ? bad_params(std::move(text)) : io_error(std::move(text));
}

}  // namespace cuzk::engine
