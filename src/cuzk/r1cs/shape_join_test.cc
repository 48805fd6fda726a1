#include "cuzk/r1cs/shape_join.h"

#include <gtest/gtest.h>

#include "cuzk/base/random.h"
#include "cuzk/r1cs/shape_recorder.h"
#include "cuzk/r1cs/shape_rows.h"

namespace cuzk {
namespace {

/// Rows of any length over own variables, `inputs` and, by chance, a great many coefficients.
template <class CS>
void synthesize(CS& cs, std::uint64_t seed, std::size_t rows, bool many_coefficients,
                const std::vector<Variable>& inputs) {
  TestRandom random(seed);
  std::vector<Variable> known = inputs;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::uint64_t i = random.next() % 3; i > 0; --i)
      known.push_back(random.next() % 4 == 0 ? cs.alloc(Fr::zero()) : cs.alloc_bit(false));
    const auto fill = [&](LinearCombination& lc) {
      for (std::uint64_t i = row == 3 ? 300 : random.next() % 4; i > 0; --i)
        lc.add(known[random.next() % known.size()],
               Fr::from_u64(1 + random.next() % (many_coefficients ? 1U << 30 : 5U)));
    };
    cs.enforce(fill, fill, fill);
  }
}

std::vector<Variable> allocate_inputs(ShapeRecorder& recorder, std::size_t count) {
  std::vector<Variable> inputs{Variable::one()};
  while (inputs.size() < count) inputs.push_back(recorder.alloc_input(Fr::zero()));
  return inputs;
}

struct Part {
  std::uint64_t seed;
  std::size_t rows;
  std::size_t inputs;
  bool many_coefficients = false;
};

Shape recorded(const Part& part) {
  ShapeRecorder recorder;
  const std::vector<Variable> inputs = allocate_inputs(recorder, part.inputs);
  synthesize(recorder, part.seed, part.rows, part.many_coefficients, inputs);
  return std::move(recorder).finish();
}

template <class T>
std::vector<T> copy_of(std::span<const T> values) {
  return {values.begin(), values.end()};
}

void expect_equal(const Shape& got, const Shape& want) {
  ASSERT_EQ(got.num_inputs(), want.num_inputs());
  ASSERT_EQ(got.num_aux(), want.num_aux());
  ASSERT_EQ(got.num_bits(), want.num_bits());
  ASSERT_EQ(got.num_rows(), want.num_rows());
  ASSERT_EQ(got.num_terms(), want.num_terms());
  EXPECT_EQ(copy_of(got.aux_is_bit()), copy_of(want.aux_is_bit()));
  EXPECT_EQ(copy_of(got.a_aux_density()), copy_of(want.a_aux_density()));
  EXPECT_EQ(copy_of(got.b_aux_density()), copy_of(want.b_aux_density()));
  EXPECT_EQ(copy_of(got.b_input_density()), copy_of(want.b_input_density()));
  for (const std::size_t aux : {std::size_t{0}, got.num_aux() / 2, got.num_aux()})
    EXPECT_EQ(got.bits_before(aux), want.bits_before(aux));
  const ShapeRows got_rows(got);
  const ShapeRows want_rows(want);
  EXPECT_EQ(copy_of(got_rows.coefficients()), copy_of(want_rows.coefficients()));
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> sides[2];
  for (int which = 0; which < 2; ++which)
    (which == 0 ? got_rows : want_rows)
        .for_each(0, got.num_rows(),
                  [&](std::size_t, const TermView& a, const TermView& b, const TermView& c) {
                    for (const TermView* view : {&a, &b, &c}) {
                      auto& side = sides[which].emplace_back();
                      for (std::size_t i = 0; i < view->size(); ++i)
                        side.emplace_back((*view)[i].variable.code(), view->coefficient_id(i));
                    }
                  });
  EXPECT_EQ(sides[0], sides[1]);
  // From the middle, where the index of rows is used.
  std::size_t row = got.num_constraints() / 2;
  got_rows.for_each(row, got.num_constraints(),
                    [&](std::size_t, const TermView& a, const TermView&, const TermView&) {
                      EXPECT_EQ(a.size(), sides[1][3 * row++].size());
                    });
}

class JoinShapes : public testing::TestWithParam<unsigned> {};

TEST_P(JoinShapes, EqualsOneRecording) {
  ThreadPool pool(GetParam());
  for (const bool many : {false, true}) {
    // More than 2^16 coefficients in all, though every part has fewer.
    const std::vector<Part> parts{
        {1, many ? 12000U : 100U, 3, many}, {2, many ? 12000U : 63U, 1, many}, {3, 129, 5}, {4, 1, 1}};
    const std::vector<std::size_t> order{0, 1, 2, 2, 3, 0, 2, 1};
    std::vector<Shape> shapes;
    for (const Part& part : parts) shapes.push_back(recorded(part));
    std::vector<const Shape*> pieces;
    ShapeRecorder recorder;
    const std::vector<Variable> inputs = allocate_inputs(recorder, 5);
    for (const std::size_t i : order) {
      pieces.push_back(&shapes[i]);
      synthesize(recorder, parts[i].seed, parts[i].rows, parts[i].many_coefficients,
                 {inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(parts[i].inputs)});
    }
    const Shape want = std::move(recorder).finish();
    EXPECT_EQ(ShapeRows(want).coefficients().size() > 0x10000, many);
    expect_equal(join_shapes(pool, pieces).value(), want);
  }
}

TEST_P(JoinShapes, OneOrEmptyPieces) {
  ThreadPool pool(GetParam());
  const Shape empty = ShapeRecorder().finish();
  const Shape part = recorded({7, 70, 2});
  const Shape* const pieces[] = {&empty, &part, &empty};
  expect_equal(join_shapes(pool, pieces).value(), part);
  expect_equal(join_shapes(pool, std::span(pieces).first(1)).value(), empty);
}

TEST_P(JoinShapes, NothingComesOfOneThatIsStopped) {
  ThreadPool pool(GetParam());
  const Shape part = recorded({7, 70, 2});
  const Shape* const pieces[] = {&part, &part};
  std::stop_source stop;
  EXPECT_TRUE(join_shapes(pool, pieces, kInputsInCommon, stop.get_token()));
  stop.request_stop();
  EXPECT_FALSE(join_shapes(pool, pieces, kInputsInCommon, stop.get_token()));
}

/// Inputs and rows that parts read, then parts with inputs of their own.
TEST_P(JoinShapes, AHeadComesOnce) {
  ThreadPool pool(GetParam());
  const auto head = [](ShapeRecorder& cs) {
    const std::vector<Variable> inputs = allocate_inputs(cs, 3);
    synthesize(cs, 1, 77, false, inputs);
    std::vector<Variable> known = inputs;
    for (int i = 0; i < 70; ++i) known.push_back(i % 2 == 0 ? cs.alloc(Fr::zero()) : cs.alloc_bit(false));
    return known;
  };
  const auto part = [](ShapeRecorder& cs, std::vector<Variable> known, std::uint64_t seed) {
    for (int i = 0; i < 2; ++i) known.push_back(cs.alloc_input(Fr::zero()));
    synthesize(cs, seed, 50 + seed, false, known);
  };
  ShapeRecorder direct;
  const std::vector<Variable> known = head(direct);
  const CircuitCounts counts = direct.counts();
  std::vector<Shape> shapes;
  for (const std::uint64_t seed : {2, 3}) {
    ShapeRecorder recorder;
    part(recorder, head(recorder), seed);
    shapes.push_back(std::move(recorder).finish());
  }
  std::vector<const Shape*> pieces;
  for (const std::uint64_t seed : {2, 3, 3, 2, 3}) {
    part(direct, known, seed);
    pieces.push_back(&shapes[seed - 2]);
  }
  expect_equal(join_shapes(pool, pieces, counts).value(), std::move(direct).finish());
}

INSTANTIATE_TEST_SUITE_P(Threads, JoinShapes, testing::Values(1, 3));

}  // namespace
}  // namespace cuzk
