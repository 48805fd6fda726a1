#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cuzk/base/bytes.h"
#include "cuzk/base/positioned_file.h"
#include "cuzk/base/result.h"
#include "cuzk/cpu/thread_pool.h"
#include "cuzk/groth16/file_digests.h"
#include "cuzk/groth16/point_codec.h"
#include "cuzk/groth16/verifying_key.h"

namespace cuzk::groth16 {

/// One of the five point vectors of a parameter file: where its points lie, in bytes from the start of the
/// file.
struct ParamsSection {
  std::uint64_t offset = 0;  ///< of the first point, after the u32be count
  std::uint64_t count = 0;
  std::uint64_t point_bytes = kG1Bytes;  ///< kG2Bytes for b_g2

  [[nodiscard]] std::uint64_t bytes() const { return count * point_bytes; }
  [[nodiscard]] std::uint64_t end() const { return offset + bytes(); }
};

/// Fills a span with the bytes of a file from an offset on.
using ReadAt = std::function<Result<void>(std::uint64_t offset, std::span<std::uint8_t> out)>;

/// The structure of a `.params` file: the verifying key, then h, l, a, b_g1, b_g2, each a u32be count and
/// that many uncompressed points, and nothing more.
struct ParamsLayout {
  std::uint64_t n_ic = 0;
  ParamsSection h, l, a, b_g1, b_g2;

  [[nodiscard]] std::uint64_t file_bytes() const { return b_g2.end(); }
  /// Bytes of points in the five vectors.
  [[nodiscard]] std::uint64_t vector_bytes() const {
    return h.bytes() + l.bytes() + a.bytes() + b_g1.bytes() + b_g2.bytes();
  }

  /// Lays out a file with the given counts.
  static ParamsLayout with_counts(std::uint64_t n_ic, std::uint64_t n_h, std::uint64_t n_l, std::uint64_t n_a,
                                  std::uint64_t n_b_g1, std::uint64_t n_b_g2);

  /// Reads the counts of a whole file and checks everything that needs no point: every count fits into the
  /// file, nothing follows b_g2, |ic| and |a| are not zero, |h| + 1 is a power of two up to 2^31, |b_g1| =
  /// |b_g2|, |a| >= |ic|. Allocates nothing that depends on a count. kParams, beginning with `name`, naming
  /// field and offset.
  static Result<ParamsLayout> read(ByteSpan bytes, const std::string& name);
  /// The same for a file of `size` bytes that read_at reads.
  static Result<ParamsLayout> read(std::uint64_t size, const ReadAt& read_at, const std::string& name);
};

/// What a parameter file holds, in memory.
struct ParamsImage {
  std::unique_ptr<std::uint8_t[]> bytes;
  std::uint64_t size = 0;
};

/// A parameter file, open for the life of the object; the structure and the verifying key are checked, the
/// points of the five vectors are not (ProvingKey does that). Immutable, thread-safe.
///
/// It is read, never mapped: the bases are read from it during every proof, and a file that shrinks under a
/// mapping ends the process with SIGBUS. Reading costs a copy out of the page cache beside the decoding of
/// what is copied, no more processor time than mapping by what was measured (docs/experiments.md, "Keys stay
/// encoded"); a handler of SIGBUS would be a global state of the
/// process that belongs to no library.
class ParamsFile {
 public:
  static Result<ParamsFile> open(ThreadPool& pool, const std::string& path);
  /// One that is not on a disk; `name` stands for its path.
  static Result<ParamsFile> from_memory(ThreadPool& pool, ParamsImage image, const std::string& name);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const ParamsLayout& layout() const { return layout_; }
  [[nodiscard]] const VerifyingKey& vk() const { return vk_; }
  /// For digest_file; only of one that was opened.
  [[nodiscard]] const PositionedFile& file() const {
    CUZK_CHECK(file_.has_value());
    return *file_;
  }

  /// Fills `out` with the bytes from `offset` on. kParams, naming path and offset, when the file has become
  /// shorter since it was opened; kIo when the system cannot read it.
  Result<void> read(std::uint64_t offset, std::span<std::uint8_t> out) const;

 private:
  ParamsFile() = default;
  /// Layout and verifying key, from what read() reads.
  Result<void> read_head(ThreadPool& pool, std::uint64_t size);

  std::string path_;
  std::optional<PositionedFile> file_;
  ParamsImage image_;  // without file_
  ParamsLayout layout_;
  VerifyingKey vk_;
};

/// Every check of a parameter file's points, the subgroup included: minutes at full size, so on request only.
/// Needs no shape. kParams names the vector, index, offset and reason of the first bad point in the file.
/// `progress` (may be empty) gets the bytes of points done so far in all five vectors, from any thread of the
/// pool: every value once, not always in order, the largest being ParamsLayout::vector_bytes() of a file
/// without fault.
Result<void> check_points(ThreadPool& pool, const ParamsFile& file,
                          const std::function<void(std::uint64_t)>& progress = {});

}  // namespace cuzk::groth16
