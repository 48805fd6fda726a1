#include "cuzk/field/inverse.h"

#include <gtest/gtest.h>

#include <vector>

#include "cuzk/base/random.h"
#include "cuzk/field/fp.h"
#include "cuzk/field/fr.h"

namespace cuzk {
namespace {

template <class F>
class InverseByDivisionSteps : public testing::Test {};
using Fields = testing::Types<Fp, Fr>;
TYPED_TEST_SUITE(InverseByDivisionSteps, Fields);

TYPED_TEST(InverseByDivisionSteps, EqualsTheFermatPower) {
  using F = TypeParam;
  TestRandom random(1);
  std::vector<F> values{F::zero(), F::one(), -F::one(), F::r_squared()};
  for (std::uint64_t i = 1; i < 100; ++i) {
    F raw{};  // small limb patterns, and their negatives: the extremes of the algorithm's own input
    raw.limb[0] = i;
    for (const F& v : {raw, -raw, F::from_u64(i)}) values.push_back(v);
  }
  F power{};
  power.limb[0] = 1;
  for (std::size_t bit = 0; bit < 64 * F::kLimbs; ++bit) {
    values.push_back(power);
    power = power.dbl();
  }
  F x = F::from_u64(random.next());
  for (int i = 0; i < 300; ++i) values.push_back(x = x.square() + F::from_u64(random.next()));
  for (const F& v : values) ASSERT_EQ(inverse_by_division_steps(v), v.inverse_plain());
}

}  // namespace
}  // namespace cuzk
