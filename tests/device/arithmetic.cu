// Runs the scalar arithmetic of field/ and curve/ on the device and compares every limb with the host's
// result: one definition, two compilers, the same values.
#include <cstdio>
#include <cstring>
#include <vector>

#include "cuzk/base/random.h"
#include "cuzk/cuda/field32.h"
#include "cuzk/cuda/internal/inverse32.h"
#include "cuzk/curve/point.h"
#include "cuzk/field/fp.h"
#include "cuzk/field/fp2.h"
#include "cuzk/field/fr.h"

namespace {

using namespace cuzk;

template <class F>
struct FieldResult {
  F sum, difference, product, square, negated, doubled, power;
};

template <class F>
CUZK_HD FieldResult<F> field_operations(const F& a, const F& b) {
  return {a + b, a - b, a * b, a.square(), -a, a.dbl(), a.square() * b + a};
}

template <class F>
CUZK_HD Jacobian<F> point_operations(const Affine<F>& p, const Affine<F>& q) {
  Jacobian<F> r = Jacobian<F>::from_affine(p) + q;
  r = r.dbl() + Jacobian<F>::from_affine(p);
  return r + q;
}

/// The same on carry chains, with an inverse.
template <class F>
CUZK_HD FieldResult<F> carry_chain_operations(const F& a, const F& b) {
  return {a + b, a - b, a * b, a.square(), -a, a.dbl(), cuda::inverse(a * b)};
}

template <class In, class Out, Out (*kOperation)(const In&, const In&)>
__global__ void apply(const In* in, Out* out, std::size_t n) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i < n * n) out[i] = kOperation(in[i / n], in[i % n]);
}

void require(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(3);
}

/// Every pair of `values` through kOperation on both sides. True when all bytes agree.
template <class In, class Out, Out (*kOperation)(const In&, const In&)>
bool compare(const char* name, const std::vector<In>& values) {
  const std::size_t n = values.size();
  In* in = nullptr;
  Out* out = nullptr;
  require(cudaMalloc(&in, n * sizeof(In)), "cudaMalloc");
  require(cudaMalloc(&out, n * n * sizeof(Out)), "cudaMalloc");
  require(cudaMemcpy(in, values.data(), n * sizeof(In), cudaMemcpyHostToDevice), "copy in");
  apply<In, Out, kOperation><<<static_cast<unsigned>((n * n + 127) / 128), 128>>>(in, out, n);
  require(cudaGetLastError(), "launch");
  std::vector<Out> device(n * n);
  require(cudaMemcpy(device.data(), out, n * n * sizeof(Out), cudaMemcpyDeviceToHost), "copy out");
  require(cudaFree(in), "cudaFree");
  require(cudaFree(out), "cudaFree");
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n * n; ++i) {
    const Out host = kOperation(values[i / n], values[i % n]);
    wrong += std::memcmp(&host, &device[i], sizeof(Out)) != 0;
  }
  std::printf("%-12s %zu pairs, %zu differ: %s\n", name, n * n, wrong, wrong == 0 ? "ok" : "FAILED");
  return wrong == 0;
}

template <class F>
std::vector<F> prime_field_values(TestRandom& rng) {
  std::vector<F> v{F::zero(), F::one(), -F::one(), F::one().dbl().inverse(), F::r_squared()};
  for (F x = F::from_u64(rng.next()); v.size() < 300; x = x.square() + F::from_u64(rng.next()))
    v.push_back(x);
  return v;
}

template <class F>
std::vector<Affine<F>> points(const Affine<F>& generator) {
  std::vector<Affine<F>> v{Affine<F>::infinity(), generator, -generator};
  for (Jacobian<F> p = Jacobian<F>::from_affine(generator).dbl(); v.size() < 60; p = p.dbl() + generator)
    v.push_back(p.to_affine());
  return v;
}

}  // namespace

int main() {
  TestRandom rng(20261129);
  const std::vector<Fr> fr = prime_field_values<Fr>(rng);
  const std::vector<Fp> fp = prime_field_values<Fp>(rng);
  std::vector<Fp2> fp2;
  for (std::size_t i = 0; i + 1 < fp.size(); ++i) fp2.push_back({fp[i], fp[i + 1]});
  bool ok = compare<Fr, FieldResult<Fr>, field_operations<Fr>>("Fr", fr);
  ok = compare<Fp, FieldResult<Fp>, field_operations<Fp>>("Fp", fp) && ok;
  ok = compare<Fp2, FieldResult<Fp2>, field_operations<Fp2>>("Fp2", fp2) && ok;
  const auto narrow = [](auto like, const auto& values) {
    std::vector<decltype(like)> r;
    for (const auto& v : values) r.push_back(decltype(like)::from(v));
    return r;
  };
  using cuda::Fp2x32;
  using cuda::Fp32;
  using cuda::Fr32;
  ok = compare<Fr32, FieldResult<Fr32>, carry_chain_operations<Fr32>>("Fr chains", narrow(Fr32{}, fr)) && ok;
  ok = compare<Fp32, FieldResult<Fp32>, carry_chain_operations<Fp32>>("Fp chains", narrow(Fp32{}, fp)) && ok;
  ok = compare<Fp2x32, FieldResult<Fp2x32>, carry_chain_operations<Fp2x32>>("Fp2 chains",
                                                                            narrow(Fp2x32{}, fp2)) &&
       ok;
  ok = compare<G1Affine, G1Jacobian, point_operations<Fp>>("G1", points(g1_generator())) && ok;
  ok = compare<G2Affine, G2Jacobian, point_operations<Fp2>>("G2", points(g2_generator())) && ok;
  std::printf("%s\n", ok ? "device arithmetic equals host arithmetic" : "device arithmetic DIFFERS");
  return ok ? 0 : 1;
}
