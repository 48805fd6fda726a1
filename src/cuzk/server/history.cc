#include "cuzk/server/history.h"

#include <utility>

namespace cuzk::server {

void History::add(const engine::JobResult& result) {
  auto kept = std::make_shared<engine::JobResult>(result);
  kept->proof = {};
  kept->evidence.reset();
  const std::lock_guard guard(mutex_);
  entries_.push_front({std::move(kept), std::chrono::steady_clock::now(), result.proof.size()});
  if (entries_.size() > kEntries) entries_.pop_back();
}

std::vector<History::Entry> History::latest() const {
  const std::lock_guard guard(mutex_);
  return {entries_.begin(), entries_.end()};
}

}  // namespace cuzk::server
