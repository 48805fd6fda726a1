#include "cuzk/journal/request_file.h"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <limits>
#include <vector>

#include "cuzk/base/file_sink.h"
#include "cuzk/base/positioned_file.h"

namespace cuzk::journal {
namespace {

constexpr std::string_view kMagic = "cuzkreq1";
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

}  // namespace

Result<ProofRequest> parse_request(ByteSpan file) {
  Reader in(file);
  ProofRequest out;
  CUZK_TRY_ASSIGN(const ByteSpan magic, in.take(kMagic.size()));
  CUZK_TRY_ASSIGN(const std::uint64_t kind, in.number());
  if (!std::equal(magic.begin(), magic.end(), byte_span(kMagic).begin()) || kind < 1 ||
      kind > kProofKinds.size())
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
  if (in.left() != 0) return in.broken();
  return out;
}

Result<void> write_request(const std::string& path, const ProofRequest& request) {
  CUZK_TRY_ASSIGN(FileSink sink, FileSink::create(path));
  Writer out(sink);
  CUZK_TRY(sink.write(byte_span(kMagic)));
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
  return sink.commit();
}

Result<ProofRequest> read_request_file(const std::string& path, const Bytes32& digest) {
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
  Result<ProofRequest> request = parse_request(bytes);
  if (!request) return broken("is " + request.error().message);
  if (payload_digest(*request) != digest)
    return broken("is not the request that was accepted: its digest differs");
  return request;
}

}  // namespace cuzk::journal
