#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cuzk/base/result.h"
#include "cuzk/timeline/event.h"

namespace cuzk::timeline {

// Thread-safe: no function here has state of its own.

/// A recording as it is read back.
struct Log {
  std::vector<Event> events;  ///< in the order of the lines, which need not be that of the times
  std::uint64_t lost = 0;     ///< events that the writer says it could not write (`# lost N`)
};

/// `TIMELINE,<ms>,<EVENT>,<job>,<detail>` without a line end. The detail begins with partition, worker and
/// device, those that the event has. Bytes of the job that would end the field become '_'; an empty job is
/// "-".
std::string format_line(const Event& event);
/// The comment that stands for `count` missing events.
std::string format_lost(std::uint64_t count);

/// One line, without its end. kBadInput naming the field: another first field, a time that is no decimal
/// number or beyond 4 * 10^12 ms, an unknown event, an empty job, a detail that is not key=value, a
/// partition, worker or device that is no number of 32 bits or comes twice. Other keys are kept as they are.
Result<Event> parse_line(std::string_view line);

/// Whether a last line without its end can be the beginning of a line as format_line makes it.
bool is_begun_line(std::string_view line);

/// A whole file: lines, empty lines and `#` comments; the line end may be \r\n. A last line without its end
/// is what a writer left that was killed: a lost event. kBadInput naming the line. At most kMaxEvents events.
Result<Log> parse_log(std::string_view text);
inline constexpr std::size_t kMaxEvents = 10'000'000;

/// Times of parsed events are within these bounds, so that differences of two of them fit.
inline constexpr std::int64_t kMaxTimeNs = 4'000'000'000'000'000'000;

}  // namespace cuzk::timeline
