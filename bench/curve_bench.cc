// Field, group and pairing operations on one core. Dependent chains: every operation waits for the one
// before.

#include <benchmark/benchmark.h>

#include <array>
#include <vector>

#include "cuzk/base/random.h"
#include "cuzk/curve/encoding.h"
#include "cuzk/curve/pairing.h"
#include "cuzk/curve/subgroup.h"

namespace cuzk {
namespace {

Fr scalar(std::uint64_t seed) {
  TestRandom rng(seed);
  return fr_from_words([&] { return rng.next(); });
}
G1Affine g1_point(std::uint64_t seed) {
  return mul(g1_generator(), scalar(seed)).to_affine();
}
G2Affine g2_point(std::uint64_t seed) {
  return mul(g2_generator(), scalar(seed)).to_affine();
}

void verify(benchmark::State& state, bool ok) {
  if (!ok) state.SkipWithError("wrong result");
}

template <class F>
F field_value(std::uint64_t seed) {
  return F::from_u64(seed).inverse();
}

// x <- x y; verified with y's power.
template <class F>
void dependent_product(benchmark::State& state) {
  const F start = field_value<F>(3);
  const F y = field_value<F>(5);
  F x = start;
  std::uint64_t n = 0;
  for (auto _ : state) {
    for (int i = 0; i < 100; ++i) x *= y;
    n += 100;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(n));
  verify(state, x == start * y.pow(BigInt<1>{{n}}));
}
BENCHMARK(dependent_product<Fp>)->Name("fp_product_x100");
BENCHMARK(dependent_product<Fr>)->Name("fr_product_x100");
BENCHMARK(dependent_product<Fp2>)->Name("fp2_product_x100");

template <class F>
void dependent_square(benchmark::State& state) {
  F x = field_value<F>(3);
  std::uint64_t n = 0;
  for (auto _ : state) {
    for (int i = 0; i < 100; ++i) x = x.square();
    n += 100;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(n));
  verify(state, !x.is_zero() && x.square() == x * x);
}
BENCHMARK(dependent_square<Fp>)->Name("fp_square_x100");
BENCHMARK(dependent_square<Fp2>)->Name("fp2_square_x100");

template <class F>
void dependent_sum(benchmark::State& state) {
  const F y = field_value<F>(5);
  F x = F::zero();
  std::uint64_t n = 0;
  for (auto _ : state) {
    for (int i = 0; i < 100; ++i) x += y;
    n += 100;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(n));
  verify(state, x == y * F::from_u64(n));
}
BENCHMARK(dependent_sum<Fp>)->Name("fp_sum_x100");
BENCHMARK(dependent_sum<Fr>)->Name("fr_sum_x100");

void fp_inverse(benchmark::State& state) {
  const Fp start = field_value<Fp>(3);
  Fp x = start;
  for (auto _ : state) {
    x = x.inverse();
    benchmark::DoNotOptimize(x);
  }
  verify(state, x == start || x * start == Fp::one());
}
BENCHMARK(fp_inverse);

template <class Point>
void group_double(benchmark::State& state) {
  const auto base = [] {
    if constexpr (sizeof(typename Point::Field) == 48)
      return g1_point(1);
    else
      return g2_point(1);
  }();
  Point p = Point::from_affine(base);
  std::uint64_t n = 0;
  for (auto _ : state) {
    p = p.dbl();
    ++n;
  }
  verify(state, p == mul(base, Fr::from_u64(2).pow(n)).to_affine());
}
BENCHMARK(group_double<G1Jacobian>)->Name("g1_jacobian_double");
BENCHMARK(group_double<G1Xyzz>)->Name("g1_xyzz_double");
BENCHMARK(group_double<G2Jacobian>)->Name("g2_jacobian_double");

template <class Point, bool kMixed>
void group_add(benchmark::State& state) {
  const auto base = [] {
    if constexpr (sizeof(typename Point::Field) == 48)
      return g1_point(1);
    else
      return g2_point(1);
  }();
  const Point full = Point::from_affine(base).dbl() + base;  // 3 base with a denominator
  Point p = Point::from_affine(base).dbl();
  std::uint64_t n = 0;
  for (auto _ : state) {
    if constexpr (kMixed)
      p += base;
    else
      p += full;
    ++n;
  }
  const Fr k = Fr::from_u64(2) + Fr::from_u64(n) * Fr::from_u64(kMixed ? 1 : 3);
  verify(state, p == mul(base, k).to_affine());
}
BENCHMARK(group_add<G1Jacobian, false>)->Name("g1_jacobian_add");
BENCHMARK(group_add<G1Jacobian, true>)->Name("g1_jacobian_add_affine");
BENCHMARK(group_add<G1Xyzz, true>)->Name("g1_xyzz_add_affine");
BENCHMARK(group_add<G2Jacobian, true>)->Name("g2_jacobian_add_affine");
BENCHMARK(group_add<G2Xyzz, true>)->Name("g2_xyzz_add_affine");

template <class Point>
void subgroup_check(benchmark::State& state, const Point& p) {
  bool ok = true;
  for (auto _ : state) ok = in_subgroup(p) && ok;
  verify(state, ok);
}
void g1_subgroup_check(benchmark::State& state) {
  subgroup_check(state, g1_point(2));
}
void g2_subgroup_check(benchmark::State& state) {
  subgroup_check(state, g2_point(2));
}
BENCHMARK(g1_subgroup_check);
BENCHMARK(g2_subgroup_check);

void g1_decode_compressed(benchmark::State& state) {
  const auto bytes = encode_g1_compressed(g1_point(3));
  G1Affine p{};
  for (auto _ : state) p = *decode_g1_compressed(bytes);
  verify(state, p == g1_point(3));
}
void g2_decode_compressed(benchmark::State& state) {
  const auto bytes = encode_g2_compressed(g2_point(3));
  G2Affine p{};
  for (auto _ : state) p = *decode_g2_compressed(bytes);
  verify(state, p == g2_point(3));
}
void g1_decode_uncompressed_unchecked(benchmark::State& state) {
  const auto bytes = encode_g1_uncompressed(g1_point(3));
  G1Affine p{};
  for (auto _ : state) p = *decode_g1_uncompressed(bytes, {.allow_infinity = false, .check_subgroup = false});
  verify(state, p == g1_point(3));
}
BENCHMARK(g1_decode_compressed);
BENCHMARK(g2_decode_compressed);
BENCHMARK(g1_decode_uncompressed_unchecked);

void g2_prepare(benchmark::State& state) {
  const G2Affine q = g2_point(4);
  for (auto _ : state) benchmark::DoNotOptimize(G2Prepared(q));
  const G2Prepared prepared(q);
  const PairingInput input{g1_generator(), &prepared};
  verify(state, final_exponentiation(multi_miller_loop({&input, 1})) == pairing(g1_point(4), g2_generator()));
}
BENCHMARK(g2_prepare);

// The check of one proof: e(A, B) e(acc, -gamma) e(C, -delta), two of the three points prepared with the key.
// e([a] G, H) e([b] G, H) e(-[a + b] G, H) = 1 has the same shape and a known result.
struct ThreePairs {
  std::array<G2Prepared, 2> fixed{G2Prepared(g2_point(5)), G2Prepared(g2_point(5))};
  G2Affine q = g2_point(5);
  G1Affine p[3]{mul(g1_generator(), scalar(6)).to_affine(), mul(g1_generator(), scalar(7)).to_affine(),
                mul(g1_generator(), -(scalar(6) + scalar(7))).to_affine()};
};
void miller_loop_3(benchmark::State& state) {
  const ThreePairs t;
  const G2Prepared first(t.q);
  const PairingInput inputs[]{{t.p[0], &first}, {t.p[1], &t.fixed[0]}, {t.p[2], &t.fixed[1]}};
  Fp12 f{};
  for (auto _ : state) f = multi_miller_loop(inputs);
  verify(state, final_exponentiation(f).is_one());
}
void final_exponentiation_1(benchmark::State& state) {
  const G2Prepared q(g2_generator());
  const PairingInput input{g1_generator(), &q};
  const Fp12 f = multi_miller_loop({&input, 1});
  Fp12 g{};
  for (auto _ : state) g = final_exponentiation(f);
  verify(state, g == pairing(g1_generator(), g2_generator()));
}
void pairing_product_3(benchmark::State& state) {
  const ThreePairs t;
  Fp12 g{};
  for (auto _ : state) {
    const G2Prepared first(t.q);
    const PairingInput inputs[]{{t.p[0], &first}, {t.p[1], &t.fixed[0]}, {t.p[2], &t.fixed[1]}};
    g = final_exponentiation(multi_miller_loop(inputs));
  }
  verify(state, g.is_one());
}
BENCHMARK(miller_loop_3)->Unit(benchmark::kMicrosecond);
BENCHMARK(final_exponentiation_1)->Unit(benchmark::kMicrosecond);
BENCHMARK(pairing_product_3)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace cuzk

BENCHMARK_MAIN();
