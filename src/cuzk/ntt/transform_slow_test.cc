#include <gtest/gtest.h>

#include "cuzk/base/random.h"
#include "cuzk/ntt/transform.h"

namespace cuzk::ntt {
namespace {

// A million points, where every level of the passes and both kinds of block are in use.
TEST(TransformOfAMillionPoints, RoundTripAndSingleValues) {
  constexpr unsigned kLogSize = 20;
  constexpr std::size_t kSize = std::size_t{1} << kLogSize;
  TestRandom rng(20);
  ThreadPool pool(2);
  std::vector<Fr> coefficients(kSize);
  for (Fr& c : coefficients) c = fr_from_words([&] { return rng.next(); });
  const Fr shift = fr_root_of_unity(kLogSize + 1);
  std::size_t places[4];
  Fr values[4];
  for (std::size_t k = 0; k < 4; ++k) {
    places[k] = rng.next() % kSize;
    const Fr x = shift * fr_root_of_unity(kLogSize).pow(places[k]);
    values[k] = Fr::zero();
    for (std::size_t i = kSize; i-- > 0;) values[k] = values[k] * x + coefficients[i];
  }
  std::vector<Fr> data;
  for (const Isa isa : {Isa::portable, Isa::adx, Isa::ifma}) {
    if (!isa_supported(isa)) continue;
    data = coefficients;
    Transform(isa, kLogSize, Direction::forward, Order::natural_to_reversed, shift).run(pool, data);
    for (std::size_t k = 0; k < 4; ++k)
      EXPECT_EQ(data[reverse_bits(places[k], kLogSize)], values[k]) << isa_name(isa);
    Transform(isa, kLogSize, Direction::inverse, Order::reversed_to_natural, shift).run(pool, data);
    EXPECT_TRUE(data == coefficients) << isa_name(isa);
    // The other two orders, on data that are bit-reversed coefficients now.
    for (std::size_t i = 0; i < kSize; ++i) data[reverse_bits(i, kLogSize)] = coefficients[i];
    Transform(isa, kLogSize, Direction::forward, Order::reversed_to_natural, shift).run(pool, data);
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(data[places[k]], values[k]) << isa_name(isa);
    Transform(isa, kLogSize, Direction::inverse, Order::natural_to_reversed, shift).run(pool, data);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < kSize; ++i) wrong += !(data[reverse_bits(i, kLogSize)] == coefficients[i]);
    EXPECT_EQ(wrong, 0U) << isa_name(isa);
  }
}

}  // namespace
}  // namespace cuzk::ntt
