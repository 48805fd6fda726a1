#include "cuzk/proving/circuit.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace cuzk {
namespace {

TEST(Circuits, IdsOfAllKindsAndSectorSizes) {
  std::vector<std::string> want;
  for (const char* kind : {"porep-", "winning-", "wpost-", "snap-"})
    for (const char* size : {"2k", "4k", "16k", "32k", "8m", "16m", "512m", "1g", "32g", "64g"})
      if (std::string(kind) + size != "snap-1g") want.push_back(std::string(kind) + size);
  std::vector<std::string> ids;
  for (const Circuit& circuit : known_circuits()) ids.push_back(circuit.id);
  EXPECT_EQ(ids, want);
}

TEST(Circuits, EachIsFoundByItsId) {
  for (const Circuit& circuit : known_circuits()) {
    const auto found = find_circuit(circuit.id);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->id, circuit.id);
    EXPECT_EQ(found->params_stem, circuit.params_stem);
    EXPECT_EQ(found->kind, circuit.kind);
  }
}

TEST(Circuits, HaveOtherNames) {
  EXPECT_EQ(find_circuit("window-32g")->id, "wpost-32g");
  EXPECT_EQ(find_circuit("update-64g")->id, "snap-64g");
  EXPECT_FALSE(find_circuit("update-1g"));
  EXPECT_FALSE(find_circuit("window-"));
}

TEST(Circuits, AnUnknownIdListsTheKnownOnes) {
  for (const char* id : {"", "porep-2K", "porep-2k ", "porep-3k", "snap-1g", "wpost"}) {
    const auto found = find_circuit(id);
    ASSERT_FALSE(found) << id;
    EXPECT_EQ(found.error().code, ErrorCode::kUsage);
    const std::string start = "there is no circuit '" + std::string(id) + "'; known: porep-2k, porep-4k, ";
    EXPECT_EQ(found.error().message.substr(0, start.size()), start);
    EXPECT_TRUE(found.error().message.ends_with(", snap-32g, snap-64g")) << found.error().message;
  }
}

/// The reference's name of the parameter file, as written beside its sectors.
TEST(Circuits, StemsAreTheReferences) {
  const std::pair<const char*, const char*> sides[] = {
      {"porep-2k", "porep/2k-v1_1"},    {"porep-4k", "porep/4k"},          {"porep-16k", "porep/16k"},
      {"porep-32k", "porep/32k"},       {"porep-8m", "porep/8m-v1_1"},     {"porep-512m", "synth/512m"},
      {"porep-32g", "synth/32g"},       {"winning-2k", "post/winning-2k"}, {"wpost-2k", "post/window-2k-two"},
      {"wpost-32k", "post/window-32k"}, {"snap-2k", "update/update-2k"},   {"snap-32k", "update/update-32k"}};
  for (const auto& [id, side] : sides) {
    std::ifstream in(std::string(CUZK_TEST_DATA "/") + side + ".json");
    EXPECT_EQ(find_circuit(id)->params_stem + ".params", nlohmann::json::parse(in).at("params")) << id;
  }
}

}  // namespace
}  // namespace cuzk
