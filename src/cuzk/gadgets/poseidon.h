#pragma once

#include <span>
#include <vector>

#include "cuzk/gadgets/num.h"
#include "cuzk/gadgets/poseidon_rows.h"

namespace cuzk {
namespace detail {

/// Synthesizes one Poseidon hash. Values of the state are carried beside the symbolic part, which is: at the
/// start of a full layer every element, at the start of a partial layer element 0, is a combination of
/// `basis_` with known coefficients.
template <class CS>
class PoseidonSynthesis {
 public:
  PoseidonSynthesis(CS& cs, const PoseidonConstants& constants, std::span<const AllocatedNum> message)
      : cs_(cs), k_(constants), message_(message), state_(constants.width), vars_(constants.width) {}

  AllocatedNum run() {
    const unsigned t = k_.width;
    const unsigned half = k_.full_rounds / 2;
    {
      const Namespace ns(cs_, "first round");
      first_layer();
    }
    mix_dense(half == 1 ? k_.pre_sparse : k_.mds);
    for (unsigned r = 1; r < half; ++r) {
      const Namespace ns(cs_, {"initial full round ", r});
      full_layer(k_.mds, true);
      mix_dense(r + 1 == half ? k_.pre_sparse : k_.mds);
    }
    const PoseidonRows& rows = poseidon_rows(k_.arity);
    basis_ = vars_;
    for (unsigned j = 0; j < k_.partial_rounds; ++j) {
      const Namespace ns(cs_, {"partial round ", j});
      partial_layer(rows, j);
    }
    for (unsigned r = 0; r + 1 < half; ++r) {
      const Namespace ns(cs_, {"final full round ", r});
      r == 0 ? after_partial_layer(rows) : full_layer(k_.mds, true);
      mix_dense(k_.mds);
    }
    {
      const Namespace ns(cs_, "terminal full round");
      full_layer(k_.mds, false);
      mix_dense(k_.mds);
    }
    const Namespace ns(cs_, "hash result");
    AllocatedNum result;
    {
      const Namespace inner(cs_, "allocate for Elt::Num");
      result = num_alloc(cs_, state_[1]);
    }
    enforce_combination(
        [&](auto& lc) {
          for (unsigned b = 0; b < t; ++b) lc.add(vars_[b], k_.mds[std::size_t{b} * t + 1]);
        },
        result);
    return result;
  }

 private:
  /// v = the combination that `fill` writes.
  template <class Fill>
  void enforce_combination(Fill&& fill, const AllocatedNum& v) {
    cs_.enforce(
        fill, [](auto& lc) { lc.add(Variable::one()); }, [&](auto& lc) { lc.add(v.variable); });
  }
  /// A variable for the combination that `fill` writes, whose value is state_[i].
  template <class Fill>
  AllocatedNum alloc_combination(std::size_t i, Fill&& fill) {
    const AllocatedNum v = num_alloc(cs_, state_[i]);
    enforce_combination(fill, v);
    return v;
  }

  /// y = (l + pre)^5 + post; three variables and constraints.
  AllocatedNum quintic(const AllocatedNum& l, const Fr* pre, const Fr* post) {
    const auto base = [&](auto& lc) {
      lc.add(l.variable);
      if (pre != nullptr) lc.add(Variable::one(), *pre);
    };
    const Fr value = pre != nullptr ? l.value + *pre : l.value;
    const AllocatedNum l2 = num_alloc(cs_, value.square());
    cs_.enforce(base, base, [&](auto& lc) { lc.add(l2.variable); });
    const auto square = [&](auto& lc) { lc.add(l2.variable); };
    const AllocatedNum l4 = num_alloc(cs_, l2.value.square());
    cs_.enforce(square, square, [&](auto& lc) { lc.add(l4.variable); });
    const Fr fifth = l4.value * value;
    const AllocatedNum y = num_alloc(cs_, post != nullptr ? fifth + *post : fifth);
    cs_.enforce(
        base, [&](auto& lc) { lc.add(l4.variable); },
        [&](auto& lc) {
          lc.add(y.variable);
          if (post != nullptr) lc.sub(Variable::one(), *post);
        });
    return y;
  }

  void store(std::size_t i, const AllocatedNum& y) {
    state_[i] = y.value;
    vars_[i] = y.variable;
  }

  /// The tag's S-box is a constant T, so element 0 costs nothing; it is T times ONE.
  void first_layer() {
    const std::span<const Fr> pre = take(k_.width);
    const std::span<const Fr> post = take(k_.width);
    const Fr tag = k_.domain_tag + pre[0];
    state_[0] = tag.square().square() * tag + post[0];
    vars_[0] = Variable::one();
    first_ = state_[0];
    for (std::size_t i = 1; i < k_.width; ++i) {
      const Namespace ns(cs_, {"quintic s-box ", i});
      store(i, quintic(message_[i - 1], &pre[i], &post[i]));
    }
  }

  /// A full layer whose elements are mixes of the previous layer's variables.
  void full_layer(const std::vector<Fr>& mixed_with, bool post) {
    const std::span<const Fr> constants = post ? take(k_.width) : std::span<const Fr>();
    const std::vector<Variable> before = vars_;
    const bool after_first = before[0] == Variable::one();
    for (std::size_t i = 0; i < k_.width; ++i) {
      const Namespace ns(cs_, {"quintic s-box ", i});
      const AllocatedNum l = alloc_combination(i, [&](auto& lc) {
        for (std::size_t b = 0; b < k_.width; ++b) {
          const Fr& m = mixed_with[b * k_.width + i];
          lc.add(before[b], b == 0 && after_first ? first_ * m : m);
        }
      });
      store(i, quintic(l, nullptr, post ? &constants[i] : nullptr));
    }
  }

  void partial_layer(const PoseidonRows& rows, unsigned j) {
    {
      const Namespace ns(cs_, "solitary quintic s-box");
      const std::span<const Fr> post = take(1);
      const AllocatedNum l = alloc_combination(0, [&](auto& lc) { write_basis(lc, rows.partial(j)); });
      const AllocatedNum y = quintic(l, nullptr, post.data());
      state_[0] = y.value;
      basis_.push_back(y.variable);
    }
    const std::span<const Fr> w_hat = k_.w_hat(j);
    const std::span<const Fr> v_rest = k_.v_rest(j);
    Fr sum = state_[0] * w_hat[0];
    for (std::size_t i = 1; i < k_.width; ++i) {
      sum += state_[i] * w_hat[i];
      state_[i] += state_[0] * v_rest[i - 1];
    }
    state_[0] = sum;
  }

  void after_partial_layer(const PoseidonRows& rows) {
    const std::span<const Fr> post = take(k_.width);
    for (unsigned i = 0; i < k_.width; ++i) {
      const Namespace ns(cs_, {"quintic s-box ", i});
      const AllocatedNum l = alloc_combination(i, [&](auto& lc) { write_basis(lc, rows.after_partial(i)); });
      store(i, quintic(l, nullptr, &post[i]));
    }
  }

  void write_basis(LinearCombination& lc, std::span<const Fr> coefficients) const {
    for (std::size_t b = 0; b < coefficients.size(); ++b) lc.add(basis_[b], coefficients[b]);
  }

  void mix_dense(const std::vector<Fr>& m) {
    std::vector<Fr> out(k_.width, Fr::zero());
    for (std::size_t i = 0; i < k_.width; ++i)
      for (std::size_t j = 0; j < k_.width; ++j) out[j] += state_[i] * m[i * k_.width + j];
    state_ = std::move(out);
  }

  std::span<const Fr> take(std::size_t count) {
    next_constant_ += count;
    return std::span(k_.compressed).subspan(next_constant_ - count, count);
  }

  CS& cs_;
  const PoseidonConstants& k_;
  std::span<const AllocatedNum> message_;
  std::vector<Fr> state_;
  std::vector<Variable> vars_;  // results of the last full layer
  Fr first_{};                  // T: what element 0 of the first layer is, times ONE
  std::vector<Variable> basis_;
  std::size_t next_constant_ = 0;
};

/// The same variables and as many constraints where nobody looks at these: values only. A system that has
/// them in place already (PrefilledWitnessSlice) hands them over by take_filled(count).
template <class CS>
AllocatedNum poseidon_values(CS& cs, const PoseidonConstants& constants,
                             std::span<const AllocatedNum> message) {
  const std::size_t size = poseidon_trace_size(constants);
  if constexpr (requires { cs.take_filled(size); }) {
    return {cs.take_filled(size), cs.last_value()};
  } else {
    std::vector<Fr> values;
    for (const AllocatedNum& m : message) values.push_back(m.value);
    std::vector<Fr> trace(size);
    poseidon_trace(constants, values, trace);
    Variable last;
    const auto unseen = [](auto&) {};
    for (const Fr& x : trace) {
      last = cs.alloc(x);
      cs.enforce(unseen, unseen, unseen);  // one for each variable, to be counted
    }
    return {last, trace.back()};
  }
}

}  // namespace detail

/// The hash of `arity` numbers in the form the network's parameters were made for
/// (constraint-system-and-gadgets 7.10): 3 arity + 28 (arity + 1) + 4 R_P + 1 variables and constraints.
template <class CS>
AllocatedNum poseidon_circuit(CS& cs, const PoseidonConstants& constants,
                              std::span<const AllocatedNum> message) {
  CUZK_CHECK(message.size() == constants.arity);
  const Block scope(cs, constants.name.c_str(), [&](auto&& port) {
    for (const AllocatedNum& m : message) port(Port{Port::Kind::kVariable, m.variable});
  });
  if constexpr (CS::kRecords) {
    return detail::PoseidonSynthesis<CS>(cs, constants, message).run();
  } else {
    return detail::poseidon_values(cs, constants, message);
  }
}

/// The same with the Merkle-tree instance of the message's length.
template <class CS>
AllocatedNum poseidon_circuit(CS& cs, std::span<const AllocatedNum> message) {
  return poseidon_circuit(cs, poseidon_constants(static_cast<unsigned>(message.size())), message);
}

/// A chain of arity-36 hashes over any number >= 2 of elements, padded with allocated zeros
/// (constraint-system-and-gadgets 8.1, hash_md).
template <class CS>
AllocatedNum poseidon_md_circuit(CS& cs, std::span<const AllocatedNum> elements) {
  constexpr std::size_t kArity = 36;
  CUZK_CHECK(elements.size() >= 2);
  AllocatedNum h = elements[0];
  for (std::size_t at = 1; at < elements.size(); at += kArity - 1) {
    const Namespace ns(cs, {"hash md ", at / (kArity - 1)});
    std::vector<AllocatedNum> message{h};
    for (std::size_t i = at; i < std::min(at + kArity - 1, elements.size()); ++i)
      message.push_back(elements[i]);
    while (message.size() < kArity) message.push_back(num_alloc(cs, Fr::zero()));
    h = poseidon_circuit(cs, message);
  }
  return h;
}

}  // namespace cuzk
