#pragma once

#include <string>
#include <string_view>

#include "cuzk/timeline/recorder.h"

namespace cuzk::timeline {

// Thread-safe: no function here has state of its own.

/// Whether JSON can hold `text` as it is: UTF-8, well-formed.
bool is_utf8(std::string_view text);

/// Appends `text` as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);

/// The answer of `/events` (docs/http.md, section 2). `since` is the cursor that `tail` was taken with, `now`
/// the time on the events' clock.
std::string events_json(std::string_view instance, std::int64_t now_ns, std::uint64_t since,
                        const Recorder::Tail& tail, std::uint64_t recorded);

}  // namespace cuzk::timeline
