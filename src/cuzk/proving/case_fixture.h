#pragma once

// The reference's cases in tests/data as requests and statements. Test support.

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cuzk/base/hex.h"
#include "cuzk/base/input_file.h"
#include "cuzk/proving/porep.h"
#include "cuzk/proving/post.h"
#include "cuzk/proving/update.h"

namespace cuzk::test {

inline std::vector<std::uint8_t> data_bytes(const std::string& file) {
  const auto input = InputFile::open(std::string(CUZK_TEST_DATA) + "/" + file);
  CUZK_CHECK(input.has_value());
  return {input->bytes().begin(), input->bytes().end()};
}

inline nlohmann::json data_json(const std::string& file) {
  const auto text = data_bytes(file);
  return nlohmann::json::parse(text.begin(), text.end());
}

/// What a client would send for a case of post/ or update/: all sectors of a window, whatever their number.
/// Sizes without registered type have registered_proof 0.
inline ProofRequest case_request(const std::string& name) {
  const bool update = name.starts_with("update-");
  const std::string folder = update ? "update/" : "post/";
  const nlohmann::json json = data_json(folder + name + ".json");
  ProofRequest request;
  request.sector_size = json.at("sector_size");
  const nlohmann::json& type = json.at(update ? "registered_update_proof" : "registered_post_proof");
  if (!type.is_null()) request.registered_proof = type;
  const auto hex = [&](const char* member) { return from_hex(json.at(member).get<std::string>()).value(); };
  if (update) {
    request.kind = ProofKind::snap_deals_update;
    request.comm_r_old = hex("comm_r_old");
    request.comm_r_new = hex("comm_r_new");
    request.comm_d_new = hex("comm_d_new");
  } else {
    request.kind = json.at("kind") == "Winning" ? ProofKind::winning_post : ProofKind::window_post_partition;
    request.miner_id = json.at("miner");
    request.randomness = hex("randomness");
  }
  for (const auto& entry : json.at(update ? "partitions" : "vanilla"))
    request.vanilla_proofs.push_back(data_bytes(folder + entry.at("file").get<std::string>()));
  return request;
}

/// The statement of a case of porep/, post/ or update/, of any size.
inline std::shared_ptr<const Statement> case_statement(const std::string& name) {
  const bool post = name.starts_with("window-") || name.starts_with("winning-");
  const bool update = name.starts_with("update-");
  if (!post && !update) {
    const std::string file = std::string(CUZK_TEST_DATA) + "/porep/" + name + ".c1.json.gz";
    return porep_statement(porep::read_c1_file(file).value().output);
  }
  const ProofRequest request = case_request(name);
  if (update) {
    const auto bytes32 = [](const std::vector<std::uint8_t>& bytes) {
      return bytes32_from_hex(to_hex(bytes)).value();
    };
    return update_statement(
               *update::find_sector(request.sector_size),
               {bytes32(request.comm_r_old), bytes32(request.comm_r_new), bytes32(request.comm_d_new)},
               request.vanilla_proofs)
        .value();
  }
  const nlohmann::json json = data_json("post/" + name + ".json");
  const auto version = api_version_from_string(json.at("api_version").get<std::string>()).value();
  if (name.starts_with("winning-"))
    return post_statement(post::post_config(post::Kind::winning, request.sector_size, version).value(),
                          request.randomness, 0, request.vanilla_proofs)
        .value();
  return window_post_statement(post::post_config(post::Kind::window, request.sector_size, version).value(),
                               request.randomness, request.vanilla_proofs)
      .value();
}

}  // namespace cuzk::test
