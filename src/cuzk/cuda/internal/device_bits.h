#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cuzk/cuda/context.h"
#include "cuzk/cuda/internal/bit_selection.h"

namespace cuzk::cuda {

/// The bits of one query, in device memory.
struct QueryBits {
  /// Bit i of the query is bit i % 64 of word i / 64. In `memory`, or the witness's.
  const std::uint64_t* words = nullptr;
  std::vector<BlockCounts> counts;  ///< of every kBitBlock bits
  DeviceMemory memory;

  /// Points that a sum over the bits [begin, begin + size) adds where the first `paired` of them are in
  /// pairs. All three are multiples of kBitBlock, or end with the last bit.
  [[nodiscard]] std::uint64_t picks(std::uint64_t begin, std::uint64_t size, std::uint64_t paired) const {
    std::uint64_t sum = 0;
    for (std::uint64_t bit = 0; bit < size; bit += kBitBlock) {
      const BlockCounts& block = counts[(begin + bit) / kBitBlock];
      sum += bit < paired ? block.pairs : block.ones;
    }
    return sum;
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

/// The bits of the query in hand, which stay for the next one where that has the same selection, as b has in
/// both groups.
struct BitsInHand {
  const BitSelection* selection = nullptr;
  QueryBits bits;

  /// Of a witness's, see BitSelection::select.
  Result<void> take(Context& context, const BitSelection& of, const std::uint64_t* witness) {
    if (selection == &of) return {};
    selection = nullptr;
    bits = {};  // not both at a time
    CUZK_TRY_ASSIGN(bits, of.select(context, witness));
    selection = &of;
    return {};
  }
};

}  // namespace cuzk::cuda
