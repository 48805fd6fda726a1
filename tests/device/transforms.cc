// The device's transforms and quotient against cuzk/ntt, element by element.
#include <cstring>

#include "cuzk/base/random.h"
#include "cuzk/cuda/ntt.h"
#include "cuzk/ntt/quotient.h"
#include "device_check.h"

namespace {

using namespace cuzk;
using device_test::DeviceArray;
using device_test::require;

/// Raw limb patterns below r, with zeros, ones, r - 1 and runs of equal values among them.
std::vector<Fr> values(ThreadPool& pool, std::size_t n, std::uint64_t seed) {
  std::vector<Fr> v(n);
  pool.parallel_for(n, std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
    TestRandom random(seed + begin);
    for (std::size_t i = begin; i < end; ++i) {
      for (auto& l : v[i].limb) l = random.next();
      v[i].limb[3] &= 0x3fffffffffffffff;
      if (i % 64 < 3) v[i] = i % 64 == 0 ? Fr::zero() : i % 64 == 1 ? Fr::one() : -Fr::one();
    }
  });
  return v;
}

bool equal(const std::vector<Fr>& a, const std::vector<Fr>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Fr)) == 0;
}

void check_size(device_test::Report& report, cuda::Context& context, ThreadPool& pool, unsigned log_size,
                const cuda::NttOptions& options) {
  const std::size_t n = std::size_t{1} << log_size;
  const std::string size = "2^" + std::to_string(log_size) + (options.whole_tables ? ", whole tables" : "") +
                           ", " + std::to_string(1U << options.log_threads) + " threads";
  const std::uint64_t before = context.bytes_in_use();
  const std::uint64_t driver_before = device_test::pool_memory(context).in_use;
  {
    auto ntt = require(cuda::Ntt::create(context, log_size, options));
    DeviceArray<Fr> data(context, n);
    for (const bool coset : {false, true}) {
      const std::vector<Fr> input = values(pool, n, log_size);
      std::vector<Fr> expected = input;
      ntt::Transform(pool.isa(), log_size, ntt::Direction::inverse, ntt::Order::natural_to_reversed,
                     coset ? fr_root_of_unity(log_size + 1) : Fr::one())
          .run(pool, expected);
      data.set(input);
      require(ntt->inverse(data.data(), coset));
      report.line("inverse " + size + (coset ? ", coset" : ""), equal(data.get(), expected));
      require(ntt->forward(data.data(), coset));
      report.line("forward " + size + (coset ? ", coset" : ""), equal(data.get(), input));
    }
    std::vector<Fr> a = values(pool, n, 1);
    std::vector<Fr> b = values(pool, n, 2);
    data.set(a);
    DeviceArray<Fr> second(context, b);
    DeviceArray<Fr> third(context, n);
    require(ntt->quotient(data.data(), second.data(), third.data()));
    std::vector<Fr> scratch(n);
    bool ok = ntt::Quotient(pool.isa(), log_size).run(pool, a, b, scratch);
    const std::vector<Fr> h = data.get();
    for (std::size_t i = 0; i < n && ok; ++i) ok = h[ntt::reverse_bits(i, log_size)] == a[i];
    report.line("quotient " + size, ok);
  }
  report.line("memory given back, " + size,
              context.bytes_in_use() == before && device_test::pool_memory(context).in_use == driver_before);
}

constexpr char kUsage[] =
    "cuzk_device_transforms [largest log size, 0 to 28, default 20] [one more log size, which is done with\n"
    "  split tables and 256 threads, as provers do from 2^26 on]\n";

}  // namespace

int main(int argc, char** argv) {
  device_test::Arguments arguments(argc, argv, kUsage);
  const unsigned largest = arguments.number("log size", 0, cuda::Ntt::kMaxLogSize, 20);
  const bool one_more = arguments.more();
  const unsigned more = arguments.number("log size", 0, cuda::Ntt::kMaxLogSize, 0);
  arguments.end();
  ThreadPool pool;
  device_test::Report report;
  auto context = require(cuda::Context::create());
  context->poison(true);
  // Provers use split tables, with 128 threads below 2^26; the others are measured in bench/kernels.
  for (unsigned log_size = 0; log_size <= largest; ++log_size)
    for (const bool whole : {false, true})
      for (const unsigned log_threads : {7U, 8U})
        check_size(report, *context, pool, log_size, {whole, log_threads});
  if (one_more) check_size(report, *context, pool, more, {false, 8});
  return report.finish("transforms");
}
