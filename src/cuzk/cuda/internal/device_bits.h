#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cuzk/cuda/context.h"
#include "cuzk/cuda/prover_plan.h"

namespace cuzk::cuda {

/// The bits of one query, in device memory.
struct QueryBits {
  /// Bit i of the query is bit i % 64 of word i / 64. In `memory`, or the witness's.
  const std::uint64_t* words = nullptr;
  std::vector<std::uint32_t> ones;  ///< of every kBitBlock bits
  DeviceMemory memory;

  /// Ones of the bits [begin, begin + size), begin a multiple of kBitBlock and the end one or the last.
  [[nodiscard]] std::uint64_t ones_of(std::uint64_t begin, std::uint64_t size) const {
    std::uint64_t set = 0;
    for (std::uint64_t block = begin / kBitBlock; block * kBitBlock < begin + size; ++block)
      set += ones[block];
    return set;
  }
};

/// Which bits of a witness a query has, in device memory (bit_selection.h). Errors: as Context::allocate and
/// Context::check. Under the device lock, by one thread.
class BitSelection {
 public:
  /// `mask` has a bit for each of `witness_bits`, `selected` of them set. Takes exactly selection_bytes().
  /// Waits for the copy.
  Result<void> load(Context& context, std::span<const std::uint64_t> mask, std::uint64_t witness_bits,
                    std::uint64_t selected);
  /// The query's bits of a witness's, `bits`, which are in device memory and must stay while the result is in
  /// use. Waits for the counts. The result takes SelectedLayout::bytes(), or nothing where the query has no
  /// bits.
  Result<QueryBits> select(Context& context, const std::uint64_t* bits) const;
  /// Device memory of a result.
  [[nodiscard]] std::uint64_t selected_bytes() const;

 private:
  DeviceMemory memory_;
  std::uint64_t witness_bits_ = 0;
  std::uint64_t selected_ = 0;
};

}  // namespace cuzk::cuda
