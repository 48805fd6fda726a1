#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "cuzk/engine/journal.h"

namespace cuzk::engine {

/// A journal in memory that outlives engines, as a disk outlives processes. `full`: it refuses to write;
/// `has_room_elsewhere`: but for results.
class MemoryJournal : public Journal {
 public:
  struct Row {
    JobIdentity identity;
    ProofRequest request;
    std::uint32_t starts = 0;
    std::shared_ptr<const JobResult> result;
    Place place = Place::kStored;  // of the result
  };

  Result<void> accept(const JobIdentity& identity, const ProofRequest& request) override {
    const std::lock_guard lock(mutex_);
    if (full_) return io_error("no space left on device");
    EXPECT_TRUE(std::none_of(rows_.begin(), rows_.end(),
                             [&](const Row& row) { return row.identity.job_id == identity.job_id; }));
    rows_.push_back({identity, request, 0, nullptr, Place::kStored});
    return {};
  }
  Result<Place> finish(const JobResult& result) override {
    const std::lock_guard lock(mutex_);
    if (full_ && !has_room_elsewhere_) return io_error("no space left on device");
    const Place place = full_ ? Place::kElsewhere : Place::kStored;
    for (Row& row : rows_) {
      if (row.identity.job_id != result.identity.job_id || (row.result && row.place == Place::kStored))
        continue;
      row.result = std::make_shared<JobResult>(result);
      row.place = place;
    }
    return place;
  }
  Result<void> probe(std::uint64_t request_bytes) override {
    const std::lock_guard lock(mutex_);
    probed_.push_back(request_bytes);
    if (full_) return io_error("no space left on device");
    return {};
  }
  Result<void> forget(const std::string& job_id) override {
    const std::lock_guard lock(mutex_);
    std::erase_if(rows_, [&](const Row& row) { return row.identity.job_id == job_id; });
    return {};
  }
  Result<void> begin(const std::string& job_id) override {
    const std::lock_guard lock(mutex_);
    for (Row& row : rows_)
      if (row.identity.job_id == job_id && !row.result) ++row.starts;
    return {};
  }
  Result<void> take_back(const std::vector<std::string>& job_ids) override {
    const std::lock_guard lock(mutex_);
    for (Row& row : rows_)
      if (!row.result && std::count(job_ids.begin(), job_ids.end(), row.identity.job_id) > 0) --row.starts;
    return {};
  }
  Result<Recovered> recover() override {
    const std::lock_guard lock(mutex_);
    Recovered out;
    for (const Row& row : rows_) {
      if (row.result)
        out.finished.push_back({row.result, std::chrono::seconds(1), row.place});
      else
        out.unfinished.push_back({row.identity, row.starts});
    }
    return out;
  }
  Result<ProofRequest> payload(const std::string& job_id) override {
    const std::lock_guard lock(mutex_);
    if (unreadable_) return io_error("too many open files");
    if (damaged_) return Error{ErrorCode::kInternal, "broken at offset 9; kept as /x"};
    for (const Row& row : rows_)
      if (row.identity.job_id == job_id) return row.request;
    return bad_input("no payload of " + job_id);
  }

  void set_full(bool full, bool has_room_elsewhere = false) {
    const std::lock_guard lock(mutex_);
    full_ = full;
    has_room_elsewhere_ = has_room_elsewhere;
  }
  void set_unreadable(bool unreadable) {
    const std::lock_guard lock(mutex_);
    unreadable_ = unreadable;
  }
  void set_damaged() {
    const std::lock_guard lock(mutex_);
    damaged_ = true;
  }
  /// What was asked of probe.
  [[nodiscard]] std::vector<std::uint64_t> probed() const {
    const std::lock_guard lock(mutex_);
    return probed_;
  }
  [[nodiscard]] std::size_t rows() const {
    const std::lock_guard lock(mutex_);
    return rows_.size();
  }
  /// The rows as they are now: what a process that is killed now leaves.
  [[nodiscard]] std::vector<Row> copy() const {
    const std::lock_guard lock(mutex_);
    return rows_;
  }
  void restore(std::vector<Row> rows) {
    const std::lock_guard lock(mutex_);
    rows_ = std::move(rows);
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Row> rows_;
  std::vector<std::uint64_t> probed_;
  bool full_ = false;
  bool has_room_elsewhere_ = false;
  bool unreadable_ = false;
  bool damaged_ = false;
};

}  // namespace cuzk::engine
