#pragma once

// Runs one line of tests/data/gadgets/counts.tsv. Test support.

#include "cuzk/gadgets/gadget_fixture.h"

namespace cuzk {

inline std::vector<Fixture> gadget_counts(bool large) {
  std::vector<Fixture> out;
  for (const Fixture& f : read_table("gadgets/counts.tsv"))
    if ((std::stoul(f.at("constraints")) > 100'000) == large) out.push_back(f);
  return out;
}

/// Synthesizes the gadget; `start` is called when its inputs are there.
template <class Start>
void synthesize_counted(CountingSystem& cs, const std::string& gadget, std::size_t x, std::size_t y,
                        Start&& start) {
  using namespace gadget_circuits;
  if (gadget == "sha256_block" || gadget == "sha256") {
    const auto message = bits(cs, x);
    start();
    (void)(gadget == "sha256" ? sha256_circuit(cs, message) : sha256_block_no_padding(cs, message));
  } else if (gadget == "sha256_constant") {
    (void)sha256_block_no_padding(cs, std::vector<Boolean>(512));
  } else if (gadget == "poseidon") {
    const auto message = nums(cs, x);
    start();
    (void)poseidon_circuit(cs, message);
  } else if (gadget == "poseidon_md") {
    (void)poseidon_md_circuit(cs, nums(cs, x));
  } else if (gadget == "select") {
    const auto from = nums(cs, x);
    const auto index = as_booleans(index_bits(cs, 0, static_cast<std::size_t>(std::countr_zero(x))));
    start();
    (void)select(cs, from, index);
  } else if (gadget == "insert") {
    const auto elements = nums(cs, x - 1);
    const auto index = as_booleans(index_bits(cs, 0, static_cast<std::size_t>(std::countr_zero(x))));
    start();
    (void)insert(cs, elements[0], index, elements);
  } else if (gadget == "gen_challenge_bits") {
    (void)gen_challenge_bits(cs, num_alloc(cs, Fr::zero()), num_alloc(cs, Fr::zero()), x, y);
  } else if (gadget == "apex_por") {
    const auto leaves = nums(cs, x);
    const auto index = index_bits(cs, 0, y);
    AllocatedSiblings path;
    for (std::size_t i = 0; i < y; ++i) path.push_back(nums(cs, 1));
    const AllocatedNum comm_d = num_alloc(cs, Fr::zero());
    start();
    apex_por(cs, leaves, index, path, comm_d);
  } else {
    std::optional<Fr> output;
    ASSERT_TRUE(gadget_circuits::synthesize(cs, gadget, output)) << gadget;
  }
}

class GadgetCount : public testing::TestWithParam<Fixture> {
 protected:
  void check() {
    const Fixture& want = GetParam();
    CountingSystem cs;
    std::size_t before = 0;
    synthesize_counted(cs, want.at("gadget"), std::stoul(want.at("x")), std::stoul(want.at("y")),
                       [&] { before = want.at("counted") == "gadget" ? cs.counts().constraints : 0; });
    EXPECT_EQ(cs.counts().constraints - before, std::stoul(want.at("constraints")));
  }
};

inline std::string count_name(const testing::TestParamInfo<Fixture>& info) {
  return info.param.at("gadget") + "_" + info.param.at("x") + "_" + info.param.at("y");
}

}  // namespace cuzk
