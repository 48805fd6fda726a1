#include "cuzk/engine/job.h"

namespace cuzk::engine {

Priority effective_priority(Priority priority, ProofKind kind) {
  if (priority != Priority::kByKind) return priority;
  switch (kind) {
    case ProofKind::winning_post:
      return Priority::kCritical;
    case ProofKind::window_post_partition:
      return Priority::kHigh;
    case ProofKind::porep_seal_commit:
    case ProofKind::snap_deals_update:
      break;
  }
  return Priority::kNormal;
}

std::string_view to_string(Priority priority) {
  constexpr std::string_view kNames[] = {"by-kind", "low", "normal", "high", "critical"};
  return kNames[static_cast<std::size_t>(priority)];
}

std::string_view to_string(JobState state) {
  constexpr std::string_view kNames[] = {"queued", "running", "completed", "failed", "cancelled"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string_view to_string(FailureClass failure) {
  constexpr std::string_view kNames[] = {"",       "INVALID_INPUT", "PARAMS",   "RESOURCE",
                                         "DEVICE", "SELF_CHECK",    "INTERNAL", "SHUTDOWN"};
  return kNames[static_cast<std::size_t>(failure)];
}

}  // namespace cuzk::engine
