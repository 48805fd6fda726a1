#include "cuzk/groth16/proving_key.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>

#include "cuzk/base/random.h"
#include "cuzk/groth16/point_codec.h"
#include "cuzk/groth16/proving_key_bases.h"
#include "cuzk/groth16/test_support.h"

namespace cuzk::groth16 {
namespace {

/// [1]G, [2]G, ...: every point of a file another one, so that a wrong place shows.
template <class F>
std::vector<Affine<F>> multiples(const Affine<F>& g, std::size_t count) {
  std::vector<Jacobian<F>> sums;
  Jacobian<F> sum = Jacobian<F>::from_affine(g);
  for (std::size_t i = 0; i < count; ++i, sum += g) sums.push_back(sum);
  std::vector<Affine<F>> out(count);
  batch_to_affine(std::span<const Jacobian<F>>(sums), std::span(out));
  return out;
}

/// 12,000 aux variables of which some 95 % are boolean, in and out of both densities. The values are never
/// used.
test::RowCircuit large_circuit() {
  TestRandom rng(7);
  test::RowCircuit circuit;
  circuit.inputs.resize(70, Fr::from_u64(3));
  for (std::uint32_t i = 0; i < 12000; ++i)
    circuit.aux.push_back(rng.next() % 20 == 0 ? Fr::from_u64(i + 2) : Fr::from_u64(rng.next() % 2));
  circuit.rows.resize(10);
  for (std::uint32_t i = 0; i < 12000; ++i) {
    test::RowCircuit::Row& row = circuit.rows[i % 10];
    const Term term{Variable::aux(i), Fr::one()};
    if (rng.next() % 4 != 0) row.a.push_back(term);
    if (rng.next() % 3 != 0) row.b.push_back(term);
    row.c.push_back(term);
  }
  for (const std::uint32_t i : {0U, 5U, 69U}) circuit.rows[0].b.push_back({Variable::input(i), Fr::one()});
  return circuit;
}

/// Puts the points where the file has them; what the split must find again.
struct LargeKey {
  LargeKey() : circuit(large_circuit()), shape(circuit.shape(true)), witness(circuit.witness(true)) {
    const std::size_t n_b = shape->b_input_count() + shape->b_aux_count();
    layout = ParamsLayout::with_counts(70, (std::size_t{1} << shape->domain_log_size()) - 1, 12000,
                                       70 + shape->a_aux_count(), n_b, n_b);
    g1 = multiples(g1_generator(), 12000);
    g2 = multiples(g2_generator(), n_b);
    VerifyingKey vk = read_verifying_key(pool, test::data_path("toy/cubic.vk")).value();
    vk.ic.assign(70, g1_generator());
    std::vector<std::uint8_t> bytes = encode_verifying_key(vk);
    for (const ParamsSection* s : {&layout.h, &layout.l, &layout.a, &layout.b_g1, &layout.b_g2}) {
      bytes.resize(s->end());
      store_be32(bytes.data() + s->offset - 4, static_cast<std::uint32_t>(s->count));
      const auto out = std::span(bytes).subspan(s->offset);
      if (s->point_bytes == kG1Bytes)
        encode_points(std::span<const G1Affine>(g1).first(s->count), out, best_isa());
      else
        encode_points(std::span<const G2Affine>(g2).first(s->count), out, best_isa());
    }
    test::write_file(folder.file("k"), bytes);
    key = ProvingKey::load(pool, folder.file("k"), shape).value();
  }

  ThreadPool pool{2};
  test::TemporaryFolder folder;
  test::RowCircuit circuit;
  std::shared_ptr<const Shape> shape;
  std::shared_ptr<const Witness> witness;
  ParamsLayout layout;
  std::vector<G1Affine> g1;
  std::vector<G2Affine> g2;
  std::shared_ptr<const ProvingKey> key;
};

bool bit_of(std::span<const std::uint64_t> words, std::size_t i) {
  return (words[i / 64] >> (i % 64) & 1) != 0;
}

/// The plain split: walk the query's variables in file order.
template <class F>
void expect_split(const LargeKey& k, bool inputs, std::span<const std::uint64_t> input_density,
                  std::span<const std::uint64_t> aux_density, const QuerySelection& selection,
                  const QueryBases<F>& bases, std::span<const Affine<F>> points) {
  std::vector<Affine<F>> wide_bases;
  std::vector<Affine<F>> bit_bases;
  std::vector<Fr> wide;
  std::vector<bool> bits;
  std::size_t place = 0;
  for (std::uint32_t i = 0; inputs && i < k.shape->num_inputs(); ++i)
    if (input_density.empty() || bit_of(input_density, i)) {
      wide_bases.push_back(points[place++]);
      wide.push_back(k.witness->inputs[i]);
    }
  for (std::uint32_t i = 0; i < k.shape->num_aux(); ++i) {
    if (!aux_density.empty() && !bit_of(aux_density, i)) continue;
    const Fr value = k.circuit.aux[i];
    if (k.shape->is_bit(i)) {
      bit_bases.push_back(points[place++]);
      bits.push_back(value.is_one());
    } else {
      wide_bases.push_back(points[place++]);
      wide.push_back(value);
    }
  }
  ASSERT_EQ(place, points.size());
  ASSERT_EQ(bases.wide_count(), wide_bases.size());
  std::vector<Affine<F>> out(wide_bases.size());
  ASSERT_TRUE(bases.decode_wide_bases(best_isa(), 0, std::span(out)));
  EXPECT_EQ(out, wide_bases);
  out.resize(wide_bases.size() - 3);
  ASSERT_TRUE(bases.decode_wide_bases(best_isa(), 2, std::span(out)));
  EXPECT_TRUE(std::equal(out.begin(), out.end(), wide_bases.begin() + 2));
  EXPECT_EQ(selection.wide_count(), wide.size());
  EXPECT_EQ(selection.select_wide(*k.witness), wide);
  ASSERT_EQ(bases.bit_count(), bit_bases.size());
  ASSERT_EQ(selection.bit_count(), bit_bases.size());
  const std::vector<std::uint64_t> packed = selection.select_bits(*k.witness);
  ASSERT_EQ(packed.size(), (bits.size() + 63) / 64);
  for (std::size_t i = 0; i < bits.size(); ++i) ASSERT_EQ(bit_of(packed, i), bits[i]) << i;

  out.resize(bit_bases.size());
  ASSERT_TRUE(bases.decode_bit_bases(best_isa(), 0, std::span(out)));
  EXPECT_EQ(out, bit_bases);
  for (const auto& [begin, count] :
       {std::pair{4095UL, 3UL}, {4096UL, 1UL}, {5000UL, 2000UL}, {bits.size(), 0UL}}) {
    out.assign(count, {});
    ASSERT_TRUE(bases.decode_bit_bases(best_isa(), begin, std::span(out)));
    EXPECT_TRUE(std::equal(out.begin(), out.end(), bit_bases.begin() + static_cast<std::ptrdiff_t>(begin)));
  }
  for (const auto& [begin, end] :
       {std::pair{0UL, bits.size()}, {64UL, 65UL}, {4032UL, 4200UL}, {6400UL, bits.size()}, {128UL, 128UL}}) {
    std::vector<Affine<F>> want;
    for (std::size_t i = begin; i < end; ++i)
      if (bits[i]) want.push_back(bit_bases[i]);
    out.assign(want.size(), {});
    EXPECT_EQ(bases.gather_bit_bases(packed, begin, end, best_isa(), std::span(out)).value(), want.size());
    EXPECT_EQ(out, want);
  }
}

TEST(ProvingKeySplit, BitAndWideBasesOfEveryQuery) {
  const LargeKey k;
  const Shape& shape = *k.shape;
  const ProvingKeyBases& bases = ProvingKeyBases::of(*k.key);
  const std::span<const G1Affine> g1(k.g1);
  ASSERT_GT(shape.num_bits(), 8192U);
  ASSERT_GT(shape.num_wide(), 400U);
  expect_split<Fp>(k, false, {}, {}, bases.l_selection, bases.l, g1);
  expect_split<Fp>(k, true, {}, shape.a_aux_density(), bases.a_selection, bases.a,
                   g1.first(k.layout.a.count));
  expect_split<Fp>(k, true, shape.b_input_density(), shape.b_aux_density(), bases.b_selection, bases.b_g1,
                   g1.first(k.layout.b_g1.count));
  expect_split<Fp2>(k, true, shape.b_input_density(), shape.b_aux_density(), bases.b_selection, bases.b_g2,
                    k.g2);
  std::vector<G1Affine> h(k.layout.h.count - 1);
  ASSERT_TRUE(bases.h.decode(best_isa(), 1, std::span(h)));
  EXPECT_TRUE(std::equal(h.begin(), h.end(), k.g1.begin() + 1));
  EXPECT_EQ(bases.h.size(), k.layout.h.count);
}

TEST(ProvingKeySplit, BasesAndMasksSayTheSame) {
  const LargeKey k;
  const ProvingKeyBases& bases = ProvingKeyBases::of(*k.key);
  const QueryBases<Fp2>& query = bases.b_g2;
  const QuerySelection& selection = bases.b_selection;
  ASSERT_EQ(query.size(), k.g2.size());
  EXPECT_EQ(selection.input_count(), k.shape->b_input_count());
  // The wide bases and the bit bases, each in order, are all of them.
  std::vector<G2Affine> bits(query.bit_count());
  ASSERT_TRUE(query.decode_bit_bases(best_isa(), 0, std::span(bits)));
  std::vector<G2Affine> wides(query.wide_count());
  ASSERT_TRUE(query.decode_wide_bases(best_isa(), 0, std::span(wides)));
  ASSERT_EQ(wides.size() + bits.size(), query.size());
  auto wide = wides.begin();
  auto bit = bits.begin();
  for (const G2Affine& point : k.g2) {
    if (wide != wides.end() && *wide == point)
      ++wide;
    else if (bit != bits.end() && *bit == point)
      ++bit;
  }
  EXPECT_EQ(wide, wides.end());
  EXPECT_EQ(bit, bits.end());

  std::vector<Fr> scalars;
  for (std::size_t i = 0; i < k.witness->inputs.size(); ++i)
    if (bit_of(selection.input_mask(), i)) scalars.push_back(k.witness->inputs[i]);
  EXPECT_EQ(scalars.size(), selection.input_count());
  for (std::size_t i = 0; i < k.witness->wide.size(); ++i)
    if (bit_of(selection.wide_mask(), i)) scalars.push_back(k.witness->wide[i]);
  EXPECT_EQ(scalars, selection.select_wide(*k.witness));
}

TEST(ProvingKeyLoad, ProgressEndsAtOne) {
  LargeKey k;
  std::mutex mutex;
  std::vector<double> seen;
  ASSERT_TRUE(ProvingKey::load(k.pool, k.folder.file("k"), k.shape, [&](double fraction) {
    const std::lock_guard lock(mutex);
    seen.push_back(fraction);
  }));
  ASSERT_GT(seen.size(), 5U);
  std::sort(seen.begin(), seen.end());
  EXPECT_GT(seen.front(), 0);
  EXPECT_EQ(seen.back(), 1);
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

TEST(CheckPoints, ProgressIsTheRunningTotalOfAllVectors) {
  ThreadPool pool(2);
  const test::TemporaryFolder folder;
  const test::Toy toy = test::load_toy("random-300");
  ASSERT_TRUE(generate_parameters(pool, *toy.circuit.shape(false), toy.toxic, folder.file("k")));
  const ParamsFile file = ParamsFile::open(pool, folder.file("k")).value();
  std::mutex mutex;
  std::vector<std::uint64_t> seen;
  ASSERT_TRUE(check_points(pool, file, [&](std::uint64_t done) {
    const std::lock_guard lock(mutex);
    seen.push_back(done);
  }));
  ASSERT_GT(seen.size(), 5U) << "some vector has more than one range";
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
  const ParamsLayout& l = file.layout();
  EXPECT_EQ(seen.back(),
            kG1Bytes * (l.h.count + l.l.count + l.a.count + l.b_g1.count) + kG2Bytes * l.b_g2.count);
  EXPECT_EQ(seen.back(), l.vector_bytes());
}

}  // namespace
}  // namespace cuzk::groth16
