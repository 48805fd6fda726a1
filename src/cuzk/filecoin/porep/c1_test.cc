#include "cuzk/filecoin/porep/c1.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cuzk/base/base64.h"
#include "cuzk/base/file_sink.h"
#include "cuzk/base/hex.h"
#include "cuzk/base/input_file.h"
#include "cuzk/hash/sha256.h"

namespace cuzk::porep {
namespace {

using nlohmann::json;

std::string data_path(const std::string& name) {
  return std::string(CUZK_TEST_DATA) + "/porep/" + name;
}

std::string read_text(const std::string& name) {
  const auto file = InputFile::open(data_path(name));
  EXPECT_TRUE(file) << name;
  return {file->bytes().begin(), file->bytes().end()};
}

json read_case(const std::string& name) {
  return json::parse(read_text(name + ".json"));
}

std::string hex_digest(ByteSpan bytes) {
  return to_hex(sha256(bytes));
}

Result<C1Document> parse(std::string_view text) {
  return parse_c1_json(byte_span(text));
}

std::string error_of(std::string_view text) {
  const auto result = parse(text);
  EXPECT_FALSE(result);
  return result ? "" : result.error().message;
}

const char* const kJsonCases[] = {"2k-v1",        "2k-v1_1",           "2k-v1_1-filler",
                                  "2k-v1_1-zero", "2k-v1_2-synthetic", "2k-v1_2-noninteractive",
                                  "8m-v1_1"};
const char* const kBincodeCases[] = {"4k", "16k", "32k"};

void expect_public_inputs(const C1Output& c1, const json& want) {
  EXPECT_EQ(to_hex(c1.comm_r), want.at("comm_r"));
  EXPECT_EQ(to_hex(c1.comm_d), want.at("comm_d"));
  EXPECT_EQ(to_hex(c1.replica_id), want.at("replica_id"));
  EXPECT_EQ(to_hex(c1.seed), want.at("seed"));
  EXPECT_EQ(to_hex(c1.ticket), want.at("ticket"));
  EXPECT_EQ(to_hex(c1.config.porep_id), want.at("porep_id"));
  ASSERT_EQ(c1.vanilla.partitions(), want.at("partitions").size());
  const Graph graph(c1.config);
  for (unsigned k = 0; k < c1.vanilla.partitions(); ++k) {
    const json& partition = want.at("partitions")[k];
    EXPECT_EQ(derive_challenges(c1.config, c1.statement().challenge_inputs(), k),
              partition.at("challenges").get<std::vector<Node>>());
    const auto inputs = public_inputs(c1.config, graph, c1.statement(), k);
    ASSERT_TRUE(inputs);
    std::vector<std::string> hex;
    for (const Fr& v : *inputs) hex.push_back(to_hex(v.to_bytes_le()));
    EXPECT_EQ(hex, partition.at("public_inputs").get<std::vector<std::string>>()) << k;
  }
}

TEST(C1, RealJsonOutputsRoundTripAndGiveThePublicInputs) {
  for (const std::string name : kJsonCases) {
    SCOPED_TRACE(name);
    const json want = read_case(name);
    const std::string text = read_text(name + ".c1.json.gz");
    const auto document = parse(text);
    ASSERT_TRUE(document) << document.error().message;
    const C1Output& c1 = document->output;
    EXPECT_FALSE(document->wrapper.has_value());
    EXPECT_EQ(c1.config.registered->number, want.at("registered_seal_proof").get<unsigned>());
    expect_public_inputs(c1, want);
    EXPECT_TRUE(write_c1_json(c1) == text);

    const auto bincode = write_c1_bincode(c1);
    EXPECT_EQ(bincode.size(), want.at("c1_bincode_len").get<std::size_t>());
    EXPECT_EQ(hex_digest(bincode), want.at("c1_bincode_sha256"));
    const auto again = parse_c1_bincode(bincode, c1.config);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_TRUE(again->vanilla == c1.vanilla);

    const C1Wrapper wrapper{want.at("sector").get<std::uint64_t>(), c1.config.sector->bytes};
    const std::string wrapped = write_c1_wrapper(wrapper, text);
    EXPECT_EQ(wrapped.size(), want.at("wrapper_json_len").get<std::size_t>());
    EXPECT_EQ(hex_digest(byte_span(wrapped)), want.at("wrapper_json_sha256"));
    const auto unwrapped = parse(wrapped);
    ASSERT_TRUE(unwrapped) << unwrapped.error().message;
    EXPECT_TRUE(unwrapped->output.vanilla == c1.vanilla);
    EXPECT_EQ(unwrapped->output.comm_r, c1.comm_r);
    ASSERT_TRUE(unwrapped->wrapper.has_value());
    EXPECT_EQ(unwrapped->wrapper->sector_number, wrapper.sector_number);
  }
}

TEST(C1, RealBincodeOutputsRoundTripAndGiveThePublicInputs) {
  for (const std::string name : kBincodeCases) {
    SCOPED_TRACE(name);
    const auto document = read_c1_file(data_path(name + ".c1.bincode.gz"));
    ASSERT_TRUE(document) << document.error().message;
    const C1Output& c1 = document->output;
    EXPECT_EQ(c1.config.registered, nullptr);
    expect_public_inputs(c1, read_case(name));
    const std::string bytes = read_text(name + ".c1.bincode.gz");
    const auto written = write_c1_bincode(c1);
    EXPECT_TRUE(std::equal(written.begin(), written.end(), bytes.begin(), bytes.end(),
                           [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); }));
  }
}

TEST(C1, FilesOfEveryForm) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "cuzk_c1_file_test";
  std::filesystem::create_directories(folder);
  const auto save = [&](const std::string& name, std::string_view bytes) {
    const std::string path = folder / name;
    EXPECT_TRUE(write_file_atomically(path, byte_span(bytes)));
    return path;
  };
  const std::string text = read_text("2k-v1_1.c1.json.gz");
  const C1Output c1 = std::move(parse(text)->output);
  EXPECT_TRUE(read_c1_file(save("plain", text))->output.vanilla == c1.vanilla);
  EXPECT_TRUE(read_c1_file(save("wrapped", write_c1_wrapper({7, 2048}, text)))->output.vanilla == c1.vanilla);
  const auto bincode = write_c1_bincode(c1);
  const std::string_view raw(reinterpret_cast<const char*>(bincode.data()), bincode.size());
  const std::string lonely = save("x.c1.bincode", raw);
  EXPECT_NE(read_c1_file(lonely).error().message.find("x.json"), std::string::npos);
  save("x.json", write_porep_side_json(c1.config));
  const auto with_side = read_c1_file(lonely);
  ASSERT_TRUE(with_side) << with_side.error().message;
  EXPECT_EQ(with_side->output.config.registered, c1.config.registered) << "the porep_id names the type";
  EXPECT_TRUE(read_c1_file(save("x.bincode", raw))->output.vanilla == c1.vanilla);
  EXPECT_TRUE(read_c1_file(save("x", raw))->output.vanilla == c1.vanilla);
  EXPECT_EQ(read_c1_file((folder / "none").string()).error().code, ErrorCode::kIo);
  std::filesystem::remove_all(folder);
}

TEST(C1, SideJsonIsChecked) {
  const std::string id = to_hex(porep_id_of(99));
  const auto parse_side = [](const std::string& text) { return parse_porep_side_json(byte_span(text)); };
  const auto good =
      parse_side(R"({"sector_size":4096,"x":[1],"porep_id":")" + id + R"(","api_version":"1.1.0"})");
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_EQ(good->sector, find_sector(4096));
  EXPECT_FALSE(parse_side(R"({"sector_size":4097,"porep_id":")" + id + R"(","api_version":"1.1.0"})"));
  EXPECT_FALSE(parse_side(R"({"sector_size":4096,"porep_id":"00","api_version":"1.1.0"})"));
  EXPECT_FALSE(parse_side(R"({"sector_size":4096,"porep_id":")" + id + R"(","api_version":"2"})"));
  EXPECT_FALSE(parse_side(R"({"sector_size":4096,"porep_id":")" + id + R"("})"));
  const std::string five = to_hex(porep_id_of(5));
  EXPECT_NE(parse_side(R"({"sector_size":4096,"porep_id":")" + five + R"(","api_version":"1.1.0"})")
                .error()
                .message.find("sector_size"),
            std::string::npos);
}

/// A small document to damage, with the tree of an independent library beside it.
class C1Damage : public testing::Test {
 protected:
  C1Damage() : text_(read_text("2k-v1_1.c1.json.gz")), tree_(json::parse(text_)) {}
  json& proof(std::size_t i = 0) { return tree_["vanilla_proofs"]["StackedDrg2KiBV1"][0][i]; }
  std::string error() { return error_of(tree_.dump()); }

  std::string text_;
  json tree_;
};

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << "in: " << (text)

TEST_F(C1Damage, OtherMemberOrderWhiteSpaceAndUnknownMembers) {
  const C1Output want = std::move(parse(text_)->output);
  // nlohmann writes members in alphabetical order, as Go does at the top level.
  ASSERT_NE(tree_.dump(), text_);
  EXPECT_TRUE(parse(tree_.dump())->output.vanilla == want.vanilla);
  EXPECT_TRUE(parse(tree_.dump(3))->output.vanilla == want.vanilla);
  tree_["future"] = json::parse(R"({"a":[1,-2.5e3,"\u00e9\ud83d\ude00\n",true,false,null,{"b":[[]]}]})");
  proof()["more"] = {{"path", 1}};
  proof()["comm_d_proofs"]["data"]["Single"]["path"]["path"][0]["extra"] = "x";
  EXPECT_TRUE(parse(tree_.dump())->output.vanilla == want.vanilla);
  proof()["replica_column_proofs"]["c_x"]["column"].erase("_h");
  EXPECT_TRUE(parse(tree_.dump())->output.vanilla == want.vanilla) << "the type marker may be missing";
  const json wrapper = {{"SectorSize", 2048},
                        {"SectorNum", 3},
                        {"Other", {}},
                        {"Phase1Out", base64_encode(byte_span(tree_.dump(1)))}};
  EXPECT_TRUE(parse(wrapper.dump())->output.vanilla == want.vanilla);
  std::string escaped = wrapper.dump();
  for (std::size_t at = 0; (at = escaped.find('/', at)) != std::string::npos; at += 2)
    escaped.insert(at, 1, '\\');
  EXPECT_TRUE(parse(escaped)->output.vanilla == want.vanilla) << "escaped slashes in the base64";
}

TEST_F(C1Damage, MuchWhiteSpaceBetweenMembers) {
  const std::size_t comma = text_.find(",\"vanilla_proofs\"");
  text_.insert(comma, std::string(1 << 20, ' '));
  text_.insert(comma, std::string(1 << 16, '\n'));
  EXPECT_TRUE(parse(text_));
  EXPECT_TRUE(parse(write_c1_wrapper({1, 2048}, text_)));
}

TEST_F(C1Damage, EveryMissingMemberIsNamed) {
  for (const char* name :
       {"registered_proof", "vanilla_proofs", "comm_r", "comm_d", "replica_id", "seed", "ticket"}) {
    json damaged = tree_;
    damaged.erase(name);
    EXPECT_CONTAINS(error_of(damaged.dump()), std::string(name) + ": the member is missing");
  }
  const std::pair<const char*, const char*> paths[] = {
      {"/comm_d_proofs", "comm_d_proofs"},
      {"/encoding_proof", "encoding_proof"},
      {"/replica_column_proofs/exp_parents", "replica_column_proofs.exp_parents"},
      {"/replica_column_proofs/c_x/column/rows", "replica_column_proofs.c_x.column.rows"},
      {"/replica_column_proofs/drg_parents/5/inclusion_proof",
       "replica_column_proofs.drg_parents[5].inclusion_proof"},
      {"/comm_r_last_proof/data/Single", "comm_r_last_proof.data.Single"},
      {"/comm_r_last_proof/data/Single/leaf", "comm_r_last_proof.data.Single.leaf"},
      {"/comm_d_proofs/data/Single/path/path", "comm_d_proofs.data.Single.path.path"},
      {"/comm_d_proofs/data/Single/path/path/3/hashes", "comm_d_proofs.data.Single.path.path[3].hashes"},
      {"/labeling_proofs/1/node", "labeling_proofs[1].node"}};
  for (const auto& [pointer, path] : paths) {
    json damaged = tree_;
    json patch = json::array();
    patch.push_back(
        {{"op", "remove"}, {"path", std::string("/vanilla_proofs/StackedDrg2KiBV1/0/1") + pointer}});
    damaged = damaged.patch(patch);
    EXPECT_CONTAINS(error_of(damaged.dump()),
                    "vanilla_proofs.StackedDrg2KiBV1[0][1]." + std::string(path) + ": the member is missing");
  }
}

TEST_F(C1Damage, DuplicateMembers) {
  std::string damaged = text_;
  damaged.insert(1, R"("comm_r":)" + tree_["comm_r"].dump() + ",");
  EXPECT_CONTAINS(error_of(damaged), "comm_r: the member occurs twice");
  const std::string wrapped = write_c1_wrapper({1, 2048}, text_);
  damaged = wrapped;
  damaged.insert(1, R"("SectorSize":2048,)");
  EXPECT_CONTAINS(error_of(damaged), "SectorSize: the member occurs twice");
  damaged = wrapped;
  damaged.insert(1, R"("comm_r":)" + tree_["comm_r"].dump() + ",");
  EXPECT_CONTAINS(error_of(damaged), "mixed");
}

TEST_F(C1Damage, WrongCounts) {
  json saved = tree_;
  proof(1)["comm_d_proofs"]["data"]["Single"]["path"]["path"].erase(2);
  EXPECT_CONTAINS(error(), "[0][1].comm_d_proofs.data.Single.path.path: expected 6 elements, found 5");
  tree_ = saved;
  auto& hashes = proof()["comm_r_last_proof"]["data"]["Single"]["path"]["path"][1]["hashes"];
  hashes.push_back(hashes[0]);
  EXPECT_CONTAINS(
      error(), "[0][0].comm_r_last_proof.data.Single.path.path[1].hashes: expected 7 elements, found more");
  tree_ = saved;
  proof()["labeling_proofs"].erase(1);
  EXPECT_CONTAINS(error(), "labeling_proofs: expected 2 elements, found 1");
  tree_ = saved;
  proof()["replica_column_proofs"]["drg_parents"].erase(0);
  EXPECT_CONTAINS(error(), "drg_parents: expected 6 elements, found 5");
  tree_ = saved;
  proof()["encoding_proof"]["parents"].erase(0);
  EXPECT_CONTAINS(error(), "encoding_proof.parents: expected 37 elements, found 36");
  tree_ = saved;
  tree_["comm_d"].erase(0);
  EXPECT_CONTAINS(error(), "comm_d: expected 32 elements, found 31");
  tree_ = saved;
  tree_["vanilla_proofs"]["StackedDrg2KiBV1"][0].erase(0);
  EXPECT_CONTAINS(error(), "vanilla_proofs.StackedDrg2KiBV1[0]: expected 2 elements, found 1");
  tree_ = saved;
  tree_["vanilla_proofs"]["StackedDrg2KiBV1"] = json::array();
  EXPECT_CONTAINS(error(), "vanilla_proofs: 0 partitions, expected 1");
  tree_ = saved;
  auto& partitions = tree_["vanilla_proofs"]["StackedDrg2KiBV1"];
  partitions.push_back(partitions[0]);
  EXPECT_CONTAINS(error(), "vanilla_proofs: 2 partitions, expected 1");
  while (partitions.size() < 14) partitions.push_back(partitions[0]);
  EXPECT_CONTAINS(error(), "StackedDrg2KiBV1[13]: more partitions than any type has");
}

TEST_F(C1Damage, WrongValues) {
  json saved = tree_;
  const auto expect = [&](const char* part) {
    EXPECT_CONTAINS(error(), part);
    tree_ = saved;
  };
  proof(1)["comm_d_proofs"]["data"]["Single"]["path"]["path"][3]["hashes"][0][31] = 0x74;
  expect(
      "vanilla_proofs.StackedDrg2KiBV1[0][1].comm_d_proofs.data.Single.path.path[3].hashes[0]: not a "
      "canonical");
  proof()["comm_d_proofs"]["data"]["Single"]["path"]["path"][5]["index"] = 2;
  expect("path[5].index: index 2 in a level of arity 2");
  proof()["comm_r_last_proof"]["data"]["Single"]["path"]["path"][1]["index"] = 8;
  expect("path[1].index: index 8 in a level of arity 8");
  proof()["comm_r_last_proof"]["data"]["Single"]["root"][5] = 256;
  expect("comm_r_last_proof.data.Single.root[5]: the number is greater than 255");
  proof()["comm_r_last_proof"]["data"]["Single"]["root"][5] = -1;
  expect("root[5]: expected a non-negative integer, found '-'");
  proof()["comm_r_last_proof"]["data"]["Single"]["root"][5] = 1.5;
  expect("root[5]: a number that is no integer");
  proof()["comm_r_last_proof"]["data"]["Single"]["root"][5] = "1";
  expect("root[5]: expected a non-negative integer");
  proof()["comm_r_last_proof"]["data"]["Single"]["root"] = "00";
  expect("root: expected an array");
  proof()["replica_column_proofs"]["c_x"]["column"]["index"] = 4294967296;
  expect("c_x.column.index: the number is greater than 4294967295");
  proof()["replica_column_proofs"]["c_x"]["column"]["_h"] = 0;
  expect("c_x.column._h: expected null");
  proof()["comm_r_last_proof"]["data"] = {{"Sub", 1}};
  expect("comm_r_last_proof.data.Sub: a sector of 2KiB has 'Single' here");
  proof()["comm_d_proofs"]["data"]["Top"] = 1;
  expect("comm_d_proofs.data.Top: a sector of 2KiB");
  for (const char* name : {"comm_r", "comm_d", "seed"}) {
    tree_[name] = std::vector<int>(32, 0);
    expect((std::string(name) + ": all zero").c_str());
  }
  for (const char* name : {"comm_r", "comm_d", "replica_id"}) {
    tree_[name] = std::vector<int>(32, 255);
    expect((std::string(name) + ": not a canonical scalar").c_str());
  }
  tree_["ticket"] = std::vector<int>(32, 255);
  EXPECT_TRUE(parse(tree_.dump())) << "the ticket is no scalar";
  tree_ = saved;
  tree_["registered_proof"] = "StackedDrg8MiBV1_1";
  expect("vanilla_proofs: a proof of a sector of 2KiB, but registered_proof is StackedDrg8MiBV1_1");
  tree_["registered_proof"] = "StackedDrg3KiBV1";
  expect("registered_proof: unknown type 'StackedDrg3KiBV1'");
  tree_["registered_proof"] = "StackedDrg2KiBV1_2_Feat_NonInteractivePoRep";
  expect("vanilla_proofs: 1 partitions, expected 13");
  tree_["vanilla_proofs"] = {{"StackedDrg2KiBV1_1", 1}};
  expect("vanilla_proofs: no member with the V1 name");
  tree_["vanilla_proofs"] = json::object();
  expect("vanilla_proofs: no member with the V1 name");
}

TEST_F(C1Damage, Wrapper) {
  const std::string base64 = base64_encode(byte_span(text_));
  json wrapper = {{"SectorNum", 7}, {"Phase1Out", base64}, {"SectorSize", 8388608}};
  EXPECT_CONTAINS(error_of(wrapper.dump()),
                  "SectorSize: 8388608, but Phase1Out is of a sector of 2048 bytes");
  wrapper["SectorSize"] = 2048;
  EXPECT_TRUE(parse(wrapper.dump()));
  wrapper["SectorNum"] = -1;
  EXPECT_CONTAINS(error_of(wrapper.dump()), "SectorNum: expected a non-negative integer");
  wrapper.erase("SectorNum");
  EXPECT_CONTAINS(error_of(wrapper.dump()), "SectorNum: the member is missing");
  wrapper["SectorNum"] = 7;
  for (const std::size_t at : {0UL, 70000UL, base64.size() - 4}) {
    std::string damaged = base64;
    damaged[at] = '-';
    wrapper["Phase1Out"] = damaged;
    EXPECT_CONTAINS(error_of(wrapper.dump()), "base64: character at offset " + std::to_string(at));
  }
  wrapper["Phase1Out"] = base64.substr(0, base64.size() - 1);
  EXPECT_CONTAINS(error_of(wrapper.dump()), "is not a multiple of 4");
  wrapper["Phase1Out"] = base64.substr(0, base64.size() - 400);
  EXPECT_CONTAINS(error_of(wrapper.dump()), "Phase1Out: ");
  wrapper["Phase1Out"] = "";
  EXPECT_CONTAINS(error_of(wrapper.dump()), "Phase1Out: the text ends");
  tree_["comm_r"] = std::vector<int>(32, 0);
  wrapper["Phase1Out"] = base64_encode(byte_span(tree_.dump()));
  EXPECT_CONTAINS(error_of(wrapper.dump()), "Phase1Out: comm_r: all zero");
  wrapper["Phase1Out"] = base64_encode(byte_span(wrapper.dump()));
  EXPECT_CONTAINS(error_of(wrapper.dump()), "Phase1Out: registered_proof: the member is missing");
}

TEST_F(C1Damage, EveryTruncationIsRefused) {
  // Every length near both ends, others spread over the text; the same inside the wrapper's window.
  for (std::size_t size = 0; size < text_.size(); size += size < 100 || size + 60 > text_.size() ? 1 : 1999) {
    EXPECT_FALSE(parse(std::string_view(text_).substr(0, size))) << size;
    if (size % 7 == 0) {
      EXPECT_FALSE(parse(write_c1_wrapper({1, 2048}, std::string_view(text_).substr(0, size)))) << size;
    }
  }
}

TEST(C1, NotJsonAtAll) {
  EXPECT_CONTAINS(error_of(""), "the text ends where an object should be");
  EXPECT_CONTAINS(error_of("   "), "the text ends");
  EXPECT_CONTAINS(error_of("[]"), "expected an object, found '['");
  EXPECT_CONTAINS(error_of("{}"), "registered_proof: the member is missing");
  EXPECT_CONTAINS(error_of("{} x"), "something follows");
  EXPECT_CONTAINS(error_of(R"({"a":1,})"), "a comma before the closing bracket");
  EXPECT_CONTAINS(error_of(R"({"a" 1})"), "expected ':'");
  EXPECT_CONTAINS(error_of(R"({"a":1 "b":2})"), "expected ',' or '}'");
  EXPECT_CONTAINS(error_of(R"({a:1})"), "a member name in quotes");
  EXPECT_CONTAINS(error_of(R"({"a":01})"), "leading zero");
  EXPECT_CONTAINS(error_of(R"({"a":1.})"), "expected a digit");
  EXPECT_CONTAINS(error_of(R"({"a":nul})"), "expected null");
  EXPECT_CONTAINS(error_of(R"({"a":"\x"})"), "unknown escape");
  EXPECT_CONTAINS(error_of(R"({"a":"\ud800"})"), "surrogate");
  // Skipped members and their names are UTF-8 as well: stray and missing continuations, overlong forms, a
  // surrogate, a number past the last one.
  for (const char* bad : {"\x80", "\xc3", "\xc3(", "\xc0\xaf", "\xe0\x9f\xbf", "\xe2\x82", "\xed\xa0\x80",
                          "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}) {
    EXPECT_CONTAINS(error_of(std::string(R"({"a":")") + bad + R"("})"), "not UTF-8");
    EXPECT_CONTAINS(error_of(std::string(R"({"a)") + bad + R"(":1})"), "not UTF-8");
  }
  // The last of each length passes, and the reader goes on to what is really wrong.
  EXPECT_CONTAINS(error_of("{\"\xdf\xbf\":\"\xef\xbf\xbf\xf4\x8f\xbf\xbf\xed\x9f\xbf\"}"),
                  "the member is missing");
  EXPECT_CONTAINS(error_of("{\"a\":\"\n\"}"), "control character");
}

TEST(C1, DeepNestingIsRefusedWithoutRecursion) {
  for (const char* open : {"[", "{\"a\":"}) {
    std::string text = R"({"x":)";
    for (int i = 0; i < 1000000; ++i) text += open;
    EXPECT_CONTAINS(error_of(text), "nested deeper than 64 levels");
  }
  std::string allowed = R"({"x":)" + std::string(64, '[') + std::string(64, ']') + "}";
  EXPECT_CONTAINS(error_of(allowed), "registered_proof: the member is missing");
}

TEST(C1, BincodeDamage) {
  const std::string text = read_text("32k.c1.bincode.gz");
  const PorepConfig config = *parse_porep_side_json(byte_span(read_text("32k.json")));
  const auto error_at = [&](std::string bytes) {
    const auto result = parse_c1_bincode(byte_span(bytes), config);
    EXPECT_FALSE(result);
    return result ? "" : result.error().message;
  };
  ASSERT_TRUE(parse_c1_bincode(byte_span(text), config));
  for (std::size_t size = 0; size < text.size(); size += size < 600 ? 1 : 53)
    EXPECT_CONTAINS(error_at(text.substr(0, size)), "the data ends");
  EXPECT_CONTAINS(error_at(text + "x"), "bytes after the end");
  std::string damaged = text;
  damaged[0] = 2;
  EXPECT_CONTAINS(error_at(damaged), "bincode: vanilla_proofs: 2 elements, expected 1 (at byte 0)");
  damaged = text;
  damaged[16] = 1;
  EXPECT_CONTAINS(error_at(damaged), "vanilla_proofs[0][0].comm_d_proofs: variant 1");
  damaged = text;
  damaged[20 + 31] = 0x7f;
  EXPECT_CONTAINS(error_at(damaged), "vanilla_proofs[0][0].comm_d_proofs.root: not a canonical scalar");
  damaged = text;
  damaged[20 + 64 + 8 + 8 + 32] = 2;
  EXPECT_CONTAINS(error_at(damaged), "comm_d_proofs.path[0].index: index 2 in a level of arity 2");
  damaged = text;
  for (std::size_t i = 0; i < 32; ++i) damaged[text.size() - 64 + i] = 0;
  EXPECT_CONTAINS(error_at(damaged), "seed: all zero");
  PorepConfig other = config;
  other.sector = find_sector(16384);
  EXPECT_FALSE(parse_c1_bincode(byte_span(text), other));
}

// Every single-byte change of a small text is either refused or parsed into something that writes itself
// back.
TEST_F(C1Damage, ByteChangesNeverBreakTheReader) {
  for (std::size_t at = 0; at < text_.size(); at += 409) {
    std::string damaged = text_;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 7)));
    const auto result = parse(damaged);
    if (result) {
      EXPECT_TRUE(parse(write_c1_json(result->output))->output.vanilla == result->output.vanilla);
    }
  }
}

}  // namespace
}  // namespace cuzk::porep
