#include "cuzk/r1cs/shape_file.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <functional>

#include "cuzk/base/random.h"
#include "cuzk/r1cs/digest.h"
#include "cuzk/r1cs/shape_recorder.h"
#include "cuzk/r1cs/shape_rows.h"

namespace cuzk {
namespace {

using testing::HasSubstr;

constexpr std::size_t kHeaderBytes = 128;
const Bytes32 kFingerprint = [] {
  Bytes32 out{};
  out[0] = 1;
  out[31] = 2;
  return out;
}();

/// Booleans, inputs and wide variables mixed; rows with no terms, a few, and more than a length of one byte
/// tells.
Shape record(std::size_t rows, bool many_coefficients) {
  TestRandom rng(7);
  ShapeRecorder cs;
  std::vector<Variable> variables{Variable::one()};
  for (std::size_t row = 0; row < rows; ++row) {
    if (row % 9 == 3) variables.push_back(cs.alloc_input(Fr::zero()));
    variables.push_back(row % 3 == 0 ? cs.alloc(Fr::zero()) : cs.alloc_bit(false));
    const auto part = [&](std::size_t terms) {
      return [&, terms](LinearCombination& lc) {
        for (std::size_t i = 0; i < terms; ++i) {
          const Fr k =
              many_coefficients ? fr_from_words([&] { return rng.next(); }) : Fr::from_u64(rng.next() % 5);
          lc.add(variables[rng.next() % variables.size()], k);
        }
      };
    };
    cs.enforce(part(row == 70 ? 500 : rng.next() % 4), part(rng.next() % 3), part(1 + rng.next() % 2));
  }
  return std::move(cs).finish();
}

void expect_equal(const Shape& a, const Shape& b) {
  EXPECT_EQ(a.num_inputs(), b.num_inputs());
  EXPECT_EQ(a.num_aux(), b.num_aux());
  EXPECT_EQ(a.num_bits(), b.num_bits());
  EXPECT_EQ(a.num_constraints(), b.num_constraints());
  EXPECT_EQ(a.num_terms(), b.num_terms());
  const auto same = [](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end());
  };
  EXPECT_TRUE(same(a.aux_is_bit(), b.aux_is_bit()));
  EXPECT_TRUE(same(a.a_aux_density(), b.a_aux_density()));
  EXPECT_TRUE(same(a.b_aux_density(), b.b_aux_density()));
  EXPECT_TRUE(same(a.b_input_density(), b.b_input_density()));
  EXPECT_TRUE(same(ShapeRows(a).coefficients(), ShapeRows(b).coefficients()));
  for (std::size_t aux = 0; aux <= a.num_aux(); aux += 5)
    if (aux < a.num_aux()) {
      EXPECT_EQ(a.bits_before(aux), b.bits_before(aux));
    }
  EXPECT_EQ(r1cs_sha256(a), r1cs_sha256(b));
}

TEST(ShapeFile, ComesBackFromMemory) {
  ThreadPool pool(2);
  for (const std::size_t rows : {1U, 2U, 63U, 64U, 65U, 700U}) {
    SCOPED_TRACE(rows);
    const Shape shape = record(rows, false);
    const std::vector<std::uint8_t> file = serialize_shape(pool, shape, kFingerprint);
    const auto again = parse_shape(pool, file, kFingerprint);
    ASSERT_TRUE(again) << again.error().message;
    expect_equal(shape, *again);
    EXPECT_EQ(serialize_shape(pool, *again, kFingerprint), file);
  }
}

/// More coefficients than 16 bits count, and several pieces of the digest.
TEST(ShapeFile, ComesBackFromDisk) {
  ThreadPool pool(2);
  const Shape shape = record(24'000, true);
  ASSERT_GT(ShapeRows(shape).coefficients().size(), 0x10000U);
  const std::string path = testing::TempDir() + "/cuzk-shape-file-test";
  ASSERT_TRUE(write_shape_file(pool, shape, kFingerprint, path));
  EXPECT_GT(std::filesystem::file_size(path), 2U << 20);
  const auto again = read_shape_file(pool, path, kFingerprint);
  ASSERT_TRUE(again) << again.error().message;
  expect_equal(shape, *again);
  std::filesystem::remove(path);
  const auto missing = read_shape_file(pool, path, kFingerprint);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kIo);
  EXPECT_FALSE(write_shape_file(pool, shape, kFingerprint, path + "/no/such/folder"));
}

class AlteredShapeFile : public testing::Test {
 protected:
  ThreadPool pool_{2};
  const Shape shape_ = record(100, false);
  const std::vector<std::uint8_t> file_ = serialize_shape(pool_, shape_, kFingerprint);

  std::string refusal(ByteSpan file, const Bytes32& fingerprint = kFingerprint) {
    const auto shape = parse_shape(pool_, file, fingerprint);
    if (shape) return "accepted";
    EXPECT_EQ(shape.error().code, ErrorCode::kBadInput);
    return shape.error().message;
  }
  /// After a change, with the digest made to agree.
  std::string sealed(const std::function<void(std::vector<std::uint8_t>&)>& change) {
    std::vector<std::uint8_t> file = file_;
    change(file);
    const Bytes32 digest = shape_file_digest(pool_, file);
    std::copy(digest.begin(), digest.end(), file.begin() + 96);
    return refusal(file);
  }
  std::uint64_t count(std::size_t i) const { return load_le<std::uint64_t>(file_.data() + 48 + 8 * i); }
  /// Where section `i` begins.
  std::size_t section(std::size_t i) const {
    const std::uint64_t sizes[] = {
        (count(1) + 63) / 64 * 8, count(4) * 32, count(3) * 4, count(3) * 2, 0, count(5)};
    std::size_t at = kHeaderBytes;
    for (std::size_t s = 0; s < i; ++s) at += (sizes[s] + 7) / 8 * 8;
    return at;
  }
};

TEST_F(AlteredShapeFile, EveryBitCounts) {
  for (std::size_t i = 0; i < file_.size(); i += i < 200 ? 1 : 13) {
    std::vector<std::uint8_t> file = file_;
    file[i] ^= static_cast<std::uint8_t>(1U << (i % 8));
    EXPECT_NE(refusal(file), "accepted") << "byte " << i;
  }
}

TEST_F(AlteredShapeFile, HeaderAndLength) {
  EXPECT_EQ(sealed([](auto&) {}), "accepted");
  EXPECT_EQ(refusal({}), "saved shape: no whole header");
  EXPECT_EQ(refusal(std::span(file_).first(127)), "saved shape: no whole header");
  EXPECT_EQ(refusal(file_, Bytes32{}), "saved shape: of another circuit or recorded by another program");
  EXPECT_EQ(sealed([](auto& f) { f[0] = 'C'; }), "saved shape: not the file of a shape");
  EXPECT_EQ(sealed([](auto& f) { f[8] = 2; }), "saved shape: version 2 of the format, expected 1");
  EXPECT_EQ(sealed([](auto& f) { f[12] = 1; }), "saved shape: counts that no circuit has");
  EXPECT_EQ(sealed([](auto& f) { store_le(f.data() + 48, std::uint64_t{0}); }),
            "saved shape: counts that no circuit has");
  const auto with_count = [&](std::size_t i, std::uint64_t value) {
    return sealed([&](auto& f) { store_le(f.data() + 48 + 8 * i, value); });
  };
  for (std::size_t i = 0; i < 6; ++i)
    for (const std::uint64_t value : {count(2) + 65, std::uint64_t{1} << 39, UINT64_MAX})
      EXPECT_NE(with_count(i, value), "accepted") << "count " << i << ": " << value;
  EXPECT_THAT(sealed([](auto& f) { f.pop_back(); }), HasSubstr("bytes, but its counts ask for"));
  EXPECT_THAT(sealed([](auto& f) { f.push_back(0); }), HasSubstr("bytes, but its counts ask for"));
}

TEST_F(AlteredShapeFile, Sections) {
  EXPECT_EQ(sealed([&](auto& f) { f[section(1) - 1] |= 0x80; }),
            "saved shape: a boolean variable behind the last variable");
  // Coefficients: 1, -1, then others.
  EXPECT_THAT(sealed([&](auto& f) { std::fill_n(f.begin() + section(1) + 64, 32, 0); }),
              HasSubstr("a coefficient"));
  EXPECT_THAT(sealed([&](auto& f) { std::fill_n(f.begin() + section(1) + 64, 32, 0xff); }),
              HasSubstr("a coefficient"));
  EXPECT_THAT(sealed([&](auto& f) { std::copy_n(f.begin() + section(1), 32, f.begin() + section(1) + 64); }),
              HasSubstr("a coefficient"));
  EXPECT_THAT(sealed([&](auto& f) {
                std::swap_ranges(f.begin() + section(1), f.begin() + section(1) + 32,
                                 f.begin() + section(1) + 32);
              }),
              HasSubstr("do not begin with 1, -1"));
  EXPECT_THAT(sealed([&](auto& f) { store_le(f.data() + section(2), std::uint32_t{0x7fffffff}); }),
              HasSubstr("terms out of order, or a variable or coefficient that does not exist"));
  EXPECT_THAT(sealed([&](auto& f) { store_le(f.data() + section(3), std::uint16_t{0xffff}); }),
              HasSubstr("terms out of order, or a variable or coefficient that does not exist"));
  EXPECT_THAT(sealed([&](auto& f) { f[section(5)] += 1; }), HasSubstr("saved shape:"));
  EXPECT_THAT(sealed([&](auto& f) { f[section(5)] |= 0x80; }), HasSubstr("saved shape:"));
}

}  // namespace
}  // namespace cuzk
