#pragma once

#include <functional>
#include <stop_token>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/groth16/proving_key_bases.h"

namespace cuzk::groth16 {

/// Places are kept for every kBaseSample-th bit base and wide base; between two of them the bitmap is walked.
inline constexpr std::size_t kBaseSample = 4096;

inline bool bit_of(std::span<const std::uint64_t> words, std::size_t i) {
  return (words[i / 64] >> (i % 64) & 1) != 0;
}
inline std::size_t words_for(std::size_t bits) {
  return (bits + 63) / 64;
}

/// Makes the bases of a key from its file: a walk over the shape's variables says which point belongs to
/// which variable, then every point is checked.
class KeySplitter {
 public:
  KeySplitter(const ParamsFile& file, const Shape& shape, ProvingKeyBases& bases)
      : file_(file), shape_(shape), bases_(bases) {}

  /// The masks over the witness and the places in the file.
  void split();
  /// `progress` (may be empty) gets the bytes of each block of points. kStopped soon after a stop.
  Result<void> check(ThreadPool& pool, const std::function<void(std::uint64_t)>& progress,
                     const std::stop_token& stop) const;

 private:
  template <class F>
  void split_query(bool with_inputs, std::span<const std::uint64_t> input_density,
                   std::span<const std::uint64_t> aux_density, const ParamsSection& section,
                   QuerySelection& selection, QueryBases<F>& query) const;

  const ParamsFile& file_;
  const Shape& shape_;
  ProvingKeyBases& bases_;
};

}  // namespace cuzk::groth16
