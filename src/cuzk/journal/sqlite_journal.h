#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuzk/engine/journal.h"

namespace cuzk::journal {

/// The engine's journal in a folder:
///
///     journal.db       SQLite, write-ahead log, synchronous=FULL: one row a job, with its outcome
///     journal.db-in-use
///                      empty; there while a process has journal.db open, so that a start after a kill knows
///                      that there was a log
///     payload/JOB_ID   the request of each job that is not finished, with whose it is and room for its
///                      outcome (request_file.h)
///     damaged/JOB_ID   what was found in the place of a request: evidence, nothing reads it
///
/// The folder itself is held with flock while a process uses it.
///
/// A job's payload is on disk before its row is, goes after its outcome is, and is gone before its row goes.
/// So one without a row is of a job whose acceptance a crash cut short, or the database lost what it had been
/// told (its log is gone or damaged: SQLite takes the part of it that is whole, without a word). In both
/// cases open takes the job up again as it was accepted; where it was finished it is proved once more.
/// Thread-safe.
class SqliteJournal : public engine::Journal {
 public:
  /// Makes the folder where it does not exist (mode 0700: payloads hold replica data). kIo when it cannot be
  /// used: another process has it, it cannot be locked, `payload` is no folder that can be written, the
  /// database is damaged or gone while requests are there, or it was written by a later version. What is
  /// damaged is left as it was found.
  static Result<std::unique_ptr<SqliteJournal>> open(const std::string& folder);
  ~SqliteJournal() override;

  /// What open found in `payload` that the database does not know, and that its log is damaged or gone; one
  /// sentence each.
  struct Notice {
    bool damage = false;  ///< of the log, or of a request, which is in `damaged` now and cannot be taken up
    std::string text;
  };
  [[nodiscard]] const std::vector<Notice>& notices() const;

  /// kIo while the folder, or the database or its log in it, is not in its place: moved, removed or replaced
  /// since it was opened. Until it is back nothing is stored; accept, finish, probe and payload say the same.
  /// Waits for nobody.
  [[nodiscard]] Result<void> check_place() const;

  Result<void> accept(const engine::JobIdentity& identity, const ProofRequest& request) override;
  /// kElsewhere: the database cannot take the outcome; it is beside the job's request, in room that the disk
  /// gave with the request.
  Result<Place> finish(const engine::JobResult& result) override;
  /// Takes the room on the disk for a moment, and writes to the database what it has already.
  Result<void> probe(std::uint64_t request_bytes) override;
  Result<void> forget(const std::string& job_id) override;
  Result<void> begin(const std::string& job_id) override;
  Result<void> take_back(const std::vector<std::string>& job_ids) override;
  /// A finished job whose row is not what finish wrote comes back as failed, kInternal: its retry is proved.
  Result<Recovered> recover() override;
  Result<ProofRequest> payload(const std::string& job_id) override;

 private:
  class Impl;
  explicit SqliteJournal(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cuzk::journal
