#include <gtest/gtest.h>

#include <atomic>

#include "cuzk/base/random.h"
#include "cuzk/cpu/scratch_array.h"
#include "cuzk/ntt/transform.h"

namespace cuzk::ntt {
namespace {

// The domain of the largest circuits: 4 GiB, made again from the generator instead of being kept twice.
TEST(TransformOfTheLargestCircuits, RoundTripAndASingleValue) {
  constexpr unsigned kLogSize = 27;
  constexpr std::size_t kSize = std::size_t{1} << kLogSize;
  ThreadPool pool;
  const ScratchArray<Fr> memory(kSize);
  const std::span<Fr> data = memory.span();
  // Coefficient i comes from a generator that begins with every block, so that any thread can make it.
  constexpr std::size_t kBlock = std::size_t{1} << 12;
  const auto for_coefficients = [&](auto&& use) {
    pool.parallel_for(kSize / kBlock, 16, [&](std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b) {
        TestRandom rng(b + 27);
        for (std::size_t i = b * kBlock; i < (b + 1) * kBlock; ++i)
          use(i, fr_from_words([&] { return rng.next(); }));
      }
    });
  };
  for_coefficients([&](std::size_t i, const Fr& c) { data[i] = c; });
  constexpr std::size_t kPlace = 98765432;
  const Fr shift = fr_root_of_unity(kLogSize + 1);
  const Fr x = shift * fr_root_of_unity(kLogSize).pow(kPlace);
  Fr value = Fr::zero();
  for (std::size_t i = kSize; i-- > 0;) value = value * x + data[i];
  Transform(pool.isa(), kLogSize, Direction::forward, Order::natural_to_reversed, shift).run(pool, data);
  EXPECT_EQ(data[reverse_bits(kPlace, kLogSize)], value);
  Transform(pool.isa(), kLogSize, Direction::inverse, Order::reversed_to_natural, shift).run(pool, data);
  std::atomic<std::size_t> wrong{0};
  for_coefficients([&](std::size_t i, const Fr& c) {
    if (!(data[i] == c)) ++wrong;
  });
  EXPECT_EQ(wrong, 0U);
}

}  // namespace
}  // namespace cuzk::ntt
