#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cuzk/base/result.h"
#include "cuzk/engine/job.h"

namespace cuzk::engine {

/// Where accepted jobs and their results survive the process. Implementations are thread-safe: accept is
/// called by whatever thread submits, payload by the engine's loaders, begin by its synthesis workers,
/// take_back by whoever shuts the engine down, the rest by one engine thread.
///
/// The engine's side of the contract:
///  - a job counts as accepted when accept has returned without error; submit fails with RESOURCE otherwise.
///  - finish comes once for every accepted job, except those that a shutdown ended and those of an earlier
///    process whose payload or parameters cannot be read now: the next start finds these unfinished and runs
///    them again under the same job id. They are forgotten only when their next attempt was accepted.
///  - A result is reported to waiters after finish has returned. When it fails (disk full) the result is
///    reported all the same. Until it has stored the result, submissions are refused and finish is tried
///    again every second while the engine lives. Should the process end before that, recover gives the result
///    where the journal has kept it elsewhere; else the job, which is proved again, so nothing that was
///    accepted is lost.
class Journal {
 public:
  Journal() = default;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  virtual ~Journal() = default;

  /// Durable when it returns without error. Payloads are up to 256 MiB. On error nothing is stored.
  virtual Result<void> accept(const JobIdentity& identity, const ProofRequest& request) = 0;

  /// Where an outcome is, which survives the process in both cases.
  enum class Place {
    kStored,     ///< where it belongs
    kElsewhere,  ///< where there was room; finish is to be tried again
  };
  /// Stores the outcome and lets the payload go; durable when it returns without error. Finishing a job that
  /// is already finished, or is not known, changes nothing.
  virtual Result<Place> finish(const JobResult& result) = 0;

  /// Whether a request of so many bytes could be accepted now. Asked about once a second after an acceptance
  /// that failed, until it can. Leaves nothing behind.
  virtual Result<void> probe(std::uint64_t request_bytes) = 0;

  /// The job's retention is over, or it was replaced by its next attempt. Unknown ids are ignored.
  virtual Result<void> forget(const std::string& job_id) = 0;

  /// The job is about to be synthesised, the first time in this process. Counts a start, durably, so that one
  /// that takes the process with it each time can be told from those that only waited. Unknown and finished
  /// jobs are ignored; after an error the job is proved all the same.
  virtual Result<void> begin(const std::string& job_id) = 0;
  /// The engine has ended in good order: that these were begun is no sign against them, their last start does
  /// not count. Unknown and finished jobs are ignored.
  virtual Result<void> take_back(const std::vector<std::string>& job_ids) = 0;

  /// A job that was accepted and whose outcome was not stored.
  struct Unfinished {
    JobIdentity identity;
    std::uint32_t starts = 0;  ///< processes that have begun it and died
  };
  /// A job whose outcome was stored.
  struct Finished {
    std::shared_ptr<const JobResult> result;
    std::chrono::seconds age{};  ///< since it was finished, by the wall clock
    Place place = Place::kStored;
  };
  /// What earlier processes left.
  struct Recovered {
    std::vector<Unfinished> unfinished;  ///< in the order of acceptance
    std::vector<Finished> finished;      ///< oldest first
  };
  /// Everything that is known. Called once, before any other member.
  virtual Result<Recovered> recover() = 0;

  /// The request of an unfinished job. kInternal: it is not what was accepted, for good.
  virtual Result<ProofRequest> payload(const std::string& job_id) = 0;
};

}  // namespace cuzk::engine
