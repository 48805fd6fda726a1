#pragma once

#include <cstdint>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/filecoin/porep/c1.h"

namespace cuzk::porep {

/// Who and when, for a fabricated sector.
struct SectorIdentity {
  std::uint64_t miner = 1000;
  std::uint64_t sector_number = 7;
  Bytes32 ticket{};
  Bytes32 seed{};

  /// The identity of the reference's fabricated sectors: ticket of ones, seed of twos.
  static SectorIdentity reference();
};

/// The reference filler of porep 14.5: SHA-256(tag || u64le(x)...) truncated to 254 bits.
Bytes32 filler(std::string_view tag, std::span<const std::uint64_t> numbers);

/// Fabricates a sector of any size that passes every check without sealing: only the challenged nodes are
/// labelled, their parents' columns and all other tree nodes are filler (porep 14). Data is
/// filler("data", v mod 8). Interactive types only: the challenges of the others depend on comm_r, which
/// depends on the challenges. For tests and benchmarks; seconds at most for 64 GiB.
Result<C1Output> fabricate_sector(ThreadPool& pool, const PorepConfig& config,
                                  const SectorIdentity& identity);

/// Really seals a sector with the same data: all nodes labelled, full trees. Any type; sectors of at most 8
/// MiB (kUsage otherwise), since labels, columns and trees are kept in memory.
Result<C1Output> seal_small_sector(ThreadPool& pool, const PorepConfig& config,
                                   const SectorIdentity& identity);

/// A configuration for a size without a registered type: graph of version 1.1, porep_id from `number`.
Result<PorepConfig> unregistered_config(std::uint64_t sector_size, std::uint64_t number);

}  // namespace cuzk::porep
