#include "cuzk/journal/request_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "cuzk/base/file_sink.h"
#include "cuzk/base/positioned_file.h"
#include "cuzk/hash/sha256.h"

namespace cuzk::journal {
namespace {

constexpr std::string_view kAnyMagic = "cuzkreq";
constexpr std::string_view kMagic = "cuzkreq3";
constexpr std::string_view kMagicWithoutOwner = "cuzkreq2";
constexpr std::string_view kMagicWithoutRoom = "cuzkreq1";
constexpr std::string_view kOutcomeMagic = "cuzkout1";
constexpr std::size_t kMostMessage = 2048;
/// More than a request of the largest message can have.
constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 30;

class Writer {
 public:
  explicit Writer(FileSink& sink) : sink_(sink) {}
  Result<void> number(std::uint64_t value) {
    std::array<std::uint8_t, 8> bytes;
    store_le(bytes.data(), value);
    return sink_.write(bytes);
  }
  Result<void> bytes(ByteSpan value) {
    CUZK_TRY(number(value.size()));
    return sink_.write(value);
  }

 private:
  FileSink& sink_;
};

/// A part of a file that has a checksum: numbers and bytes as Writer has them, collected.
class Record {
 public:
  template <class Number>
  void number(Number value) {
    bytes_.resize(bytes_.size() + 8);
    store_le(bytes_.data() + bytes_.size() - 8, static_cast<std::uint64_t>(value));
  }
  void bytes(ByteSpan value) {
    number(value.size());
    bytes_.insert(bytes_.end(), value.begin(), value.end());
  }
  [[nodiscard]] std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
};

class Reader {
 public:
  explicit Reader(ByteSpan file) : file_(file) {}

  Result<ByteSpan> take(std::uint64_t count) {
    if (count > file_.size() - at_) return broken();
    const ByteSpan out = file_.subspan(at_, count);
    at_ += count;
    return out;
  }
  Result<std::uint64_t> number() {
    CUZK_TRY_ASSIGN(const ByteSpan bytes, take(8));
    return load_le<std::uint64_t>(bytes.data());
  }
  Result<std::vector<std::uint8_t>> bytes() {
    CUZK_TRY_ASSIGN(const std::uint64_t count, number());
    CUZK_TRY_ASSIGN(const ByteSpan bytes, take(count));
    return std::vector<std::uint8_t>(bytes.begin(), bytes.end());
  }
  [[nodiscard]] std::size_t left() const { return file_.size() - at_; }
  [[nodiscard]] Error broken() const {
    return {ErrorCode::kInternal, "no stored request: broken at offset " + std::to_string(at_)};
  }

 private:
  ByteSpan file_;
  std::size_t at_ = 0;
};

bool same(ByteSpan a, ByteSpan b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}
bool same(ByteSpan bytes, std::string_view text) {
  return same(bytes, byte_span(text));
}

bool has_outcome_room(ByteSpan magic) {
  return same(magic, kMagic) || same(magic, kMagicWithoutOwner);
}

Result<void> write_owner(FileSink& sink, const RequestOwner& owner) {
  const engine::JobIdentity& identity = owner.identity;
  Record out;
  out.bytes(byte_span(identity.job_id));
  out.bytes(byte_span(identity.request_id));
  out.bytes(identity.digest);
  out.number(identity.priority);
  out.number(identity.attempt);
  out.number(owner.accepted_at);
  const std::vector<std::uint8_t> record = out.take();
  CUZK_TRY(Writer(sink).bytes(record));
  return sink.write(sha256(record));
}

/// But for the kind, which is the request's.
Result<RequestOwner> owner_in(Reader& file) {
  CUZK_TRY_ASSIGN(const std::vector<std::uint8_t> record, file.bytes());
  CUZK_TRY_ASSIGN(const ByteSpan checksum, file.take(sizeof(Bytes32)));
  if (!same(checksum, sha256(record))) return file.broken();
  Reader in(record);
  RequestOwner out;
  engine::JobIdentity& identity = out.identity;
  CUZK_TRY_ASSIGN(const std::vector<std::uint8_t> job_id, in.bytes());
  CUZK_TRY_ASSIGN(const std::vector<std::uint8_t> request_id, in.bytes());
  CUZK_TRY_ASSIGN(const std::vector<std::uint8_t> digest, in.bytes());
  CUZK_TRY_ASSIGN(const std::uint64_t priority, in.number());
  CUZK_TRY_ASSIGN(const std::uint64_t attempt, in.number());
  CUZK_TRY_ASSIGN(const std::uint64_t accepted_at, in.number());
  if (digest.size() != identity.digest.size() || priority < 1 || priority > 4 ||
      attempt > std::numeric_limits<std::uint32_t>::max() || in.left() != 0)
    return file.broken();
  identity.job_id.assign(job_id.begin(), job_id.end());
  identity.request_id.assign(request_id.begin(), request_id.end());
  std::copy(digest.begin(), digest.end(), identity.digest.begin());
  identity.priority = static_cast<engine::Priority>(priority);
  identity.attempt = static_cast<std::uint32_t>(attempt);
  out.accepted_at = static_cast<std::int64_t>(accepted_at);
  return out;
}

}  // namespace

Result<StoredRequest> parse_request(ByteSpan file) {
  Reader in(file);
  StoredRequest stored;
  ProofRequest& out = stored.request;
  CUZK_TRY_ASSIGN(const ByteSpan magic, in.take(kMagic.size()));
  const bool has_room = has_outcome_room(magic);
  if (same(magic, kMagic)) {
    CUZK_TRY_ASSIGN(stored.owner, owner_in(in));
  }
  CUZK_TRY_ASSIGN(const std::uint64_t kind, in.number());
  if (!(has_room || same(magic, kMagicWithoutRoom)) || kind < 1 || kind > kProofKinds.size())
    return in.broken();
  out.kind = static_cast<ProofKind>(kind);
  CUZK_TRY_ASSIGN(out.sector_size, in.number());
  CUZK_TRY_ASSIGN(out.registered_proof, in.number());
  CUZK_TRY_ASSIGN(out.vanilla_proof, in.bytes());
  CUZK_TRY_ASSIGN(const std::uint64_t count, in.number());
  if (count > in.left() / 8) return in.broken();
  out.vanilla_proofs.resize(count);
  for (auto& proof : out.vanilla_proofs) {
    CUZK_TRY_ASSIGN(proof, in.bytes());
  }
  CUZK_TRY_ASSIGN(out.sector_number, in.number());
  CUZK_TRY_ASSIGN(out.miner_id, in.number());
  CUZK_TRY_ASSIGN(out.randomness, in.bytes());
  CUZK_TRY_ASSIGN(const std::uint64_t partition, in.number());
  if (partition > std::numeric_limits<std::uint32_t>::max()) return in.broken();
  out.partition_index = static_cast<std::uint32_t>(partition);
  CUZK_TRY_ASSIGN(out.comm_r_old, in.bytes());
  CUZK_TRY_ASSIGN(out.comm_r_new, in.bytes());
  CUZK_TRY_ASSIGN(out.comm_d_new, in.bytes());
  if (in.left() != (has_room ? kOutcomeRoom : 0)) return in.broken();
  stored.owner.identity.kind = out.kind;
  return stored;
}

Result<void> write_request(const std::string& path, const RequestOwner& owner, const ProofRequest& request) {
  CUZK_TRY_ASSIGN(FileSink sink, FileSink::create(path));
  Writer out(sink);
  CUZK_TRY(sink.write(byte_span(kMagic)));
  CUZK_TRY(write_owner(sink, owner));
  CUZK_TRY(out.number(static_cast<std::uint64_t>(request.kind)));
  CUZK_TRY(out.number(request.sector_size));
  CUZK_TRY(out.number(request.registered_proof));
  CUZK_TRY(out.bytes(request.vanilla_proof));
  CUZK_TRY(out.number(request.vanilla_proofs.size()));
  for (const auto& proof : request.vanilla_proofs) CUZK_TRY(out.bytes(proof));
  CUZK_TRY(out.number(request.sector_number));
  CUZK_TRY(out.number(request.miner_id));
  CUZK_TRY(out.bytes(request.randomness));
  CUZK_TRY(out.number(request.partition_index));
  CUZK_TRY(out.bytes(request.comm_r_old));
  CUZK_TRY(out.bytes(request.comm_r_new));
  CUZK_TRY(out.bytes(request.comm_d_new));
  CUZK_TRY(sink.write(std::array<std::uint8_t, kOutcomeRoom>{}));
  return sink.commit();
}

namespace {

/// Of the owner's digest where `digest` is absent.
Result<StoredRequest> read_whole(const std::string& path, std::optional<Bytes32> digest) {
  const auto broken = [&](const std::string& how) {
    return Error{ErrorCode::kInternal, "'" + path + "' " + how};
  };
  struct stat there {};
  if (::lstat(path.c_str(), &there) != 0 && errno == ENOENT) return broken("is missing");
  CUZK_TRY_ASSIGN(const PositionedFile file, PositionedFile::open(path));
  if (file.size() > kLargestFile)
    return broken("has " + std::to_string(file.size()) + " bytes, more than any request");
  std::vector<std::uint8_t> bytes(file.size());
  CUZK_TRY(file.read(0, bytes));
  Result<StoredRequest> stored = parse_request(bytes);
  if (!stored) return broken("is " + stored.error().message);
  if (!digest && stored->owner.identity.job_id.empty())
    return broken("does not say whose request it is: an earlier version wrote it");
  if (payload_digest(stored->request) != (digest ? *digest : stored->owner.identity.digest))
    return broken("is not the request that was accepted: its digest differs");
  return stored;
}

}  // namespace

Result<ProofRequest> read_request_file(const std::string& path, const Bytes32& digest) {
  CUZK_TRY_ASSIGN(StoredRequest stored, read_whole(path, digest));
  return std::move(stored.request);
}

Result<RequestOwner> read_owner(const std::string& path) {
  CUZK_TRY_ASSIGN(StoredRequest stored, read_whole(path, {}));
  return std::move(stored.owner);
}

Result<bool> begins_like_request(const std::string& path) {
  CUZK_TRY_ASSIGN(const PositionedFile file, PositionedFile::open(path));
  std::array<std::uint8_t, kAnyMagic.size()> magic{};
  if (file.size() < magic.size()) return false;
  CUZK_TRY(file.read(0, magic));
  return same(magic, kAnyMagic);
}

// The room: "cuzkout1", the length of what follows but for the checksum; state, failure, when it was
// finished, times, proof, message; SHA-256 of the job's id and of these. What a process left that ended while
// it wrote is no outcome.

namespace {

std::vector<std::uint8_t> encoded(const engine::JobResult& result, std::int64_t finished_at) {
  Record out;
  // Not within a character.
  std::size_t message = std::min(result.message.size(), kMostMessage);
  while (message > 0 && message < result.message.size() &&
         (static_cast<std::uint8_t>(result.message[message]) & 0xc0U) == 0x80U)
    --message;
  out.number(result.state);
  out.number(result.failure);
  out.number(finished_at);
  for (const engine::Duration time : {result.times.queue_wait, result.times.srs_load, result.times.synthesis,
                                      result.times.gpu_compute, result.times.total})
    out.number(time.count());
  out.bytes(result.proof);
  out.bytes(byte_span(std::string_view(result.message).substr(0, message)));
  return out.take();
}

Result<StoredOutcome> decoded(ByteSpan record, const engine::JobIdentity& identity) {
  Reader in(record);
  StoredOutcome out;
  out.result.identity = identity;
  CUZK_TRY_ASSIGN(const std::uint64_t state, in.number());
  CUZK_TRY_ASSIGN(const std::uint64_t failure, in.number());
  CUZK_TRY_ASSIGN(const std::uint64_t finished_at, in.number());
  if (state > static_cast<std::uint64_t>(engine::JobState::kCancelled) ||
      !engine::is_final(static_cast<engine::JobState>(state)) ||
      failure > static_cast<std::uint64_t>(engine::FailureClass::kShutdown))
    return in.broken();
  out.result.state = static_cast<engine::JobState>(state);
  out.result.failure = static_cast<engine::FailureClass>(failure);
  out.finished_at = static_cast<std::int64_t>(finished_at);
  engine::StageTimes& times = out.result.times;
  for (engine::Duration* time :
       {&times.queue_wait, &times.srs_load, &times.synthesis, &times.gpu_compute, &times.total}) {
    CUZK_TRY_ASSIGN(const std::uint64_t nanoseconds, in.number());
    *time = engine::Duration(static_cast<std::int64_t>(nanoseconds));
  }
  CUZK_TRY_ASSIGN(out.result.proof, in.bytes());
  CUZK_TRY_ASSIGN(const std::vector<std::uint8_t> message, in.bytes());
  out.result.message.assign(message.begin(), message.end());
  return out;
}

Bytes32 outcome_checksum(const std::string& job_id, ByteSpan record) {
  Sha256 hash;
  hash.update(byte_span(job_id));
  hash.update(record);
  return hash.finish();
}

}  // namespace

Result<void> write_outcome(const std::string& path, const engine::JobResult& result,
                           std::int64_t finished_at) {
  const std::vector<std::uint8_t> record = encoded(result, finished_at);
  const Bytes32 checksum = outcome_checksum(result.identity.job_id, record);
  constexpr std::size_t kHead = kOutcomeMagic.size() + 8;
  std::vector<std::uint8_t> bytes(kHead + record.size() + checksum.size());
  std::copy(kOutcomeMagic.begin(), kOutcomeMagic.end(), bytes.begin());
  store_le(bytes.data() + kOutcomeMagic.size(), std::uint64_t{record.size()});
  std::copy(record.begin(), record.end(), bytes.begin() + kHead);
  std::copy(checksum.begin(), checksum.end(), bytes.end() - static_cast<std::ptrdiff_t>(checksum.size()));
  if (bytes.size() > kOutcomeRoom)
    return io_error("an outcome of " + std::to_string(bytes.size()) + " bytes has no room in '" + path + "'");

  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return io_error("cannot open '" + path + "': " + std::strerror(errno));
  const Result<void> written = [&]() -> Result<void> {
    std::array<std::uint8_t, 8> magic{};
    struct stat file {};
    if (::pread(fd, magic.data(), magic.size(), 0) != 8 || !has_outcome_room(magic) ||
        ::fstat(fd, &file) != 0 || file.st_size < static_cast<off_t>(kOutcomeRoom))
      return io_error("'" + path + "' has no room for an outcome");
    const off_t room = file.st_size - static_cast<off_t>(kOutcomeRoom);
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t count =
          ::pwrite(fd, bytes.data() + done, bytes.size() - done, room + static_cast<off_t>(done));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return io_error("cannot write '" + path + "': " + std::strerror(errno));
      done += static_cast<std::size_t>(count);
    }
    if (::fdatasync(fd) != 0) return io_error("cannot sync '" + path + "': " + std::strerror(errno));
    return {};
  }();
  ::close(fd);
  return written;
}

std::optional<StoredOutcome> read_outcome(const std::string& path, const engine::JobIdentity& identity) {
  const Result<PositionedFile> file = PositionedFile::open(path);
  if (!file || file->size() < kMagic.size() + kOutcomeRoom) return std::nullopt;
  std::array<std::uint8_t, 8> file_magic{};
  std::vector<std::uint8_t> room(kOutcomeRoom);
  if (!file->read(0, file_magic) || !has_outcome_room(file_magic) ||
      !file->read(file->size() - kOutcomeRoom, room))
    return std::nullopt;
  Reader in(room);
  const auto whole = [&]() -> Result<StoredOutcome> {
    CUZK_TRY_ASSIGN(const ByteSpan magic, in.take(kOutcomeMagic.size()));
    CUZK_TRY_ASSIGN(const std::uint64_t size, in.number());
    if (!same(magic, kOutcomeMagic)) return in.broken();
    CUZK_TRY_ASSIGN(const ByteSpan record, in.take(size));
    CUZK_TRY_ASSIGN(const ByteSpan checksum, in.take(sizeof(Bytes32)));
    if (!same(checksum, outcome_checksum(identity.job_id, record))) return in.broken();
    return decoded(record, identity);
  }();
  return whole ? std::optional(*whole) : std::nullopt;
}

}  // namespace cuzk::journal
