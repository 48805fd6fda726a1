#include <gmock/gmock.h>

#include "cuzk/gadgets/gadget_counts.h"
#include "cuzk/r1cs/block_auditor.h"

namespace cuzk {
namespace {

TEST_P(GadgetFixture, MatchesTheReference) {
  check();
}
INSTANTIATE_TEST_SUITE_P(Small, GadgetFixture, testing::ValuesIn(gadget_fixtures(false)), fixture_name);

TEST_P(GadgetCount, IsWhatTheReferenceAsserts) {
  check();
}
INSTANTIATE_TEST_SUITE_P(Small, GadgetCount, testing::ValuesIn(gadget_counts(false)), count_name);

TEST(Gadgets, EveryFixtureIsUsed) {
  EXPECT_EQ(gadget_fixtures(false).size() + gadget_fixtures(true).size(), 45U);
  EXPECT_EQ(gadget_counts(false).size() + gadget_counts(true).size(), 40U);
}

TEST(Gadgets, HashMdOfOnes) {
  WitnessBuilder cs;
  std::optional<Fr> output;
  ASSERT_TRUE(gadget_circuits::synthesize(cs, "hash_md_71_ones", output));
  EXPECT_EQ(fr_hex(*output), "59f42220e09ff6f75fd9623643ed9622c26f6d625f4e8195351c54133b332c90");
}

TEST(Gadgets, SelectTakesTheIndexedElement) {
  for (std::size_t index = 0; index < 8; ++index) {
    WitnessBuilder cs;
    const auto from = gadget_circuits::nums(cs, 8);
    const auto bits = gadget_circuits::as_booleans(gadget_circuits::index_bits(cs, index, 3));
    EXPECT_EQ(select(cs, from, bits).value, from[index].value);
  }
}

TEST(Gadgets, InsertPutsTheElementAtEveryIndex) {
  for (const std::size_t size : {2U, 4U, 8U, 16U})
    for (std::size_t index = 0; index < size; ++index) {
      Checker cs;
      const auto elements = gadget_circuits::nums(cs, size - 1);
      const AllocatedNum x = num_alloc(cs, Fr::from_u64(1000));
      const auto bits = gadget_circuits::as_booleans(
          gadget_circuits::index_bits(cs, index, static_cast<std::size_t>(std::countr_zero(size))));
      const auto out = insert(cs, x, bits, elements);
      ASSERT_EQ(out.size(), size);
      for (std::size_t i = 0; i < size; ++i)
        EXPECT_EQ(out[i].value, i == index ? x.value : elements[i < index ? i : i - 1].value);
      EXPECT_TRUE(cs.result());
    }
}

TEST(Gadgets, BooleanEquality) {
  for (const bool a : {false, true})
    for (const bool b : {false, true})
      for (int kinds = 0; kinds < 9; ++kinds) {
        Checker cs;
        const auto make = [&](bool value, int kind) {
          if (kind == 0) return Boolean::constant(value);
          if (kind == 1) return Boolean::is(bit_alloc(cs, value));
          return Boolean::is_not(bit_alloc(cs, !value));
        };
        const Boolean x = make(a, kinds % 3);
        const Boolean y = make(b, kinds / 3);
        const bool possible = boolean_enforce_equal(cs, x, y);
        EXPECT_EQ(possible && cs.result().has_value(), a == b) << kinds;
      }
}

TEST(Gadgets, Sha256AgreesWithTheHashOfBytes) {
  std::vector<std::uint8_t> bytes;
  for (const std::size_t length : {0U, 1U, 55U, 56U, 64U, 119U}) {
    while (bytes.size() < length) bytes.push_back(static_cast<std::uint8_t>(bytes.size() * 37 + 11));
    WitnessBuilder cs;
    const auto digest = sha256_circuit(cs, alloc_bytes_be(cs, bytes));
    const Bytes32 want = sha256(bytes);
    for (std::size_t i = 0; i < 256; ++i)
      ASSERT_EQ(digest[i].value(), (want[i / 8] >> (7 - i % 8) & 1) != 0) << length << " bytes, bit " << i;
  }
}

TEST(Gadgets, PoseidonAgreesWithTheHashOfValues) {
  for (const std::size_t arity : {2U, 4U, 8U, 11U, 16U, 24U, 36U}) {
    WitnessBuilder cs;
    const auto message = gadget_circuits::nums(cs, arity);
    std::vector<Fr> values;
    for (const AllocatedNum& m : message) values.push_back(m.value);
    EXPECT_EQ(poseidon_circuit(cs, message).value, poseidon(values));
  }
}

TEST(Gadgets, BlocksKeepTheirPromises) {
  for (const auto& [name, blocks] : {std::pair{"sha256_512", 2U},
                                     {"sha256_const8_var8", 1U},
                                     {"sha256_leaf_bits", 2U},
                                     {"poseidon_8", 1U},
                                     {"hash_md_71", 2U},
                                     {"gen_challenge_bits_86_26", 10U},
                                     {"por_poseidon_8_4_2", 4U}}) {
    BlockAuditor cs;
    std::optional<Fr> output;
    ASSERT_TRUE(gadget_circuits::synthesize(cs, name, output));
    EXPECT_EQ(cs.blocks(), blocks) << name;
    EXPECT_THAT(cs.faults(), testing::IsEmpty()) << name;
  }
}

TEST(Gadgets, InstancesOfPoseidonAreBlocksOfDifferentNames) {
  EXPECT_EQ(poseidon_constants(2).name, "poseidon arity 2 tag 0x3");
  EXPECT_EQ(snap_poseidon_constants().name, "poseidon arity 2 tag 0x10000000000");
  BlockAuditor cs;
  const auto message = gadget_circuits::nums(cs, 2);
  (void)poseidon_circuit(cs, message);
  (void)poseidon_circuit(cs, snap_poseidon_constants(), message);
  (void)poseidon_circuit(cs, message);
  EXPECT_EQ(cs.blocks(), 3U);
  EXPECT_EQ(cs.templates().size(), 2U);
  EXPECT_THAT(cs.faults(), testing::IsEmpty());
}

TEST(Gadgets, AliasingOfPortsChangesTheRowsOfABlock) {
  // The same 512 message variables, once distinct and once with the second half repeating the first.
  const auto circuit = [](auto& cs, bool repeat) {
    std::vector<Boolean> message = gadget_circuits::bits(cs, 512);
    if (repeat) std::copy_n(message.begin(), 256, message.begin() + 256);
    (void)sha256_block_no_padding(cs, message);
  };
  const auto terms = [&](bool repeat) {
    ShapeRecorder recorder;
    circuit(recorder, repeat);
    return std::move(recorder).finish().num_terms();
  };
  EXPECT_LT(terms(true), terms(false));
  BlockAuditor cs;
  circuit(cs, false);
  circuit(cs, false);
  EXPECT_EQ(cs.templates().size(), 1U);
  circuit(cs, true);
  EXPECT_EQ(cs.templates().size(), 2U);
  EXPECT_THAT(cs.faults(), testing::IsEmpty());
}

TEST(BlockAuditor, FindsFaults) {
  const auto product = [](BlockAuditor& cs, Variable port, Variable read, const Fr& factor) {
    const Block scope(cs, "product", [&](auto&& sink) { sink(Port{Port::Kind::kVariable, port}); });
    const Variable x = cs.alloc(Fr::zero());
    cs.enforce([&](auto& lc) { lc.add(read, factor); }, [&](auto& lc) { lc.add(read); },
               [&](auto& lc) { lc.add(x); });
  };
  BlockAuditor cs;
  const Variable a = cs.alloc(Fr::zero());
  const Variable b = cs.alloc(Fr::zero());
  product(cs, a, a, Fr::one());
  product(cs, b, b, Fr::one());
  ASSERT_THAT(cs.faults(), testing::IsEmpty());
  product(cs, b, b, Fr::from_u64(2));
  EXPECT_THAT(cs.faults(),
              testing::ElementsAre("block 'product' has other rows than a block of the same name and ports"));
  BlockAuditor stranger;
  const Variable c = stranger.alloc(Fr::zero());
  product(stranger, stranger.alloc(Fr::zero()), c, Fr::one());
  EXPECT_THAT(stranger.faults(), testing::Contains("block 'product' reads a variable that is neither its own "
                                                   "nor a port"));
}

TEST(MultiEqDeathTest, AnEqualityThatIsNotWrittenOutIsAnError) {
  const auto forget = [] {
    WitnessBuilder cs;
    MultiEq<WitnessBuilder> meq(cs);
    meq.begin(32);
  };
  EXPECT_DEATH(forget(), "bits_used_ == 0");
}

/// Index in Witness::bits of the first bit in or behind a namespace, by running up to it.
class WitnessPlaces : public WitnessBuilder {
 public:
  static constexpr bool kRecords = true;  // so that gadgets open the namespaces inside a hash, too

  void begin_namespace(const Name& name) {
    path_.push_back(name);
    places_.emplace(path_text(path_), std::pair{bits_, wide_});
  }
  void end_namespace() { path_.pop_back(); }
  Variable alloc(const Fr& v) {
    ++wide_;
    return WitnessBuilder::alloc(v);
  }
  Variable alloc_bit(bool v) {
    ++bits_;
    return WitnessBuilder::alloc_bit(v);
  }
  /// Numbers of bits and wide values before the namespace.
  std::pair<std::size_t, std::size_t> before(const std::string& path) const { return places_.at(path); }

 private:
  std::vector<Name> path_;
  std::map<std::string, std::pair<std::size_t, std::size_t>> places_;
  std::size_t bits_ = 0;
  std::size_t wide_ = 0;
};

TEST(Checker, CorruptedWitnessNamesTheGadget) {
  const auto circuit = [](auto& cs) {
    std::optional<Fr> output;
    const Namespace ns(cs, "proof");
    ASSERT_TRUE(gadget_circuits::synthesize(cs, "por_poseidon_8_4_2", output));
  };
  WitnessPlaces builder;
  circuit(builder);
  const Witness good = std::move(builder).finish();
  const auto failure = [&](const Witness& w) {
    Checker checker(w);
    circuit(checker);
    EXPECT_FALSE(checker.result());
    return checker.result() ? Error{} : checker.result().error();
  };
  {
    Checker checker(good);
    circuit(checker);
    EXPECT_TRUE(checker.result());
  }
  for (const char* path :
       {"proof/base/merkle layer 0/hash/first round", "proof/base/merkle layer 1/hash/partial round 7",
        "proof/sub/merkle layer 0/insert", "proof/top/merkle layer 0/hash/terminal full round"}) {
    Witness bad = good;
    bad.wide[builder.before(path).second] += Fr::one();
    const Error error = failure(bad);
    EXPECT_EQ(error.code, ErrorCode::kUnsatisfied);
    EXPECT_NE(error.message.find(path), std::string::npos) << error.message;
  }
  // A flipped index bit stays boolean; the insertion behind it is what breaks.
  Witness bad = good;
  const std::size_t bit = builder.before("proof/sub/merkle layer 0/index bits").first;
  bad.bits[bit / 64] ^= std::uint64_t{1} << (bit % 64);
  EXPECT_NE(failure(bad).message.find("proof/sub/merkle layer 0/insert"), std::string::npos);
  // A public input that is not the packed index.
  bad = good;
  bad.inputs[1] += Fr::one();
  EXPECT_NE(failure(bad).message.find("in proof/path "), std::string::npos);
  bad = good;
  bad.inputs.push_back(Fr::one());
  EXPECT_EQ(failure(bad).code, ErrorCode::kBadInput);
}

TEST(Checker, SeesEveryFlippedBitOfACompression) {
  const auto circuit = [](auto& cs) {
    const auto message = gadget_circuits::bits(cs, 512);
    const Namespace ns(cs, "hash");
    (void)sha256_block_no_padding(cs, message);
  };
  ShapeRecorder recorder;
  circuit(recorder);
  const Shape shape = std::move(recorder).finish();
  WitnessBuilder builder;
  circuit(builder);
  Witness witness = std::move(builder).finish();
  ThreadPool pool(1);
  for (std::size_t bit = 0; bit < shape.num_bits(); bit += 997) {
    witness.bits[bit / 64] ^= std::uint64_t{1} << (bit % 64);
    Checker checker(witness);
    circuit(checker);
    ASSERT_TRUE(checker.failure().has_value()) << bit;
    EXPECT_EQ(checker.failure()->path, "hash");
    EXPECT_EQ(checker.failure()->constraint, shape.first_unsatisfied(pool, witness));
    witness.bits[bit / 64] ^= std::uint64_t{1} << (bit % 64);
  }
}

}  // namespace
}  // namespace cuzk
