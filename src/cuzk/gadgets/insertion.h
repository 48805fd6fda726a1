#pragma once

#include <bit>
#include <span>
#include <vector>

#include "cuzk/gadgets/num.h"

namespace cuzk {

/// cond ? a : b, by (b - a) * cond = b - c.
template <class CS>
AllocatedNum pick(CS& cs, const Boolean& cond, const AllocatedNum& a, const AllocatedNum& b) {
  const AllocatedNum c = num_alloc(cs, cond.value() ? a.value : b.value);
  cs.enforce([&](auto& lc) { lc.add(b.variable).sub(a.variable); }, [&](auto& lc) { cond.add_to(lc); },
             [&](auto& lc) { lc.add(b.variable).sub(c.variable); });
  return c;
}

/// from[sum bits[i] 2^i]; from.size() == 2^bits.size().
template <class CS>
AllocatedNum select(CS& cs, std::span<const AllocatedNum> from, std::span<const Boolean> bits) {
  CUZK_CHECK(from.size() == std::size_t{1} << bits.size());
  std::vector<AllocatedNum> state(from.begin(), from.end());
  for (std::size_t i = bits.size(); i-- > 0;) {
    const std::size_t half = state.size() / 2;
    for (std::size_t j = 0; j < half; ++j) state[j] = pick(cs, bits[i], state[half + j], state[j]);
    state.resize(half);
  }
  return state[0];
}

namespace detail {

template <class CS>
std::vector<AllocatedNum> insert_4(CS& cs, const AllocatedNum& x, std::span<const Boolean> bit,
                                   std::span<const AllocatedNum> e) {
  const AllocatedNum& b = e[0];
  const AllocatedNum& c = e[1];
  const AllocatedNum& d = e[2];
  std::vector<AllocatedNum> p(4);
  p[0] = pick(cs, bit[1], b, pick(cs, bit[0], b, x));
  p[1] = pick(cs, bit[1], c, pick(cs, bit[0], x, b));
  p[2] = pick(cs, bit[1], pick(cs, bit[0], d, x), c);
  p[3] = pick(cs, bit[1], pick(cs, bit[0], x, d), d);
  return p;
}

template <class CS>
std::vector<AllocatedNum> insert_8(CS& cs, const AllocatedNum& x, std::span<const Boolean> bit,
                                   std::span<const AllocatedNum> elements) {
  CUZK_CHECK(!bit[0].is_constant() && !bit[0].is_negated() && !bit[1].is_constant() && !bit[1].is_negated());
  const AllocatedNum& b = elements[0];
  const AllocatedNum& c = elements[1];
  const AllocatedNum& d = elements[2];
  const AllocatedNum& e = elements[3];
  const AllocatedNum& f = elements[4];
  const AllocatedNum& g = elements[5];
  const AllocatedNum& h = elements[6];
  const Boolean neither = Boolean::is(bit_nor(cs, bit[0].bit(), bit[1].bit()));
  const Boolean both = Boolean::is(bit_and(cs, bit[0].bit(), bit[1].bit()));
  std::vector<AllocatedNum> p(8);
  p[0] = pick(cs, bit[2], b, pick(cs, neither, x, b));
  p[1] = pick(cs, bit[2], c, pick(cs, bit[1], c, pick(cs, bit[0], x, b)));
  p[2] = pick(cs, bit[2], d, pick(cs, bit[1], pick(cs, bit[0], d, x), c));
  p[3] = pick(cs, bit[2], e, pick(cs, both, x, d));
  p[4] = pick(cs, bit[2], pick(cs, neither, x, f), e);
  p[5] = pick(cs, bit[2], pick(cs, bit[1], g, pick(cs, bit[0], x, f)), f);
  p[6] = pick(cs, bit[2], pick(cs, bit[1], pick(cs, bit[0], h, x), g), g);
  p[7] = pick(cs, bit[2], pick(cs, both, x, h), h);
  return p;
}

}  // namespace detail

/// The elements with x inserted at index sum bits[i] 2^i; elements.size() + 1 == 2^bits.size()
/// (constraint-system-and-gadgets 9.2: hand-made circuits for 2, 4 and 8, selections for other sizes).
template <class CS>
std::vector<AllocatedNum> insert(CS& cs, const AllocatedNum& x, std::span<const Boolean> bits,
                                 std::span<const AllocatedNum> elements) {
  const std::size_t size = elements.size() + 1;
  CUZK_CHECK(size == std::size_t{1} << bits.size());
  if (size == 2) {
    const AllocatedNum first = pick(cs, bits[0], elements[0], x);
    return {first, pick(cs, bits[0], x, elements[0])};
  }
  if (size == 4) return detail::insert_4(cs, x, bits, elements);
  if (size == 8) return detail::insert_8(cs, x, bits, elements);
  std::vector<AllocatedNum> out;
  for (std::size_t position = 0; position < size; ++position) {
    std::vector<AllocatedNum> candidates;
    for (std::size_t index = 0; index < size; ++index)
      candidates.push_back(position == index ? x : elements[position < index ? position : position - 1]);
    out.push_back(select(cs, candidates, bits));
  }
  return out;
}

}  // namespace cuzk
