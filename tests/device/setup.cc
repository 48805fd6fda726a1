// Multiples of a fixed point on the device against those of the CPU, and parameters byte for byte.

#include "cuzk/groth16/setup.h"
#include "cuzk/base/random.h"
#include "cuzk/cuda/point_maker.h"
#include "cuzk/groth16/cpu_point_maker.h"
#include "device_check.h"
#include "random_circuit.h"

namespace {

using namespace cuzk;
using device_test::RandomCircuit;
using device_test::require;

std::vector<Fr> some_scalars(std::size_t count, std::uint64_t seed) {
  TestRandom random(seed);
  std::vector<Fr> scalars{Fr::zero(),      Fr::one(),  -Fr::one(),
                          Fr::from_u64(2), Fr::zero(), -Fr::from_u64(1) - Fr::one()};
  for (unsigned bit = 1; bit < 255 && scalars.size() < 600; ++bit) {
    const Fr power = Fr::from_u64(2).pow(std::uint64_t{bit});
    scalars.insert(scalars.end(), {power, power - Fr::one()});
  }
  while (scalars.size() < count) scalars.push_back(fr_from_words([&] { return random.next(); }));
  scalars.resize(count);
  return scalars;
}

/// All products in the order of the scalars.
template <class F>
std::vector<Affine<F>> products(groth16::PointMaker& maker, const std::vector<Fr>& scalars) {
  std::vector<Affine<F>> out;
  const auto fill = [&](std::size_t begin, std::span<Fr> to) {
    std::copy_n(scalars.begin() + static_cast<std::ptrdiff_t>(begin), to.size(), to.begin());
  };
  const auto take = [&](std::span<const Affine<F>> points) -> Result<void> {
    out.insert(out.end(), points.begin(), points.end());
    return {};
  };
  if constexpr (sizeof(F) == sizeof(Fp))
    require(maker.make_g1(scalars.size(), fill, take));
  else
    require(maker.make_g2(scalars.size(), fill, take));
  return out;
}

void check_products(device_test::Report& report, cuda::Context& context, ThreadPool& pool, std::size_t count,
                    std::size_t expected) {
  const G1Affine g1 = mul(g1_generator(), Fr::from_u64(5)).to_affine();
  const G2Affine g2 = mul(g2_generator(), Fr::from_u64(7)).to_affine();
  const std::vector<Fr> scalars = some_scalars(count, count);
  const std::string what = std::to_string(count) + " products, table for " + std::to_string(expected);
  const std::uint64_t before = context.bytes_in_use();
  groth16::CpuPointMaker cpu(pool, g1, count, g2, count);
  {
    cuda::DevicePointMaker device(context, pool, g1, g2, expected);
    report.line(what + ", G1", products<Fp>(device, scalars) == products<Fp>(cpu, scalars));
    report.line(what + ", G1 again", products<Fp>(device, scalars) == products<Fp>(cpu, scalars));
    report.line(what + ", G2", products<Fp2>(device, scalars) == products<Fp2>(cpu, scalars));
  }
  report.line(what + ", memory given back", context.bytes_in_use() == before);
}

void check_parameters(device_test::Report& report, cuda::Context& context, ThreadPool& pool,
                      std::size_t constraints) {
  const RandomCircuit circuit({.constraints = constraints, .inputs = 3}, constraints);
  const auto shape = circuit.shape();
  const auto secret = [&](std::uint64_t i) { return Fr::from_u64(0x9e3779b97f4a7c15 * (constraints + i)); };
  const groth16::ToxicWaste toxic{secret(1), secret(2), secret(3), secret(4), secret(5)};
  const auto bytes = [&](groth16::PointMaker* points) {
    groth16::SetupOptions options;
    options.points = points;
    const auto file = require(groth16::generate_parameters_in_memory(pool, *shape, toxic, "m", options));
    std::vector<std::uint8_t> out(file->layout().file_bytes());
    require(file->read(0, out));
    return out;
  };
  cuda::DevicePointMaker device(context, pool, g1_generator(), g2_generator(), 4 * constraints);
  report.line("parameters of " + std::to_string(constraints) + " constraints",
              bytes(&device) == bytes(nullptr));
}

constexpr char kUsage[] = "cuzk_device_setup [largest log size of a domain, 0 to 24, default 16]\n";

}  // namespace

int main(int argc, char** argv) {
  device_test::Arguments arguments(argc, argv, kUsage);
  const unsigned largest = arguments.number("log size", 0, 24, 16);
  arguments.end();
  const auto context = require(cuda::Context::create());
  context->poison(true);
  ThreadPool pool;
  device_test::Report report;
  for (const auto& [count, expected] :
       {std::pair<std::size_t, std::size_t>{1, 1}, {6, 1000}, {2500, 1000}, {5000, 100000}})
    check_products(report, *context, pool, count, expected);
  for (const std::size_t constraints : {1U, 2U, 61U, 300U})
    check_parameters(report, *context, pool, constraints);
  for (unsigned log_size = 10; log_size <= largest; log_size += 3)
    check_parameters(report, *context, pool, (std::size_t{1} << log_size) - 3);
  return report.finish("setup");
}
