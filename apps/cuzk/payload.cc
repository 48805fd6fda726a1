#include <map>

#include "cuzk/base/hex.h"
#include "cuzk/base/input_file.h"
#include "cuzk/proving/request.h"
#include "request_file.h"
#include "rpc_client.h"

namespace cuzk::app {
namespace {

const std::map<std::string, v1::Priority, std::less<>> kPriorities{
    {"low", v1::LOW}, {"normal", v1::NORMAL}, {"high", v1::HIGH}, {"critical", v1::CRITICAL}};

/// Above what a message may have: the daemon says so of what is between.
constexpr std::size_t kMaxPayloadBytes = std::size_t{512} << 20;

Result<std::string> file_bytes(const std::string& path) {
  CUZK_TRY_ASSIGN(const InputFile file, InputFile::open(path, kMaxPayloadBytes));
  const ByteSpan bytes = file.bytes();
  return std::string(bytes.begin(), bytes.end());
}

Result<std::string> hex_bytes(const std::string& name, const std::string& text) {
  const Result<std::vector<std::uint8_t>> bytes = from_hex(text);
  if (!bytes) return usage_error(name + ": " + bytes.error().message);
  return std::string(bytes->begin(), bytes->end());
}

Result<void> is_given(bool given, const char* flag) {
  return given ? Result<void>() : usage_error(std::string(flag) + " is missing");
}

/// The members of a request file (README, "The command") that the API has.
Result<void> add_request_file(const std::string& path, v1::SubmitProofRequest& out,
                              std::vector<std::string>& files) {
  // What `prove` and `verify` refuse of a file is not sent.
  CUZK_TRY_ASSIGN(RequestFile file, read_request_file(path, static_cast<ProofKind>(out.proof_kind())));
  files.insert(files.end(), file.files.begin(), file.files.end());
  const Json& json = file.members;
  // What is null is absent. What is there is what it must be, as the reader took it.
  const auto is_there = [&](const char* name) { return json.contains(name) && !json[name].is_null(); };
  const auto number = [&](const char* name) {
    return is_there(name) ? json[name].get<std::uint64_t>() : std::uint64_t{0};
  };
  const auto hex = [&](const char* name) -> Result<std::string> {
    return is_there(name) ? hex_bytes(name, json[name].get<std::string>()) : std::string();
  };
  const bool update = out.proof_kind() == v1::SNAP_DEALS_UPDATE;
  out.set_sector_size(number("sector_size"));
  out.set_registered_proof(number(update ? "registered_update_proof" : "registered_post_proof"));
  out.set_partition_index(static_cast<std::uint32_t>(number("partition_index")));
  CUZK_TRY_ASSIGN(*out.mutable_randomness(), hex("randomness"));
  CUZK_TRY_ASSIGN(*out.mutable_comm_r_old(), hex("comm_r_old"));
  CUZK_TRY_ASSIGN(*out.mutable_comm_r_new(), hex("comm_r_new"));
  CUZK_TRY_ASSIGN(*out.mutable_comm_d_new(), hex("comm_d_new"));
  for (std::vector<std::uint8_t>& proof : file.proofs) {
    out.add_vanilla_proofs()->assign(proof.begin(), proof.end());
    proof = {};
  }
  return {};
}

}  // namespace

Result<v1::SubmitProofRequest> read_payload(const PayloadOptions& options, std::vector<std::string>& files) {
  v1::SubmitProofRequest out;
  CUZK_TRY_ASSIGN(const ProofKind kind, proof_kind_from_string(options.type));
  out.set_proof_kind(static_cast<v1::ProofKind>(kind));  // the numbers are the API's
  if (!options.priority.empty()) out.set_priority(kPriorities.at(options.priority));
  const bool porep = out.proof_kind() == v1::POREP_SEAL_COMMIT;
  if (porep && (options.c1.empty() || !options.vanilla.empty() || !options.request.empty()))
    return usage_error("--type porep takes --c1 FILE, and neither --vanilla nor --request");
  if (!porep && (!options.c1.empty() || options.vanilla.empty() == options.request.empty()))
    return usage_error("--type " + options.type +
                       " takes --vanilla FILE (repeated) or --request FILE, no --c1");
  if (!options.request.empty()) {
    if (options.registered_proof || options.sector_size != 0 || options.sector_num || options.miner_id ||
        options.partition != 0 || !options.randomness.empty() || !options.comm_r_old.empty() ||
        !options.comm_r_new.empty() || !options.comm_d_new.empty())
      return usage_error("--request FILE says what is proved; flags that say it again are refused");
    CUZK_TRY(add_request_file(options.request, out, files));
    return out;
  }
  // 0 is a number that each of them can have.
  CUZK_TRY(is_given(options.registered_proof.has_value(), "--registered-proof"));
  if (porep) {
    CUZK_TRY(is_given(options.sector_num.has_value(), "--sector-num"));
    CUZK_TRY(is_given(options.miner_id.has_value(), "--miner-id"));
    CUZK_TRY_ASSIGN(*out.mutable_vanilla_proof(), file_bytes(options.c1));
    files.push_back(options.c1);
  }
  for (const std::string& path : options.vanilla) {
    CUZK_TRY_ASSIGN(*out.add_vanilla_proofs(), file_bytes(path));
    files.push_back(path);
  }
  out.set_sector_size(options.sector_size);
  out.set_registered_proof(*options.registered_proof);
  out.set_sector_number(options.sector_num.value_or(0));
  out.set_miner_id(options.miner_id.value_or(0));
  out.set_partition_index(options.partition);
  CUZK_TRY_ASSIGN(*out.mutable_randomness(), hex_bytes("--randomness", options.randomness));
  CUZK_TRY_ASSIGN(*out.mutable_comm_r_old(), hex_bytes("--comm-r-old", options.comm_r_old));
  CUZK_TRY_ASSIGN(*out.mutable_comm_r_new(), hex_bytes("--comm-r-new", options.comm_r_new));
  CUZK_TRY_ASSIGN(*out.mutable_comm_d_new(), hex_bytes("--comm-d-new", options.comm_d_new));
  return out;
}

}  // namespace cuzk::app
