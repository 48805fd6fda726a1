#pragma once

#include <algorithm>
#include <functional>

#include "cuzk/groth16/file_digests.h"
#include "cuzk/hash/blake2.h"
#include "cuzk/hash/sha256.h"

namespace cuzk::groth16 {

/// SHA-256 and BLAKE2b-512 of one stream, side by side. Private to this module.
class DigestPair {
 public:
  /// Appends `bytes` to both; `meanwhile` (may be empty) runs beside them.
  void update(ThreadPool& pool, ByteSpan bytes, const std::function<void()>& meanwhile = {}) {
    // The slowest begins first.
    pool.parallel_for(meanwhile ? 3 : 2, 1, [&](std::size_t begin, std::size_t) {
      if (begin == 0)
        blake2b_.update(bytes);
      else if (begin == 1)
        sha256_.update(bytes);
      else
        meanwhile();
    });
  }
  /// Once, after the last update.
  FileDigests finish() {
    FileDigests digests{};
    digests.sha256 = sha256_.finish();
    std::array<std::uint8_t, Blake2b::kMaxBytes> full;
    blake2b_.finish(full);
    std::copy_n(full.begin(), digests.blake2b.size(), digests.blake2b.begin());
    return digests;
  }

 private:
  Sha256 sha256_;
  Blake2b blake2b_;
};

}  // namespace cuzk::groth16
