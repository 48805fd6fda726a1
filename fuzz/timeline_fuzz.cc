// TIMELINE lines: what is accepted reads back the same after it was written, and analysis, trace and chart
// take whatever was accepted.

#include "cuzk/timeline/analysis.h"
#include "cuzk/timeline/gantt.h"
#include "cuzk/timeline/trace.h"

using namespace cuzk;
using namespace cuzk::timeline;

namespace {

/// The merged intervals and the gaps between them make up the span of a lane.
void check_lane(const std::optional<DeviceLane>& lane, bool own_span) {
  if (!lane) return;
  CUZK_CHECK(lane->merged <= lane->intervals && lane->busy_ns <= lane->span_ns);
  CUZK_CHECK(lane->gaps.count + 1 == lane->merged && lane->gap_list.size() == lane->gaps.count);
  CUZK_CHECK(lane->below_50_ms.count + lane->from_50_to_500_ms.count + lane->above_500_ms.count ==
             lane->gaps.count);
  if (own_span) CUZK_CHECK(lane->busy_ns + lane->gaps.total_ns == lane->span_ns);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto log = parse_log({reinterpret_cast<const char*>(data), size});
  if (!log) return 0;
  std::string text = format_lost(log->lost) + "\n";
  for (const Event& event : log->events) text += format_line(event) + "\n";
  const auto again = parse_log(text);
  CUZK_CHECK(again && again->lost == log->lost && again->events.size() == log->events.size());
  std::string twice = format_lost(again->lost) + "\n";
  for (const Event& event : again->events) twice += format_line(event) + "\n";
  CUZK_CHECK(twice == text);

  const Analysis analysis = analyse(*log);
  for (const Device& device : analysis.devices) {
    check_lane(device.lock, true);
    check_lane(device.job, true);
    check_lane(device.kernel, false);
    const auto& basis = device.lock ? device.lock : device.job;
    std::int64_t blamed = 0;
    for (const Blame& b : device.starved_by) blamed += b.idle_ns;
    CUZK_CHECK(blamed == (basis ? basis->gaps.total_ns : 0));
  }
  CUZK_CHECK(!to_text(analysis).empty() && !to_json(analysis).empty());
  CUZK_CHECK(!to_trace(*log).empty() && !to_svg(*log, analysis).empty());
  return 0;
}
