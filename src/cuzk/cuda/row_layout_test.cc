#include <gtest/gtest.h>

#include "cuzk/base/random.h"
#include "cuzk/cuda/internal/row_layout.h"
#include "cuzk/r1cs/shape_recorder.h"
#include "cuzk/r1cs/witness_builder.h"

namespace cuzk::cuda {
namespace {

struct Options {
  std::size_t constraints = 0;
  std::size_t inputs = 1;  // ONE included
  std::size_t aux = 0;
  unsigned wide_percent = 0;
  unsigned coefficients = 3;   // distinct ones beside 1 and -1
  std::size_t long_every = 0;  // every so many rows A or B has more terms than a thread takes
};

/// The same calls on a recorder and on a builder.
template <class CS>
void synthesize(const Options& o, CS& cs) {
  TestRandom random(17 * o.constraints + o.aux);
  std::vector<Variable> variables{Variable::one()};
  for (std::size_t i = 1; i < o.inputs; ++i) variables.push_back(cs.alloc_input(Fr::from_u64(random.next())));
  for (std::size_t i = 0; i < o.aux; ++i) {
    const std::uint64_t value = random.next();
    if (random.next() % 100 < o.wide_percent)
      variables.push_back(cs.alloc(-Fr::from_u64(value)));
    else
      variables.push_back(cs.alloc_bit(value % 2 != 0));
  }
  const auto coefficient = [&] {
    const std::uint64_t k = random.next() % (o.coefficients + 2);
    return k == 0 ? Fr::one() : k == 1 ? -Fr::one() : Fr::from_u64(k) * -Fr::from_u64(0x123456789abcdef);
  };
  for (std::size_t row = 0; row < o.constraints; ++row) {
    const auto side = [&](bool is_long) {
      const std::size_t terms = is_long ? kShortTerms + 1 + random.next() % 200 : random.next() % 7;
      return [&, terms](LinearCombination& lc) {
        for (std::size_t t = 0; t < terms; ++t)
          lc.add(variables[random.next() % variables.size()], coefficient());
      };
    };
    const bool is_long = o.long_every != 0 && row % o.long_every == o.long_every - 1;
    cs.enforce(side(is_long), side(is_long && row % 2 == 0), side(false));
  }
}

std::vector<Fr32> device_form(const std::vector<Fr>& values) {
  std::vector<Fr32> out;
  for (const Fr& v : values) out.push_back(Fr32::from(v));
  return out;
}

/// Pieces that are evaluated one by one, both sides or one, give a and b as well.
template <bool kWideIds>
void expect_pieces(const Shape& shape, const RowCounts& counts, const WitnessView& view,
                   const Fr32* coefficients, const std::vector<Fr32>& a, const std::vector<Fr32>& b) {
  const std::uint64_t groups = row_piece_groups(counts.groups);
  EXPECT_EQ(counts.pieces.size(), (counts.groups + groups - 1) / groups);
  std::uint64_t rows = 0;
  const auto check = [&](const RowPieceLayout& layout, std::uint64_t row, const auto& write) {
    const RowCounts::Piece& of_piece = layout.counts;
    std::vector<std::uint64_t> block(layout.bytes / 8, 0xA5A5A5A5A5A5A5A5);
    auto* const data = reinterpret_cast<unsigned char*>(block.data());
    write(data);
    const RowArrays arrays = layout.arrays(data, coefficients);
    std::vector<Fr32> got_a(of_piece.constraints, Fr32::one());
    std::vector<Fr32> got_b = got_a;
    for (const auto& [to_a, to_b] :
         {std::pair<Fr32*, Fr32*>{got_a.data(), nullptr}, {nullptr, got_b.data()}}) {
      for (std::uint64_t i = 0; i < of_piece.constraints; ++i)
        evaluate_row<kWideIds>(arrays, view, i, to_a, to_b);
      for (unsigned i = 0; i < of_piece.long_runs; ++i) {
        std::vector<Fr32> shared(16);
        HostBlock<LongRowState> host(i, 16);
        run_long_row<kWideIds>(arrays, view, to_a, to_b, host, shared.data());
      }
    }
    for (std::uint64_t i = 0; i < of_piece.constraints; ++i) {
      ASSERT_TRUE(got_a[i].wide() == a[row + i].wide()) << row + i;
      ASSERT_TRUE(got_b[i].wide() == b[row + i].wide()) << row + i;
    }
    rows += of_piece.constraints;
  };
  ASSERT_TRUE(
      for_each_piece(shape, counts, [&](const RowPieceLayout& layout, std::uint64_t row, const auto& write) {
        check(layout, row, write);
        return Result<void>();
      }));
  const std::uint64_t row = counts.constraints;
  EXPECT_EQ(rows, row);
  // The rows of the inputs and the zeros behind them.
  RowArrays rest{};
  rest.rows = counts.rows - counts.constraints;
  for (std::uint64_t i = 0; row + i < a.size(); ++i) {
    std::vector<Fr32> space(i + 1);
    evaluate_row<kWideIds>(rest, view, i, space.data(), nullptr);
    const Fr32 got_a = space[i];
    evaluate_row<kWideIds>(rest, view, i, nullptr, space.data());
    const Fr32 got_b = space[i];
    ASSERT_TRUE(got_a.wide() == a[row + i].wide() && got_b.wide() == b[row + i].wide()) << row + i;
    if (i > 300) break;
  }
}

/// All pieces in one, and what the kernels do with them on the host.
template <bool kWideIds>
void expect_rows(const Options& o, const Shape& shape, const Witness& witness) {
  RowPiece all;
  {
    RowWriter writer(shape);
    RowPiece piece;
    const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    while (writer.next(3, piece)) {
      for (const auto& [to, from] :
           {std::pair{&all.terms, &piece.terms}, {&all.long_terms, &piece.long_terms}}) {
        append(to->places, from->places);
        append(to->low, from->low);
        append(to->high, from->high);
      }
      append(all.group_terms, piece.group_terms);
      append(all.ends, piece.ends);
      append(all.long_runs, piece.long_runs);
    }
  }
  const RowCounts counts = count_rows(shape);
  EXPECT_EQ(counts.short_terms, all.terms.places.size());
  EXPECT_EQ(counts.short_terms, all.terms.low.size());
  EXPECT_EQ(counts.wide_ids ? counts.short_terms : 0, all.terms.high.size());
  EXPECT_EQ(counts.long_terms, all.long_terms.places.size());
  EXPECT_EQ(counts.long_runs, all.long_runs.size());
  EXPECT_EQ(counts.groups, all.group_terms.size());
  EXPECT_EQ(2 * counts.constraints, all.ends.size());
  EXPECT_EQ(o.long_every != 0, counts.long_runs != 0);
  ASSERT_EQ(counts.wide_ids, kWideIds);

  const std::vector<Fr> table(ShapeRows(shape).coefficients().begin(), ShapeRows(shape).coefficients().end());
  const std::vector<Fr32> coefficients = device_form(table);
  std::vector<Fr> values = witness.inputs;
  values.insert(values.end(), witness.wide.begin(), witness.wide.end());
  const std::vector<Fr32> values32 = device_form(values);
  std::vector<std::uint32_t> bits;
  for (const std::uint64_t w : witness.bits) {
    bits.push_back(static_cast<std::uint32_t>(w));
    bits.push_back(static_cast<std::uint32_t>(w >> 32));
  }
  const auto terms = [](const RowPiece::Terms& t) {
    return RowTerms{t.places.data(), t.low.data(), t.high.data()};
  };
  const RowArrays arrays{
      terms(all.terms),      all.group_terms.data(), all.ends.data(),    all.long_runs.data(),
      terms(all.long_terms), coefficients.data(),    counts.constraints, counts.rows};
  const WitnessView view{values32.data(), bits.data()};
  const std::size_t domain = std::size_t{1} << shape.domain_log_size();
  std::vector<Fr32> a(domain, Fr32::one());
  std::vector<Fr32> b(domain, Fr32::one());
  for (std::size_t row = 0; row < domain; ++row)
    evaluate_row<kWideIds>(arrays, view, row, a.data(), b.data());
  for (unsigned i = 0; i < counts.long_runs; ++i) {
    std::vector<Fr32> shared(16);
    HostBlock<LongRowState> block(i, 16);
    run_long_row<kWideIds>(arrays, view, a.data(), b.data(), block, shared.data());
  }

  expect_pieces<kWideIds>(shape, counts, view, coefficients.data(), a, b);

  ThreadPool pool(2);
  EXPECT_TRUE(count_rows(shape, pool) == counts);
  std::vector<Fr> want_a(domain);
  std::vector<Fr> want_b(domain);
  ShapeRows(shape).evaluate_ab(pool, witness, want_a, want_b);
  for (std::size_t row = 0; row < domain; ++row) {
    ASSERT_TRUE(a[row].wide() == want_a[row]) << row;
    ASSERT_TRUE(b[row].wide() == want_b[row]) << row;
  }
}

void expect_rows(const Options& o) {
  SCOPED_TRACE(testing::Message() << o.constraints << " constraints, " << o.aux << " aux");
  ShapeRecorder recorder;
  synthesize(o, recorder);
  const Shape shape = std::move(recorder).finish();
  WitnessBuilder builder;
  synthesize(o, builder);
  const Witness witness = std::move(builder).finish();
  if (count_rows(shape).wide_ids)
    expect_rows<true>(o, shape, witness);
  else
    expect_rows<false>(o, shape, witness);
}

TEST(RowLayout, KernelsOnTheHostEqualShapeRows) {
  expect_rows({0, 1, 0});
  expect_rows({0, 5, 3, 50});
  for (const std::size_t n : {1, 63, 64, 65, 191, 192, 193}) expect_rows({n, 3, 100, 10});
  expect_rows({1000, 2, 300, 0});
  expect_rows({1000, 2, 300, 100});
  expect_rows({1000, 40, 70, 30, 1000});
}

TEST(RowLayout, LongCombinations) {
  expect_rows({300, 3, 400, 10, 5, 7});
  expect_rows({65, 3, 400, 0, 0, 1});
}

TEST(RowLayout, MoreThan65536Coefficients) {
  expect_rows({30000, 3, 500, 20, 1U << 20, 1000});
}

}  // namespace
}  // namespace cuzk::cuda
