#include "cuzk/proving/circuit.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace cuzk {
namespace {

TEST(Circuits, IdsOfAllSectorSizes) {
  std::vector<std::string> ids;
  for (const Circuit& circuit : known_circuits()) ids.push_back(circuit.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"porep-2k", "porep-4k", "porep-16k", "porep-32k", "porep-8m",
                                           "porep-16m", "porep-512m", "porep-1g", "porep-32g", "porep-64g"}));
}

TEST(Circuits, EachIsFoundByItsId) {
  for (const Circuit& circuit : known_circuits()) {
    const auto found = find_circuit(circuit.id);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->id, circuit.id);
    EXPECT_EQ(found->params_stem, circuit.params_stem);
  }
}

TEST(Circuits, AnUnknownIdListsTheKnownOnes) {
  for (const char* id : {"", "porep-2K", "porep-2k ", "porep-3k", "winning-2k"}) {
    const auto found = find_circuit(id);
    ASSERT_FALSE(found) << id;
    EXPECT_EQ(found.error().code, ErrorCode::kUsage);
    EXPECT_EQ(found.error().message,
              "there is no circuit '" + std::string(id) +
                  "'; known: porep-2k, porep-4k, porep-16k, porep-32k, porep-8m, porep-16m, porep-512m, "
                  "porep-1g, porep-32g, porep-64g");
  }
}

/// The reference's name of the parameter file, as written beside its sectors.
TEST(Circuits, StemsAreTheReferences) {
  const std::pair<const char*, const char*> sides[] = {
      {"porep-2k", "porep/2k-v1_1"}, {"porep-4k", "porep/4k"},      {"porep-16k", "porep/16k"},
      {"porep-32k", "porep/32k"},    {"porep-8m", "porep/8m-v1_1"}, {"porep-512m", "synth/512m"},
      {"porep-32g", "synth/32g"}};
  for (const auto& [id, side] : sides) {
    std::ifstream in(std::string(CUZK_TEST_DATA "/") + side + ".json");
    EXPECT_EQ(find_circuit(id)->params_stem + ".params", nlohmann::json::parse(in).at("params")) << id;
  }
}

}  // namespace
}  // namespace cuzk
