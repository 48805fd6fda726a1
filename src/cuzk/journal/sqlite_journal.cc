#include "cuzk/journal/sqlite_journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "cuzk/hash/sha256.h"
#include "cuzk/journal/database.h"
#include "cuzk/journal/folder.h"
#include "cuzk/journal/request_file.h"

namespace cuzk::journal {
namespace {

namespace fs = std::filesystem;
using engine::JobIdentity;
using engine::JobResult;
using engine::JobState;

constexpr std::int64_t kSchema = 2;

// state: 0 while the job is not finished, then the number of its JobState. Times are nanoseconds, moments
// Unix seconds. checksum: of a finished row (checksum_of); empty in one that schema 1 wrote.
constexpr const char* kTables = R"(
CREATE TABLE job (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  job_id TEXT NOT NULL UNIQUE,
  request_id TEXT NOT NULL,
  kind INTEGER NOT NULL,
  digest BLOB NOT NULL,
  priority INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  accepted_at INTEGER NOT NULL,
  starts INTEGER NOT NULL DEFAULT 0,
  state INTEGER NOT NULL DEFAULT 0,
  finished_at INTEGER NOT NULL DEFAULT 0,
  proof BLOB NOT NULL DEFAULT x'',
  failure INTEGER NOT NULL DEFAULT 0,
  message TEXT NOT NULL DEFAULT '',
  queue_wait INTEGER NOT NULL DEFAULT 0,
  srs_load INTEGER NOT NULL DEFAULT 0,
  synthesis INTEGER NOT NULL DEFAULT 0,
  gpu_compute INTEGER NOT NULL DEFAULT 0,
  total INTEGER NOT NULL DEFAULT 0,
  checksum BLOB NOT NULL DEFAULT x''
) STRICT;
CREATE INDEX job_by_state ON job (state, finished_at);
)";
constexpr const char* kFromSchema1 = "ALTER TABLE job ADD COLUMN checksum BLOB NOT NULL DEFAULT x'';";

std::int64_t now() {
  return static_cast<std::int64_t>(std::time(nullptr));
}

JobIdentity identity_of(const SqlStatement& row) {
  JobIdentity out;
  out.job_id = row.text(0);
  out.request_id = row.text(1);
  out.kind = static_cast<ProofKind>(row.number(2));
  const std::vector<std::uint8_t> digest = row.bytes(3);
  std::copy_n(digest.begin(), std::min(digest.size(), out.digest.size()), out.digest.begin());
  out.priority = static_cast<engine::Priority>(row.number(4));
  out.attempt = static_cast<std::uint32_t>(row.number(5));
  return out;
}

/// SHA-256 of a job's outcome: SQLite's check knows the structure of its pages, not what is in them.
Bytes32 checksum_of(const JobResult& result, std::int64_t finished_at) {
  Sha256 hash;
  const auto number = [&](auto value) {
    std::array<std::uint8_t, 8> bytes;
    store_le(bytes.data(), static_cast<std::uint64_t>(value));
    hash.update(bytes);
  };
  const auto bytes = [&](ByteSpan value) {
    number(value.size());
    hash.update(value);
  };
  bytes(byte_span(result.identity.job_id));
  number(result.state);
  number(finished_at);
  bytes(result.proof);
  number(result.failure);
  bytes(byte_span(result.message));
  for (const engine::Duration time : {result.times.queue_wait, result.times.srs_load, result.times.synthesis,
                                      result.times.gpu_compute, result.times.total})
    number(time.count());
  return hash.finish();
}

constexpr const char* kIdentityColumns = "job_id, request_id, kind, digest, priority, attempt";

}  // namespace

class SqliteJournal::Impl {
 public:
  Impl(std::string folder, FolderLock lock, Database database)
      : folder_(std::move(folder)), lock_(std::move(lock)), database_(std::move(database)) {
    for (const char* name : {"", "/payload", "/journal.db"})
      places_.emplace_back(folder_ + name, FileId::of(folder_ + name));
  }
  /// The mark goes before the database closes, and its log with it: a kill between the two must not look like
  /// a loss.
  ~Impl() {
    if (in_use_ && FileId::of(folder_) == places_.front().second) ::unlink(mark_path().c_str());
  }

  /// The database would go on in files that no next start finds, beside requests in another folder.
  [[nodiscard]] Result<void> check_place() const {
    for (const auto& [path, id] : places_) {
      const std::optional<FileId> found = FileId::of(path);
      if (found && found == id) continue;
      return io_error("journal: '" + path + "' was " + (found ? "replaced" : "moved or removed") +
                      " while it is in use: put back what was there; what is to be used instead needs "
                      "another start");
    }
    return {};
  }

  [[nodiscard]] std::string payload_path(const std::string& job_id) const {
    return folder_ + "/payload/" + job_id;
  }

  Result<void> prepare_tables() {
    CUZK_TRY(database_.check());
    CUZK_TRY_ASSIGN(const std::int64_t schema, read_schema());
    if (schema > kSchema)
      return io_error("journal '" + folder_ + "/journal.db' was written by a later version (schema " +
                      std::to_string(schema) + ", this program knows " + std::to_string(kSchema) + ")");
    if (schema == 0) {
      CUZK_TRY(check_not_lost(folder_));
    } else {
      CUZK_TRY(check_rows());
    }
    if (schema != kSchema) {
      CUZK_TRY(database_.execute("BEGIN;" + std::string(schema == 0 ? kTables : kFromSchema1) +
                                 "PRAGMA user_version = " + std::to_string(kSchema) + "; COMMIT"));
      // Into journal.db at once: without tables it would look like one that was lost, should its log go.
      (void)database_.execute("PRAGMA wal_checkpoint");
    }
    database_.trust();
    in_use_ = true;
    return {};
  }

  /// Whether the log is gone that a process left which did not close the journal. Before the database
  /// is opened, which makes an empty one.
  static bool lacks_log(const std::string& folder) {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(folder + "/journal.db-wal", error);
    return (error || bytes == 0) && ::access((folder + kMark).c_str(), F_OK) == 0;
  }
  void note_missing_log() {
    notices_.push_back(
        {true, "'" + folder_ +
                   "/journal.db-wal' is gone or empty, although the process before did not "
                   "close the journal: results that it stored may be lost (not when another "
                   "program, as sqlite3, had the database open since: that brings them into it)"});
  }

  /// From now on the log has a commit and is there until the database closes; the mark says so to a start
  /// after a kill. On a full disk there is none: nothing is lost with it.
  void mark_in_use() {
    if (!commit_nothing()) return;
    const std::string log = folder_ + "/journal.db-wal";
    places_.emplace_back(log, FileId::of(log));
    if (const int fd = ::open(mark_path().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600); fd >= 0)
      ::close(fd);
  }

  /// Removes payloads of finished jobs, and what a process left half written; takes up whole requests that
  /// the database does not know. Nothing else is removed.
  Result<void> sweep() {
    CUZK_TRY_ASSIGN(SqlStatement rows, database_.prepare("SELECT job_id, state FROM job"));
    std::map<std::string, bool> finished;  // by job id
    for (;;) {
      CUZK_TRY_ASSIGN(const bool row, rows.step());
      if (!row) break;
      finished.emplace(rows.text(0), rows.number(1) != 0);
    }
    std::error_code error;
    std::vector<std::string> unknown;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_ + "/payload", error)) {
      const std::string name = entry.path().filename().string();
      const auto known = finished.find(name);
      if (known != finished.end() ? known->second : is_temporary(name))
        ::unlink(entry.path().c_str());
      else if (known == finished.end())
        unknown.push_back(name);
    }
    std::sort(unknown.begin(), unknown.end());
    std::vector<RequestOwner> lost_jobs;
    for (const std::string& name : unknown)
      if (std::optional<RequestOwner> owner = owner_of(name)) lost_jobs.push_back(*std::move(owner));
    // Ids of one process end in a count.
    std::stable_sort(lost_jobs.begin(), lost_jobs.end(), [](const auto& a, const auto& b) {
      return std::pair(a.accepted_at, a.identity.job_id.size()) <
             std::pair(b.accepted_at, b.identity.job_id.size());
    });
    for (const RequestOwner& job : lost_jobs) take_up(job);
    return {};
  }

  /// "May": commits that were taken back after a failed write look the same from here.
  void note_broken_log(std::uint64_t offset) {
    notices_.push_back({true, "'" + folder_ + "/journal.db-wal' may be damaged at offset " +
                                  std::to_string(offset) +
                                  ": results that were stored behind it would be lost (nothing is, where the "
                                  "disk had refused a write there)"});
  }
  [[nodiscard]] const std::vector<Notice>& notices() const { return notices_; }

  Result<void> accept(const JobIdentity& identity, const ProofRequest& request) {
    CUZK_TRY(check_id(identity.job_id));
    CUZK_TRY(check_place());
    CUZK_TRY(check_absent(identity.job_id));
    const std::string path = payload_path(identity.job_id);
    const RequestOwner owner{identity, now()};
    CUZK_TRY(write_request(path, owner, request));
    const Result<void> inserted = insert(owner);
    // Should this fail as well the next start runs a job that was refused, which hurts nobody.
    if (!inserted) ::unlink(path.c_str());
    return inserted;
  }

  Result<Place> finish(const JobResult& result) {
    CUZK_TRY(check_id(result.identity.job_id));
    CUZK_TRY(check_place());
    const std::string path = payload_path(result.identity.job_id);
    const std::lock_guard guard(mutex_);
    const auto known = kept_.find(result.identity.job_id);
    const std::int64_t finished_at = known != kept_.end() ? known->second : now();
    const Result<void> stored = store(result, finished_at);
    if (stored) {
      ::unlink(path.c_str());
      if (known != kept_.end()) kept_.erase(known);
      return Place::kStored;
    }
    if (known != kept_.end()) return Place::kElsewhere;
    const Result<void> kept = write_outcome(path, result, finished_at);
    if (kept) {
      kept_.emplace(result.identity.job_id, finished_at);
      return Place::kElsewhere;
    }
    return Error{stored.error().code,
                 stored.error().message + "; nor beside its request: " + kept.error().message};
  }

  Result<void> probe(std::uint64_t request_bytes) {
    CUZK_TRY(check_place());
    // As a file that open removes, should this process end meanwhile. Other parts of the stored request are
    // small beside the margin.
    constexpr std::uint64_t kMargin = 64 << 10;
    const std::string path = folder_ + "/payload/probe.tmp.0";
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) return os_error("journal: cannot make", path);
    errno = ::posix_fallocate(fd, 0, static_cast<off_t>(request_bytes + kMargin));
    const Result<void> room = errno == 0 ? Result<void>() : os_error("journal: no room for", path);
    ::close(fd);
    ::unlink(path.c_str());
    CUZK_TRY(room);
    const std::lock_guard guard(mutex_);
    return commit_nothing();
  }

  Result<void> forget(const std::string& job_id) {
    const std::lock_guard guard(mutex_);
    // Whenever the process ends, the next one finds neither a request without its row, which it would take
    // up, nor an unfinished job without its request.
    CUZK_TRY_ASSIGN(SqlStatement end,
                    database_.prepare("UPDATE job SET state = ? WHERE job_id = ? AND state = 0"));
    end.bind(0, static_cast<std::int64_t>(JobState::kCancelled)).bind(1, job_id);
    CUZK_TRY(end.run());
    if (const std::string path = payload_path(job_id);
        check_id(job_id) && ::unlink(path.c_str()) != 0 && errno != ENOENT)
      return os_error("journal: cannot remove", path);
    CUZK_TRY_ASSIGN(SqlStatement remove, database_.prepare("DELETE FROM job WHERE job_id = ?"));
    remove.bind(0, job_id);
    CUZK_TRY(remove.run());
    kept_.erase(job_id);
    return {};
  }

  Result<void> begin(const std::string& job_id) {
    const std::lock_guard guard(mutex_);
    CUZK_TRY_ASSIGN(SqlStatement update, database_.prepare("UPDATE job SET starts = starts + 1 "
                                                           "WHERE job_id = ? AND state = 0"));
    update.bind(0, job_id);
    return update.run();
  }

  Result<void> take_back(const std::vector<std::string>& job_ids) {
    CUZK_TRY(check_place());
    const std::lock_guard guard(mutex_);
    CUZK_TRY(database_.execute("BEGIN"));
    for (const std::string& job_id : job_ids) {
      const Result<void> taken = [&]() -> Result<void> {
        CUZK_TRY_ASSIGN(SqlStatement update,
                        database_.prepare("UPDATE job SET starts = starts - 1 "
                                          "WHERE job_id = ? AND state = 0 AND starts > 0"));
        update.bind(0, job_id);
        return update.run();
      }();
      if (taken) continue;
      (void)database_.execute("ROLLBACK");
      return taken;
    }
    const Result<void> committed = database_.execute("COMMIT");
    if (!committed) (void)database_.execute("ROLLBACK");
    return committed;
  }

  Result<Recovered> recover() {
    const std::lock_guard guard(mutex_);
    Recovered out;
    std::vector<StoredOutcome> kept;
    CUZK_TRY_ASSIGN(SqlStatement unfinished,
                    database_.prepare("SELECT " + std::string(kIdentityColumns) +
                                      ", starts FROM job WHERE state = 0 ORDER BY seq"));
    for (;;) {
      CUZK_TRY_ASSIGN(const bool row, unfinished.step());
      if (!row) break;
      const JobIdentity identity = identity_of(unfinished);
      if (check_id(identity.job_id)) {
        if (std::optional<StoredOutcome> outcome = read_outcome(payload_path(identity.job_id), identity)) {
          kept.push_back(*std::move(outcome));
          continue;
        }
      }
      out.unfinished.push_back({identity, static_cast<std::uint32_t>(unfinished.number(6))});
    }
    // Into the database where they belong, if it takes them by now.
    std::erase_if(kept, [&](const StoredOutcome& outcome) {
      if (!store(outcome.result, outcome.finished_at)) return false;
      ::unlink(payload_path(outcome.result.identity.job_id).c_str());
      return true;
    });
    CUZK_TRY_ASSIGN(SqlStatement finished,
                    database_.prepare("SELECT " + std::string(kIdentityColumns) +
                                      ", state, finished_at, proof, failure, message, queue_wait, srs_load, "
                                      "synthesis, gpu_compute, total, checksum FROM job WHERE state <> 0 "
                                      "ORDER BY finished_at, seq"));
    // A clock that was set back makes a result young, not old.
    const auto age = [today = now()](std::int64_t finished_at) {
      return std::chrono::seconds(std::max<std::int64_t>(0, today - finished_at));
    };
    for (;;) {
      CUZK_TRY_ASSIGN(const bool row, finished.step());
      if (!row) break;
      const auto result = std::make_shared<JobResult>();
      result->identity = identity_of(finished);
      result->state = static_cast<JobState>(finished.number(6));
      result->proof = finished.bytes(8);
      result->failure = static_cast<engine::FailureClass>(finished.number(9));
      result->message = finished.text(10);
      result->times = {engine::Duration(finished.number(11)), engine::Duration(finished.number(12)),
                       engine::Duration(finished.number(13)), engine::Duration(finished.number(14)),
                       engine::Duration(finished.number(15))};
      const std::vector<std::uint8_t> checksum = finished.bytes(16);
      const Bytes32 expected = checksum_of(*result, finished.number(7));
      if (!checksum.empty() &&
          !std::equal(checksum.begin(), checksum.end(), expected.begin(), expected.end())) {
        *result = {
            .identity = result->identity,
            .state = JobState::kFailed,
            .failure = engine::FailureClass::kInternal,
            .message = "INTERNAL: the stored result is damaged: its checksum is not the one that it had"};
      }
      out.finished.push_back({.result = result, .age = age(finished.number(7))});
    }
    for (StoredOutcome& outcome : kept) {
      kept_.emplace(outcome.result.identity.job_id, outcome.finished_at);
      out.finished.push_back({std::make_shared<JobResult>(std::move(outcome.result)),
                              age(outcome.finished_at), Place::kElsewhere});
    }
    std::stable_sort(out.finished.begin(), out.finished.end(),
                     [](const auto& a, const auto& b) { return a.age > b.age; });
    return out;
  }

  Result<ProofRequest> payload(const std::string& job_id) {
    CUZK_TRY(check_id(job_id));
    CUZK_TRY(check_place());  // a request that is elsewhere for now is not lost
    Bytes32 digest{};
    {
      const std::lock_guard guard(mutex_);
      CUZK_TRY_ASSIGN(SqlStatement row, database_.prepare("SELECT " + std::string(kIdentityColumns) +
                                                          " FROM job WHERE job_id = ? AND state = 0"));
      row.bind(0, job_id);
      CUZK_TRY_ASSIGN(const bool found, row.step());
      if (!found) return Error{ErrorCode::kInternal, "journal: no unfinished job '" + job_id + "'"};
      digest = identity_of(row).digest;
    }
    Result<ProofRequest> request = read_request_file(payload_path(job_id), digest);
    if (request || request.error().code != ErrorCode::kInternal) return request;
    CUZK_TRY_ASSIGN(const std::string kept, set_aside(job_id));
    return Error{ErrorCode::kInternal, "the stored request is damaged: " + request.error().message + kept};
  }

 private:
  [[nodiscard]] std::string mark_path() const { return folder_ + kMark; }

  Result<std::int64_t> read_schema() {
    CUZK_TRY_ASSIGN(SqlStatement version, database_.prepare("PRAGMA user_version"));
    CUZK_TRY_ASSIGN(const bool has_version, version.step());
    return has_version ? version.number(0) : 0;
  }

  /// A commit that changes nothing. With the mutex held.
  Result<void> commit_nothing() {
    return database_.execute("PRAGMA user_version = " + std::to_string(kSchema));
  }

  /// With the mutex held.
  Result<void> store(const JobResult& result, std::int64_t finished_at) {
    CUZK_TRY_ASSIGN(SqlStatement update,
                    database_.prepare("UPDATE job SET state = ?, finished_at = ?, proof = ?, failure = ?, "
                                      "message = ?, queue_wait = ?, srs_load = ?, synthesis = ?, "
                                      "gpu_compute = ?, total = ?, checksum = ? "
                                      "WHERE job_id = ? AND state = 0"));
    update.bind(0, static_cast<std::int64_t>(result.state))
        .bind(1, finished_at)
        .bind(2, ByteSpan(result.proof))
        .bind(3, static_cast<std::int64_t>(result.failure))
        .bind(4, result.message)
        .bind(5, result.times.queue_wait.count())
        .bind(6, result.times.srs_load.count())
        .bind(7, result.times.synthesis.count())
        .bind(8, result.times.gpu_compute.count())
        .bind(9, result.times.total.count())
        .bind(10, ByteSpan(checksum_of(result, finished_at)))
        .bind(11, result.identity.job_id);
    return update.run();
  }

  /// Of a file in `payload` that no row knows; nothing, with a notice, where there is no whole request of a
  /// job of that name.
  std::optional<RequestOwner> owner_of(const std::string& name) {
    const std::string path = payload_path(name);
    const Result<bool> request = begins_like_request(path);
    Result<RequestOwner> owner =
        request && *request && check_id(name) ? read_owner(path) : Result<RequestOwner>(RequestOwner());
    if (owner && owner->identity.job_id == name) return *std::move(owner);
    if (owner) {
      notices_.push_back({false, "'" + path + "' is not the request of a job of that name" +
                                     (request ? "" : " (" + request.error().message + ")") +
                                     "; it is left alone"});
    } else if (owner.error().code != ErrorCode::kInternal) {
      notices_.push_back({false,
                          "a stored request that journal.db does not know cannot be read, the next start "
                          "tries again: " +
                              owner.error().message});
    } else {
      const Result<std::string> kept = set_aside(name);
      notices_.push_back({true, "a stored request that journal.db does not know is damaged, job '" + name +
                                    "' is lost: " + owner.error().message +
                                    (kept ? *kept : "; " + kept.error().message)});
    }
    return std::nullopt;
  }

  void take_up(const RequestOwner& job) {
    const Result<void> inserted = insert(job);
    notices_.push_back(
        {false,
         "the stored request of job '" + job.identity.job_id + "' (request id '" + job.identity.request_id +
             "') is not in journal.db: " +
             (inserted ? "its acceptance was cut short, or journal.db-wal is gone or damaged; it runs again"
                       : "it cannot be put there, the next start tries again: " + inserted.error().message)});
  }

  /// What is in the place of a job's request goes where nothing removes it. What to say about it; kIo when
  /// that cannot be done now.
  Result<std::string> set_aside(const std::string& job_id) {
    const std::string from = payload_path(job_id);
    const std::string folder = folder_ + "/damaged";
    const std::string to = folder + "/" + job_id;
    if (::access(from.c_str(), F_OK) == 0) {
      if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
        return os_error("journal: cannot make", folder);
      if (::rename(from.c_str(), to.c_str()) != 0) return os_error("journal: cannot set aside as", to);
    } else if (::access(to.c_str(), F_OK) != 0) {
      return std::string();  // not even by an earlier start
    }
    return "; it is kept as '" + to + "'";
  }

  /// Numbers that are in no row this program writes: SQLite's own check knows pages, not their content.
  Result<void> check_rows() {
    CUZK_TRY_ASSIGN(SqlStatement row,
                    database_.prepare("SELECT job_id FROM job WHERE kind NOT BETWEEN 1 AND 4 "
                                      "OR priority NOT BETWEEN 1 AND 4 OR state NOT IN (0, 2, 3, 4) "
                                      "OR failure NOT BETWEEN 0 AND 7 OR length(digest) <> 32 "
                                      "OR attempt NOT BETWEEN 0 AND 4294967295 "
                                      "OR starts NOT BETWEEN 0 AND 4294967295 LIMIT 1"));
    CUZK_TRY_ASSIGN(const bool found, row.step());
    if (!found) return {};
    return io_error("journal '" + folder_ + "/journal.db' is damaged: a number of job '" + row.text(0) +
                    "' is none that it can have");
  }

  /// A second acceptance would replace the payload of the first.
  Result<void> check_absent(const std::string& job_id) {
    const std::lock_guard guard(mutex_);
    CUZK_TRY_ASSIGN(SqlStatement row, database_.prepare("SELECT 1 FROM job WHERE job_id = ?"));
    row.bind(0, job_id);
    CUZK_TRY_ASSIGN(const bool found, row.step());
    if (found) return Error{ErrorCode::kInternal, "journal: job '" + job_id + "' is there already"};
    return {};
  }

  Result<void> insert(const RequestOwner& owner) {
    const JobIdentity& identity = owner.identity;
    const std::lock_guard guard(mutex_);
    CUZK_TRY_ASSIGN(SqlStatement row, database_.prepare("INSERT INTO job (" + std::string(kIdentityColumns) +
                                                        ", accepted_at) VALUES (?, ?, ?, ?, ?, ?, ?)"));
    row.bind(0, identity.job_id)
        .bind(1, identity.request_id)
        .bind(2, static_cast<std::int64_t>(identity.kind))
        .bind(3, ByteSpan(identity.digest))
        .bind(4, static_cast<std::int64_t>(identity.priority))
        .bind(5, static_cast<std::int64_t>(identity.attempt))
        .bind(6, owner.accepted_at);
    return row.run();
  }

  /// There while a process has the database open, and after it when that was killed.
  static constexpr const char* kMark = "/journal.db-in-use";

  const std::string folder_;
  std::vector<std::pair<std::string, std::optional<FileId>>> places_;  // paths and what was there at open
  bool in_use_ = false;  // the database is what it should be: its log goes when it closes
  FolderLock lock_;
  std::mutex mutex_;
  Database database_;  // guarded by mutex_
  /// Jobs whose outcome is beside their request, and when they were finished; guarded by mutex_.
  std::map<std::string, std::int64_t> kept_;
  std::vector<Notice> notices_;  // of open
};

SqliteJournal::SqliteJournal(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SqliteJournal::~SqliteJournal() = default;

Result<std::unique_ptr<SqliteJournal>> SqliteJournal::open(const std::string& folder) {
  std::error_code error;
  fs::create_directories(fs::path(folder).parent_path(), error);
  CUZK_TRY(make_folder(folder));
  CUZK_TRY(make_folder(folder + "/payload"));
  CUZK_TRY_ASSIGN(FolderLock lock, FolderLock::take(folder));
  CUZK_TRY(check_has_database(folder));
  const bool lacks_log = Impl::lacks_log(folder);
  const std::optional<std::uint64_t> broken_log = broken_log_offset(folder + "/journal.db");
  CUZK_TRY_ASSIGN(Database database, Database::open(folder + "/journal.db"));
  auto impl = std::make_unique<Impl>(folder, std::move(lock), std::move(database));
  if (broken_log) impl->note_broken_log(*broken_log);
  if (lacks_log) impl->note_missing_log();
  CUZK_TRY(impl->prepare_tables());
  CUZK_TRY(impl->sweep());
  impl->mark_in_use();
  return std::unique_ptr<SqliteJournal>(new SqliteJournal(std::move(impl)));
}

Result<void> SqliteJournal::check_place() const {
  return impl_->check_place();
}
Result<void> SqliteJournal::accept(const JobIdentity& identity, const ProofRequest& request) {
  return impl_->accept(identity, request);
}
Result<engine::Journal::Place> SqliteJournal::finish(const JobResult& result) {
  return impl_->finish(result);
}
Result<void> SqliteJournal::probe(std::uint64_t request_bytes) {
  return impl_->probe(request_bytes);
}
Result<void> SqliteJournal::forget(const std::string& job_id) {
  return impl_->forget(job_id);
}
Result<void> SqliteJournal::begin(const std::string& job_id) {
  return impl_->begin(job_id);
}
Result<void> SqliteJournal::take_back(const std::vector<std::string>& job_ids) {
  return impl_->take_back(job_ids);
}
const std::vector<SqliteJournal::Notice>& SqliteJournal::notices() const {
  return impl_->notices();
}
Result<engine::Journal::Recovered> SqliteJournal::recover() {
  return impl_->recover();
}
Result<ProofRequest> SqliteJournal::payload(const std::string& job_id) {
  return impl_->payload(job_id);
}

}  // namespace cuzk::journal
