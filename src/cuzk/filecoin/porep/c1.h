#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cuzk/filecoin/porep/public_inputs.h"
#include "cuzk/filecoin/porep/vanilla_proof.h"

namespace cuzk::porep {

/// The output of seal-commit phase 1: what the prover gets.
struct C1Output {
  explicit C1Output(const PorepConfig& c) : config(c), vanilla(*c.sector) {}

  PorepConfig config;
  Bytes32 comm_r{};
  Bytes32 comm_d{};
  Bytes32 replica_id{};
  Bytes32 seed{};
  Bytes32 ticket{};
  VanillaProof vanilla;

  [[nodiscard]] Statement statement() const { return {replica_id, comm_d, comm_r, seed}; }
};

/// The two numbers beside the base64 text in Curio's wrapper.
struct C1Wrapper {
  std::uint64_t sector_number = 0;
  std::uint64_t sector_size = 0;
};

struct C1Document {
  C1Output output;
  std::optional<C1Wrapper> wrapper;  ///< empty when the text was a plain phase-1 output
};

// All three parsers check the structure (porep 5.4): counts, arities, indices below them, canonical
// scalars, all partitions present, commitments and seed not zero, the size named twice the same. What they
// return has the full shape; whether it is a true proof is verify_vanilla's business. Errors are kBadInput
// and name the field.

/// Phase-1 output as JSON text, plain or in the wrapper {SectorNum, Phase1Out, SectorSize} (recognised by its
/// members, in any order). `text` is read once and not copied.
Result<C1Document> parse_c1_json(ByteSpan text);

/// Phase-1 output as bincode, which does not tell its type: `config` does.
Result<C1Output> parse_c1_bincode(ByteSpan bytes, const PorepConfig& config);

/// The JSON beside a bincode file: {sector_size, porep_id (64 hex digits), api_version}. Types with a
/// registered number in porep_id get their features; other members are ignored.
Result<PorepConfig> parse_porep_side_json(ByteSpan text);

/// Reads any form from a file, gzip or not. For bincode the side JSON is NAME.json, where the file is
/// NAME.c1.bincode, NAME.bincode or NAME, with or without .gz.
Result<C1Document> read_c1_file(const std::string& path);

// The writers give the bytes that the reference writes. write_c1_json needs a registered type.

std::string write_c1_json(const C1Output& c1);
std::string write_c1_wrapper(const C1Wrapper& wrapper, std::string_view c1_json);
std::vector<std::uint8_t> write_c1_bincode(const C1Output& c1);
std::string write_porep_side_json(const PorepConfig& config);

namespace detail {
/// The checks that need the whole output: partition count, commitments, seed, canonical replica id.
Result<void> check_c1(const C1Output& c1);
}  // namespace detail

}  // namespace cuzk::porep
