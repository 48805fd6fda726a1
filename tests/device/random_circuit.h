#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "cuzk/base/random.h"
#include "cuzk/r1cs/shape_recorder.h"
#include "cuzk/r1cs/witness_builder.h"

namespace cuzk::device_test {

/// A satisfied circuit of any size: booleans, each with its own row, and wide variables, each the product of
/// two sums of variables before it. Some bits have a row without them in A, or B. Coefficients 1, -1, powers
/// of two and full-width ones; now and then a sum has hundreds of terms.
class RandomCircuit {
 public:
  struct Options {
    std::size_t constraints = 0;
    std::size_t inputs = 1;       ///< ONE included
    unsigned bit_percent = 80;    ///< of the constraints that are boolean rows
    unsigned ones_percent = 50;   ///< of the booleans that are one
    std::size_t long_every = 97;  ///< products between two long sums
  };

  RandomCircuit(const Options& o, std::uint64_t seed) : ones_percent_(o.ones_percent) {
    TestRandom random(seed);
    for (std::size_t i = 1; i < o.inputs; ++i)
      inputs_.push_back(fr_from_words([&] { return random.next(); }));
    std::vector<std::pair<Variable, Fr>> known{{Variable::one(), Fr::one()}};
    for (std::size_t i = 1; i < o.inputs; ++i)
      known.emplace_back(Variable::input(static_cast<std::uint32_t>(i)), inputs_[i - 1]);
    std::size_t products = 0;
    for (std::size_t row = 0; row < o.constraints; ++row) {
      const Variable v = Variable::aux(static_cast<std::uint32_t>(aux_.size()));
      Row r;
      if (random.next() % 100 < o.bit_percent) {
        const bool one = random.next() % 100 < o.ones_percent;
        aux_.push_back({one ? Fr::one() : Fr::zero(), true});
        const std::uint64_t kind = random.next() % 8;
        if (kind == 0) {  // 1 * v = v, v * 1 = v
          r.a = {{Variable::one(), Fr::one()}};
          r.b = r.c = {{v, Fr::one()}};
        } else if (kind == 1) {
          r.b = {{Variable::one(), Fr::one()}};
          r.a = r.c = {{v, Fr::one()}};
        } else {
          r.a = {{Variable::one(), Fr::one()}, {v, -Fr::one()}};
          r.b = {{v, Fr::one()}};
        }
        known.emplace_back(v, aux_.back().value);
      } else {
        ++products;
        const bool is_long = o.long_every != 0 && products % o.long_every == 0;
        Fr a = Fr::zero();
        Fr b = Fr::zero();
        add_terms(random, known, is_long ? 100 + random.next() % 300 : 1 + random.next() % 6, r.a, a);
        add_terms(random, known, 1 + random.next() % 4, r.b, b);
        aux_.push_back({a * b, false});
        r.c = {{v, Fr::one()}};
        known.emplace_back(v, aux_.back().value);
      }
      rows_.push_back(std::move(r));
    }
  }

  [[nodiscard]] std::shared_ptr<const Shape> shape() const {
    ShapeRecorder recorder;
    synthesize(recorder, inputs_, aux_);
    return std::make_shared<const Shape>(std::move(recorder).finish());
  }
  [[nodiscard]] std::shared_ptr<const Witness> witness() const {
    WitnessBuilder builder;
    synthesize(builder, inputs_, aux_);
    return std::make_shared<const Witness>(std::move(builder).finish());
  }
  /// Another one: other inputs and bits.
  [[nodiscard]] std::shared_ptr<const Witness> witness(std::uint64_t seed) const {
    TestRandom random(seed);
    std::vector<Fr> inputs = inputs_;
    for (Fr& x : inputs) x = fr_from_words([&] { return random.next(); });
    std::vector<Aux> aux = aux_;
    const auto sum = [&](const std::vector<Term>& terms) {
      Fr total = Fr::zero();
      for (const Term& t : terms) {
        const std::uint32_t i = t.variable.index();
        const Fr& value = t.variable.is_aux()             ? aux[i].value
                          : t.variable == Variable::one() ? kOne
                                                          : inputs[i - 1];
        total += t.coefficient * value;
      }
      return total;
    };
    for (std::size_t row = 0; row < rows_.size(); ++row)
      if (aux[row].is_bit)
        aux[row].value = random.next() % 100 < ones_percent_ ? Fr::one() : Fr::zero();
      else
        aux[row].value = sum(rows_[row].a) * sum(rows_[row].b);
    WitnessBuilder builder;
    synthesize(builder, inputs, aux);
    return std::make_shared<const Witness>(std::move(builder).finish());
  }

 private:
  struct Aux {
    Fr value;
    bool is_bit;
  };
  struct Row {
    std::vector<Term> a, b, c;
  };

  static void add_terms(TestRandom& random, const std::vector<std::pair<Variable, Fr>>& known,
                        std::size_t count, std::vector<Term>& terms, Fr& sum) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto& [variable, value] = known[random.next() % known.size()];
      const std::uint64_t kind = random.next() % 4;
      const Fr coefficient = kind == 0   ? Fr::one()
                             : kind == 1 ? -Fr::one()
                             : kind == 2 ? Fr::from_u64(std::uint64_t{1} << (random.next() % 64))
                                         : fr_from_words([&] { return random.next(); });
      terms.push_back({variable, coefficient});
      sum += coefficient * value;
    }
  }
  template <class CS>
  void synthesize(CS& cs, const std::vector<Fr>& inputs, const std::vector<Aux>& aux) const {
    for (const Fr& input : inputs) (void)cs.alloc_input(input);
    for (const Aux& a : aux) {
      if (a.is_bit)
        (void)cs.alloc_bit(a.value.is_one());
      else
        (void)cs.alloc(a.value);
    }
    const auto fill = [](const std::vector<Term>& terms) {
      return [&terms](LinearCombination& lc) {
        for (const Term& t : terms) lc.add(t.variable, t.coefficient);
      };
    };
    for (const Row& row : rows_) cs.enforce(fill(row.a), fill(row.b), fill(row.c));
  }

  const Fr kOne = Fr::one();
  unsigned ones_percent_;
  std::vector<Fr> inputs_;  // without ONE
  std::vector<Aux> aux_;    // of each row, which makes one
  std::vector<Row> rows_;
};

}  // namespace cuzk::device_test
