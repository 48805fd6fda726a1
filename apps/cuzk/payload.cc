#include <fmt/format.h>

#include <limits>
#include <map>

#include "cuzk/base/hex.h"
#include "cuzk/base/input_file.h"
#include "cuzk/proving/request.h"
#include "json_file.h"
#include "rpc_client.h"
#include "vanilla_path.h"

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

/// The members of a request file (README, "The command") that the API has.
Result<void> add_request_file(const std::string& path, v1::SubmitProofRequest& out) {
  CUZK_TRY_ASSIGN(const Json json, read_json(path));
  if (!json.is_object()) return bad_input("'" + path + "' is not a JSON object");
  // What is null is absent; what the daemon needs of it, it says itself.
  const auto is_there = [&](const char* name) { return json.contains(name) && !json[name].is_null(); };
  const auto number = [&](const char* name, std::uint64_t most) -> Result<std::uint64_t> {
    if (!is_there(name)) return std::uint64_t{0};
    if (json[name].is_number_unsigned() && json[name].get<std::uint64_t>() <= most)
      return json[name].get<std::uint64_t>();
    return bad_input(fmt::format("'{}': {} is not a whole number from 0 to {}", path, name, most));
  };
  const auto hex = [&](const char* name, std::string* field) -> Result<void> {
    if (!is_there(name)) return {};
    if (!json[name].is_string())
      return bad_input(fmt::format("'{}': {} is not a string of hex digits", path, name));
    CUZK_TRY_ASSIGN(*field, hex_bytes(path + "." + name, json[name].get<std::string>()));
    return {};
  };
  constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
  const bool update = out.proof_kind() == v1::SNAP_DEALS_UPDATE;
  CUZK_TRY_ASSIGN(const std::uint64_t size, number("sector_size", kAny));
  CUZK_TRY_ASSIGN(const std::uint64_t type,
                  number(update ? "registered_update_proof" : "registered_post_proof", kAny));
  CUZK_TRY_ASSIGN(const std::uint64_t partition,
                  number("partition_index", std::numeric_limits<std::uint32_t>::max()));
  out.set_sector_size(size);
  out.set_registered_proof(type);
  out.set_partition_index(static_cast<std::uint32_t>(partition));
  CUZK_TRY(hex("randomness", out.mutable_randomness()));
  CUZK_TRY(hex("comm_r_old", out.mutable_comm_r_old()));
  CUZK_TRY(hex("comm_r_new", out.mutable_comm_r_new()));
  CUZK_TRY(hex("comm_d_new", out.mutable_comm_d_new()));
  const char* list = update ? "partitions" : "vanilla";
  if (!json.contains(list) || !json[list].is_array())
    return bad_input("'" + path + "' has no list `" + list + "`");
  for (std::size_t i = 0; i < json[list].size(); ++i) {
    const auto file = vanilla_path(path, json[list][i], fmt::format("{}[{}]", list, i));
    if (!file) return file.error().within("'" + path + "'");
    CUZK_TRY_ASSIGN(*out.add_vanilla_proofs(), file_bytes(*file));
  }
  return {};
}

}  // namespace

Result<v1::SubmitProofRequest> read_payload(const PayloadOptions& options) {
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
    if (options.registered_proof != 0 || options.sector_size != 0 || options.sector_num != 0 ||
        options.miner_id != 0 || options.partition != 0 || !options.randomness.empty() ||
        !options.comm_r_old.empty() || !options.comm_r_new.empty() || !options.comm_d_new.empty())
      return usage_error("--request FILE says what is proved; flags that say it again are refused");
    CUZK_TRY(add_request_file(options.request, out));
    return out;
  }
  if (porep) {
    CUZK_TRY_ASSIGN(*out.mutable_vanilla_proof(), file_bytes(options.c1));
  }
  for (const std::string& path : options.vanilla) {
    CUZK_TRY_ASSIGN(*out.add_vanilla_proofs(), file_bytes(path));
  }
  out.set_sector_size(options.sector_size);
  out.set_registered_proof(options.registered_proof);
  out.set_sector_number(options.sector_num);
  out.set_miner_id(options.miner_id);
  out.set_partition_index(options.partition);
  CUZK_TRY_ASSIGN(*out.mutable_randomness(), hex_bytes("--randomness", options.randomness));
  CUZK_TRY_ASSIGN(*out.mutable_comm_r_old(), hex_bytes("--comm-r-old", options.comm_r_old));
  CUZK_TRY_ASSIGN(*out.mutable_comm_r_new(), hex_bytes("--comm-r-new", options.comm_r_new));
  CUZK_TRY_ASSIGN(*out.mutable_comm_d_new(), hex_bytes("--comm-d-new", options.comm_d_new));
  return out;
}

}  // namespace cuzk::app
