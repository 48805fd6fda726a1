#include "cuzk/hash/poseidon.h"

#include <algorithm>

#include "cuzk/field/product_sum.h"
#include "cuzk/hash/poseidon_lanes.h"

namespace cuzk {
namespace {

constexpr std::size_t kMaxWidth = 37;

Fr fifth_power(const Fr& x) {
  return x.square().square() * x;
}

/// For a hash without trace.
struct NoTrace {
  void operator()(const Fr&) const {}
};

/// x^5, plus `constant` unless null; its steps to the trace.
template <class Emit>
Fr s_box(const Fr& x, const Fr* constant, Emit& emit) {
  const Fr x2 = x.square();
  const Fr x4 = x2.square();
  const Fr y = constant != nullptr ? x4 * x + *constant : x4 * x;
  emit(x2);
  emit(x4);
  emit(y);
  return y;
}

/// A sum of products of field elements, reduced once at the end. The sum of k products is below k r^2; k may
/// be up to kMaxWidth + 1.
class DotProduct {
 public:
  void add(const Fr& a, const Fr& b) { add_product(sum_, a, b); }

  /// sum / 2^256 mod r, that is the Montgomery form of the dot product.
  [[nodiscard]] Fr reduce() const {
    constexpr BigInt<4> kR = Fr::modulus();
    std::uint64_t t[9];
    std::copy_n(sum_, 9, t);
    std::uint64_t ripple = 0;  // the carry out of word i + 4, due at word i + 5
    for (std::size_t i = 0; i < 4; ++i) {
      const std::uint64_t m = t[i] * Fr::inv64();
      std::uint64_t carry = 0;
      for (std::size_t j = 0; j < 4; ++j) t[i + j] = detail::mul_add(t[i + j], m, kR.limb[j], carry);
      t[i + 4] = detail::add_carry(t[i + 4], carry, ripple);
    }
    t[8] += ripple;
    // Now t[4..8] < (k r / 2^256 + 1) r < 19 r. The quotient by r is estimated from the bits above 2^250,
    // where r is 28.98...; 2261 / 2^16 is just below 1 / 28.98, so that at most 1.04 r remains.
    const std::uint64_t quotient = (t[8] << 6 | t[7] >> 58) * 2261 >> 16;
    std::uint64_t borrow = 0;
    std::uint64_t carry = 0;
    Fr out{};
    for (std::size_t i = 0; i < 4; ++i)
      out.limb[i] = detail::sub_borrow(t[4 + i], detail::mul_add(0, quotient, kR.limb[i], carry), borrow);
    borrow = 0;
    Fr less{};
    for (std::size_t i = 0; i < 4; ++i) less.limb[i] = detail::sub_borrow(out.limb[i], kR.limb[i], borrow);
    return borrow != 0 ? out : less;
  }

 private:
  std::uint64_t sum_[9]{};
};

/// state = state * matrix, the matrix stored row by row.
void mix_dense(std::span<Fr> state, std::span<const Fr> matrix) {
  const std::size_t t = state.size();
  Fr out[kMaxWidth];
  for (std::size_t j = 0; j < t; ++j) {
    DotProduct sum;
    for (std::size_t i = 0; i < t; ++i) sum.add(state[i], matrix[i * t + j]);
    out[j] = sum.reduce();
  }
  std::copy_n(out, t, state.begin());
}

void mix_sparse(std::span<Fr> state, const Fr* matrix) {
  const std::size_t t = state.size();
  DotProduct sum;
  for (std::size_t i = 0; i < t; ++i) sum.add(state[i], matrix[i]);
  const Fr first = state[0];
  for (std::size_t i = 1; i < t; ++i) state[i] += first * matrix[t + i - 1];
  state[0] = sum.reduce();
}

/// constraint-system-and-gadgets 7.9. emit(x) is called for every value of the trace, in order.
template <class Emit>
Fr hash_with(const PoseidonConstants& c, std::span<const Fr> message, Emit&& emit) {
  CUZK_CHECK(message.size() == c.arity && c.width <= kMaxWidth);
  const std::size_t t = c.width;
  const unsigned half = c.full_rounds / 2;
  const Fr* next = c.compressed.data();
  Fr storage[kMaxWidth];
  const std::span<Fr> state(storage, t);
  state[0] = c.domain_tag + *next++;
  for (std::size_t i = 1; i < t; ++i) state[i] = message[i - 1] + *next++;

  // The first layer has no variables for what goes in, nor any for the tag.
  state[0] = fifth_power(state[0]) + *next++;
  for (std::size_t i = 1; i < t; ++i) state[i] = s_box(state[i], next++, emit);
  const auto full_layer = [&](bool constants) {
    for (Fr& s : state) {
      emit(s);
      s = s_box(s, constants ? next++ : nullptr, emit);
    }
  };
  mix_dense(state, half == 1 ? c.pre_sparse : c.mds);
  for (unsigned round = 1; round < half; ++round) {
    full_layer(true);
    mix_dense(state, round + 1 < half ? c.mds : c.pre_sparse);
  }
  for (unsigned round = 0; round < c.partial_rounds; ++round) {
    emit(state[0]);
    state[0] = s_box(state[0], next++, emit);
    mix_sparse(state, c.sparse.data() + round * (2 * t - 1));
  }
  for (unsigned round = 0; round + 1 < half; ++round) {
    full_layer(true);
    mix_dense(state, c.mds);
  }
  full_layer(false);
  // Of the last product only element 1 is wanted.
  DotProduct sum;
  for (std::size_t i = 0; i < t; ++i) sum.add(state[i], c.mds[i * t + 1]);
  const Fr hash = sum.reduce();
  emit(hash);
  return hash;
}

#if CUZK_HAVE_IFMA
detail::PoseidonLaneTables lane_tables(const PoseidonConstants& c) {
  constexpr std::size_t kDigits = detail::kPoseidonLaneDigits;
  const std::uint64_t* digits = c.lane_digits.data();
  detail::PoseidonLaneTables tables{c.width, c.full_rounds, c.partial_rounds, digits, {}, {}, {}, {}};
  tables.compressed = tables.domain_tag + kDigits;
  tables.mds = tables.compressed + kDigits * c.compressed.size();
  tables.pre_sparse = tables.mds + kDigits * c.mds.size();
  tables.sparse = tables.pre_sparse + kDigits * c.pre_sparse.size();
  return tables;
}
#endif

}  // namespace

Fr poseidon_hash(const PoseidonConstants& c, std::span<const Fr> message) {
  return hash_with(c, message, NoTrace{});
}

std::size_t poseidon_trace_size(const PoseidonConstants& c) {
  return std::size_t{3} * c.arity + std::size_t{4} * (c.full_rounds - 1) * c.width +
         std::size_t{4} * c.partial_rounds + 1;
}

void poseidon_trace(const PoseidonConstants& c, std::span<const Fr> message, std::span<Fr> trace) {
  CUZK_CHECK(trace.size() == poseidon_trace_size(c));
  Fr* next = trace.data();
  (void)hash_with(c, message, [&next](const Fr& x) { *next++ = x; });
}

void poseidon_trace_batch(const PoseidonConstants& c, std::span<const Fr> messages,
                          std::span<Fr* const> traces, Isa isa) {
  CUZK_CHECK(isa_supported(isa));
  CUZK_CHECK(messages.size() == traces.size() * c.arity);
#if CUZK_HAVE_IFMA
  if (isa == Isa::ifma) {
    const detail::PoseidonLaneTables tables = lane_tables(c);
    for (std::size_t at = 0; at < traces.size(); at += detail::kPoseidonLanes)
      detail::poseidon_trace_lanes_ifma(tables, messages.data() + at * c.arity, traces.data() + at,
                                        std::min(detail::kPoseidonLanes, traces.size() - at));
    return;
  }
#endif
  for (std::size_t i = 0; i < traces.size(); ++i)
    poseidon_trace(c, messages.subspan(i * c.arity, c.arity), {traces[i], poseidon_trace_size(c)});
}

void poseidon_hash_batch(const PoseidonConstants& c, std::span<const Fr> messages, std::span<Fr> out,
                         Isa isa) {
  CUZK_CHECK(isa_supported(isa));
  CUZK_CHECK(messages.size() == out.size() * c.arity);
#if CUZK_HAVE_IFMA
  if (isa == Isa::ifma) {
    const detail::PoseidonLaneTables tables = lane_tables(c);
    for (std::size_t at = 0; at < out.size(); at += detail::kPoseidonLanes)
      detail::poseidon_lanes_ifma(tables, messages.data() + at * c.arity, out.data() + at,
                                  std::min(detail::kPoseidonLanes, out.size() - at));
    return;
  }
#endif
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = poseidon_hash(c, messages.subspan(i * c.arity, c.arity));
}

// constraint-system-and-gadgets 7.5.
Fr poseidon_hash_plain(const PoseidonConstants& c, std::span<const Fr> message) {
  CUZK_CHECK(message.size() == c.arity);
  const std::size_t t = c.width;
  std::vector<Fr> state(t);
  state[0] = c.domain_tag;
  std::copy(message.begin(), message.end(), state.begin() + 1);
  for (unsigned round = 0; round < c.full_rounds + c.partial_rounds; ++round) {
    for (std::size_t i = 0; i < t; ++i) state[i] += c.raw[round * t + i];
    const bool partial = round >= c.full_rounds / 2 && round < c.full_rounds / 2 + c.partial_rounds;
    for (std::size_t i = 0; i < (partial ? 1 : t); ++i) state[i] = fifth_power(state[i]);
    std::vector<Fr> mixed(t);
    for (std::size_t i = 0; i < t; ++i)
      for (std::size_t j = 0; j < t; ++j) mixed[j] += state[i] * c.mds[i * t + j];
    state = std::move(mixed);
  }
  return state[1];
}

}  // namespace cuzk
