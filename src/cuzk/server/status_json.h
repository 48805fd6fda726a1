#pragma once

#include <string>
#include <vector>

#include "cuzk/engine/status.h"
#include "cuzk/server/history.h"
#include "cuzk/server/live_view.h"

namespace cuzk::server {

/// Everything that `/status` shows. Its parts are read one after the other: between them a job may have moved
/// on.
struct StatusView {
  std::string instance;
  std::string version;
  std::string backend;
  std::string state;        ///< "ready" or "draining"
  std::int64_t now_ns = 0;  ///< on the events' clock
  unsigned workers_per_device = 0;
  engine::Status engine;
  std::vector<engine::JobStatus> jobs;  ///< live ones first; the caller may leave some out at the end
  LiveState live;
  std::vector<History::Entry> history;
  std::uint64_t events_recorded = 0;
  std::uint64_t events_dropped = 0;
  std::size_t events_capacity = 0;
};

/// The JSON of docs/http.md, section 1. Thread-safe.
std::string status_json(const StatusView& view);

}  // namespace cuzk::server
