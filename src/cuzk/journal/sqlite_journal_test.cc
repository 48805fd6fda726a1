#include "cuzk/journal/sqlite_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "cuzk/base/random.h"
#include "cuzk/journal/database.h"
#include "cuzk/journal/request_file.h"

namespace cuzk::journal {
namespace {

namespace fs = std::filesystem;
using engine::JobIdentity;
using engine::JobResult;
using engine::JobState;
using Place = engine::Journal::Place;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Journal : public ::testing::Test {
 protected:
  Journal() {
    std::string pattern = (fs::temp_directory_path() / "cuzk-journal-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
  }
  ~Journal() override { fs::remove_all(root_); }

  [[nodiscard]] std::string folder() const { return root_ + "/a/journal"; }
  [[nodiscard]] std::unique_ptr<SqliteJournal> open() const { return SqliteJournal::open(folder()).value(); }
  [[nodiscard]] std::size_t payload_files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder() + "/payload"), fs::directory_iterator()));
  }

  std::string root_;
};

/// A request with something in every member.
ProofRequest request(std::uint64_t seed, std::size_t bytes = 1000) {
  TestRandom random(seed);
  const auto some = [&](std::size_t n) {
    std::vector<std::uint8_t> out(n);
    for (auto& byte : out) byte = static_cast<std::uint8_t>(random.next());
    return out;
  };
  ProofRequest out;
  out.kind = kProofKinds[seed % 4];
  out.sector_size = random.next();
  out.registered_proof = random.next();
  out.vanilla_proof = some(bytes);
  out.vanilla_proofs = {some(10), {}, some(33)};
  out.sector_number = random.next();
  out.miner_id = random.next();
  out.randomness = some(32);
  out.partition_index = 7;
  out.comm_r_old = some(32);
  out.comm_r_new = some(31);
  out.comm_d_new = {};
  return out;
}

/// "R3-7"
template <class I>
std::string numbered(const char* prefix, int first, I second) {
  std::string out = prefix;
  out += std::to_string(first);
  out += '-';
  out += std::to_string(second);
  return out;
}

JobIdentity identity(const std::string& id, const ProofRequest& of) {
  return {.job_id = id,
          .request_id = "porep-1000-\"7\"\n" + id,
          .kind = of.kind,
          .digest = payload_digest(of),
          .priority = engine::Priority::kHigh,
          .attempt = 3};
}

JobResult result(const JobIdentity& of) {
  JobResult out;
  out.identity = of;
  out.state = JobState::kCompleted;
  out.proof.assign(192, 0xab);
  using std::chrono::milliseconds;
  out.times = {milliseconds(1), milliseconds(2), milliseconds(3), milliseconds(4), milliseconds(5)};
  return out;
}

void expect_same(const JobIdentity& a, const JobIdentity& b) {
  EXPECT_EQ(a.job_id, b.job_id);
  EXPECT_EQ(a.request_id, b.request_id);
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.digest, b.digest);
  EXPECT_EQ(a.priority, b.priority);
  EXPECT_EQ(a.attempt, b.attempt);
}

/// A full disk, as a limit of the size of files: while it lives, what would lie beyond cannot be written.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before_), 0);
    const rlimit to{bytes, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &to), 0);
  }
  ~FileLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_{};
};

std::vector<std::uint8_t> file_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A request's file as an earlier version wrote it.
std::string without_owner(const std::string& file, char version) {
  const std::size_t owner = 8 + load_le<std::uint64_t>(byte_span(file).data() + 8) + 32;
  return std::string("cuzkreq") + version + file.substr(8 + owner);
}

/// Requests and results are nobody else's, also where the folder was made by somebody else.
TEST_F(Journal, NobodyElseReadsItsFiles) {
  fs::create_directories(folder());
  fs::permissions(folder(), fs::perms(0755));
  const auto journal = open();
  const auto mode = [&](const char* name) { return fs::status(folder() + name).permissions(); };
  EXPECT_EQ(mode("/journal.db"), fs::perms(0600));
  EXPECT_EQ(mode("/journal.db-wal"), fs::perms(0600));
  EXPECT_EQ(mode("/payload"), fs::perms(0700));
}

TEST_F(Journal, WhatWasAcceptedIsThereAtTheNextStart) {
  const ProofRequest first = request(1);
  const ProofRequest second = request(2);
  {
    const auto journal = open();
    EXPECT_TRUE(journal->recover()->unfinished.empty());
    ASSERT_TRUE(journal->accept(identity("B", first), first));
    ASSERT_TRUE(journal->accept(identity("A", second), second));
  }
  for (std::uint32_t start = 1; start <= 3; ++start) {
    const auto journal = open();
    const auto recovered = journal->recover().value();
    ASSERT_EQ(recovered.unfinished.size(), 2U);
    // In the order of acceptance, with the starts counted of what was begun.
    expect_same(recovered.unfinished[0].identity, identity("B", first));
    expect_same(recovered.unfinished[1].identity, identity("A", second));
    EXPECT_EQ(recovered.unfinished[0].starts, start - 1);
    EXPECT_EQ(recovered.unfinished[1].starts, 0U);
    ASSERT_TRUE(journal->begin("B"));
    EXPECT_TRUE(recovered.finished.empty());
    EXPECT_EQ(payload_digest(journal->payload("B").value()), payload_digest(first));
    EXPECT_EQ(payload_digest(journal->payload("A").value()), payload_digest(second));
  }
}

TEST_F(Journal, AResultStaysAndItsPayloadGoes) {
  const ProofRequest proof = request(1);
  {
    const auto journal = open();
    ASSERT_TRUE(journal->accept(identity("J", proof), proof));
    EXPECT_EQ(payload_files(), 1U);
    ASSERT_TRUE(journal->finish(result(identity("J", proof))));
    EXPECT_EQ(payload_files(), 0U);
    // Once decided, a job stays as it is; and what is not known changes nothing.
    JobResult late = result(identity("J", proof));
    late.state = JobState::kFailed;
    ASSERT_TRUE(journal->finish(late));
    ASSERT_TRUE(journal->finish(result(identity("unknown", proof))));
    EXPECT_FALSE(journal->payload("J"));
  }
  {
    const auto journal = open();
    const auto recovered = journal->recover().value();
    EXPECT_TRUE(recovered.unfinished.empty());
    ASSERT_EQ(recovered.finished.size(), 1U);
    const JobResult& kept = *recovered.finished[0].result;
    const JobResult expected = result(identity("J", proof));
    expect_same(kept.identity, expected.identity);
    EXPECT_EQ(kept.state, JobState::kCompleted);
    EXPECT_EQ(kept.proof, expected.proof);
    EXPECT_EQ(kept.times.queue_wait, expected.times.queue_wait);
    EXPECT_EQ(kept.times.srs_load, expected.times.srs_load);
    EXPECT_EQ(kept.times.synthesis, expected.times.synthesis);
    EXPECT_EQ(kept.times.gpu_compute, expected.times.gpu_compute);
    EXPECT_EQ(kept.times.total, expected.times.total);
    EXPECT_LT(recovered.finished[0].age, std::chrono::seconds(60));
    ASSERT_TRUE(journal->forget("J"));
    ASSERT_TRUE(journal->forget("J"));
  }
  EXPECT_TRUE(open()->recover()->finished.empty());
}

TEST_F(Journal, AFailureKeepsItsClassAndWords) {
  const ProofRequest proof = request(4);
  JobResult failed = result(identity("J", proof));
  failed.state = JobState::kFailed;
  failed.proof = {};
  failed.failure = engine::FailureClass::kDevice;
  failed.message = "DEVICE: gone";
  {
    const auto journal = open();
    ASSERT_TRUE(journal->accept(identity("J", proof), proof));
    ASSERT_TRUE(journal->finish(failed));
  }
  const auto recovered = open()->recover().value();
  ASSERT_EQ(recovered.finished.size(), 1U);
  EXPECT_EQ(recovered.finished[0].result->state, JobState::kFailed);
  EXPECT_EQ(recovered.finished[0].result->failure, engine::FailureClass::kDevice);
  EXPECT_EQ(recovered.finished[0].result->message, "DEVICE: gone");
  EXPECT_TRUE(recovered.finished[0].result->proof.empty());
}

TEST_F(Journal, OneProcessAtATime) {
  const auto journal = open();
  const auto second = SqliteJournal::open(folder());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kIo);
  EXPECT_THAT(second.error().message, HasSubstr("another process uses"));
  // Whatever somebody removed from the folder, or however it is called now.
  for (const fs::directory_entry& entry : fs::directory_iterator(folder())) fs::remove_all(entry.path());
  EXPECT_FALSE(SqliteJournal::open(folder()));
  fs::rename(folder(), folder() + "-moved");
  EXPECT_FALSE(SqliteJournal::open(folder() + "-moved"));
}

/// What lies in its place may be what another process uses, or what nobody finds again.
TEST_F(Journal, AFolderThatWasMovedStoresNothingUntilItIsBack) {
  const ProofRequest proof = request(1);
  const auto journal = open();
  ASSERT_TRUE(journal->accept(identity("A", proof), proof));
  ASSERT_TRUE(journal->check_place());
  const std::string away = folder() + "-moved";
  const auto expect_refused = [&](const char* why) {
    EXPECT_THAT(journal->check_place().error().message, HasSubstr(why));
    EXPECT_THAT(journal->accept(identity("B", proof), proof).error().message, HasSubstr(why));
    EXPECT_THAT(journal->finish(result(identity("A", proof))).error().message, HasSubstr(why));
    EXPECT_THAT(journal->probe(0).error().message, HasSubstr(why));
    EXPECT_EQ(journal->payload("A").error().code, ErrorCode::kIo) << "not lost for good";
  };
  fs::rename(folder(), away);
  expect_refused("moved or removed");
  fs::create_directories(folder() + "/payload");
  expect_refused("replaced");
  fs::remove_all(folder());
  fs::rename(away, folder());
  fs::rename(folder() + "/payload", away);
  expect_refused("/payload' was moved or removed");
  fs::rename(away, folder() + "/payload");
  EXPECT_TRUE(journal->check_place());
  EXPECT_TRUE(journal->payload("A"));
  EXPECT_EQ(journal->finish(result(identity("A", proof))).value(), Place::kStored);
}

/// In the first life of a journal and in a later one.
TEST_F(Journal, NothingIsStoredIntoALogThatIsGone) {
  const ProofRequest proof = request(1);
  const std::string log = folder() + "/journal.db-wal";
  for (const std::string life : {"1", "2"}) {
    {
      const auto journal = open();
      EXPECT_TRUE(journal->notices().empty());
      ASSERT_TRUE(journal->accept(identity("A" + life, proof), proof));
      ASSERT_TRUE(journal->finish(result(identity("A" + life, proof))));
      ASSERT_TRUE(journal->accept(identity("B" + life, proof), proof));
      ASSERT_TRUE(fs::remove(log));
      EXPECT_THAT(journal->check_place().error().message, HasSubstr("journal.db-wal' was moved or removed"));
      EXPECT_FALSE(journal->accept(identity("C" + life, proof), proof));
      EXPECT_FALSE(journal->finish(result(identity("B" + life, proof))));
    }
    // A stop in good order brings what was stored into journal.db.
    const auto journal = open();
    EXPECT_TRUE(journal->notices().empty());
    const auto recovered = journal->recover().value();
    EXPECT_EQ(recovered.unfinished.size(), 1U);
    EXPECT_EQ(recovered.finished.size(), life == "1" ? 1U : 2U);
    ASSERT_TRUE(journal->finish(result(identity("B" + life, proof))));
    ASSERT_TRUE(journal->forget("B" + life));
  }
}

/// No request is there that would tell.
TEST_F(Journal, AStartWithoutTheLogOfAKilledProcessSaysSo) {
  const ProofRequest proof = request(1);
  for (const int lives : {0, 1}) {
    fs::remove_all(folder());
    for (int i = 0; i < lives; ++i) (void)open();
    const auto killed = [&](bool finishes) {
      const pid_t child = ::fork();
      if (child == 0) {
        const auto journal = open();
        if (finishes &&
            !(journal->accept(identity("A", proof), proof) && journal->finish(result(identity("A", proof)))))
          ::_exit(1);
        ::kill(::getpid(), SIGKILL);
      }
      int status = 0;
      ::waitpid(child, &status, 0);
      return WIFSIGNALED(status);
    };
    ASSERT_TRUE(killed(false));
    EXPECT_TRUE(open()->notices().empty()) << "its log is there";
    ASSERT_TRUE(killed(true));
    ASSERT_TRUE(fs::remove(folder() + "/journal.db-wal"));
    {
      const auto journal = open();
      EXPECT_TRUE(journal->recover()->finished.empty());
      ASSERT_EQ(journal->notices().size(), 1U);
      EXPECT_TRUE(journal->notices()[0].damage);
      EXPECT_THAT(journal->notices()[0].text, HasSubstr("may be lost"));
    }
    EXPECT_TRUE(open()->notices().empty()) << "said once";
  }
}

TEST_F(Journal, AFileInThePlaceOfAFolderIsRefused) {
  fs::create_directories(folder());
  std::ofstream(folder() + "/payload") << "no folder";
  const auto journal = SqliteJournal::open(folder());
  ASSERT_FALSE(journal);
  EXPECT_THAT(journal.error().message, HasSubstr("/payload' is there and is no folder"));
}

TEST_F(Journal, AnIdThatIsNoFileNameIsRefused) {
  const ProofRequest proof = request(1);
  const auto journal = open();
  for (const char* id : {"", "..", "../x", "a/b", "a b"})
    EXPECT_FALSE(journal->accept(identity(id, proof), proof)) << id;
  ASSERT_TRUE(journal->accept(identity("J", proof), proof));
  // A job is accepted once; the second attempt leaves the first one's payload alone.
  EXPECT_FALSE(journal->accept(identity("J", proof), proof));
  EXPECT_TRUE(journal->payload("J"));
}

TEST_F(Journal, ADamagedPayloadIsNoticed) {
  const ProofRequest proof = request(1);
  const auto journal = open();
  ASSERT_TRUE(journal->accept(identity("J", proof), proof));
  const std::string path = folder() + "/payload/J";
  const auto size = fs::file_size(path) - kOutcomeRoom;
  TestRandom random(9);
  for (int round = 0; round < 200; ++round) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    const auto at = static_cast<std::streamoff>(random.next() % size);
    file.seekg(at);
    const char before = static_cast<char>(file.get());
    file.seekp(at);
    file.put(static_cast<char>(before ^ static_cast<char>(1 << random.next() % 8)));
    file.close();
    const auto damaged = journal->payload("J");
    ASSERT_FALSE(damaged) << "byte " << at;
    EXPECT_EQ(damaged.error().code, ErrorCode::kInternal);
    fs::rename(folder() + "/damaged/J", path);
    std::fstream back(path, std::ios::in | std::ios::out | std::ios::binary);
    back.seekp(at);
    back.put(before);
  }
  EXPECT_TRUE(journal->payload("J"));
  for (const std::uintmax_t shorter : {size - 1, size / 2, std::uintmax_t{9}, std::uintmax_t{0}}) {
    fs::resize_file(path, shorter);
    EXPECT_EQ(journal->payload("J").error().code, ErrorCode::kInternal) << shorter;
    fs::rename(folder() + "/damaged/J", path);
  }
  // What cannot be read is not damaged: another time it may be.
  fs::remove(path);
  fs::create_directory(path);
  EXPECT_EQ(journal->payload("J").error().code, ErrorCode::kIo);
  EXPECT_TRUE(fs::is_directory(path));
}

TEST_F(Journal, ADamagedPayloadIsKeptAsEvidence) {
  const ProofRequest proof = request(1);
  const std::string content(1000, 'x');
  {
    const auto journal = open();
    ASSERT_TRUE(journal->accept(identity("J", proof), proof));
    ASSERT_TRUE(journal->accept(identity("K", proof), proof));
    std::ofstream(folder() + "/payload/J", std::ios::binary) << content;
    fs::remove(folder() + "/payload/K");
    EXPECT_THAT(journal->payload("J").error().message,
                AllOf(HasSubstr("broken at offset"), HasSubstr("kept as '" + folder() + "/damaged/J'")));
    EXPECT_THAT(journal->payload("K").error().message,
                AllOf(HasSubstr("is missing"), Not(HasSubstr("kept"))));
  }
  // A process that ended before the outcome was stored asks again, and the words still lead to the evidence.
  const auto journal = open();
  EXPECT_THAT(journal->payload("J").error().message, HasSubstr("kept as"));
  JobResult failed = result(identity("J", proof));
  failed.state = JobState::kFailed;
  ASSERT_TRUE(journal->finish(failed));
  ASSERT_TRUE(journal->forget("J"));
  std::ifstream kept(folder() + "/damaged/J", std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(kept), {}), content);
}

TEST_F(Journal, WhatACrashLeavesIsSweptAway) {
  const ProofRequest proof = request(1);
  std::string finished;
  {
    const auto journal = open();
    ASSERT_TRUE(journal->accept(identity("J", proof), proof));
    ASSERT_TRUE(journal->accept(identity("F", proof), proof));
    finished = content(folder() + "/payload/F");
    ASSERT_TRUE(journal->finish(result(identity("F", proof))));
    std::ofstream(folder() + "/payload/K.tmp.0123456789abcdef") << "half";
    std::ofstream(folder() + "/payload/probe.tmp.0");
  }
  std::ofstream(folder() + "/payload/F", std::ios::binary) << finished;  // its row says that it is done
  const auto journal = open();
  EXPECT_EQ(payload_files(), 1U);
  EXPECT_TRUE(journal->payload("J"));
  EXPECT_TRUE(journal->notices().empty());
  EXPECT_EQ(journal->recover()->unfinished.size(), 1U);
}

/// The log of a process that was killed, gone or damaged: SQLite goes on with what is before it.
TEST_F(Journal, RequestsThatTheDatabaseDoesNotKnowAreTakenUp) {
  const ProofRequest proof = request(1);
  const ProofRequest other = request(2);
  JobResult cancelled = result(identity("X-0001", other));
  cancelled.state = JobState::kCancelled;
  cancelled.proof.clear();
  int round = 0;
  for (const bool gone : {true, false}) {
    const std::string prefix = gone ? "G" : "D";
    (void)open();  // its tables are in journal.db
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const auto journal = open();
      bool good = journal->accept(identity(prefix + "9", other), other).has_value() &&
                  journal->accept(identity(prefix + "10", proof), proof).has_value() &&
                  journal->accept(identity("F" + prefix, proof), proof).has_value() &&
                  journal->finish(result(identity("F" + prefix, proof))).has_value() &&
                  journal->accept(identity("X-0001", other), other).has_value();
      {
        const FileLimit limit(12 << 10);
        good = good && journal->finish(cancelled).value() == Place::kElsewhere;
      }
      if (!good) ::_exit(1);
      ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    const std::string log = folder() + "/journal.db-wal";
    ASSERT_GT(fs::file_size(log), 8192U);
    if (gone) {
      fs::remove(log);
    } else {
      std::fstream(log, std::ios::binary | std::ios::in | std::ios::out).seekp(1000) << std::string(100, 'x');
    }

    const auto journal = open();
    const auto recovered = journal->recover().value();
    ASSERT_EQ(recovered.unfinished.size(), 2U);
    // In the order of acceptance, within a second by the count in the id.
    expect_same(recovered.unfinished[0].identity, identity(prefix + "9", other));
    expect_same(recovered.unfinished[1].identity, identity(prefix + "10", proof));
    EXPECT_EQ(payload_digest(journal->payload(prefix + "10").value()), payload_digest(proof));
    ASSERT_EQ(recovered.finished.size(), static_cast<std::size_t>(1 + 2 * round))
        << "whose outcome is beside the request, and those of the round before";
    EXPECT_EQ(recovered.finished.back().result->state, JobState::kCancelled);
    auto notices = journal->notices();
    ASSERT_FALSE(notices.empty());
    EXPECT_TRUE(notices[0].damage);
    EXPECT_THAT(notices[0].text, HasSubstr(gone ? "journal.db-wal' is gone or empty"
                                                : "journal.db-wal' may be damaged at offset 32"));
    notices.erase(notices.begin());
    ASSERT_EQ(notices.size(), 3U);
    EXPECT_FALSE(notices[0].damage);
    EXPECT_THAT(notices[0].text, AllOf(HasSubstr("job '" + prefix + "9'"), HasSubstr("it runs again")));
    // Proved once more, and that is all.
    for (const auto& job : recovered.unfinished) {
      ASSERT_TRUE(journal->finish(result(job.identity)));
    }
    EXPECT_EQ(payload_files(), 0U);
    ASSERT_TRUE(journal->forget("X-0001"));
    ++round;
  }
  {
    const auto journal = open();
    for (const char* id : {"G9", "G10", "D9", "D10"}) ASSERT_TRUE(journal->forget(id));
  }
  const auto recovered = open()->recover().value();
  EXPECT_TRUE(recovered.unfinished.empty());
  EXPECT_TRUE(recovered.finished.empty());
}

/// Logs as a kill leaves them: of one round and of several, whole, torn at the end and damaged.
TEST_F(Journal, ADamagedLogIsFound) {
  fs::create_directories(folder());
  const std::string path = folder() + "/x.db";
  for (const int rows : {20, 1500}) {  // a round has about 1,000 pages
    auto database = Database::open(path).value();
    database.trust();
    ASSERT_TRUE(database.execute("DROP TABLE IF EXISTS t; CREATE TABLE t (x)"));
    EXPECT_FALSE(broken_log_offset(path));
    ASSERT_TRUE(database.execute("PRAGMA synchronous = OFF"));
    for (int i = 0; i < rows; ++i) ASSERT_TRUE(database.execute("INSERT INTO t VALUES (randomblob(100))"));
    EXPECT_FALSE(broken_log_offset(path)) << rows;
    const std::string copy = folder() + "/" + std::to_string(rows);
    const std::string whole = content(path + "-wal");
    const auto with = [&](std::size_t offset) {
      std::string bytes = whole;
      bytes[offset] ^= 1;
      std::ofstream(copy + "-wal", std::ios::binary) << bytes;
      return broken_log_offset(copy);
    };
    EXPECT_EQ(with(20), 0U) << "its head";
    EXPECT_EQ(with(32 + 4120 * 3 + 1000), 32U + 4120 * 3) << rows;
    EXPECT_EQ(with(32 + 4120 * 3 + 17), 32U + 4120 * 3) << rows;
    if (rows == 20) {
      EXPECT_FALSE(with(whole.size() - 1)) << "the last commit";
    }
  }
}

TEST_F(Journal, WhatIsNoRequestOfAJobIsKept) {
  const ProofRequest proof = request(1);
  const std::string payload = folder() + "/payload/";
  std::string whole;
  {
    const auto journal = open();
    ASSERT_TRUE(journal->accept(identity("J", proof), proof));
    whole = content(payload + "J");
  }
  const auto put = [&](const char* name, const std::string& bytes) {
    std::ofstream(payload + name, std::ios::binary) << bytes;
  };
  // Damaged: in the request, in whose it is, cut, of a version that does not say whose.
  std::string bytes = whole;
  bytes[400] ^= 1;
  put("changed", bytes);
  bytes = whole;
  bytes[20] ^= 1;
  put("owner", bytes);
  put("cut", whole.substr(0, whole.size() / 2));
  put("version2", without_owner(whole, '2'));
  // Nobody's.
  put("foo", "something");
  put("J.bak", whole);
  put("copy", whole);
  put("a.tmp.b c", "half");
  fs::create_directory(payload + "bar");
  fs::create_symlink("nowhere", payload + "link");
  const auto journal = open();
  const auto recovered = journal->recover().value();
  ASSERT_EQ(recovered.unfinished.size(), 1U);
  EXPECT_EQ(recovered.unfinished[0].identity.job_id, "J");
  EXPECT_EQ(payload_files(), 7U);
  EXPECT_EQ(content(payload + "foo"), "something");
  ASSERT_EQ(journal->notices().size(), 10U);
  std::size_t damaged = 0;
  for (const SqliteJournal::Notice& notice : journal->notices()) {
    if (!notice.damage) {
      EXPECT_THAT(notice.text, HasSubstr("it is left alone"));
      continue;
    }
    ++damaged;
    EXPECT_THAT(notice.text, HasSubstr("it is kept as '" + folder() + "/damaged/"));
    if (notice.text.find("'version2'") != std::string::npos) {
      EXPECT_THAT(notice.text, HasSubstr("an earlier version wrote it"));
    }
  }
  EXPECT_EQ(damaged, 4U);
  EXPECT_EQ(content(folder() + "/damaged/cut"), whole.substr(0, whole.size() / 2));
}

/// Else the next start would take the request up, and the one after the next once more.
TEST_F(Journal, AJobIsForgottenOnlyWhenItsRequestIsGone) {
  const ProofRequest proof = request(1);
  const auto journal = open();
  ASSERT_TRUE(journal->accept(identity("J", proof), proof));
  fs::remove(folder() + "/payload/J");
  fs::create_directory(folder() + "/payload/J");  // which cannot be removed as a file
  ASSERT_TRUE(journal->finish(result(identity("J", proof))));
  EXPECT_FALSE(journal->forget("J"));
  EXPECT_EQ(journal->recover()->finished.size(), 1U);
  fs::remove(folder() + "/payload/J");
  EXPECT_TRUE(journal->forget("J"));
  EXPECT_TRUE(journal->recover()->finished.empty());
  // Unfinished, as an attempt that the next one replaces.
  ASSERT_TRUE(journal->accept(identity("J", proof), proof));
  EXPECT_TRUE(journal->forget("J"));
  EXPECT_EQ(payload_files(), 0U);
  EXPECT_TRUE(journal->recover()->unfinished.empty());
}

TEST_F(Journal, StartsAreTakenBack) {
  const ProofRequest proof = request(1);
  const auto journal = open();
  for (const char* id : {"A", "B", "C"}) ASSERT_TRUE(journal->accept(identity(id, proof), proof));
  for (const char* id : {"A", "A", "B"}) ASSERT_TRUE(journal->begin(id));
  ASSERT_TRUE(journal->take_back({"A", "C", "unknown"}));
  const auto recovered = journal->recover().value();
  ASSERT_EQ(recovered.unfinished.size(), 3U);
  EXPECT_EQ(recovered.unfinished[0].starts, 1U);
  EXPECT_EQ(recovered.unfinished[1].starts, 1U);
  EXPECT_EQ(recovered.unfinished[2].starts, 0U);
}

TEST_F(Journal, AStoredResultThatWasChangedIsNoResult) {
  const ProofRequest proof = request(1);
  const JobResult stored = result(identity("J", proof));
  {
    const auto journal = open();
    ASSERT_TRUE(journal->accept(identity("J", proof), proof));
    ASSERT_TRUE(journal->finish(stored));
  }
  const auto change = [&](const std::string& sql) {
    auto database = Database::open(folder() + "/journal.db").value();
    ASSERT_TRUE(database.execute(sql)) << sql;
    database.trust();
  };
  const auto recovered = [&] { return open()->recover().value().finished.at(0).result; };
  EXPECT_EQ(recovered()->proof, stored.proof);
  change("CREATE TABLE kept AS SELECT * FROM job");
  for (const char* set :
       {"proof = zeroblob(length(proof))", "proof = x''", "state = 4", "message = 'x'", "total = total + 1",
        "finished_at = finished_at + 256", "checksum = zeroblob(32)", "checksum = x'00'"}) {
    change("UPDATE job SET " + std::string(set));
    const auto damaged = recovered();
    EXPECT_EQ(damaged->state, JobState::kFailed) << set;
    EXPECT_EQ(damaged->failure, engine::FailureClass::kInternal) << set;
    EXPECT_THAT(damaged->message, HasSubstr("INTERNAL: the stored result is damaged")) << set;
    EXPECT_TRUE(damaged->proof.empty()) << set;
    expect_same(damaged->identity, stored.identity);
    change("DELETE FROM job; INSERT INTO job SELECT * FROM kept");
  }
  // What the program before this one wrote has no checksum and is taken as it is.
  change("DROP TABLE kept; ALTER TABLE job DROP COLUMN checksum; PRAGMA user_version = 1");
  EXPECT_EQ(recovered()->proof, stored.proof);
  EXPECT_EQ(recovered()->proof, stored.proof);
}

TEST_F(Journal, TheDatabaseOfALaterVersionIsRefused) {
  (void)open();
  {
    auto database = Database::open(folder() + "/journal.db").value();
    ASSERT_TRUE(database.execute("PRAGMA user_version = 99"));
  }
  EXPECT_THAT(SqliteJournal::open(folder()).error().message, HasSubstr("later version"));
  EXPECT_FALSE(SqliteJournal::open("/proc/nowhere"));
}

/// A database that is not what it was is refused, and everything in the folder stays as it is found.
TEST_F(Journal, ADamagedDatabaseIsRefusedAndLeftAsItIs) {
  const ProofRequest proof = request(1);
  {
    const auto journal = open();
    for (int i = 0; i < 50; ++i) {
      const JobIdentity id = identity(numbered("J", 0, i), proof);
      ASSERT_TRUE(journal->accept(id, proof));
      if (i != 0) {
        ASSERT_TRUE(journal->finish(result(id)));
      }
    }
  }
  const std::string path = folder() + "/journal.db";
  const std::string whole = content(path);
  ASSERT_GT(whole.size(), 8 * 4096U);
  const auto refused = [&](const char* what, const std::string& bytes, const char* words) {
    std::ofstream(path, std::ios::binary) << bytes;
    const auto opened = SqliteJournal::open(folder());
    ASSERT_FALSE(opened) << what;
    EXPECT_EQ(opened.error().code, ErrorCode::kIo) << what;
    EXPECT_THAT(opened.error().message, AllOf(HasSubstr(path), HasSubstr(words))) << what;
    EXPECT_EQ(content(path), bytes) << what;
    EXPECT_EQ(payload_files(), 1U) << what;
  };
  refused("no database", std::string(8192, 'x'), "not a database");
  refused("the first page", std::string(4096, '\0') + whole.substr(4096), "not a database");
  refused("the second half is gone", whole.substr(0, whole.size() / 8192 * 4096), "malformed");
  refused("all but the first page", whole.substr(0, 4096) + std::string(whole.size() - 4096, '\0'), "");
  refused("empty", "", "missing or empty, but there are stored requests");
  fs::remove(path);
  EXPECT_THAT(SqliteJournal::open(folder()).error().message, HasSubstr("missing or empty"));
  EXPECT_FALSE(fs::exists(path));

  // An index that says other than its table: a request would look like one that nobody needs.
  std::ofstream(path, std::ios::binary) << whole;
  {
    auto database = Database::open(path).value();
    ASSERT_TRUE(database.execute(
        "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'job_by_state'"));
    database.trust();
  }
  EXPECT_FALSE(SqliteJournal::open(folder()));

  // A number that no row can have.
  for (const char* change : {"kind = 9", "priority = 0", "state = 1", "failure = 99", "digest = x'00'"}) {
    std::ofstream(path, std::ios::binary) << whole;
    {
      auto database = Database::open(path).value();
      ASSERT_TRUE(database.execute("UPDATE job SET " + std::string(change) + " WHERE seq = 5"));
      database.trust();
    }
    refused(change, content(path), "a number of job 'J0-4'");
  }
  // A log whose database is gone.
  fs::remove(folder() + "/payload/J0-0");
  fs::remove(path);
  std::ofstream(path + "-wal", std::ios::binary) << "transactions";
  EXPECT_THAT(SqliteJournal::open(folder()).error().message, HasSubstr("journal.db-wal"));
  EXPECT_EQ(content(path + "-wal"), "transactions");

  fs::remove(path + "-wal");
  std::ofstream(path, std::ios::binary) << whole;
  EXPECT_EQ(open()->recover()->finished.size(), 49U);
}

/// A full disk: nothing half stored, nothing stored before lost, and it goes
/// on when there is room.
TEST_F(Journal, AFullDiskLosesNothing) {
  const ProofRequest small = request(1);
  const ProofRequest large = request(2, 3 << 20);
  const auto journal = open();
  ASSERT_TRUE(journal->accept(identity("S", small), small));
  {
    const FileLimit limit(1 << 20);  // no room for the payload
    EXPECT_FALSE(journal->accept(identity("L", large), large));
    EXPECT_FALSE(journal->probe(3 << 20));
    EXPECT_TRUE(journal->probe(1 << 10));
  }
  std::optional<FileLimit> limit(std::in_place, 2048);  // none for the row, nor for a result in the database
  const Result<void> no_row = journal->accept(identity("M", small), small);
  const auto no_result = journal->finish(result(identity("S", small)));
  const Result<void> no_room = journal->probe(0);
  limit.reset();
  EXPECT_FALSE(no_room);
  EXPECT_TRUE(journal->probe(3 << 20));
  ASSERT_FALSE(no_row);
  EXPECT_EQ(no_row.error().code, ErrorCode::kIo);
  EXPECT_EQ(no_result.value(), Place::kElsewhere);
  EXPECT_EQ(payload_files(), 1U);
  EXPECT_TRUE(journal->payload("S"));

  ASSERT_TRUE(journal->accept(identity("L", large), large));
  ASSERT_EQ(journal->finish(result(identity("S", small))).value(), Place::kStored);
  const auto recovered = journal->recover().value();
  ASSERT_EQ(recovered.unfinished.size(), 1U);
  EXPECT_EQ(recovered.unfinished[0].identity.job_id, "L");
  EXPECT_EQ(recovered.finished.size(), 1U);
}

/// A result that the database had no room for is beside its request, whenever the process ends.
TEST_F(Journal, AFullDiskKeepsWhatWasReported) {
  const ProofRequest proof = request(1);
  JobResult completed = result(identity("C", proof));
  completed.message = std::string(2047, 'm') + "\u00e9";  // would be cut within the last character
  JobResult cancelled = result(identity("X", proof));
  cancelled.state = JobState::kCancelled;
  cancelled.proof.clear();
  {
    const auto journal = open();
    for (const char* id : {"C", "X", "W"}) ASSERT_TRUE(journal->accept(identity(id, proof), proof));
    const FileLimit limit(12 << 10);  // the files of requests are smaller, the database's log is not
    EXPECT_EQ(journal->finish(completed).value(), Place::kElsewhere);
    EXPECT_EQ(journal->finish(cancelled).value(), Place::kElsewhere);
    EXPECT_FALSE(journal->accept(identity("N", proof), proof));
    EXPECT_EQ(journal->finish(cancelled).value(), Place::kElsewhere) << "tried again";
  }
  // A write that a kill cut short is no outcome.
  std::vector<std::uint8_t> bytes = file_bytes(folder() + "/payload/X");
  const std::string whole(bytes.begin(), bytes.end());
  std::string cut = whole;
  cut.replace(cut.size() - kOutcomeRoom + 100, kOutcomeRoom - 100, kOutcomeRoom - 100, '\0');
  std::ofstream(folder() + "/payload/X", std::ios::binary) << cut;
  {
    const auto journal = open();
    const auto recovered = journal->recover().value();
    ASSERT_EQ(recovered.unfinished.size(), 2U);
    EXPECT_EQ(recovered.unfinished[0].identity.job_id, "X");
    EXPECT_TRUE(journal->payload("X")) << "the request beside it is whole";
    ASSERT_EQ(recovered.finished.size(), 1U);
    EXPECT_EQ(recovered.finished[0].result->message, std::string(2047, 'm'));
    EXPECT_EQ(recovered.finished[0].result->proof, completed.proof);
    EXPECT_EQ(recovered.finished[0].result->times.total, completed.times.total);
    expect_same(recovered.finished[0].result->identity, completed.identity);
  }
  std::ofstream(folder() + "/payload/X", std::ios::binary) << whole;
  {
    // A start without room knows it, and says that it is not where it belongs.
    const auto journal = open();
    std::optional<FileLimit> limit(std::in_place, 1);
    const auto recovered = journal->recover().value();
    ASSERT_EQ(recovered.finished.size(), 2U);
    EXPECT_EQ(recovered.finished[0].place, Place::kStored);
    EXPECT_EQ(recovered.finished[1].place, Place::kElsewhere);
    EXPECT_EQ(journal->finish(cancelled).value(), Place::kElsewhere);
    // It goes into the database as soon as there is room, here or with a later start.
    limit.reset();
    EXPECT_EQ(journal->finish(cancelled).value(), Place::kStored);
  }
  EXPECT_EQ(payload_files(), 1U);
  const auto journal = open();
  const auto recovered = journal->recover().value();
  ASSERT_EQ(recovered.finished.size(), 2U);
  EXPECT_EQ(recovered.finished[1].result->state, JobState::kCancelled);
  ASSERT_EQ(recovered.unfinished.size(), 1U);
  EXPECT_EQ(payload_files(), 1U);
}

/// As earlier versions wrote them.
TEST_F(Journal, ARequestWithoutRoomIsReadAndLeftAlone) {
  const ProofRequest proof = request(1);
  const auto journal = open();
  ASSERT_TRUE(journal->accept(identity("A", proof), proof));
  const std::string path = folder() + "/payload/A";
  const std::string old = without_owner(content(path), '1');
  std::ofstream(path, std::ios::binary) << old.substr(0, old.size() - kOutcomeRoom);
  {
    const FileLimit limit(12 << 10);
    EXPECT_FALSE(journal->finish(result(identity("A", proof))));
  }
  EXPECT_TRUE(journal->payload("A"));
  EXPECT_EQ(journal->recover()->unfinished.size(), 1U);
}

TEST_F(Journal, ThreadsAcceptAndFinishAtTheSameTime) {
  const auto journal = open();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 8; ++i) {
        const ProofRequest proof = request(static_cast<std::uint64_t>(100 * t + i));
        const JobIdentity id = identity(numbered("T", t, i), proof);
        EXPECT_TRUE(journal->accept(id, proof));
        if (i % 2 == 0) {
          EXPECT_TRUE(journal->finish(result(id)));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto recovered = journal->recover().value();
  EXPECT_EQ(recovered.unfinished.size(), 16U);
  EXPECT_EQ(recovered.finished.size(), 16U);
  EXPECT_EQ(payload_files(), 16U);
}

/// A process that is killed (SIGKILL) while it accepts and finishes: every job whose accept had returned is
/// there, every result whose finish had returned is too.
TEST_F(Journal, NothingIsLostToAKill) {
  TestRandom random(77);
  std::size_t accepted = 0;
  std::size_t finished = 0;
  for (int round = 0; round < 10; ++round) {
    int pipe_ends[2];
    ASSERT_EQ(::pipe(pipe_ends), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const auto journal = open();
      for (std::uint64_t i = 0;; ++i) {
        const ProofRequest proof = request(i, 20'000);
        const JobIdentity id = identity(numbered("R", round, i), proof);
        char said = 'a';
        if (!journal->accept(id, proof) || ::write(pipe_ends[1], &said, 1) != 1) ::_exit(1);
        if (i % 3 != 0) continue;
        said = 'f';
        if (!journal->finish(result(id)) || ::write(pipe_ends[1], &said, 1) != 1) ::_exit(1);
      }
    }
    ::close(pipe_ends[1]);
    char said = 0;
    // Once it works, at a random moment.
    ASSERT_EQ(::read(pipe_ends[0], &said, 1), 1);
    accepted += said == 'a';
    ::usleep(static_cast<useconds_t>(random.next() % 40'000));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
    while (::read(pipe_ends[0], &said, 1) == 1) {
      accepted += said == 'a';
      finished += said == 'f';
    }
    ::close(pipe_ends[0]);

    const auto journal = open();
    const auto recovered = journal->recover().value();
    EXPECT_GE(recovered.unfinished.size() + recovered.finished.size(), accepted);
    EXPECT_GE(recovered.finished.size(), finished);
    // The one that was on its way may be there or not; count on with what is there.
    EXPECT_LE(recovered.unfinished.size() + recovered.finished.size(), accepted + 1);
    accepted = recovered.unfinished.size() + recovered.finished.size();
    finished = recovered.finished.size();
    for (const auto& job : recovered.unfinished) EXPECT_TRUE(journal->payload(job.identity.job_id));
    EXPECT_EQ(payload_files(), recovered.unfinished.size());
  }
}

}  // namespace
}  // namespace cuzk::journal
