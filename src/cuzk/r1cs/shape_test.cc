#include "cuzk/r1cs/shape.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>

#include "cuzk/base/random.h"
#include "cuzk/r1cs/shape_recorder.h"
#include "cuzk/r1cs/shape_rows.h"
#include "cuzk/r1cs/witness_builder.h"

namespace cuzk {
namespace {

using Lc = LinearCombination;
using Row = std::array<std::vector<Term>, 3>;

/// A random satisfied circuit: booleans and wide variables mixed, rows of every length, C given by a fresh
/// variable.
struct RandomCircuit {
  std::uint64_t seed;
  std::size_t rows;
  bool many_coefficients;

  /// Synthesizes into `cs`; what it did is kept in `values` (by variable) and `written` (raw rows).
  template <class CS>
  void synthesize(CS& cs, std::map<Variable, Fr>& values, std::vector<Row>& written) const {
    TestRandom rng(seed);
    const auto wide = [&] { return fr_from_words([&] { return rng.next(); }); };
    std::vector<Variable> vars{Variable::one()};
    values[Variable::one()] = Fr::one();
    const auto note = [&](Variable v, const Fr& x) {
      values[v] = x;
      vars.push_back(v);
    };
    for (std::size_t r = 0; r < rows; ++r) {
      if (rng.next() % 8 == 0) {
        const Fr x = wide();
        note(cs.alloc_input(x), x);
      }
      for (std::uint64_t i = rng.next() % 3; i > 0; --i) {
        const bool bit = rng.next() % 2 != 0;
        note(cs.alloc_bit(bit), bit ? Fr::one() : Fr::zero());
      }
      Row row;
      std::array<Fr, 2> sums{Fr::zero(), Fr::zero()};
      for (int m = 0; m < 2; ++m)
        for (std::uint64_t i = r == 5 ? 300 : rng.next() % 6; i > 0; --i) {
          const Variable v = vars[rng.next() % vars.size()];
          const Fr small[] = {Fr::one(), -Fr::one(), Fr::zero(),
                              Fr::from_u64(std::uint64_t{1} << (rng.next() % 64))};
          const Fr k = rng.next() % 8 == 0 || many_coefficients ? wide() : small[rng.next() % 4];
          row[static_cast<std::size_t>(m)].push_back({v, k});
          sums[static_cast<std::size_t>(m)] += k * values[v];
        }
      const Fr product = sums[0] * sums[1];
      const Variable c = cs.alloc(product);
      note(c, product);
      row[2].push_back({c, Fr::one()});
      written.push_back(row);
      const auto fill = [](const std::vector<Term>& terms) {
        return [&terms](Lc& lc) {
          for (const Term& t : terms) lc.add(t.variable, t.coefficient);
        };
      };
      cs.enforce(fill(written.back()[0]), fill(written.back()[1]), fill(written.back()[2]));
    }
  }
};

std::map<Variable, Fr> canonical(const std::vector<Term>& terms) {
  std::map<Variable, Fr> out;
  for (const Term& t : terms) out.emplace(t.variable, Fr::zero()).first->second += t.coefficient;
  std::erase_if(out, [](const auto& e) { return e.second.is_zero(); });
  return out;
}

class ShapeOf : public testing::TestWithParam<RandomCircuit> {};

TEST_P(ShapeOf, RandomCircuitHoldsWhatWasWritten) {
  std::map<Variable, Fr> values;
  std::vector<Row> rows;
  ShapeRecorder recorder;
  GetParam().synthesize(recorder, values, rows);
  const Shape shape = std::move(recorder).finish();
  values.clear();
  rows.clear();
  WitnessBuilder builder;
  GetParam().synthesize(builder, values, rows);
  const Witness witness = std::move(builder).finish();
  ASSERT_TRUE(shape.validate(witness));
  ASSERT_EQ(shape.num_constraints(), rows.size());
  ASSERT_EQ(shape.num_inputs() + shape.num_aux(), values.size());
  for (const auto& [v, x] : values) EXPECT_EQ(shape.value(witness, v), x);

  // Rows, densities and values against the plain record.
  std::set<Variable> in_a;
  std::set<Variable> in_b;
  std::size_t terms = 0;
  std::vector<Fr> want_a;
  std::vector<Fr> want_b;
  const auto value_of = [&](const std::map<Variable, Fr>& lc) {
    Fr sum = Fr::zero();
    for (const auto& [v, k] : lc) sum += k * values[v];
    return sum;
  };
  std::size_t next = 0;
  ShapeRows(shape).for_each(
      0, shape.num_rows(), [&](std::size_t row, const TermView& a, const TermView& b, const TermView& c) {
        EXPECT_EQ(row, next++);
        Row want;
        if (row < rows.size())
          want = rows[row];
        else
          want[0] = {{Variable::input(static_cast<std::uint32_t>(row - rows.size())), Fr::one()}};
        const TermView* views[] = {&a, &b, &c};
        for (std::size_t m = 0; m < 3; ++m) {
          const auto lc = canonical(want[m]);
          ASSERT_EQ(views[m]->size(), lc.size());
          std::size_t i = 0;
          for (const auto& [v, k] : lc) {
            EXPECT_EQ((*views[m])[i].variable, v);
            EXPECT_EQ((*views[m])[i].coefficient, k);
            if (row < rows.size() && m == 0) in_a.insert(v);
            if (row < rows.size() && m == 1) in_b.insert(v);
            ++i;
          }
          if (row < rows.size()) terms += lc.size();
        }
        want_a.push_back(value_of(canonical(want[0])));
        want_b.push_back(value_of(canonical(want[1])));
      });
  EXPECT_EQ(next, shape.num_rows());
  EXPECT_EQ(shape.num_terms(), terms);
  for (std::uint32_t i = 0; i < shape.num_aux(); ++i) {
    EXPECT_EQ((shape.a_aux_density()[i / 64] >> (i % 64) & 1) != 0, in_a.contains(Variable::aux(i)));
    EXPECT_EQ((shape.b_aux_density()[i / 64] >> (i % 64) & 1) != 0, in_b.contains(Variable::aux(i)));
  }
  for (std::uint32_t i = 0; i < shape.num_inputs(); ++i)
    EXPECT_EQ((shape.b_input_density()[i / 64] >> (i % 64) & 1) != 0, in_b.contains(Variable::input(i)));

  for (const unsigned threads : {1U, 3U}) {
    ThreadPool pool(threads);
    const std::size_t size = std::size_t{1} << shape.domain_log_size();
    std::vector<Fr> a(size, Fr::one());
    std::vector<Fr> b(size, Fr::one());
    ShapeRows(shape).evaluate_ab(pool, witness, a, b);
    want_a.resize(size, Fr::zero());
    want_b.resize(size, Fr::zero());
    EXPECT_EQ(a, want_a);
    EXPECT_EQ(b, want_b);
    EXPECT_EQ(shape.first_unsatisfied(pool, witness), shape.num_constraints());
    Witness bad = witness;
    bad.wide[shape.num_wide() / 2] += Fr::one();  // the result of that row
    EXPECT_LE(shape.first_unsatisfied(pool, bad), shape.num_wide() / 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, ShapeOf,
                         testing::Values(RandomCircuit{1, 1, false}, RandomCircuit{2, 64, false},
                                         RandomCircuit{3, 1000, false}, RandomCircuit{4, 15000, true}),
                         [](const auto& i) { return std::to_string(i.param.rows); });

TEST(Shape, RangesOfRowsStartAnywhere) {
  ShapeRecorder recorder;
  const Variable x = recorder.alloc(Fr::zero());
  for (std::uint64_t i = 0; i < 200; ++i)
    recorder.enforce([&](Lc& lc) { lc.add(x, Fr::from_u64(i + 1)); }, [&](Lc&) {}, [&](Lc&) {});
  const Shape shape = std::move(recorder).finish();
  for (const auto& [begin, end] : {std::pair{0U, 0U}, {63U, 65U}, {100U, 201U}, {200U, 201U}}) {
    std::size_t next = begin;
    ShapeRows(shape).for_each(begin, end,
                              [&](std::size_t row, const TermView& a, const TermView&, const TermView&) {
                                EXPECT_EQ(row, next++);
                                EXPECT_EQ(a[0].coefficient, row < 200 ? Fr::from_u64(row + 1) : Fr::one());
                              });
    EXPECT_EQ(next, end);
  }
}

TEST(Shape, WitnessOfOtherLengthsIsRefused) {
  ShapeRecorder recorder;
  (void)recorder.alloc_bit(false);
  (void)recorder.alloc(Fr::zero());
  const Shape shape = std::move(recorder).finish();
  const Witness good{{Fr::one()}, {1}, {Fr::one()}};
  EXPECT_TRUE(shape.validate(good));
  Witness w = good;
  w.inputs.push_back(Fr::one());
  EXPECT_NE(shape.validate(w).error().message.find("2 inputs"), std::string::npos);
  w = good;
  w.inputs[0] = Fr::zero();
  EXPECT_FALSE(shape.validate(w));
  w = good;
  w.wide.clear();
  EXPECT_FALSE(shape.validate(w));
  w = good;
  w.bits.push_back(0);
  EXPECT_FALSE(shape.validate(w));
  w = good;
  w.bits[0] = 2;
  EXPECT_FALSE(shape.validate(w));
}

TEST(LinearCombination, AddingScaledAndItself) {
  Lc lc;
  const Variable x = Variable::aux(3);
  lc.add(x).add(Variable::one(), Fr::from_u64(5)).sub(x, Fr::from_u64(4));
  lc.add(Fr::from_u64(2), lc);
  lc.canonicalize();
  ASSERT_EQ(lc.terms().size(), 2U);
  EXPECT_EQ(lc.terms()[0].coefficient, Fr::from_u64(15));
  EXPECT_EQ(lc.terms()[1].coefficient, -Fr::from_u64(9));
  lc.add(x, Fr::from_u64(9));
  lc.canonicalize();
  EXPECT_EQ(lc.terms().size(), 1U);
}

}  // namespace
}  // namespace cuzk
