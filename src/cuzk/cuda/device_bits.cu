#include <cuda_runtime.h>

#include "cuzk/base/bits.h"
#include "cuzk/cuda/internal/bit_selection.h"
#include "cuzk/cuda/internal/device_bits.h"
#include "cuzk/cuda/internal/item_grid.cuh"

namespace cuzk::cuda {
namespace {

const char* const kStage = "bits";

__global__ void __launch_bounds__(kItemThreads) select_bits(SelectionView selection, std::uint64_t groups,
                                                            const std::uint64_t* bits, std::uint64_t* out) {
  CUZK_FOR_ITEMS(group, groups)
  select_group(selection, bits, group, [&](std::uint64_t i, std::uint64_t value) {
    atomicOr(reinterpret_cast<unsigned long long*>(out) + i, static_cast<unsigned long long>(value));
  });
}

__global__ void __launch_bounds__(kItemThreads)
    count_blocks(const std::uint64_t* words, std::uint64_t count, std::uint64_t blocks, BlockCounts* counts) {
  CUZK_FOR_ITEMS(block, blocks) counts[block] = counts_of_block(words, count, block);
}

}  // namespace

Result<void> BitSelection::load(Context& context, std::span<const std::uint64_t> mask,
                                std::uint64_t witness_bits, std::uint64_t selected) {
  witness_bits_ = witness_bits;
  selected_ = selected;
  if (selection_bytes(witness_bits, selected) == 0) return {};
  const SelectionLayout layout(witness_bits);
  CUZK_CHECK(mask.size() == layout.words && count_bits(mask) == selected);
  const std::vector<std::uint32_t> ranks = selection_ranks(mask);
  CUZK_TRY_ASSIGN(memory_, context.allocate(layout.bytes(), kStage));
  CUZK_TRY(context.upload(memory_.as<void>(), mask.data(), layout.mask_bytes(), kStage));
  CUZK_TRY(
      context.upload(memory_.as<std::uint64_t>() + layout.words, ranks.data(), 4 * ranks.size(), kStage));
  return context.synchronize(kStage);
}

Result<QueryBits> BitSelection::select(Context& context, const std::uint64_t* bits) const {
  QueryBits out;
  if (selected_ == 0) return Result<QueryBits>(std::move(out));
  const SelectedLayout to(witness_bits_, selected_);
  const cudaStream_t stream = context.stream();
  CUZK_TRY_ASSIGN(out.memory, context.allocate(to.bytes(), kStage));
  auto* const own = out.memory.as<std::uint64_t>();
  auto* const counts = reinterpret_cast<BlockCounts*>(own + to.own_words);
  out.words = bits;
  if (to.own_words != 0) {
    const SelectionLayout layout(witness_bits_);
    const auto* const mask = memory_.as<std::uint64_t>();
    const SelectionView view{mask, reinterpret_cast<const std::uint32_t*>(mask + layout.words), layout.words};
    CUZK_TRY(context.check(cudaMemsetAsync(own, 0, 8 * to.own_words, stream), kStage));
    select_bits<<<item_grid(layout.groups), kItemThreads, 0, stream>>>(view, layout.groups, bits, own);
    CUZK_TRY(context.check_launch(kStage));
    out.words = own;
  }
  count_blocks<<<item_grid(to.blocks), kItemThreads, 0, stream>>>(out.words, selected_, to.blocks, counts);
  CUZK_TRY(context.check_launch(kStage));
  out.counts.resize(to.blocks);
  CUZK_TRY(context.download(out.counts.data(), counts, sizeof(BlockCounts) * to.blocks, kStage));
  return Result<QueryBits>(std::move(out));
}

std::uint64_t BitSelection::selected_bytes() const {
  return SelectedLayout(witness_bits_, selected_).bytes();
}

}  // namespace cuzk::cuda
