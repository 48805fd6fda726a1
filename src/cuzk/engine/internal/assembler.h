#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuzk/base/bytes.h"
#include "cuzk/base/result.h"
#include "cuzk/groth16/proof.h"

namespace cuzk::engine {

/// Joins the proofs of a job's partitions, in partition order, whatever the order they come in. Not
/// thread-safe.
class Assembler {
 public:
  explicit Assembler(std::size_t partitions)
      : bytes_(partitions * groth16::kProofBytes), filled_(partitions, false), missing_(partitions) {}

  /// kInternal, and nothing changes, when there is no such partition or its piece is already here.
  Result<void> place(std::size_t partition, const groth16::ProofBytes& piece) {
    if (partition >= filled_.size())
      return Error{ErrorCode::kInternal, "a piece for partition " + std::to_string(partition) +
                                             " of a job of " + std::to_string(filled_.size())};
    if (filled_[partition])
      return Error{ErrorCode::kInternal, "a second piece for partition " + std::to_string(partition)};
    std::copy(piece.begin(), piece.end(),
              bytes_.begin() + static_cast<std::ptrdiff_t>(partition * groth16::kProofBytes));
    filled_[partition] = true;
    --missing_;
    return {};
  }

  [[nodiscard]] bool complete() const { return missing_ == 0; }
  /// All pieces in partition order. Only when complete.
  [[nodiscard]] std::vector<std::uint8_t> take() && {
    CUZK_CHECK(complete());
    return std::move(bytes_);
  }

 private:
  std::vector<std::uint8_t> bytes_;
  std::vector<bool> filled_;
  std::size_t missing_;
};

}  // namespace cuzk::engine
