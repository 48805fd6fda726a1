#include "cuzk/groth16/setup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cuzk/base/hex.h"
#include "cuzk/base/random.h"
#include "cuzk/groth16/proving_key.h"
#include "cuzk/groth16/qap.h"
#include "cuzk/groth16/test_support.h"
#include "cuzk/hash/sha256.h"

namespace cuzk::groth16 {
namespace {

using test::data_path;
using test::read_file;
using testing::HasSubstr;

class Setup : public testing::Test {
 protected:
  Result<SetupResult> generate(const test::RowCircuit& circuit, const ToxicWaste& toxic, bool bits = false) {
    return generate_parameters(pool_, *circuit.shape(bits), toxic, path_, {});
  }

  ThreadPool pool_{2};
  test::TemporaryFolder folder_;
  std::string path_ = folder_.file("x.params");
};

TEST_F(Setup, ToysAreByteIdenticalToTheReference) {
  for (const char* name : {"cubic", "random-300"}) {
    const test::Toy toy = test::load_toy(name);
    const auto result = generate(toy.circuit, toy.toxic);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(read_file(path_), read_file(data_path(std::string("toy/") + name + ".params"))) << name;
    EXPECT_EQ(encode_verifying_key(result->vk), read_file(data_path(std::string("toy/") + name + ".vk")));
    EXPECT_EQ(to_hex(result->digests.sha256), toy.params_sha256);
    EXPECT_EQ(result->layout.file_bytes(), std::filesystem::file_size(path_));
  }
}

TEST_F(Setup, GoldenVectors) {
  const auto xor_demo = generate(test::xor_demo(false, false), test::golden_secrets());
  ASSERT_TRUE(xor_demo) << xor_demo.error().message;
  EXPECT_EQ(to_hex(xor_demo->digests.sha256),
            "f325c818d6a46e6b3be79d2142d3587b34c9a780e000da5f1d6820b373cd6950");
  EXPECT_EQ(to_hex(xor_demo->digests.blake2b), "ab0447779dea09dfcfd8ec0239306062");
  EXPECT_EQ(to_hex(sha256(encode_verifying_key(xor_demo->vk))),
            "181c6b320a969fbab0c045d6951d70f4ffa3c416b6fcfbcdc324e3a508863d60");
  const std::vector<std::uint8_t> file = read_file(path_);
  EXPECT_EQ(file.size(), 2904U);
  EXPECT_EQ(
      to_hex(ByteSpan(file).subspan(1064, 96)),
      "029aedb649cb42bd32d53cc61c9d88c20624d167d0ef8d9172ea41cc2baee5a955f64f70c737e455c2d44979f6a39dc8"
      "189f63237e25a90137d09887974fbcded235c3045042d56143c318f996249a6de02da2662d01652891340fe2754aad27");
  const auto product = generate(test::product(3, 7), test::golden_secrets());
  ASSERT_TRUE(product) << product.error().message;
  EXPECT_EQ(to_hex(product->digests.sha256),
            "becb08100d9c1b58dd36fbd555d58ff72220b98beae28d8a8253dea46e48c13a");
  EXPECT_EQ(to_hex(sha256(encode_verifying_key(product->vk))),
            "ec84042936be8c4419dc9e0bc756df6f59e58bde3384a5a5a0b12e68db50143f");
}

TEST_F(Setup, BooleansDoNotChangeTheFile) {
  const test::Toy toy = test::load_toy("random-300");
  ASSERT_TRUE(generate(toy.circuit, toy.toxic, true));
  EXPECT_EQ(read_file(path_), read_file(data_path("toy/random-300.params")));
}

TEST_F(Setup, OtherGenerators) {
  const test::Toy toy = test::load_toy("cubic");
  const Fr five = Fr::from_u64(5);
  SetupOptions options;
  options.g1 = mul(g1_generator(), five).to_affine();
  std::uint64_t done = 0;
  options.progress = [&](std::uint64_t d, std::uint64_t total) {
    EXPECT_GT(d, done);
    EXPECT_LE(d, total);
    done = d;
  };
  const auto result = generate_parameters(pool_, *toy.circuit.shape(false), toy.toxic, path_, options);
  ASSERT_TRUE(result);
  EXPECT_EQ(done, 2U + 7 + 4 + 5 + 3 + 3);
  EXPECT_EQ(result->vk.alpha_g1, mul(g1_generator(), five * toy.toxic.alpha).to_affine());
  EXPECT_EQ(result->vk.delta_g2, mul(g2_generator(), toy.toxic.delta).to_affine());
  options.g2 = G2Affine::infinity();
  EXPECT_EQ(generate_parameters(pool_, *toy.circuit.shape(false), toy.toxic, path_, options).error().code,
            ErrorCode::kUsage);
}

TEST_F(Setup, UnusableSecrets) {
  const test::Toy toy = test::load_toy("cubic");
  const auto expect = [&](ToxicWaste toxic, const char* what) {
    const auto result = generate(toy.circuit, toxic);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::kUsage);
    EXPECT_THAT(result.error().message, HasSubstr(what));
    EXPECT_FALSE(std::filesystem::exists(path_));
  };
  ToxicWaste t = toy.toxic;
  t.gamma = Fr::zero();
  expect(t, "gamma is zero");
  t = toy.toxic;
  t.delta = Fr::zero();
  expect(t, "delta is zero");
  t = toy.toxic;
  t.tau = fr_root_of_unity(3);
  expect(t, "tau lies in the evaluation domain");
}

TEST_F(Setup, UnconstrainedVariable) {
  test::RowCircuit circuit = test::xor_demo(true, false);
  circuit.aux.push_back(Fr::one());
  const auto result = generate(circuit, test::golden_secrets());
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("unconstrained variable: aux variable 2"));
  // A coefficient of zero constrains nothing.
  circuit.rows[0].a.push_back({Variable::aux(2), Fr::zero()});
  EXPECT_FALSE(generate(circuit, test::golden_secrets()));
}

TEST_F(Setup, FolderThatDoesNotExist) {
  const test::RowCircuit circuit = test::xor_demo(true, false);
  const auto result =
      generate_parameters(pool_, *circuit.shape(false), test::golden_secrets(), folder_.file("no/x.params"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kIo);
}

std::vector<std::uint8_t> bytes_of(const ParamsFile& file) {
  std::vector<std::uint8_t> bytes(file.layout().file_bytes());
  EXPECT_TRUE(file.read(0, bytes));
  return bytes;
}

TEST_F(Setup, InMemoryAreTheBytesOfTheFile) {
  for (const char* name : {"cubic", "random-300"}) {
    const test::Toy toy = test::load_toy(name);
    const std::shared_ptr<const Shape> shape = toy.circuit.shape(true);
    const auto file = generate_parameters_in_memory(pool_, *shape, toy.toxic, "in memory");
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(bytes_of(**file), read_file(data_path(std::string("toy/") + name + ".params")));
    const auto key = ProvingKey::load(pool_, *file, shape);
    ASSERT_TRUE(key) << key.error().message;
    EXPECT_EQ((*key)->path(), "in memory");
    EXPECT_EQ((*key)->vk().alpha_g1, (*file)->vk().alpha_g1);
  }
  const test::Toy toy = test::load_toy("cubic");
  ToxicWaste bad = toy.toxic;
  bad.delta = Fr::zero();
  EXPECT_FALSE(generate_parameters_in_memory(pool_, *toy.circuit.shape(false), bad, "in memory"));
}

/// Makes points one at a time and hands them out in threes; fails after a number of calls.
class SlowPointMaker : public PointMaker {
 public:
  explicit SlowPointMaker(int calls) : calls_(calls) {}
  Result<void> make_g1(std::size_t count, const Scalars& scalars, const Points<Fp>& points) override {
    return make<Fp>(g1_generator(), count, scalars, points);
  }
  Result<void> make_g2(std::size_t count, const Scalars& scalars, const Points<Fp2>& points) override {
    return make<Fp2>(g2_generator(), count, scalars, points);
  }

 private:
  template <class F>
  Result<void> make(const Affine<F>& base, std::size_t count, const Scalars& scalars, const Points<F>& take) {
    if (calls_-- == 0) return io_error("the device is gone");
    for (std::size_t begin = 0; begin < count; begin += 3) {
      std::vector<Fr> k(std::min<std::size_t>(3, count - begin));
      scalars(begin, k);
      std::vector<Affine<F>> points;
      for (const Fr& one : k) points.push_back(mul(base, one).to_affine());
      CUZK_TRY(take(points));
    }
    return {};
  }
  int calls_;
};

TEST_F(Setup, PointsOfAnotherMaker) {
  const test::Toy toy = test::load_toy("cubic");
  const std::shared_ptr<const Shape> shape = toy.circuit.shape(false);
  SlowPointMaker maker(100);
  SetupOptions options;
  options.points = &maker;
  ASSERT_TRUE(generate_parameters(pool_, *shape, toy.toxic, path_, options));
  EXPECT_EQ(read_file(path_), read_file(data_path("toy/cubic.params")));
  // It may fail anywhere: ic, h, l, a, b in G1, b in G2.
  for (int calls = 0; calls < 6; ++calls) {
    SlowPointMaker failing(calls);
    options.points = &failing;
    const auto result = generate_parameters(pool_, *shape, toy.toxic, folder_.file("y.params"), options);
    ASSERT_FALSE(result) << calls;
    EXPECT_EQ(result.error().message, "the device is gone");
    EXPECT_FALSE(std::filesystem::exists(folder_.file("y.params")));
    SlowPointMaker failing_too(calls);
    options.points = &failing_too;
    EXPECT_FALSE(generate_parameters_in_memory(pool_, *shape, toy.toxic, "m", options));
  }
}

TEST(Qap, LagrangeBasisIsOneAtItsPointAndInterpolates) {
  ThreadPool pool(2);
  for (const unsigned log_size : {0U, 1U, 3U, 13U}) {
    const std::size_t m = std::size_t{1} << log_size;
    const Fr tau = Fr::from_u64(12345);
    const std::vector<Fr> basis = lagrange_basis_at(pool, log_size, tau);
    ASSERT_EQ(basis.size(), m);
    // x^d for d < m is the combination of its values omega^(jd).
    for (const std::size_t d : {std::size_t{0}, m / 2, m - 1}) {
      const Fr step = fr_root_of_unity(log_size).pow(d);
      Fr sum = Fr::zero();
      Fr value = Fr::one();
      for (std::size_t j = 0; j < m; ++j, value *= step) sum += basis[j] * value;
      EXPECT_EQ(sum, tau.pow(d)) << log_size << " " << d;
    }
  }
}

/// Rows that mix inputs and aux variables, more of them than one range of qap_columns has; some variables
/// occur twice in a row or in many rows.
test::RowCircuit many_rows() {
  TestRandom rng(11);
  test::RowCircuit circuit;
  circuit.inputs.resize(9, Fr::from_u64(2));
  circuit.aux.resize(500, Fr::from_u64(3));
  circuit.rows.resize(40000);
  const Fr coefficients[] = {Fr::one(), -Fr::one(), Fr::from_u64(5), -Fr::from_u64(1) - Fr::from_u64(77)};
  for (test::RowCircuit::Row& row : circuit.rows)
    for (std::vector<Term>* terms : {&row.a, &row.b, &row.c})
      for (std::size_t k = rng.next() % 4; k > 0; --k) {
        const auto i = static_cast<std::uint32_t>(rng.next());
        terms->push_back({rng.next() % 3 == 0 ? Variable::input(i % 9) : Variable::aux(i % 500),
                          coefficients[rng.next() % 4]});
      }
  return circuit;
}

TEST(Qap, ColumnsAreThePlainSumsOverTheRows) {
  const test::RowCircuit circuit = many_rows();
  const std::shared_ptr<const Shape> shape = circuit.shape(false);
  const std::size_t n = circuit.rows.size();
  ASSERT_EQ(shape->num_rows(), n + circuit.inputs.size());
  // Any values will do for the basis; what they are is another test's subject.
  TestRandom rng(12);
  std::vector<Fr> basis(shape->num_rows());
  for (Fr& l : basis) l = fr_from_words([&] { return rng.next(); });

  QapColumns want;
  for (QapColumns::Values* v : {&want.inputs, &want.aux}) {
    const std::size_t size = v == &want.aux ? circuit.aux.size() : circuit.inputs.size();
    for (std::vector<Fr>* column : {&v->a, &v->b, &v->c}) column->assign(size, Fr::zero());
  }
  for (std::size_t j = 0; j < n; ++j) {
    const auto add = [&](const std::vector<Term>& terms, std::vector<Fr> QapColumns::Values::*column) {
      for (const auto& [variable, coefficient] : terms)
        ((variable.is_input() ? want.inputs : want.aux).*column)[variable.index()] += coefficient * basis[j];
    };
    add(circuit.rows[j].a, &QapColumns::Values::a);
    add(circuit.rows[j].b, &QapColumns::Values::b);
    add(circuit.rows[j].c, &QapColumns::Values::c);
  }
  // The appended rows: input i times zero is zero.
  for (std::size_t i = 0; i < circuit.inputs.size(); ++i) want.inputs.a[i] += basis[n + i];

  for (const unsigned threads : {1U, 3U}) {
    ThreadPool pool(threads);
    const QapColumns got = qap_columns(pool, *shape, basis);
    EXPECT_EQ(got.inputs.a, want.inputs.a);
    EXPECT_EQ(got.inputs.b, want.inputs.b);
    EXPECT_EQ(got.inputs.c, want.inputs.c);
    EXPECT_EQ(got.aux.a, want.aux.a);
    EXPECT_EQ(got.aux.b, want.aux.b);
    EXPECT_EQ(got.aux.c, want.aux.c);
  }
}

TEST(RandomSecrets, AreFresh) {
  const auto a = random_toxic_waste();
  const auto b = random_toxic_waste();
  ASSERT_TRUE(a && b);
  EXPECT_FALSE(a->alpha == b->alpha);
  EXPECT_FALSE(a->alpha == a->beta);
}

}  // namespace
}  // namespace cuzk::groth16
