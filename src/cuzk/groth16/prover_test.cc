#include "cuzk/groth16/prover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>

#include "cuzk/base/hex.h"
#include "cuzk/groth16/cpu_prover.h"
#include "cuzk/groth16/test_support.h"
#include "cuzk/groth16/verifier.h"
#include "cuzk/hash/sha256.h"

namespace cuzk::groth16 {
namespace {

using testing::HasSubstr;

/// A circuit with its key and a prover.
class ProverTest : public testing::Test {
 protected:
  struct Case {
    std::shared_ptr<const Shape> shape;
    std::shared_ptr<const ProvingKey> key;
    std::shared_ptr<const Witness> witness;
  };

  Case make(const test::RowCircuit& circuit, const ToxicWaste& toxic, bool bits) {
    Case c{circuit.shape(bits), nullptr, circuit.witness(bits)};
    const std::string path = folder_.file(std::to_string(files_++) + ".params");
    const auto setup = generate_parameters(pool_, *c.shape, toxic, path);
    CUZK_CHECK(setup.has_value());
    c.key = ProvingKey::load(pool_, path, c.shape).value();
    return c;
  }
  std::string prove_hex(const Case& c, const Fr& r, const Fr& s) {
    const auto proof = prove(prover_, c.key, c.shape, c.witness, r, s);
    return proof ? to_hex(encode_proof(*proof)) : proof.error().message;
  }
  Result<void> verify(const Case& c, const Proof& proof) {
    return PreparedVerifyingKey(c.key->vk()).verify(pool_, {std::span(c.witness->inputs).subspan(1), proof});
  }

  ThreadPool pool_{2};
  test::TemporaryFolder folder_;
  int files_ = 0;
  CpuProver prover_{pool_};
};

TEST_F(ProverTest, ToysAreByteIdenticalToTheReference) {
  for (const char* name : {"cubic", "random-300"})
    for (const bool bits : {false, true}) {
      const test::Toy toy = test::load_toy(name);
      const Case c = make(toy.circuit, toy.toxic, bits);
      EXPECT_EQ(prove_hex(c, toy.r, toy.s), to_hex(toy.proof)) << name << " bits " << bits;
    }
}

TEST_F(ProverTest, EveryInstructionSetMakesTheSameBytes) {
  const test::Toy toy = test::load_toy("random-300");
  const std::shared_ptr<const Shape> shape = toy.circuit.shape(true);
  for (const Isa isa : {Isa::portable, Isa::adx, Isa::ifma}) {
    if (!isa_supported(isa)) continue;
    SCOPED_TRACE(isa_name(isa));
    ThreadPool pool(2, isa);
    const std::string path = folder_.file("isa.params");
    const auto setup = generate_parameters(pool, *shape, toy.toxic, path);
    ASSERT_TRUE(setup) << setup.error().message;
    EXPECT_EQ(to_hex(setup->digests.sha256), toy.params_sha256);
    const auto key = ProvingKey::load(pool, path, shape);
    ASSERT_TRUE(key) << key.error().message;
    CpuProver prover(pool);
    const auto proof = prove(prover, *key, shape, toy.circuit.witness(true), toy.r, toy.s);
    ASSERT_TRUE(proof) << proof.error().message;
    EXPECT_EQ(to_hex(encode_proof(*proof)), to_hex(toy.proof));
    EXPECT_TRUE(verify({shape, *key, toy.circuit.witness(true)}, *proof));
  }
}

TEST_F(ProverTest, GoldenVectors) {
  const Fr r = Fr::from_u64(27134);
  const Fr s = Fr::from_u64(17146);
  for (const bool bits : {false, true}) {
    const Case c = make(test::xor_demo(true, false), test::golden_secrets(), bits);
    EXPECT_EQ(
        prove_hex(c, r, s),
        "8436964be148cb27c63afecd109cce219f8d4a94f61005fbacc727cfeab65a7641dc4a1facbd72e7ebef116c512fb6b2"
        "8de6ee64574c9e2a542db1b71f5b639dfbd1b510ad4ab11df91b55682bcd0284215de0b6591ee532bd2a9f9f39daf8b4"
        "00a8832abdb511b3d8587de7ecd138129cd2b03adc430f7338b1a1b66ee909c7610cd1624a9be84aeb54c58414933a12"
        "96e1eac5738576be5c6410ded96b1ced85219650ded2dd7cbdfffea7f7d4a0341f2f8ce4e143ef2cdb6bd9b4653fd1be");
    EXPECT_EQ(
        prove_hex(c, Fr::zero(), Fr::zero()),
        "89fc18fec482cf1eae1058db9a761c93ed623d24e70361a247982f8716c4e0dddc005123deb6e24a4c676e149123c0ba"
        "8946592f6bbeb597d45d5638e0a95cde979b86d5aa3efb2a89b6c76d1d114cf961bb35b602da8320420380d8fc614a20"
        "05b7ec0244e366f17590905b6a3789a238f9ae374d072bf341a34c1d3fe1872a860a0b6012fb6eefaa6dadd3a18ae56a"
        "95c3f397e3b372498a7e93f94fe5a7d58cf075b72451aa2b6a38baf07b847b16d23836faec4c315663135b3846d1e972");
    const std::pair<std::pair<bool, bool>, const char*> others[] = {
        {{false, false}, "376e69c61de818de1efdbd76d2f8419a17ff1a1f30b9c687f810a995734946c7"},
        {{false, true}, "5f083de55db18c55b2e2551c18e50900e0435ec2a296091f9e9e680b5138640d"},
        {{true, true}, "c45b428bbca1683816d8f6c39272336f3ffca155464b1dfbdc43d06129e7d26b"}};
    for (const auto& [values, digest] : others) {
      const Case other{c.shape, c.key, test::xor_demo(values.first, values.second).witness(bits)};
      const auto proof =
          prove(prover_, other.key, other.shape, other.witness, Fr::from_u64(5), Fr::from_u64(9));
      ASSERT_TRUE(proof);
      EXPECT_EQ(to_hex(sha256(encode_proof(*proof))), digest);
      EXPECT_TRUE(verify(other, *proof));
    }
  }
  const Case c = make(test::product(3, 7), test::golden_secrets(), false);
  EXPECT_EQ(
      prove_hex(c, r, s),
      "b859e3e2c1e0942ccd0a2c624cd87ac1459e8e4b518cf64a25a45355004d4836508a5483e52b54fde4d5186c3fb5df67"
      "8ccc0f180348242581875bc01f3ec6c06620b55164182fbd8a6aead3e502f331eabc3eb5c2188390785e637c06008143"
      "18e67d8e4f8d2c7dcc5c6bd448654397cec2c791e519d5b18e906dbf2423126c0ca64ece2296a6d95d7a3706bcdc4d8d"
      "aba0fca6b861cc6b936a32f95667c6b76b5c3ae36eb77ddfe881e0ba835920380d4b5ffdf797afc2ec2e8aec73ec69a0");
  EXPECT_EQ(
      prove_hex(c, Fr::zero(), Fr::zero()),
      "84dc6272b03a8a3c35636c2c381e869ada3b06a4fcfb494666a7895c98387f36f4e1ac6bfb50608cb2ef97d9af8b2e61"
      "949895910a307aa1b113b9ef9593a147e9beba58a9e89b27e22a3947ae40eebc0365281db286fc8d09ea137dc8a5ef60"
      "026a2b2b8a6bb4c95517ca1d99cce107354e1540b62efb19b7c942fefe8f2a0afe4fb08a0d6d8a24469a09619962607e"
      "902b272422084d9cd6ea143ccf71e1e56f3e40c6b94fc3ae4b6d961c55d9d586100abb823b3953f5f4cda7b5691ad5df");
}

TEST_F(ProverTest, SmallestDomains) {
  // Only ONE: one appended row, m = 1, no h at all. Then m = 2.
  test::RowCircuit circuit;
  for (const std::size_t inputs : {1UL, 2UL}) {
    circuit.inputs.resize(inputs, Fr::from_u64(9));
    const Case c = make(circuit, test::golden_secrets(), false);
    EXPECT_EQ(c.shape->domain_log_size(), inputs - 1);
    const auto proof = prove(prover_, c.key, c.shape, c.witness, Fr::from_u64(3), Fr::from_u64(4));
    ASSERT_TRUE(proof) << proof.error().message;
    EXPECT_TRUE(verify(c, *proof));
  }
}

TEST_F(ProverTest, FreshBlindingGivesAnotherValidProof) {
  const Case c = make(test::xor_demo(true, true), test::golden_secrets(), true);
  const auto one = prove(prover_, c.key, c.shape, c.witness, random_fr().value(), random_fr().value());
  const auto two = prove(prover_, c.key, c.shape, c.witness, random_fr().value(), random_fr().value());
  ASSERT_TRUE(one && two);
  EXPECT_NE(encode_proof(*one), encode_proof(*two));
  EXPECT_TRUE(verify(c, *one));
  EXPECT_TRUE(verify(c, *two));
}

TEST_F(ProverTest, UnsatisfiedWitnessGivesAProofThatDoesNotVerify) {
  for (const bool bits : {false, true}) {
    Case c = make(test::xor_demo(true, false), test::golden_secrets(), bits);
    auto bad = std::make_shared<Witness>(*c.witness);
    bad->inputs[1] = Fr::zero();  // 1 xor 0 is not 0
    c.witness = bad;
    const auto proof = prove(prover_, c.key, c.shape, c.witness, Fr::from_u64(1), Fr::from_u64(2));
    ASSERT_TRUE(proof);
    const auto result = verify(c, *proof);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::kBadInput);
  }
}

TEST_F(ProverTest, BatchOfSeveralCircuits) {
  const Case c = make(test::xor_demo(false, false), test::golden_secrets(), true);
  std::vector<Prepared> batch;
  std::vector<std::string> want;
  for (const auto& [a, b] : {std::pair{false, true}, {true, true}, {true, false}}) {
    const auto witness = test::xor_demo(a, b).witness(true);
    batch.push_back(prover_.prepare(c.key, c.shape, witness, Fr::from_u64(5), Fr::from_u64(6)).value());
    want.push_back(prove_hex({c.shape, c.key, witness}, Fr::from_u64(5), Fr::from_u64(6)));
  }
  auto pending = prover_.launch(batch);
  ASSERT_TRUE(pending);
  EXPECT_FALSE(prover_.launch(batch)) << "what was launched is used up";
  const auto proofs = prover_.finish(std::move(*pending));
  ASSERT_TRUE(proofs);
  ASSERT_EQ(proofs->size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(to_hex(encode_proof((*proofs)[i])), want[i]);
}

TEST_F(ProverTest, ProgressAscendsToOne) {
  const test::Toy toy = test::load_toy("random-300");
  const Case c = make(toy.circuit, toy.toxic, true);
  for (const std::size_t circuits : {1U, 3U}) {
    std::vector<Prepared> batch;
    for (std::size_t i = 0; i < circuits; ++i)
      batch.push_back(prover_.prepare(c.key, c.shape, c.witness, toy.r, toy.s).value());
    std::vector<double> seen;
    LaunchOptions options;
    options.progress = [&](double fraction) { seen.push_back(fraction); };
    ASSERT_TRUE(prover_.launch(batch, options));
    ASSERT_GE(seen.size(), 7 * circuits);
    EXPECT_GT(seen.front(), 0);
    EXPECT_EQ(seen.back(), 1);
    EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end(), std::greater<>()), seen.end());
  }
}

TEST_F(ProverTest, LockIsHeldForTheDeviceWorkAndNothingElse) {
  const Case c = make(test::xor_demo(true, false), test::golden_secrets(), true);
  const DeviceLock lock;
  DeviceLock::Hold hold = lock.acquire();
  // prepare and finish run while somebody else holds the lock; launch waits for it.
  std::vector<Prepared> batch;
  batch.push_back(prover_.prepare(c.key, c.shape, c.witness, Fr::one(), Fr::one()).value());
  std::optional<Result<Pending>> pending;
  std::thread worker([&] { pending.emplace(prover_.launch(batch, {lock, 0})); });
  while (lock.waiting() < 1) std::this_thread::yield();
  // A rival that comes second: it gets the lock when the launch gives it back.
  ProverClock::time_point rival_acquired;
  std::thread rival([&] {
    const DeviceLock::Hold taken = lock.acquire();
    rival_acquired = ProverClock::now();
  });
  while (lock.waiting() < 2) std::this_thread::yield();
  const ProverClock::time_point free_since = ProverClock::now();
  hold.release();
  worker.join();
  rival.join();
  ASSERT_TRUE(pending->has_value());
  hold = lock.acquire();  // the launch has given it back
  const LaunchReport& report = (*pending)->report();
  EXPECT_LE(report.lock_wait, report.lock_acquired);
  ASSERT_FALSE(report.stages.empty());
  EXPECT_LE(report.lock_acquired, report.stages.front().begin);
  EXPECT_LE(report.stages.back().end, report.lock_released);
  EXPECT_LE(free_since, report.lock_acquired) << "no work before the lock is free";
  EXPECT_LE(report.stages.back().end, rival_acquired) << "nobody else has the lock during the work";
  EXPECT_TRUE(prover_.finish(std::move(**pending)));
}

TEST_F(ProverTest, FailedLaunchLeavesTheBatchAndTheLock) {
  const Case one = make(test::xor_demo(true, false), test::golden_secrets(), true);
  const Case other = make(test::product(3, 7), test::golden_secrets(), false);
  std::vector<Prepared> batch;
  for (const Case* c : {&one, &other})
    batch.push_back(prover_.prepare(c->key, c->shape, c->witness, Fr::one(), Fr::one()).value());
  const DeviceLock lock;
  const auto refused = prover_.launch(batch, {lock, 0});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  for (std::size_t i = 0; i < batch.size(); ++i)
    EXPECT_TRUE(prover_.launch(std::span(batch).subspan(i, 1), {lock, 0})) << i;
}

TEST_F(ProverTest, TwoWorkersShareOneProver) {
  const Case c = make(test::xor_demo(true, false), test::golden_secrets(), true);
  const std::string want = prove_hex(c, Fr::from_u64(2), Fr::from_u64(3));
  std::atomic<int> right{0};
  std::vector<std::thread> workers;
  for (int w = 0; w < 2; ++w)
    workers.emplace_back([&] {
      for (int i = 0; i < 5; ++i)
        if (prove_hex(c, Fr::from_u64(2), Fr::from_u64(3)) == want) ++right;
    });
  for (std::thread& w : workers) w.join();
  EXPECT_EQ(right, 10);
}

TEST_F(ProverTest, MismatchesAreRefused) {
  const Case c = make(test::xor_demo(true, false), test::golden_secrets(), true);
  const auto expect = [&](std::shared_ptr<const Shape> shape, std::shared_ptr<const Witness> witness,
                          const char* what) {
    const auto result = prover_.prepare(c.key, std::move(shape), std::move(witness), Fr::one(), Fr::one());
    ASSERT_FALSE(result);
    EXPECT_THAT(result.error().message, HasSubstr(what));
  };
  expect(test::xor_demo(true, false).shape(true), c.witness, "another shape");
  expect(c.shape, test::product(1, 2).witness(false), "witness has");
  EXPECT_FALSE(prover_.launch({}));
  EXPECT_FALSE(prover_.finish(Pending(nullptr, {})));
}

}  // namespace
}  // namespace cuzk::groth16
