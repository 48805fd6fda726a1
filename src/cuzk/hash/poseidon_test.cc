#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cuzk/base/hex.h"
#include "cuzk/base/random.h"
#include "cuzk/hash/poseidon.h"
#include "cuzk/hash/sha256.h"

namespace cuzk {
namespace {

std::string hex_be(const Fr& x) {
  auto b = x.to_bytes_le();
  std::reverse(b.begin(), b.end());
  return to_hex(b);
}

void absorb(Sha256& hash, std::span<const Fr> values) {
  for (const Fr& v : values) hash.update(v.to_bytes_le());
}

// Check values of constraint-system-and-gadgets 7.11.
struct Instance {
  unsigned arity;
  unsigned partial_rounds;
  const char* hash_of_counting;  // of the message 0, 1, ..., arity - 1; big-endian
  const char* raw_sha256;
  const char* optimised_sha256;
};
constexpr Instance kInstances[] = {
    {2, 55, "396508d75e76a56b739e0fd902efe161a6fba9339d05a69d2e203c369a02e7ff",
     "cf4dfb7448132022e22b32e3dce6b125cb06329448f9e8d8fe53a71c73cbe6d4",
     "8470f570272051a5b5f6c7754856aef759434be2930a0e76b62e08c2ba1628b1"},
    {4, 56, "58a54b10a9e5848a00db3c6579229399fb6b4605bf1327ec019814ff6662075d",
     "91e463d6553415b3901b9f26b2ad53e6298ac3e5ab0ef260d397bafe8bdde98e",
     "e49be304caf34e7ae7cbc0a7ca4f00f58ca1617b78371ee15f1222d0c5288986"},
    {8, 57, "2394611da3a5de5512010042116770774b682e9d9cc4aed92a9934f56d38a5e6",
     "9a4a743575f0eaf285c93d73f8adaf4e7ef4042c2445b42bddaf1a64e5face72",
     "150fee3c497accb427ea756a2ee531ea87ae53b6216b3abecfaef9e94f47f8ed"},
    {11, 57, "0c0fc1b2e5227f286ca537e232ebe87a09f3dcd8ccb08fc1cee3bbc32b693163",
     "479dc0d71d694cd50d853dec0c94aeb37df2a69929eaa23b545a52b1226aec06",
     "f65dcf3447f0ed0bbce19c8c886b70d452e5513dd742d52d89ab39e7aad58cd4"},
    {16, 59, "2d3ae2663381ae8ac1c2fb5a6f871e635b8dbc6d30680a6f1291c74060266d37",
     "e4a8a7bc7eaa2dcc61eff24e8e380e72d7c0bd9b144ff89bf8b68ed59a7551b4",
     "f57412ba1985f3ffd3da3229245ec6b9c0e7bfd7cc0e103d33bbf6f21bb0b323"},
    {24, 59, "63beb8831f11ae15066f39bf783f3d9fc3e779f6468815b1d7ef3569f585b321",
     "aadfb9e461401f0835742d9137416a8995ee512538d3d1edc062274126abb10c",
     "e5404e51633a5bfa897cc298afa03e7de5c58e34a02a855c3504bb398eb08d52"},
    {36, 60, "699303082a6e5d5f540a30e03c10bbaa75cd368df8a8ac3c4473606dfa4e8140",
     "07e81763421dcab86a45eecc509fb88a011589dbe76955f64b2d219eb59b4079",
     "ac225f892266d0893abd26a82bec1e0a0c4cd8d4f6dee1af3bfca727f622c0d6"},
};

TEST(Poseidon, ConstantsHaveThePublishedDigests) {
  for (const Instance& want : kInstances) {
    const PoseidonConstants& c = poseidon_constants(want.arity);
    EXPECT_EQ(c.partial_rounds, want.partial_rounds);
    Sha256 raw;
    absorb(raw, c.raw);
    EXPECT_EQ(to_hex(raw.finish()), want.raw_sha256) << want.arity;
    Sha256 optimised;
    absorb(optimised, c.compressed);
    absorb(optimised, c.pre_sparse);
    for (unsigned j = 0; j < c.partial_rounds; ++j) {
      absorb(optimised, c.w_hat(j));
      absorb(optimised, c.v_rest(j));
    }
    EXPECT_EQ(to_hex(optimised.finish()), want.optimised_sha256) << want.arity;
  }
}

TEST(Poseidon, HashOfCountingMessage) {
  for (const Instance& want : kInstances) {
    std::vector<Fr> message;
    for (unsigned i = 0; i < want.arity; ++i) message.push_back(Fr::from_u64(i));
    EXPECT_EQ(hex_be(poseidon(message)), want.hash_of_counting);
    EXPECT_EQ(hex_be(poseidon_hash_plain(poseidon_constants(want.arity), message)), want.hash_of_counting);
  }
}

TEST(Poseidon, SingleConstants) {
  EXPECT_EQ(hex_be(poseidon_constants(2).raw.front()),
            "669f064bfa3ae17a23bd51861dbb4a24501eac92a2758b36a7320a009d6ed3d8");
  EXPECT_EQ(hex_be(poseidon_constants(2).raw.back()),
            "60dfbfa5d5dd06351a917a05466e5884ed12e38ec24d5bb80be0abe065395e5c");
  EXPECT_EQ(hex_be(poseidon_constants(2).compressed[1]),
            "0a61a8defbacca36e4537ff2c84fa66ceee67c9645ac27346e72ab842b9d3f15");
  EXPECT_EQ(hex_be(poseidon_constants(2).compressed[3]),
            "0bfc421d38531805382624c9d2d2d02b1f2f5590316c401b2f5f56ca2f12a0d1");
  EXPECT_EQ(hex_be(poseidon_constants(2).compressed[14]),
            "5590950aa71d8ce93cf3b553914cbdbc785f875e08e4f236bc87371864fcbeb2");
  EXPECT_EQ(hex_be(poseidon_constants(2).compressed[15]),
            "15ea0de59c6ae7c8b21fd309ef84aba77c2d8e8139c9c08f5cca2138d161fdfd");
  EXPECT_EQ(hex_be(poseidon_constants(2).compressed[69]),
            "583c8dc2fc9dc59369ad9eea83e71500a2724395a6d8533c89aabbfed742d331");
  EXPECT_EQ(hex_be(poseidon_constants(2).compressed[78]),
            "1c84e3e9450113a4b5489decd8dcc8b25f057797f37899354931a0eea88d7d5d");
  EXPECT_EQ(hex_be(poseidon_constants(2).pre_sparse[0]),
            "4d491a377113a8daccd13ab0066be558e27e6d5755543d54aaaaaaaa00000001");
  EXPECT_EQ(hex_be(poseidon_constants(2).pre_sparse[1]),
            "69321c24c1cca37406c6aa610cf3eae4365bec86202785510ef2a763f5e42c3e");
  EXPECT_EQ(hex_be(poseidon_constants(2).pre_sparse[3]),
            "56f23d7e5f361df6266b620607396203fece3b023ffec4ff3fffffff40000001");
  EXPECT_EQ(hex_be(poseidon_constants(2).pre_sparse[4]),
            "5ea78f2da2d8388ecc02c49a4620a6b27d41d1e5effd39812af98a8d97d6d2a5");
  EXPECT_EQ(hex_be(poseidon_constants(2).w_hat(0)[1]),
            "59d39397f9b91a3745685546ac8e905f0374bec2c68a96278d2f73d4d6a692a2");
  EXPECT_EQ(hex_be(poseidon_constants(2).v_rest(0)[0]),
            "58967f7ecb83470ce5990816f118fc84a0713c868c352b00eb409bffd891fcd4");
  EXPECT_EQ(hex_be(poseidon_constants(8).raw.front()),
            "6ce90d12c4045fe08c3caddb776dd84ac52b4ae7e48cd49443984154f2f4c2f9");
  EXPECT_EQ(hex_be(poseidon_constants(8).raw.back()),
            "3b3a75eb91b0f723bcc4ab7e449e4a011b8960063efe74670c05e545519d9a8c");
  EXPECT_EQ(hex_be(poseidon_constants(8).compressed[1]),
            "0ccd9b480c84022b25a75b52c8e89d80b4fa6378d32e58f3a175504940bcec39");
  EXPECT_EQ(hex_be(poseidon_constants(8).compressed[9]),
            "3d60b7f170f1dc97472bc3a15c1fdf425fd4d52c7d629a9c8e2c0447b6f38bc6");
  EXPECT_EQ(hex_be(poseidon_constants(8).compressed[44]),
            "02c9faa7980850c04581476d214eae7d0b13bd994a4442f58970d6f4f5c12e0a");
  EXPECT_EQ(hex_be(poseidon_constants(8).compressed[45]),
            "065e302005459f2087aa4f6c30b42d11ab0cf5e2e41e74b344a3b287f0796e43");
  EXPECT_EQ(hex_be(poseidon_constants(8).compressed[101]),
            "1067c63aac845da5c30ad00d5dacb0ec4bddea69815bdf29f8a95029d6a8797a");
  EXPECT_EQ(hex_be(poseidon_constants(8).compressed[128]),
            "1ef936f03c337433c2e5f3570555397ed790517b32bebaa823ab1c9d7f374cb3");
  EXPECT_EQ(hex_be(poseidon_constants(8).pre_sparse[0]),
            "19c308bd25b13848eef068e557794c72f62a247271c6bf1c38e38e38aaaaaaab");
  EXPECT_EQ(hex_be(poseidon_constants(8).pre_sparse[1]),
            "48a2a8dd9fda9644ef97501c5a819cddf743c3aab06762eea537d5a901dc24b8");
  EXPECT_EQ(hex_be(poseidon_constants(8).pre_sparse[9]),
            "22c74bcc2615a595a8f7c0cf3616f401991f4acdb332b532e66666661999999a");
  EXPECT_EQ(hex_be(poseidon_constants(8).pre_sparse[10]),
            "2ab02e414e808d28d3a456fa378b04e88e8628a1b076fa0826b555717b1007e8");
  EXPECT_EQ(hex_be(poseidon_constants(8).w_hat(0)[1]),
            "39d9d3927b2b34ec506369b9a21e54c10a98949af37d495ceaf45bc33bfec77d");
  EXPECT_EQ(hex_be(poseidon_constants(8).v_rest(0)[0]),
            "50a53720d3629e00e1de3338e264d11c6da56b4cda00fcf7804903ca1e16d1ea");
  EXPECT_EQ(hex_be(poseidon_constants(11).raw.front()),
            "1f6c9576e648b5047399bfc5f38902e0d506f18e0f3ab77de6de096bd089bce4");
  EXPECT_EQ(hex_be(poseidon_constants(11).raw.back()),
            "4543ca937ff30a73db73c95cf11b2f641c744cc5d6a08d197c29ea4e2aab6a16");
  EXPECT_EQ(hex_be(poseidon_constants(11).compressed[1]),
            "06deba7028df3debd71993e243a5a74768fdf04db7ede8b2258be924c8f08ca9");
  EXPECT_EQ(hex_be(poseidon_constants(11).compressed[12]),
            "70c6ae20bd1d18d3dbb95f5a9694b328e69dd419e6279ae116ac934a94aa7906");
  EXPECT_EQ(hex_be(poseidon_constants(11).compressed[59]),
            "56e2acc528228b43c0d46afe192038ad11f98faa20df78560e626c982a642147");
  EXPECT_EQ(hex_be(poseidon_constants(11).compressed[60]),
            "107f1b7ef11c2b7a4df5c44d58bb500b86627ac271acb642c4e1b1b30fe72d01");
  EXPECT_EQ(hex_be(poseidon_constants(11).compressed[116]),
            "7004259eb61e806c6f93162850e5d7c6d8494ea23a595decdf4bc2ce6c8ccf0f");
  EXPECT_EQ(hex_be(poseidon_constants(11).compressed[152]),
            "09bb1cbe3152cbfb7eaccdd4be6a977e2b4985915f147b902f7c73bf6b0e4ca1");
  EXPECT_EQ(hex_be(poseidon_constants(11).pre_sparse[0]),
            "6a44840c3b7b082cd99fb0b208d45b5a376dd6581553d4546aaaaaa9c0000001");
  EXPECT_EQ(hex_be(poseidon_constants(11).pre_sparse[1]),
            "26a7a7748ce6c36cde44f3f6921cf3e042791d68f0fe3e8448e097f3ea5702a7");
  EXPECT_EQ(hex_be(poseidon_constants(11).pre_sparse[12]),
            "6217dc5a0f85429f8dce7bb808267bb5bd02ed3d9d88753a3b13b13a3b13b13c");
  EXPECT_EQ(hex_be(poseidon_constants(11).pre_sparse[13]),
            "6eea839aa1712aebf460d61354241c1b5402186feb4cbc6b3312e91936194729");
  EXPECT_EQ(hex_be(poseidon_constants(11).w_hat(0)[1]),
            "1fa69f776fa73b654f02951a71458cbdceadfa6add02fa453178e0f407bc1ce2");
  EXPECT_EQ(hex_be(poseidon_constants(11).v_rest(0)[0]),
            "2d66ebdddf6943eea7268563112a36020c851b733bab88158cfb571104e49868");
}

TEST(Poseidon, OptimisedFormEqualsPlainOnEdgeAndRandomValues) {
  TestRandom rng(3);
  for (const Instance& instance : kInstances) {
    const PoseidonConstants& c = poseidon_constants(instance.arity);
    std::vector<std::vector<Fr>> messages{std::vector<Fr>(c.arity), std::vector<Fr>(c.arity, -Fr::one())};
    for (int i = 0; i < 5; ++i) {
      messages.emplace_back();
      for (unsigned j = 0; j < c.arity; ++j)
        messages.back().push_back(fr_from_words([&] { return rng.next(); }));
    }
    for (const auto& m : messages) EXPECT_EQ(poseidon_hash(c, m), poseidon_hash_plain(c, m)) << c.arity;
  }
}

TEST(Poseidon, BatchEqualsSingleHashes) {
  TestRandom rng(4);
  for (const Instance& instance : kInstances) {
    const PoseidonConstants& c = poseidon_constants(instance.arity);
    for (const std::size_t count : {0UL, 1UL, 7UL, 8UL, 19UL}) {
      std::vector<Fr> messages;
      for (std::size_t i = 0; i < count * c.arity; ++i) {
        const std::uint64_t kind = rng.next() % 8;
        messages.push_back(kind == 0   ? Fr::zero()
                           : kind == 1 ? -Fr::one()
                           : kind == 2 ? Fr::one()
                                       : fr_from_words([&] { return rng.next(); }));
      }
      std::vector<Fr> out(count);
      for (const Isa isa : {Isa::portable, best_isa()}) {
        poseidon_hash_batch(c, messages, out, isa);
        for (std::size_t i = 0; i < count; ++i)
          EXPECT_EQ(out[i], poseidon_hash(c, std::span(messages).subspan(i * c.arity, c.arity))) << c.arity;
      }
    }
  }
  const PoseidonConstants custom = poseidon_constants_custom(2, -Fr::one());
  const std::vector<Fr> message{-Fr::one(), -Fr::one()};
  Fr out{};
  poseidon_hash_batch(custom, message, std::span(&out, 1), best_isa());
  EXPECT_EQ(out, poseidon_hash_plain(custom, message));
}

TEST(Poseidon, TracesAreTheSBoxesInOrder) {
  TestRandom rng(5);
  for (const Instance& instance : kInstances) {
    const PoseidonConstants& c = poseidon_constants(instance.arity);
    const std::size_t size = poseidon_trace_size(c);
    constexpr std::size_t kCount = 11;
    std::vector<Fr> messages;
    for (std::size_t i = 0; i < kCount * c.arity; ++i)
      messages.push_back(i % 7 == 0 ? -Fr::one() : fr_from_words([&] { return rng.next(); }));
    std::vector<Fr> batch(kCount * size);
    std::vector<Fr*> places;
    for (std::size_t i = 0; i < kCount; ++i) places.push_back(batch.data() + i * size);
    poseidon_trace_batch(c, messages, places, best_isa());
    for (std::size_t i = 0; i < kCount; ++i) {
      const auto message = std::span(messages).subspan(i * c.arity, c.arity);
      std::vector<Fr> trace(size);
      poseidon_trace(c, message, trace);
      EXPECT_TRUE(std::equal(trace.begin(), trace.end(), places[i])) << c.arity;
      EXPECT_EQ(trace.back(), poseidon_hash_plain(c, message));
      // The first layer: squares and fourth powers of the message plus its constants.
      for (std::size_t m = 0; m < c.arity; ++m) {
        const Fr x = message[m] + c.compressed[1 + m];
        EXPECT_EQ(trace[3 * m], x.square());
        EXPECT_EQ(trace[3 * m + 1], x.square().square());
        EXPECT_EQ(trace[3 * m + 2], x.square().square() * x + c.compressed[c.width + 1 + m]);
      }
      for (std::size_t at = std::size_t{3} * c.arity; at + 1 < size; at += 4) {
        EXPECT_EQ(trace[at + 1], trace[at].square());
        EXPECT_EQ(trace[at + 2], trace[at + 1].square());
      }
    }
  }
}

TEST(Poseidon, CustomTagChangesTheHashOnly) {
  const Fr tag = Fr::from_u64(std::uint64_t{1} << 40);
  const PoseidonConstants custom = poseidon_constants_custom(2, tag);
  EXPECT_EQ(custom.compressed, poseidon_constants(2).compressed);
  const std::vector<Fr> message{Fr::from_u64(1), Fr::from_u64(2)};
  EXPECT_EQ(poseidon_hash(custom, message), poseidon_hash_plain(custom, message));
  EXPECT_NE(poseidon_hash(custom, message), poseidon(message));
}

}  // namespace
}  // namespace cuzk
