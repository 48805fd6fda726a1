#pragma once

#include <vector>

#include "cuzk/gadgets/boolean.h"

namespace cuzk {

/// A field variable with its value (constraint-system-and-gadgets 3.1).
struct AllocatedNum {
  Variable variable;
  Fr value{};
};

template <class CS>
AllocatedNum num_alloc(CS& cs, const Fr& value) {
  return {cs.alloc(value), value};
}

/// A new public input equal to n: p * ONE = n.
template <class CS>
void inputize(CS& cs, const AllocatedNum& n) {
  const Variable p = cs.alloc_input(n.value);
  cs.enforce([&](auto& lc) { lc.add(p); }, [](auto& lc) { lc.add(Variable::one()); },
             [&](auto& lc) { lc.add(n.variable); });
}

/// n * m = x.
template <class CS>
AllocatedNum num_mul(CS& cs, const AllocatedNum& n, const AllocatedNum& m) {
  const AllocatedNum x = num_alloc(cs, n.value * m.value);
  cs.enforce([&](auto& lc) { lc.add(n.variable); }, [&](auto& lc) { lc.add(m.variable); },
             [&](auto& lc) { lc.add(x.variable); });
  return x;
}

/// a * ONE = b.
template <class CS>
void enforce_equal(CS& cs, const AllocatedNum& a, const AllocatedNum& b) {
  cs.enforce([&](auto& lc) { lc.add(a.variable); }, [](auto& lc) { lc.add(Variable::one()); },
             [&](auto& lc) { lc.add(b.variable); });
}

/// x = a + b: (a + b) * ONE = x.
template <class CS>
AllocatedNum num_add(CS& cs, const AllocatedNum& a, const AllocatedNum& b) {
  const AllocatedNum x = num_alloc(cs, a.value + b.value);
  cs.enforce([&](auto& lc) { lc.add(a.variable).add(b.variable); }, [](auto& lc) { lc.add(Variable::one()); },
             [&](auto& lc) { lc.add(x.variable); });
  return x;
}

/// x = a - b: (x + b) * ONE = a, the minuend in C.
template <class CS>
AllocatedNum num_sub(CS& cs, const AllocatedNum& a, const AllocatedNum& b) {
  const AllocatedNum x = num_alloc(cs, a.value - b.value);
  cs.enforce([&](auto& lc) { lc.add(x.variable).add(b.variable); }, [](auto& lc) { lc.add(Variable::one()); },
             [&](auto& lc) { lc.add(a.variable); });
  return x;
}

struct NumPair {
  AllocatedNum first;
  AllocatedNum second;
};

/// (a, b), exchanged where cond holds.
template <class CS>
NumPair conditionally_reverse(CS& cs, const AllocatedNum& a, const AllocatedNum& b, const Boolean& cond) {
  const auto one_side = [&](const AllocatedNum& x, const AllocatedNum& y) {
    const AllocatedNum c = num_alloc(cs, cond.value() ? y.value : x.value);
    cs.enforce([&](auto& lc) { lc.add(x.variable).sub(y.variable); }, [&](auto& lc) { cond.add_to(lc); },
               [&](auto& lc) { lc.add(x.variable).sub(c.variable); });
    return c;
  };
  const AllocatedNum first = one_side(a, b);
  return {first, one_side(b, a)};
}

/// 255 bits, least significant first, tied to n by 0 * 0 = sum 2^i b_i - n. Not forced below r.
template <class CS>
std::vector<Boolean> to_bits_le(CS& cs, const AllocatedNum& n) {
  const std::vector<AllocatedBit> bits = field_bits_le(cs, n.value);
  cs.enforce([](auto&) {}, [](auto&) {},
             [&](auto& lc) {
               for (std::size_t i = 0; i < bits.size(); ++i) lc.add(bits[i].variable, power_of_two(i));
               lc.sub(n.variable);
             });
  std::vector<Boolean> out;
  out.reserve(bits.size() + 1);  // callers often pad to 256
  for (const AllocatedBit& b : bits) out.push_back(Boolean::is(b));
  return out;
}

/// to_bits_le with the representation forced to be the canonical one: the bits are compared with r - 1 from
/// the top.
template <class CS>
std::vector<Boolean> to_bits_le_strict(CS& cs, const AllocatedNum& n) {
  FrInt limit = Fr::modulus();
  limit.limb[0] -= 1;
  const FrInt v = n.value.to_int();
  std::vector<Boolean> out(kFrBits);
  std::vector<AllocatedBit> run;  // the bits of a run of ones of r - 1, the previous run's product at its end
  AllocatedBit last;
  bool have_last = false;
  for (unsigned i = kFrBits; i-- > 0;) {
    if (limit.bit(i)) {
      const AllocatedBit x = bit_alloc(cs, v.bit(i));
      run.push_back(x);
      out[i] = Boolean::is(x);
      continue;
    }
    if (!run.empty()) {
      if (have_last) run.push_back(last);
      last = run[0];
      for (std::size_t k = 1; k < run.size(); ++k) last = bit_and(cs, last, run[k]);
      have_last = true;
      run.clear();
    }
    // r - 1 begins with a one, so there is a product to compare with by now.
    out[i] = Boolean::is(bit_alloc_conditionally(cs, v.bit(i), last));
  }
  cs.enforce([](auto&) {}, [](auto&) {},
             [&](auto& lc) {
               for (std::size_t i = 0; i < out.size(); ++i) out[i].add_to(lc, power_of_two(i));
               lc.sub(n.variable);
             });
  return out;
}

}  // namespace cuzk
