#include "cuzk/groth16/params_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "cuzk/base/hex.h"
#include "cuzk/curve/encoding.h"
#include "cuzk/groth16/cpu_prover.h"
#include "cuzk/groth16/proving_key.h"
#include "cuzk/groth16/test_support.h"

namespace cuzk::groth16 {
namespace {

using test::data_path;
using test::read_file;
using test::TemporaryFolder;
using testing::HasSubstr;

/// (0, 2): on the curve, of order 3.
std::vector<std::uint8_t> order_three_point() {
  std::vector<std::uint8_t> bytes(96, 0);
  bytes[95] = 2;
  return bytes;
}

void put_count(std::vector<std::uint8_t>& bytes, const ParamsSection& section, std::uint32_t count) {
  store_be32(bytes.data() + section.offset - 4, count);
}

class Params : public testing::Test {
 protected:
  Params() : layout_(ParamsLayout::read(cubic_, "p").value()) {}

  void expect_layout_error(const std::vector<std::uint8_t>& bytes, const std::string& what) {
    const auto result = ParamsLayout::read(bytes, "p");
    ASSERT_FALSE(result) << what;
    EXPECT_EQ(result.error().code, ErrorCode::kParams);
    EXPECT_THAT(result.error().message, HasSubstr("p: "));
    EXPECT_THAT(result.error().message, HasSubstr(what));
  }
  Result<std::shared_ptr<const ProvingKey>> load(const std::vector<std::uint8_t>& bytes) {
    const std::string path = folder_.file("x.params");
    test::write_file(path, bytes);
    return ProvingKey::load(pool_, path, shape_);
  }
  void expect_load_error(const std::vector<std::uint8_t>& bytes, const std::string& what) {
    const auto result = load(bytes);
    ASSERT_FALSE(result) << what;
    EXPECT_EQ(result.error().code, ErrorCode::kParams);
    EXPECT_THAT(result.error().message, HasSubstr(folder_.file("x.params")));
    EXPECT_THAT(result.error().message, HasSubstr(what));
  }

  ThreadPool pool_{2};
  TemporaryFolder folder_;
  std::vector<std::uint8_t> cubic_ = read_file(data_path("toy/cubic.params"));
  std::shared_ptr<const Shape> shape_ = test::load_toy("cubic").circuit.shape(false);
  ParamsLayout layout_;
};

TEST_F(Params, LayoutOfTheCubicCircuit) {
  EXPECT_EQ(layout_.n_ic, 2U);
  EXPECT_EQ(layout_.h.count, 7U);
  EXPECT_EQ(layout_.l.count, 4U);
  EXPECT_EQ(layout_.a.count, 5U);
  EXPECT_EQ(layout_.b_g1.count, 3U);
  EXPECT_EQ(layout_.b_g2.count, 3U);
  EXPECT_EQ(layout_.h.offset, 868U + 96 * 2 + 4);
  EXPECT_EQ(layout_.file_bytes(), cubic_.size());
  const ParamsLayout same = ParamsLayout::with_counts(2, 7, 4, 5, 3, 3);
  EXPECT_EQ(same.h.offset, layout_.h.offset);
  EXPECT_EQ(same.b_g2.offset, layout_.b_g2.offset);
  EXPECT_EQ(same.file_bytes(), layout_.file_bytes());
  EXPECT_TRUE(load(cubic_));
}

TEST_F(Params, SizesOfThe32GiBKeyNeed64Bits) {
  // groth16-and-formats 2.4.
  const ParamsLayout layout =
      ParamsLayout::with_counts(328, 134217727, 130169893, 129753620, 33112282, 33112282);
  EXPECT_EQ(layout.file_bytes(), 47373928632U);
  EXPECT_EQ(vk_bytes(328), 32356U);
}

TEST_F(Params, EveryTruncationIsAnError) {
  for (std::size_t size = 0; size < cubic_.size(); ++size) {
    const auto result = ParamsLayout::read(ByteSpan(cubic_).first(size), "p");
    ASSERT_FALSE(result) << size;
    EXPECT_EQ(result.error().code, ErrorCode::kParams);
    EXPECT_THAT(result.error().message, HasSubstr(size < 864 ? "truncated" : "offset")) << size;
  }
  expect_load_error({}, "truncated at 0 bytes");
}

TEST_F(Params, CountsThatDoNotFit) {
  for (const ParamsSection* s : {&layout_.h, &layout_.l, &layout_.a, &layout_.b_g1, &layout_.b_g2}) {
    auto bytes = cubic_;
    put_count(bytes, *s, 0xffffffff);
    expect_layout_error(bytes, "4294967295 points by its count at offset " + std::to_string(s->offset - 4));
  }
  auto bytes = cubic_;
  store_be32(bytes.data() + 864, 0xffffffff);
  expect_layout_error(bytes, "ic has 4294967295 points by its count at offset 864");
}

/// A file with the given counts and zero bytes for points.
std::vector<std::uint8_t> blank(const ParamsLayout& layout) {
  std::vector<std::uint8_t> bytes(layout.file_bytes());
  store_be32(bytes.data() + 864, static_cast<std::uint32_t>(layout.n_ic));
  for (const ParamsSection* s : {&layout.h, &layout.l, &layout.a, &layout.b_g1, &layout.b_g2})
    put_count(bytes, *s, static_cast<std::uint32_t>(s->count));
  return bytes;
}

TEST_F(Params, CountsThatContradictEachOther) {
  EXPECT_TRUE(ParamsLayout::read(blank(ParamsLayout::with_counts(1, 0, 0, 1, 0, 0)), "p"));
  EXPECT_TRUE(ParamsLayout::read(blank(ParamsLayout::with_counts(2, 7, 4, 5, 3, 3)), "p"));
  expect_layout_error(blank(ParamsLayout::with_counts(0, 7, 4, 5, 3, 3)),
                      "ic is empty (count at offset 864)");
  expect_layout_error(blank(ParamsLayout::with_counts(2, 7, 4, 1, 3, 3)), "a has 1 points");
  expect_layout_error(blank(ParamsLayout::with_counts(2, 7, 4, 0, 3, 3)), "a has 0 points");
  expect_layout_error(blank(ParamsLayout::with_counts(2, 6, 4, 5, 3, 3)), "h has 6 points");
  expect_layout_error(blank(ParamsLayout::with_counts(2, 8, 4, 5, 3, 3)), "h has 8 points");
  expect_layout_error(blank(ParamsLayout::with_counts(2, 7, 4, 5, 3, 2)), "b_g1 has 3 points");
  auto bytes = cubic_;
  bytes.push_back(0);
  expect_layout_error(bytes, "1 bytes follow b_g2");
}

TEST_F(Params, ParametersOfAnotherCircuit) {
  const auto load_for = [&](std::shared_ptr<const Shape> shape) {
    return ProvingKey::load(pool_, data_path("toy/cubic.params"), std::move(shape));
  };
  const auto other = load_for(test::load_toy("random-300").circuit.shape(false));
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("ic has 2 points, the circuit needs 6"));
  // One more constraint changes no vector but the domain at a power of two; one more variable changes l.
  test::RowCircuit wider = test::load_toy("cubic").circuit;
  wider.aux.push_back(Fr::one());
  const auto more = load_for(wider.shape(false));
  ASSERT_FALSE(more);
  EXPECT_THAT(more.error().message, HasSubstr("l has 4 points, the circuit needs 5"));
  test::RowCircuit longer = test::load_toy("cubic").circuit;
  for (int i = 0; i < 3; ++i) longer.rows.push_back(longer.rows[0]);
  const auto rows = load_for(longer.shape(false));
  ASSERT_FALSE(rows);
  EXPECT_THAT(rows.error().message, HasSubstr("h has 7 points, the circuit needs 15"));
}

TEST_F(Params, SwappedVectorsAreSeen) {
  // l and a change places, counts and all.
  std::vector<std::uint8_t> bytes(cubic_.begin(),
                                  cubic_.begin() + static_cast<std::ptrdiff_t>(layout_.l.offset - 4));
  const auto append = [&](const ParamsSection& s) {
    bytes.insert(bytes.end(), cubic_.begin() + static_cast<std::ptrdiff_t>(s.offset - 4),
                 cubic_.begin() + static_cast<std::ptrdiff_t>(s.end()));
  };
  append(layout_.a);
  append(layout_.l);
  append(layout_.b_g1);
  append(layout_.b_g2);
  ASSERT_EQ(bytes.size(), cubic_.size());
  expect_load_error(bytes, "l has 5 points, the circuit needs 4");
}

TEST_F(Params, EveryBadPointIsNamed) {
  const std::pair<const char*, const ParamsSection*> sections[] = {{"h", &layout_.h},
                                                                   {"l", &layout_.l},
                                                                   {"a", &layout_.a},
                                                                   {"b_g1", &layout_.b_g1},
                                                                   {"b_g2", &layout_.b_g2}};
  for (const auto& [name, section] : sections)
    for (const std::uint64_t index : {std::uint64_t{0}, section->count - 1}) {
      const std::uint64_t offset = section->offset + index * section->point_bytes;
      const std::string where =
          std::string(name) + "[" + std::to_string(index) + "] at offset " + std::to_string(offset);
      auto bytes = cubic_;
      bytes[offset + section->point_bytes - 1] ^= 1;
      expect_load_error(bytes, where + ": the point is not on the curve");
      bytes = cubic_;
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), section->point_bytes, std::uint8_t{0});
      bytes[offset] = 0x40;
      expect_load_error(bytes, where + ": the point at infinity");
      // A compressed point and garbage, which the reference reads.
      bytes = cubic_;
      bytes[offset] |= 0x80;
      expect_load_error(bytes, where + ": a compressed point");
      bytes = cubic_;
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), 48, std::uint8_t{0x1f});
      expect_load_error(bytes, where + ": a coordinate is not below");
    }
}

TEST_F(Params, SubgroupIsCheckedOnRequest) {
  const auto check = [&](const std::vector<std::uint8_t>& bytes) {
    test::write_file(folder_.file("y.params"), bytes);
    return check_points(pool_, ParamsFile::open(pool_, folder_.file("y.params")).value());
  };
  EXPECT_TRUE(check(cubic_));
  for (const ParamsSection* s : {&layout_.h, &layout_.l, &layout_.a, &layout_.b_g1}) {
    auto bytes = cubic_;
    const auto bad = order_three_point();
    std::copy(bad.begin(), bad.end(), bytes.begin() + static_cast<std::ptrdiff_t>(s->offset + 96));
    EXPECT_TRUE(load(bytes)) << "the load does not look at the subgroup";
    const auto result = check(bytes);
    ASSERT_FALSE(result);
    EXPECT_THAT(result.error().message, HasSubstr("[1] at offset " + std::to_string(s->offset + 96) +
                                                  ": the point is not in the subgroup"));
  }
  // G2: x = (2, 0) is on the curve and outside.
  std::array<std::uint8_t, 96> compressed{};
  compressed[0] = 0x80;
  compressed[95] = 2;
  const G2Affine outside = decode_g2_compressed(compressed, {.check_subgroup = false}).value();
  const auto encoded = encode_g2_uncompressed(outside);
  auto bytes = cubic_;
  std::copy(encoded.begin(), encoded.end(),
            bytes.begin() + static_cast<std::ptrdiff_t>(layout_.b_g2.offset + 192 * 2));
  const auto result = check(bytes);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("b_g2[2]"));
}

TEST_F(Params, Digests) {
  const test::Toy toy = test::load_toy("cubic");
  std::uint64_t last = 0;
  const FileDigests digests = digest_bytes(pool_, cubic_, [&](std::uint64_t n) { last = n; });
  EXPECT_EQ(to_hex(digests.sha256), toy.params_sha256);
  EXPECT_EQ(last, cubic_.size());
}

TEST_F(Params, DigestsOfAFileAreThoseOfItsBytes) {
  // Several pieces and a rest.
  std::vector<std::uint8_t> bytes((std::size_t{9} << 20) + 17);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * i >> 7);
  for (const std::size_t size : {std::size_t{0}, std::size_t{100}, bytes.size()}) {
    const auto part = ByteSpan(bytes).first(size);
    test::write_file(folder_.file("d"), part);
    std::uint64_t last = 0;
    const auto digests = digest_file(pool_, PositionedFile::open(folder_.file("d")).value(),
                                     [&](std::uint64_t n) { last = n; });
    const FileDigests want = digest_bytes(pool_, part);
    EXPECT_EQ(digests->sha256, want.sha256);
    EXPECT_EQ(digests->blake2b, want.blake2b);
    EXPECT_EQ(last, size);
  }
}

TEST_F(Params, AFileThatShrinksAfterItWasOpenedIsAnError) {
  const std::string path = folder_.file("x.params");
  const auto expect_gone = [&](const auto& result, std::uint64_t size) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::kParams);
    EXPECT_THAT(result.error().message, HasSubstr(path));
    EXPECT_THAT(result.error().message,
                HasSubstr("ends before offset " + std::to_string(std::max(size, layout_.h.offset)) + ","));
  };
  for (const std::uint64_t size : {std::uint64_t{0}, layout_.l.offset, layout_.b_g2.end() - 1}) {
    test::write_file(path, cubic_);
    const auto file = std::make_shared<const ParamsFile>(ParamsFile::open(pool_, path).value());
    const auto key = ProvingKey::load(pool_, path, shape_).value();
    std::filesystem::resize_file(path, size);
    expect_gone(ProvingKey::load(pool_, file, shape_), size);
    expect_gone(check_points(pool_, *file), size);
    // A key that was whole when it was loaded, in a proof: all points are read again.
    CpuProver prover(pool_);
    expect_gone(
        prove(prover, key, shape_, test::load_toy("cubic").circuit.witness(false), Fr::one(), Fr::one()),
        size);
  }
}

TEST_F(Params, AKeyWhoseBitBasesAreGoneFailsTheProof) {
  const test::RowCircuit circuit = test::load_toy("random-300").circuit;
  const auto shape = circuit.shape(true);
  ASSERT_GT(shape->num_bits(), 0U);
  const std::string path = folder_.file("bits.params");
  ASSERT_TRUE(generate_parameters(pool_, *shape, test::load_toy("random-300").toxic, path));
  const auto key = ProvingKey::load(pool_, path, shape).value();
  const ParamsLayout layout = ParamsFile::open(pool_, path)->layout();
  CpuProver prover(pool_);
  const auto run = [&] { return prove(prover, key, shape, circuit.witness(true), Fr::one(), Fr::one()); };
  EXPECT_TRUE(run());
  for (const std::uint64_t size : {layout.b_g2.offset, layout.a.offset}) {
    std::filesystem::resize_file(path, size);
    const auto proof = run();
    ASSERT_FALSE(proof);
    EXPECT_EQ(proof.error().code, ErrorCode::kParams);
    EXPECT_THAT(proof.error().message, HasSubstr(path));
    EXPECT_THAT(proof.error().message, HasSubstr("ends before offset"));
  }
}

TEST_F(Params, AStoppedLoadEndsAfterTheBlockThatItIsIn) {
  // The cubic circuit with its rows over and over: only h grows, and its points are not told apart by a load.
  test::RowCircuit circuit = test::load_toy("cubic").circuit;
  const std::vector<test::RowCircuit::Row> rows = circuit.rows;
  while (circuit.rows.size() < 8'193) circuit.rows.insert(circuit.rows.end(), rows.begin(), rows.end());
  const auto shape = circuit.shape(false);
  const std::size_t points = (std::size_t{1} << shape->domain_log_size()) - 1;
  ASSERT_EQ(points, 16'383U);
  const auto at = [](std::uint64_t offset) { return static_cast<std::ptrdiff_t>(offset); };
  std::vector<std::uint8_t> bytes(cubic_.begin(), cubic_.begin() + at(layout_.h.offset));
  put_count(bytes, layout_.h, static_cast<std::uint32_t>(points));
  for (std::size_t i = 0; i < points; ++i)
    bytes.insert(bytes.end(), cubic_.begin() + at(layout_.h.offset),
                 cubic_.begin() + at(layout_.h.offset + 96));
  bytes.insert(bytes.end(), cubic_.begin() + at(layout_.h.end()), cubic_.end());
  const std::string path = folder_.file("stopped.params");
  test::write_file(path, bytes);

  ThreadPool one(1);
  int blocks = 0;
  double done = 0;
  std::stop_source stop;
  bool stop_at_once = false;
  const auto progress = [&](double fraction) {
    ++blocks;
    done = fraction;
    if (stop_at_once) stop.request_stop();
  };
  ASSERT_TRUE(ProvingKey::load(one, path, shape, progress, stop.get_token()));
  EXPECT_EQ(blocks, 4 + 4) << "of h, and one of each other vector";
  EXPECT_EQ(done, 1);
  for (const int expected : {1, 0}) {
    blocks = 0;
    stop_at_once = true;
    const auto stopped = ProvingKey::load(one, path, shape, progress, stop.get_token());
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, ErrorCode::kStopped);
    EXPECT_THAT(stopped.error().message, HasSubstr(path));
    EXPECT_EQ(blocks, expected) << "the second time it is stopped before it begins";
  }
}

TEST_F(Params, MissingFile) {
  const auto result = ParamsFile::open(pool_, folder_.file("none"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kIo);
}

class Vk : public testing::Test {
 protected:
  void expect_error(const std::vector<std::uint8_t>& bytes, const std::string& what) {
    const auto result = parse_verifying_key(pool_, bytes, "v");
    ASSERT_FALSE(result) << what;
    EXPECT_EQ(result.error().code, ErrorCode::kParams);
    EXPECT_THAT(result.error().message, HasSubstr("v: "));
    EXPECT_THAT(result.error().message, HasSubstr(what));
  }

  ThreadPool pool_{2};
  std::vector<std::uint8_t> good_ = read_file(data_path("toy/cubic.vk"));
};

TEST_F(Vk, ReadsAndWritesTheReferenceFiles) {
  for (const char* tag : {"porep-2k", "winning-2k", "window-2k", "window-4k", "window-32k", "update-2k"}) {
    const auto bytes = read_file(data_path(std::string("params/") + tag + ".vk"));
    const auto vk = read_verifying_key(pool_, data_path(std::string("params/") + tag + ".vk"));
    ASSERT_TRUE(vk) << vk.error().message;
    EXPECT_EQ(encode_verifying_key(*vk), bytes) << tag;
    EXPECT_EQ(bytes.size(), vk_bytes(vk->ic.size()));
  }
}

TEST_F(Vk, IsThePrefixOfTheParameters) {
  const auto params = read_file(data_path("toy/random-300.params"));
  const auto vk = parse_verifying_key_prefix(pool_, params, "p").value();
  EXPECT_EQ(encode_verifying_key(vk), read_file(data_path("toy/random-300.vk")));
}

TEST_F(Vk, TruncationAtEveryBoundary) {
  std::vector<std::size_t> sizes{0, 1};
  for (const std::size_t boundary : {96UL, 192UL, 384UL, 576UL, 672UL, 864UL, 868UL, 964UL, 1060UL})
    for (const std::size_t size : {boundary - 1, boundary, boundary + 1}) sizes.push_back(size);
  for (const std::size_t size : sizes) {
    if (size >= good_.size()) continue;
    expect_error({good_.begin(), good_.begin() + static_cast<std::ptrdiff_t>(size)},
                 "truncated at " + std::to_string(size));
  }
}

TEST_F(Vk, MalformedPoints) {
  const std::pair<const char*, std::size_t> g1[] = {
      {"alpha_g1", 0}, {"beta_g1", 96}, {"delta_g1", 576}, {"ic[0]", 868}, {"ic[1]", 964}};
  const std::pair<const char*, std::size_t> g2[] = {{"beta_g2", 192}, {"gamma_g2", 384}, {"delta_g2", 672}};
  const auto set = [&](std::size_t offset, const std::vector<std::uint8_t>& point) {
    auto bytes = good_;
    std::copy(point.begin(), point.end(), bytes.begin() + static_cast<std::ptrdiff_t>(offset));
    return bytes;
  };
  const auto infinity = [](std::size_t size) {
    std::vector<std::uint8_t> bytes(size, 0);
    bytes[0] = 0x40;
    return bytes;
  };
  for (const auto& [name, offset] : g1) {
    const std::string where = std::string(name) + " at offset " + std::to_string(offset) + ": ";
    expect_error(set(offset, order_three_point()), where + "the point is not in the subgroup");
    expect_error(set(offset, infinity(96)), where + "the point at infinity");
    expect_error(set(offset, std::vector<std::uint8_t>(96, 0)), where + "the point is not on the curve");
  }
  for (const auto& [name, offset] : g2) {
    const std::string where = std::string(name) + " at offset " + std::to_string(offset) + ": ";
    expect_error(set(offset, infinity(192)), where + "the point at infinity");
    auto bytes = good_;
    bytes[offset + 191] ^= 1;
    expect_error(bytes, where + "the point is not on the curve");
  }
}

TEST_F(Vk, CountOfInputs) {
  auto bytes = good_;
  bytes.push_back(0);
  expect_error(bytes, "1 bytes follow the last ic point");
  bytes = good_;
  store_be32(bytes.data() + 864, 0);
  expect_error(bytes, "ic is empty");
  store_be32(bytes.data() + 864, 0xffffffff);
  expect_error(bytes, "truncated");
  store_be32(bytes.data() + 864, 3);
  expect_error(bytes, "truncated");
  store_be32(bytes.data() + 864, 1);
  expect_error(bytes, "96 bytes follow the last ic point");
}

}  // namespace
}  // namespace cuzk::groth16
