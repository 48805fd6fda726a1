#pragma once

// The really sealed and updated sectors of tests/data/update. Test support.

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cuzk/base/hex.h"
#include "cuzk/base/input_file.h"
#include "cuzk/filecoin/update/partition_proof.h"
#include "cuzk/filecoin/update/public_inputs.h"

namespace cuzk::update {

inline std::vector<std::uint8_t> test_file(const std::string& name) {
  const auto file = InputFile::open(CUZK_TEST_DATA "/update/" + name);
  CUZK_CHECK(file.has_value());
  return {file->bytes().begin(), file->bytes().end()};
}

inline Bytes32 bytes32_of(const std::string& hex) {
  return bytes32_from_hex(hex).value();
}

inline std::vector<std::string> hex_of(std::span<const Fr> values) {
  std::vector<std::string> out;
  for (const Fr& x : values) out.push_back(to_hex(x.to_bytes_le()));
  return out;
}

struct UpdateCase {
  nlohmann::json json;
  const SectorParams* sector;
  Statement statement;
  std::vector<std::vector<std::uint8_t>> files;
  std::vector<PartitionProof> proofs;

  explicit UpdateCase(const std::string& name) {
    std::ifstream in(CUZK_TEST_DATA "/update/" + name + ".json");
    json = nlohmann::json::parse(in);
    sector = find_sector(json.at("sector_size"));
    CUZK_CHECK(sector != nullptr);
    statement = {bytes32_of(json.at("comm_r_old")), bytes32_of(json.at("comm_r_new")),
                 bytes32_of(json.at("comm_d_new"))};
    for (const auto& partition : json.at("partitions")) {
      files.push_back(test_file(partition.at("file")));
      auto proof = read_partition_proof(files.back(), *sector);
      CUZK_CHECK(proof.has_value());
      proofs.push_back(*std::move(proof));
    }
  }
};

}  // namespace cuzk::update
