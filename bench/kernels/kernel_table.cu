// Data is resident; transforms are timed with events, sums (which the host steers) by the clock, medians of
// several runs. Points are 2^16 multiples of the generator, in G1 doubled once, twice, ... behind one
// another, in G2 repeated. Transforms are checked at smaller sizes by cuzk_device_transforms, every kind of
// tables and block of threads; sums here, against that of the folded scalars on the CPU, and at smaller sizes
// by cuzk_device_sums. What the device has no memory for is left out.
#include "kernel_table.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "cuzk/base/random.h"
#include "cuzk/cpu/thread_pool.h"
#include "cuzk/cuda/context.h"
#include "cuzk/cuda/field32.h"
#include "cuzk/cuda/internal/digits32.h"
#include "cuzk/cuda/internal/ntt_plan.h"
#include "cuzk/cuda/msm.h"
#include "cuzk/cuda/ntt.h"
#include "cuzk/curve/generator.h"
#include "cuzk/msm/fixed_base.h"
#include "cuzk/msm/msm.h"

namespace cuzk {
namespace {

/// Ends the table; does not leave print_kernel_table.
struct Stop {
  Error error;
};

template <class T>
T require(Result<T> result) {
  if (!result) throw Stop{result.error()};
  return std::move(result).value();
}
void require(const Result<void>& result) {
  if (!result) throw Stop{result.error()};
}

/// `body`, or a line that says that there is not enough memory for it.
void fits(cuda::Context& context, const std::string& what, const std::function<void()>& body) {
  try {
    body();
  } catch (const Stop& stop) {
    if (context.fault() != cuda::Fault::none || stop.error.code != ErrorCode::kIo) throw;
    std::printf("%s: left out: %s\n", what.c_str(), stop.error.message.c_str());
    std::fflush(stdout);
  }
}

/// Median milliseconds of the device work that `launch` enqueues.
double timed(cuda::Context& context, int runs, const std::function<void()>& launch) {
  cudaEvent_t begin, end;
  require(context.check(cudaEventCreate(&begin), "timing"));
  require(context.check(cudaEventCreate(&end), "timing"));
  std::vector<double> ms;
  launch();  // warm
  for (int i = 0; i < runs; ++i) {
    require(context.check(cudaEventRecord(begin, context.stream()), "timing"));
    launch();
    require(context.check(cudaEventRecord(end, context.stream()), "timing"));
    require(context.check(cudaEventSynchronize(end), "timing"));
    float t = 0;
    require(context.check(cudaEventElapsedTime(&t, begin, end), "timing"));
    ms.push_back(t);
  }
  require(context.check(cudaEventDestroy(begin), "timing"));
  require(context.check(cudaEventDestroy(end), "timing"));
  std::sort(ms.begin(), ms.end());
  return ms[ms.size() / 2];
}

constexpr int kProducts = 4096;
template <class F>
__global__ void multiply_chain(F* data) {
  F a = data[threadIdx.x];
  F b = data[threadIdx.x + blockDim.x];
#pragma unroll 1
  for (int i = 0; i < kProducts; ++i) a = F::product(b, a);
  data[threadIdx.x] = a;
}

/// Products a second of dependent chains, 16 warps a multiprocessor: the rate that the table's floors assume.
template <class F>
double multiply_rate(cuda::Context& context) {
  auto memory = require(context.allocate(1 << 20, "multiply rate"));
  require(
      context.check(cudaMemsetAsync(memory.as<void>(), 0x15, 1 << 20, context.stream()), "multiply rate"));
  const unsigned blocks = context.multiprocessors() * 4 * 8;
  const double ms = timed(context, 5, [&] {
    multiply_chain<F><<<blocks, 128, 0, context.stream()>>>(memory.as<F>());
    require(context.check_launch("multiply rate"));
  });
  return double(blocks) * 128 * kProducts / ms * 1e3;
}

__global__ void fill_scalars(std::uint32_t* words, std::uint64_t count, std::uint64_t seed) {
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::uint64_t{gridDim.x} * blockDim.x) {
    std::uint64_t z = seed + i * 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    z ^= z >> 31;
    words[i] = static_cast<std::uint32_t>(z) & (i % 8 == 7 ? 0x3fffffffU : 0xffffffffU);
  }
}
void random_fr(cuda::Context& context, Fr* data, std::uint64_t count, std::uint64_t seed) {
  fill_scalars<<<4096, 256, 0, context.stream()>>>(reinterpret_cast<std::uint32_t*>(data), 8 * count, seed);
  require(context.check_launch("test data"));
}

/// Products an element: in a pass 4 in an eight-point step and 2 in a four-point one for eight elements, 7
/// between two steps; between passes one, or two where the tables of a long span are split.
double transform_products(unsigned log_size, bool whole) {
  const cuda::NttDigits digits(log_size);
  double products = 0;
  for (unsigned d = 0; d < digits.count; ++d) {
    const unsigned eights = digits.bits[d] / 3;
    const unsigned rest = digits.bits[d] % 3;
    const unsigned steps = eights + (rest != 0 ? 1 : 0);
    products += (4 * eights + (rest == 2 ? 2 : 0) + 7 * (steps - 1)) / 8.0;
    if (d + 1 == digits.count) continue;
    const unsigned span = digits.bits[d] + digits.stride[d];
    products += !whole && span > cuda::NttTableList::kCachedSpan ? 2 : 1;
  }
  return products;
}
/// Six transforms, and 5 by scalings and other arrays.
double quotient_products(unsigned log_size, bool whole) {
  return 6 * transform_products(log_size, whole) + 5;
}

void transforms_of(cuda::Context& context, unsigned log_size, bool whole, unsigned threads, double rate) {
  const std::uint64_t n = std::uint64_t{1} << log_size;
  auto ntt = require(cuda::Ntt::create(context, log_size, {whole, threads}));
  auto a = require(context.allocate(n * sizeof(Fr), "transform data"));
  random_fr(context, a.as<Fr>(), n, 1);
  const double products = transform_products(log_size, whole);
  const auto row = [&](const char* what, double count, double ms) {
    std::printf("%-16s 2^%u %s %u %10.2f %12.2f %9.0f%%\n", what, log_size, whole ? "whole" : "split",
                1U << threads, ms, double(n) / ms / 1e6, 100 * count * double(n) / rate * 1e3 / ms);
    std::fflush(stdout);
  };
  row("inverse", products, timed(context, 5, [&] { require(ntt->inverse(a.as<Fr>(), false)); }));
  row("forward", products, timed(context, 5, [&] { require(ntt->forward(a.as<Fr>(), false)); }));
  row("forward, coset", products + 1, timed(context, 5, [&] { require(ntt->forward(a.as<Fr>(), true)); }));
  if (log_size < 22 || log_size > 27) return;
  auto b = require(context.allocate(n * sizeof(Fr), "transform data"));
  auto c = require(context.allocate(n * sizeof(Fr), "transform data"));
  random_fr(context, b.as<Fr>(), n, 2);
  row("quotient", quotient_products(log_size, whole),
      timed(context, 3, [&] { require(ntt->quotient(a.as<Fr>(), b.as<Fr>(), c.as<Fr>())); }));
  std::printf("    device memory of the quotient: %.2f GB\n", double(context.bytes_in_use()) / 1e9);
}

void transforms(cuda::Context& context, unsigned largest, double rate) {
  std::printf("\n%-34s %10s %12s %10s\n", "transform, resident", "ms", "G el/s", "of floor");
  for (unsigned log_size : {20U, 22U, 24U, 26U, 27U, 28U}) {
    if (log_size > largest) break;
    for (const bool whole : {false, true})
      for (const unsigned threads : {7U, 8U})
        fits(context, "2^" + std::to_string(log_size) + (whole ? " whole" : " split"),
             [&] { transforms_of(context, log_size, whole, threads, rate); });
  }
}

constexpr std::size_t kMadeOnHost = 1 << 16;

template <class F>
class Sums {
 public:
  Sums(cuda::Context& context, ThreadPool& pool, unsigned largest)
      : context_(context), pool_(pool), points_(kMadeOnHost) {
    std::vector<Fr> k(kMadeOnHost);
    TestRandom random(5);
    Fr last = Fr::one();
    for (Fr& x : k) x = last = last.square() + Fr::from_u64(random.next());
    FixedBase<Affine<F>>(pool, generator<F>(), kMadeOnHost).multiply(pool, k, points_);
    // Sums make do with little memory, but not with a third of what their bases take.
    largest_ = largest;
    while (largest_ > 10 && (sizeof(Affine<F>) * 4 / 3 + sizeof(Fr)) << largest_ > context.free_bytes())
      --largest_;
    if (largest_ < largest) std::printf("\nsums above 2^%u: left out, not enough memory\n", largest_);
    const std::uint64_t n = std::uint64_t{1} << largest_;
    bases_ = require(context.allocate(n * sizeof(Affine<F>), "bases"));
    const std::uint64_t made = std::min<std::uint64_t>(n, kMadeOnHost);
    const std::uint64_t uploaded = kDoubled ? made : n;
    for (std::uint64_t i = 0; i < uploaded; i += made)
      require(context.upload(bases_.as<Affine<F>>() + i, points_.data(), made * sizeof(Affine<F>), "bases"));
    if constexpr (kDoubled)
      require(
          cuda::fill_multiples(context, bases_.as<Affine<F>>(), made, static_cast<unsigned>(n / made), 1));
    scalars_ = require(context.allocate(n * sizeof(Fr), "scalars"));
  }

  void run(double rate, double products) {
    std::printf("\n%-34s %10s %12s %10s\n", sizeof(F) == sizeof(Fp) ? "sum G1, resident" : "sum G2, resident",
                "ms", "G add/s", "of floor");
    std::vector<double> uniform(largest_ + 1);
    for (unsigned log_size : {10U, 12U, 14U, 16U, 18U, 20U, 22U, 24U, 25U, 26U, 27U}) {
      if (log_size > largest_) break;
      const std::uint64_t n = std::uint64_t{1} << log_size;
      random_fr(context_, scalars_.as<Fr>(), n, log_size);
      fits(context_, "sum of 2^" + std::to_string(log_size),
           [&] { uniform[log_size] = line("uniform", n, rate, products, checked(log_size)).ms; });
    }
    if constexpr (sizeof(F) == sizeof(Fp)) {
      for (unsigned log_size : {20U, 22U, 24U, 26U, 27U}) {
        if (log_size > largest_) break;
        fits(context_, "multiples", [&] { with_multiples(log_size, rate, products); });
      }
    }
    double worst = 0;
    for (unsigned log_size : {10U, 12U, 14U, 16U, 18U, 20U, 22U, 24U, 25U, 27U}) {
      if (log_size > largest_) break;
      if (uniform[log_size] == 0) continue;
      const std::uint64_t n = std::uint64_t{1} << log_size;
      const auto skewed = [&](const char* what, const std::vector<Fr>& k) {
        upload(k);
        const double ratio = line(what, n, rate, products, checked(log_size)).ms / uniform[log_size];
        std::printf("    %.2f of uniform\n", ratio);
        worst = std::max(worst, ratio);
      };
      skewed("all one", std::vector<Fr>(n, Fr::one()));
      skewed("all equal", all_equal(n));
      skewed("99 % bits", mostly_bits(n));
    }
    if (worst > 0)
      std::printf("worst of skewed over uniform: %.2f, %s\n", worst,
                  worst <= 1.5 ? "within 1.5" : "MORE than 1.5");
    for (unsigned log_size : {20U, 24U, 25U, 27U}) {
      if (log_size > largest_) break;
      fits(context_, "bitmap of 2^" + std::to_string(log_size),
           [&] { bits(std::uint64_t{1} << log_size, rate, products); });
    }
  }

 private:
  /// Checking takes the processor a second for the largest sizes.
  [[nodiscard]] bool checked(unsigned log_size) const { return log_size <= 20 || log_size == largest_; }
  static constexpr bool kDoubled = sizeof(F) == sizeof(Fp);

  static std::vector<Fr> all_equal(std::uint64_t n) { return std::vector<Fr>(n, Fr::from_u64(3).inverse()); }
  static std::vector<Fr> mostly_bits(std::uint64_t n) {
    std::vector<Fr> k(n);
    TestRandom random(9);
    for (Fr& x : k) {
      const std::uint64_t w = random.next();
      x = w % 100 == 0 ? Fr::from_u64(w).inverse() : w % 200 < 100 ? Fr::zero() : Fr::one();
    }
    return k;
  }
  /// The same sums with multiples beside the bases, as many as there is memory for. The sum without them was
  /// checked, or is here.
  void with_multiples(unsigned log_size, double rate, double products) {
    const std::uint64_t n = std::uint64_t{1} << log_size;
    random_fr(context_, scalars_.as<Fr>(), n, log_size);
    const auto expected = require(cuda::msm(context_, bases_.as<Affine<F>>(), scalars_.as<Fr>(), n)).total();
    unsigned before = 1;
    for (const unsigned most : {3U, 5U, 16U}) {
      const cuda::MsmWindows windows = cuda::msm_windows(n, most);
      const std::uint64_t bytes = windows.multiples * n * sizeof(Affine<F>);
      // A sum with the widest windows takes some 170 bytes a base.
      if (windows.multiples == before || bytes + 180 * n > context_.free_bytes()) continue;
      before = windows.multiples;
      const cuda::DeviceMemory memory = require(context_.allocate(bytes, "multiples"));
      require(context_.check(cudaMemcpyAsync(memory.as<void>(), bases_.as<void>(), n * sizeof(Affine<F>),
                                             cudaMemcpyDeviceToDevice, context_.stream()),
                             "multiples"));
      require(context_.synchronize("multiples"));
      const auto begin = std::chrono::steady_clock::now();
      require(cuda::fill_multiples(context_, memory.as<Affine<F>>(), n, windows.multiples,
                                   cuda::DigitWindows(windows).shift));
      require(context_.synchronize("multiples"));
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      std::printf("    %u points for each base, %.2f GB, made in %.3f s\n", windows.multiples,
                  double(bytes) / 1e9, took.count());
      const std::string of = ", " + std::to_string(windows.multiples);
      const cuda::WindowSums<F> sums =
          line(("uniform" + of).c_str(), n, rate, products, false, memory.as<Affine<F>>(), windows).sums;
      const bool ok = sums.total() == expected;
      if (!ok) std::printf("    WRONG: not the sum without multiples\n");
      failed = failed || !ok;
      if (log_size != 24) continue;
      upload(all_equal(n));
      (void)line(("all equal" + of).c_str(), n, rate, products, false, memory.as<Affine<F>>(), windows);
      upload(mostly_bits(n));
      (void)line(("99 % bits" + of).c_str(), n, rate, products, false, memory.as<Affine<F>>(), windows);
      random_fr(context_, scalars_.as<Fr>(), n, log_size);
    }
  }

  void upload(const std::vector<Fr>& k) {
    require(context_.upload(scalars_.as<Fr>(), k.data(), k.size() * sizeof(Fr), "scalars"));
    require(context_.synchronize("scalars"));
  }
  /// Median milliseconds by the clock.
  static double median_ms(int runs, const std::function<void()>& body) {
    std::vector<double> ms;
    body();
    for (int i = 0; i < runs; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      body();
      ms.push_back(
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    std::sort(ms.begin(), ms.end());
    return ms[ms.size() / 2];
  }
  struct Timed {
    double ms;  ///< as printed
    cuda::WindowSums<F> sums;
  };
  /// With the multiples behind `bases`, where that is not null.
  Timed line(const char* what, std::uint64_t n, double rate, double products, bool check,
             const Affine<F>* bases = nullptr, const cuda::MsmWindows& windows = {}) {
    cuda::WindowSums<F> sums;
    context_.reset_peak();
    const cuda::MsmOptions options{.windows = windows};
    const double ms = median_ms(3, [&] {
      sums = require(cuda::msm(context_, bases == nullptr ? bases_.as<Affine<F>>() : bases, scalars_.as<Fr>(),
                               n, options));
    });
    // Digits: of all windows.
    const double additions = double(n) * sums.windows;
    std::printf("%-12s n = %-10llu d = %-4u %10.2f %12.2f %9.0f%%   %.2f GB", what,
                static_cast<unsigned long long>(n), sums.windows, ms, additions / ms / 1e6,
                100 * additions * products / rate * 1e3 / ms, double(context_.peak_bytes()) / 1e9);
    if (check) {
      std::vector<Fr> k(n);
      require(context_.download(k.data(), scalars_.as<Fr>(), n * sizeof(Fr), "scalars"));
      verdict(sums.total(), n, [&](std::uint64_t i) { return k[i]; });
    }
    std::printf("\n");
    std::fflush(stdout);
    return {ms, std::move(sums)};
  }
  /// Whether a sum is that of its scalars, folded to the points that were made on the host.
  template <class Scalar>
  void verdict(const Jacobian<F>& sum, std::uint64_t n, const Scalar& scalar) {
    const std::size_t made = std::min<std::uint64_t>(n, kMadeOnHost);
    std::vector<Fr> folded(made, Fr::zero());
    pool_.parallel_for(made, [&](std::size_t begin, std::size_t end) {
      for (std::uint64_t base = n; base != 0; base -= made)
        for (std::size_t i = begin; i < end; ++i)
          folded[i] = (kDoubled ? folded[i] + folded[i] : folded[i]) + scalar(base - made + i);
    });
    const auto expected =
        msm(pool_, std::span<const Affine<F>>(points_).first(made), std::span<const Fr>(folded));
    const bool ok = sum == expected;
    std::printf("  %s", ok ? "checked" : "WRONG");
    failed = failed || !ok;
  }
  void bits(std::uint64_t n, double rate, double products) {
    std::vector<std::uint64_t> words(n / 64);
    TestRandom random(n);
    std::uint64_t set = 0;
    for (auto& w : words) {
      w = random.next();
      set += static_cast<std::uint64_t>(__builtin_popcountll(w));
    }
    auto memory = require(context_.allocate(8 * words.size(), "bitmap"));
    require(context_.upload(memory.as<void>(), words.data(), 8 * words.size(), "bitmap"));
    Jacobian<F> sum = Jacobian<F>::infinity();
    const double ms = median_ms(3, [&] {
      sum = Jacobian<F>::infinity();
      for (const auto& part :
           require(cuda::bit_sum(context_, bases_.as<Affine<F>>(), memory.as<std::uint64_t>(), n, set)))
        sum += part.to_jacobian();
    });
    std::printf("%-12s n = %-10llu %8s %10.2f %12.2f %9.0f%%", "bitmap", static_cast<unsigned long long>(n),
                "", ms, double(set) / ms / 1e6, 100 * double(set) * products / rate * 1e3 / ms);
    verdict(sum, n,
            [&](std::uint64_t i) { return (words[i / 64] >> (i % 64) & 1) != 0 ? Fr::one() : Fr::zero(); });
    std::printf("\n");
    std::fflush(stdout);
  }

  cuda::Context& context_;
  ThreadPool& pool_;
  unsigned largest_ = 0;
  std::vector<Affine<F>> points_;
  cuda::DeviceMemory bases_, scalars_;

 public:
  bool failed = false;
};

void print_all(ThreadPool& pool, int device, const bench::KernelSizes& sizes) {
  auto context = require(cuda::Context::create({.device = device}));
  const double fr = multiply_rate<cuda::Fr32>(*context);
  const double fp = multiply_rate<cuda::Fp32>(*context);
  std::printf("%s, %u multiprocessors, %.1f GB for us\n", context->name().c_str(), context->multiprocessors(),
              double(context->vram_limit()) / 1e9);
  std::printf("products: Fr %.1f G/s, Fp %.1f G/s\n", fr / 1e9, fp / 1e9);
  constexpr unsigned kSize = 27;
  std::printf(
      "floors: products of Fr, fewer for smaller transforms, at 2^%u %.2f an element, %.1f of the quotient\n"
      "(whole tables: %.2f, %.1f), counted as Montgomery products, though most have a known factor; 5.81\n"
      "products of Fp an addition in G1, 15 in G2; buckets and digits are not counted\n",
      kSize, transform_products(kSize, false), quotient_products(kSize, false),
      transform_products(kSize, true), quotient_products(kSize, true));
  transforms(*context, sizes.transforms, fr);
  bool wrong = false;
  if (sizes.g1 > 0) {
    Sums<Fp> sums(*context, pool, sizes.g1);
    sums.run(fp, 5.81);
    wrong = sums.failed;
  }
  if (sizes.g2 > 0) {
    Sums<Fp2> sums(*context, pool, sizes.g2);
    sums.run(fp, 15);
    wrong = wrong || sums.failed;
  }
  if (wrong) throw Stop{{ErrorCode::kInternal, "a sum of the device is not that of the CPU"}};
}

}  // namespace

Result<void> bench::print_kernel_table(ThreadPool& pool, int device, const KernelSizes& sizes) {
  try {
    print_all(pool, device, sizes);
  } catch (const Stop& stop) {
    return stop.error;
  }
  return {};
}

}  // namespace cuzk
