#include "cuzk/filecoin/post/witness.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>
#include <vector>

#include "cuzk/cpu/atomic_min.h"
#include "cuzk/filecoin/post/circuit.h"
#include "cuzk/r1cs/witness_slice.h"

namespace cuzk::post {
namespace {

/// Where the values of one slot lie: all slots of a circuit are alike.
class SlotLayout {
 public:
  explicit SlotLayout(const CircuitParams& params) { synthesize_slot(*this, SlotInput::blank(params)); }

  [[nodiscard]] std::size_t inputs() const { return inputs_; }
  [[nodiscard]] std::size_t bits() const { return bits_; }
  [[nodiscard]] std::size_t wide() const { return wide_; }
  /// Where the Poseidon blocks begin among the wide values, in the circuit's order: that of comm_r, then the
  /// levels of each path.
  [[nodiscard]] const std::vector<std::size_t>& blocks() const { return blocks_; }

  // A constraint system that counts.
  static constexpr bool kRecords = false;
  Variable alloc(const Fr&) {
    ++wide_;
    return {};
  }
  Variable alloc_bit(bool) {
    ++bits_;
    return {};
  }
  Variable alloc_input(const Fr&) {
    ++inputs_;
    return {};
  }
  template <class A, class B, class C>
  void enforce(A&&, B&&, C&&) {}
  void begin_namespace(const Name&) {}
  void end_namespace() {}
  template <class Ports>
  void begin_block(const Name&, Ports&&) {
    blocks_.push_back(wide_);
  }
  void end_block() {}

 private:
  std::size_t inputs_ = 0;
  std::size_t bits_ = 0;
  std::size_t wide_ = 0;
  std::vector<std::size_t> blocks_;
};
static_assert(ConstraintSystem<SlotLayout>);

/// Writes the values of all Poseidon blocks of some slots, the paths level by level side by side. Slot i has
/// its wide values in wide[i].
void fill_hashes(const SlotLayout& layout, const TreeShape& tree, std::span<const SlotInput> slots,
                 std::span<const std::span<Fr>> wide, Isa isa) {
  std::vector<Fr> messages;
  std::vector<Fr*> traces;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    messages.insert(messages.end(), {slots[i].comm_c, slots[i].comm_r_last});
    traces.push_back(wide[i].data() + layout.blocks()[0]);
  }
  poseidon_trace_batch(poseidon_constants(2), messages, traces, isa);

  std::vector<Fr> nodes;
  for (const SlotInput& slot : slots)
    for (const ChallengeInput& challenge : slot.challenges) nodes.push_back(challenge.leaf);
  for (unsigned level = 0; level < tree.levels(); ++level) {
    const unsigned arity = tree.arity(level);
    messages.clear();
    traces.clear();
    for (std::size_t i = 0; i < slots.size(); ++i) {
      std::size_t block = 1 + level;
      for (const ChallengeInput& challenge : slots[i].challenges) {
        const MerklePath& path = challenge.path;
        const MerkleLevel& step = level < tree.base_levels    ? path.base[level]
                                  : level == tree.base_levels ? path.sub[0]
                                                              : path.top[0];
        const auto at = static_cast<std::ptrdiff_t>(messages.size() + step.index);
        messages.insert(messages.end(), step.siblings.begin(), step.siblings.end());
        messages.insert(messages.begin() + at, nodes[traces.size()]);
        traces.push_back(wide[i].data() + layout.blocks()[block]);
        block += tree.levels();
      }
    }
    const PoseidonConstants& constants = poseidon_constants(arity);
    poseidon_trace_batch(constants, messages, traces, isa);
    const std::size_t last = poseidon_trace_size(constants) - 1;
    for (std::size_t n = 0; n < nodes.size(); ++n) nodes[n] = traces[n][last];
  }
}

/// Elements become zero piece by piece, so that a stop need not wait for gigabytes. Returns whether it was
/// finished.
bool grow(std::vector<Fr>& values, std::size_t size, const std::stop_token& stop) {
  constexpr std::size_t kPiece = std::size_t{1} << 21;
  values.reserve(size);
  while (values.size() < size && !stop.stop_requested())
    values.resize(std::min(size, values.size() + kPiece));
  return values.size() == size;
}

/// As many slots at a time as fill the eight lanes of the hash.
std::size_t slots_of_group(const CircuitParams& params) {
  return 8 / std::gcd(8U, params.challenge_count);
}

}  // namespace

std::size_t witness_parts(const Partition& partition) {
  const std::size_t group = slots_of_group(CircuitParams::of(*partition.config.params));
  return (distinct_slots(partition) + group - 1) / group;
}

Result<Witness> build_witness(ThreadPool& pool, const Partition& partition, std::stop_token stop) {
  const CircuitParams params = CircuitParams::of(*partition.config.params);
  const SlotLayout layout(params);
  const std::size_t slots = params.sector_count;
  const std::size_t distinct = distinct_slots(partition);
  const Error stopped{ErrorCode::kStopped, "stopped on request"};

  Witness out;
  out.inputs.assign(1 + slots * layout.inputs(), Fr::one());
  if (!grow(out.wide, slots * layout.wide(), stop)) return stopped;
  const auto inputs_of = [&](std::size_t i) {
    return std::span(out.inputs).subspan(1 + i * layout.inputs(), layout.inputs());
  };
  const auto wide_of = [&](std::size_t i) {
    return std::span(out.wide).subspan(i * layout.wide(), layout.wide());
  };

  std::vector<Bitmap> bits(distinct);
  std::vector<std::optional<Error>> faults(distinct);
  std::atomic<std::size_t> first_fault{distinct};
  pool.parallel_for(distinct, slots_of_group(params), [&](std::size_t begin, std::size_t end) {
    if (stop.stop_requested() || begin > first_fault.load(std::memory_order_relaxed)) return;
    std::vector<SlotInput> inputs;
    std::vector<std::span<Fr>> wide;
    for (std::size_t i = begin; i < end; ++i) {
      Result<SlotInput> input = slot_input(partition, i);
      if (!input) {
        faults[i] = input.error();
        atomic_min(first_fault, i);
        return;
      }
      inputs.push_back(*std::move(input));
      wide.push_back(wide_of(i));
    }
    fill_hashes(layout, params.tree, inputs, wide, pool.isa());
    for (std::size_t i = begin; i < end; ++i) {
      PrefilledWitnessSlice slice(inputs_of(i), wide_of(i), bits[i]);
      synthesize_slot(slice, inputs[i - begin]);
      CUZK_CHECK(slice.complete() && bits[i].size() == layout.bits());
    }
  });
  if (stop.stop_requested()) return stopped;
  if (const std::size_t at = first_fault.load(); at != distinct) return *faults[at];

  const std::size_t last = distinct - 1;
  pool.parallel_for(slots - distinct, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = distinct + begin; i < distinct + end && !stop.stop_requested(); ++i) {
      std::copy_n(inputs_of(last).begin(), layout.inputs(), inputs_of(i).begin());
      std::copy_n(wide_of(last).begin(), layout.wide(), wide_of(i).begin());
    }
  });
  Bitmap all;
  all.reserve(slots * layout.bits());
  for (std::size_t i = 0; i < slots; ++i)
    for (std::size_t b = 0; b < layout.bits(); ++b) all.push_back(bits[std::min(i, last)][b]);
  out.bits = all.take();
  if (stop.stop_requested()) return stopped;
  return out;
}

}  // namespace cuzk::post
