#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cuzk/base/bytes.h"
#include "cuzk/base/mapped_file.h"
#include "cuzk/base/result.h"
#include "cuzk/cpu/thread_pool.h"
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
};

/// Digests of a whole file: `blake2b` is the first 16 bytes of BLAKE2b-512, which parameters.json lists as 32
/// hex digits.
struct FileDigests {
  std::array<std::uint8_t, 16> blake2b;
  Bytes32 sha256;
};

/// A parameter file, mapped read-only for the life of the object; the structure and the verifying key are
/// checked, the points of the five vectors are not (ProvingKey does that). Immutable, thread-safe.
class ParamsFile {
 public:
  static Result<ParamsFile> open(ThreadPool& pool, const std::string& path);

  [[nodiscard]] const std::string& path() const { return file_.path(); }
  [[nodiscard]] const ParamsLayout& layout() const { return layout_; }
  [[nodiscard]] const VerifyingKey& vk() const { return vk_; }
  /// The encoded points of one vector.
  [[nodiscard]] ByteSpan section(const ParamsSection& s) const {
    return file_.bytes().subspan(s.offset, s.bytes());
  }
  [[nodiscard]] ByteSpan bytes() const { return file_.bytes(); }

 private:
  ParamsFile(MappedFile file, ParamsLayout layout, VerifyingKey vk)
      : file_(std::move(file)), layout_(layout), vk_(std::move(vk)) {}

  MappedFile file_;
  ParamsLayout layout_;
  VerifyingKey vk_;
};

/// Both digests of `bytes`, computed on two threads of the pool. Reads everything: seconds a gigabyte.
/// `progress` (may be empty) gets the bytes done so far, ascending, from one thread of the pool: that of the
/// slower digest, BLAKE2b.
FileDigests digest_bytes(ThreadPool& pool, ByteSpan bytes,
                         const std::function<void(std::uint64_t)>& progress = {});

}  // namespace cuzk::groth16
