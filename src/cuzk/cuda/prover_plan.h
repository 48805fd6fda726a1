#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuzk/base/result.h"
#include "cuzk/cpu/thread_pool.h"
#include "cuzk/cuda/msm.h"
#include "cuzk/r1cs/shape.h"

namespace cuzk::cuda {

// Threads: all of this is values and pure functions of them, for any thread.

/// What a circuit asks of a device, as numbers.
struct KeyCounts {
  struct Query {
    std::uint64_t bits = 0;  ///< bit bases
    std::uint64_t wide = 0;  ///< wide bases
  };
  unsigned domain_log_size = 0;
  std::uint64_t values = 0;  ///< inputs and wide aux variables
  std::uint64_t bits = 0;    ///< boolean aux variables
  std::uint64_t h = 0;       ///< points of h
  Query l, a, b;             ///< b: in G1 and in G2

  // Rows (internal/row_layout.h).
  std::uint64_t short_terms = 0;
  std::uint64_t long_terms = 0;
  std::uint64_t long_runs = 0;
  std::uint64_t row_groups = 0;
  std::uint64_t constraints = 0;
  std::uint64_t coefficients = 0;
  bool wide_ids = false;
  std::uint64_t row_piece_bytes = 0;  ///< the largest piece
  std::uint64_t row_image_bytes = 0;  ///< all pieces
};
/// Of any key of the shape, and of its rows, all of which it walks, with `pool` on its threads.
[[nodiscard]] KeyCounts key_counts(const Shape& shape);
[[nodiscard]] KeyCounts key_counts(const Shape& shape, ThreadPool& pool);

/// Where what a launch uploads of a witness lies in one buffer of host memory: inputs and wide values, and at
/// a multiple of 64 bytes the bits.
struct WitnessLayout {
  WitnessLayout(std::uint64_t values, std::uint64_t bit_count);

  std::uint64_t bits;   ///< offset
  std::uint64_t bytes;  ///< of the buffer, whole pages
};

/// Where the key of a circuit lives.
enum class Residency {
  automatic,  ///< in device memory if it fits, otherwise streamed
  resident,   ///< in device memory, or refused
  streamed,   ///< nothing but what a launch cannot do without: for tests
};

/// A sum numbers its points, multiples included, in 32 bits: so many times the 2^28 - 1 points of the largest
/// domain's h are just fewer than 2^32.
inline constexpr unsigned kMostMultiples = 16;

/// What a plan is made for. Proofs do not depend on it.
struct PlanOptions {
  std::uint64_t limit = UINT64_MAX;  ///< bytes of device memory
  Residency residency = Residency::automatic;
  /// For tests: arrays of the domain's size that the quotient holds on the device, 1 to 3 (0 chooses), and G1
  /// points of a piece (0 chooses), a power of two of at least kLeastPiece. Both make the plan a streamed
  /// one.
  unsigned arrays = 0;
  std::uint64_t piece = 0;
  /// At most how many points a resident key keeps for each one of h, itself counted (MsmWindows::multiples).
  /// The plan takes the number that makes the sum cheapest (msm_cost), in small domains 1, and that leaves a
  /// launch the memory that suits it. 1: none beside. 0: up to kMostMultiples if that saves 3 % of the cost
  /// (domains from 2^18 on). A streamed key has none beside.
  unsigned multiples = 1;
  /// A resident key keeps the sums of pairs of neighbouring bit bases (BasePairs), of as many as leave a
  /// launch the memory that suits it: the sums over bits take a fourth fewer additions for half a point more
  /// a base. Where not all points that this and `multiples` ask for fit, those are kept that save most
  /// additions in all. With multiples = 0 only queries of kManyBits have them. A streamed key has none.
  bool pairs = false;
};

/// Bits whose ones are counted together: sums over bitmaps are cut at its multiples.
inline constexpr std::uint64_t kBitBlock = std::uint64_t{1} << 12;
/// Of fewer bits a query's sum is short whatever it adds.
inline constexpr std::uint64_t kManyBits = std::uint64_t{1} << 18;
/// Points of the smallest piece; of G2 a piece has half as many.
inline constexpr std::uint64_t kLeastPiece = 2 * kBitBlock;
/// Points that are decoded, and, of a resident h, copied to the device at a time.
inline constexpr std::uint64_t kLoadedPoints = std::uint64_t{1} << 18;

/// Where what a launch reads lies, and how its work is cut.
struct Placement {
  /// How much of a query's bases is in device memory.
  struct Bases {
    std::uint64_t bits = 0;  ///< the first so many bit bases; all of them, or a multiple of kBitBlock
    /// The first so many of these are in pairs, whose sums are there as well; likewise.
    std::uint64_t paired = 0;
    bool wide = true;
  };
  bool streamed = false;
  unsigned arrays = 3;               ///< of the domain's size that the quotient has on the device
  std::uint64_t piece = UINT64_MAX;  ///< G1 points that are copied, and summed, at a time
  /// Sums may work on whole pieces, with the window that suits them.
  bool room_for_sums = false;
  bool rows = true;      ///< resident
  bool h = true;         ///< resident
  MsmWindows h_windows;  ///< of its sum where multiples are kept, and chosen when they are not
  Bases l, a, b_g1, b_g2;
};

/// The device memory of one circuit, byte for byte as Context counts it, and what is where.
///
/// Resident: all bases, rows and tables are in device memory. A launch has phases beside them, of which the
/// first is planned in full: the quotient; the sum of h, beside one array of the domain's size; the sums over
/// the queries. Sums cut themselves to what is there; `scratch` parts are bounds of the least that they
/// need. With multiples of h, which leave its windows no choice, its scratch is all that it takes.
/// Multiples of h and sums of pairs of bit bases are kept where PlanOptions asks for them.
///
/// Streamed: what has no room stays in host memory, in the device's form (decoded once: decoding on the way
/// would keep the processors busy for seconds a launch where copies take one), and flows through two buffers.
/// The tables of transforms, the places of scalars and of bits and the coefficients are always resident. What
/// is resident beside them, most nanoseconds a byte first: rows (read once or twice a launch, nearly no
/// work), the few wide bases, bit bases in G1, then in G2 (a copy takes ten and five times as long as its
/// sum; a part of a query may be resident), and h last, whose additions hide its copies. Before them comes
/// scratch memory for the sum of h, as long as a byte of it saves more than a resident one.
///
/// Where three arrays of the domain do not fit, the quotient does with two (the coefficients of a o b go to
/// host memory and come back) or with one (b goes there, too, and the factors are read from there).
struct ProverPlan : Placement {
  struct Part {
    std::string name;
    std::uint64_t bytes = 0;
  };

  std::vector<Part> resident;  ///< from hold to drop
  std::vector<Part> quotient;  ///< at a time, in a launch
  std::vector<Part> h_sum;     ///< likewise
  std::vector<Part> sums;      ///< likewise, for one circuit
  std::uint64_t row_buffers = 0, h_scratch = 0, sum_buffers = 0, sums_scratch = 0;  ///< parts of these
  std::uint64_t loading = 0;  ///< the most taken at a time beside resident parts while the key is copied
  std::vector<Part> host;     ///< host memory, page-locked where there is enough, from hold to drop
  /// About the most of host memory (but for some KB of points) that a launch takes beside: what comes back,
  /// points and counts of ones, or, where it finds the key absent, buffers from which it is copied.
  std::uint64_t launch_host = 0;
  /// Page-locked buffers for witnesses that the prover keeps for launches to come, at the most, and bytes of
  /// each. What a Prepared holds meanwhile is not among them.
  std::uint64_t kept_witnesses = 0;
  std::uint64_t witness = 0;

  [[nodiscard]] std::uint64_t resident_bytes() const;
  [[nodiscard]] std::uint64_t quotient_bytes() const;
  [[nodiscard]] std::uint64_t h_bytes() const;
  [[nodiscard]] std::uint64_t sums_bytes() const;
  /// What must fit.
  [[nodiscard]] std::uint64_t needed_bytes() const;
  [[nodiscard]] std::uint64_t host_bytes() const;
  [[nodiscard]] std::uint64_t kept_bytes() const { return kept_witnesses * witness; }
  /// Sums of pairs of bit bases, all queries'.
  [[nodiscard]] std::uint64_t pair_sums() const {
    return l.paired / 2 + a.paired / 2 + b_g1.paired / 2 + b_g2.paired / 2;
  }
  /// One line a part, with sums.
  [[nodiscard]] std::string text() const;
};
/// Everything resident, whatever that takes.
[[nodiscard]] ProverPlan plan_prover(const KeyCounts& counts);
/// The plan for a limit. kIo, "out of memory" with the bytes needed, when nothing fits; kUsage for options
/// that contradict each other.
[[nodiscard]] Result<ProverPlan> plan_prover(const KeyCounts& counts, const PlanOptions& options);

}  // namespace cuzk::cuda
