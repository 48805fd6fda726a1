#pragma once

// The reference's cases of tests/data that have a proof: one of every kind, with sectors of 2 KiB. Programs
// run in the root of the repository. There is no JSON library where they are built; what they need of the
// files are strings of hexadecimal digits, which are found by their names.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cuzk/base/hex.h"
#include "cuzk/base/input_file.h"
#include "cuzk/groth16/setup.h"
#include "cuzk/proving/prove.h"
#include "cuzk/proving/request.h"
#include "cuzk/proving/sector_request_fixture.h"

namespace cuzk::device_test {

struct ReferenceCase {
  const char* name;
  const char* parameters;  ///< of tests/data/groth16/params, and the id of the circuit in the files
  ProofKind kind;
  // Of PoSt and updates:
  std::uint64_t registered_proof;  ///< 0: by the sector's size
  unsigned vanilla_proofs;
};
inline constexpr std::array kReferenceCases{
    ReferenceCase{"2k-v1_1", "porep-2k", ProofKind::porep_seal_commit, 0, 0},
    ReferenceCase{"winning-2k", "winning-2k", ProofKind::winning_post, 0, 1},
    ReferenceCase{"window-2k-two", "window-2k", ProofKind::window_post_partition, 10, 2},
    ReferenceCase{"update-2k", "update-2k", ProofKind::snap_deals_update, 0, 1}};

/// A file of tests/data, as it was before gzip.
inline Result<std::vector<std::uint8_t>> reference_bytes(const std::string& file) {
  CUZK_TRY_ASSIGN(const InputFile input, InputFile::open("tests/data/" + file));
  return std::vector<std::uint8_t>(input.bytes().begin(), input.bytes().end());
}

/// Strings of hexadecimal digits in a JSON text, by name, each sought behind the one before.
class HexMembers {
 public:
  static Result<HexMembers> open(const std::string& file) {
    CUZK_TRY_ASSIGN(const std::vector<std::uint8_t> bytes, reference_bytes(file));
    return HexMembers(file, std::string(bytes.begin(), bytes.end()));
  }
  /// Goes on behind this text, from the beginning.
  Result<void> seek(const std::string& mark) {
    at_ = text_.find(mark);
    if (at_ == std::string::npos) return bad_input(file_ + ": no " + mark);
    return {};
  }
  Result<std::vector<std::uint8_t>> next(const std::string& name) {
    const std::string mark = "\"" + name + "\": \"";
    const std::size_t begin = text_.find(mark, at_);
    if (begin == std::string::npos) return bad_input(file_ + ": no string " + name);
    const std::size_t digits = begin + mark.size();
    const std::size_t end = std::min(text_.find('"', digits), text_.size());
    at_ = end;
    return from_hex(std::string_view(text_).substr(digits, end - digits));
  }
  Result<Fr> scalar(const std::string& name) {
    CUZK_TRY_ASSIGN(const std::vector<std::uint8_t> bytes, next(name));
    CUZK_TRY_ASSIGN(const Bytes32 canonical, bytes32_from_hex(to_hex(bytes)));
    const auto value = Fr::from_bytes_le(canonical);
    if (!value) return bad_input(file_ + ": " + name + " is no scalar");
    return *value;
  }

 private:
  HexMembers(std::string file, std::string text) : file_(std::move(file)), text_(std::move(text)) {}
  std::string file_;
  std::string text_;
  std::size_t at_ = 0;
};

/// What a client sends.
inline Result<ProofRequest> reference_request(const ReferenceCase& c) {
  const std::string name = c.name;
  if (c.kind == ProofKind::porep_seal_commit)
    return test::sector_request("tests/data/porep/" + name + ".c1.json.gz");
  ProofRequest request;
  request.kind = c.kind;
  request.sector_size = 2048;
  request.registered_proof = c.registered_proof;
  request.miner_id = 1234;
  const bool update = c.kind == ProofKind::snap_deals_update;
  const std::string folder = update ? "update/" : "post/";
  CUZK_TRY_ASSIGN(HexMembers members, HexMembers::open(folder + name + ".json"));
  if (update) {  // in the order of the file
    CUZK_TRY_ASSIGN(request.comm_d_new, members.next("comm_d_new"));
    CUZK_TRY_ASSIGN(request.comm_r_new, members.next("comm_r_new"));
    CUZK_TRY_ASSIGN(request.comm_r_old, members.next("comm_r_old"));
  } else {
    CUZK_TRY_ASSIGN(request.randomness, members.next("randomness"));
  }
  for (unsigned i = 0; i < c.vanilla_proofs; ++i) {
    CUZK_TRY_ASSIGN(std::vector<std::uint8_t> proof, reference_bytes(folder + name + (update ? ".k" : ".s") +
                                                                     std::to_string(i) + ".vanilla.gz"));
    request.vanilla_proofs.push_back(std::move(proof));
  }
  return request;
}

/// The secrets of the reference's parameters.
inline Result<groth16::ToxicWaste> reference_secrets(const ReferenceCase& c) {
  CUZK_TRY_ASSIGN(HexMembers members,
                  HexMembers::open(std::string("groth16/params/") + c.parameters + ".json"));
  groth16::ToxicWaste toxic;
  CUZK_TRY_ASSIGN(toxic.alpha, members.scalar("alpha"));
  CUZK_TRY_ASSIGN(toxic.beta, members.scalar("beta"));
  CUZK_TRY_ASSIGN(toxic.delta, members.scalar("delta"));
  CUZK_TRY_ASSIGN(toxic.gamma, members.scalar("gamma"));
  CUZK_TRY_ASSIGN(toxic.tau, members.scalar("tau"));
  return toxic;
}

/// The reference's proof of the only partition and its blinding.
struct ReferenceProof {
  Blinding blinding;
  std::vector<std::uint8_t> bytes;
};
inline Result<ReferenceProof> reference_proof(const ReferenceCase& c) {
  CUZK_TRY_ASSIGN(HexMembers members, HexMembers::open("groth16/reference-proofs.json"));
  CUZK_TRY(members.seek(std::string("\"case\": \"") + c.name + "\""));
  ReferenceProof proof;
  CUZK_TRY_ASSIGN(proof.blinding.r, members.scalar("r"));
  CUZK_TRY_ASSIGN(proof.blinding.s, members.scalar("s"));
  CUZK_TRY_ASSIGN(proof.bytes, members.next("proof"));
  return proof;
}

}  // namespace cuzk::device_test
