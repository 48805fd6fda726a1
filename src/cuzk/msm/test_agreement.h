#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "cuzk/msm/msm.h"
#include "cuzk/msm/test_points.h"

namespace cuzk {

/// msm against msm_plain, for every instruction set and the given windows and numbers of threads.
template <class F>
void expect_all_agree(const std::vector<Affine<F>>& bases, const std::vector<Fr>& scalars,
                      const std::string& what, std::vector<unsigned> windows = {0},
                      std::vector<unsigned> threads = {1, 2, 5}) {
  const Jacobian<F> expected = msm_plain(std::span<const Affine<F>>(bases), std::span<const Fr>(scalars));
  for (const unsigned t : threads)
    for (const Isa isa : test_isas()) {
      ThreadPool pool(t, isa);
      for (const unsigned bits : windows)
        EXPECT_EQ(msm(pool, std::span<const Affine<F>>(bases), std::span<const Fr>(scalars), {bits}),
                  expected)
            << what << ", " << bases.size() << " bases, " << isa_name(isa) << ", window " << bits << ", " << t
            << " threads";
    }
}

}  // namespace cuzk
