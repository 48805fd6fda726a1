#include "request_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <vector>

#include "cuzk/base/hex.h"
#include "cuzk/base/input_file.h"
#include "cuzk/filecoin/post/vanilla_proof.h"
#include "cuzk/filecoin/update/sector.h"
#include "cuzk/hash/sha256.h"
#include "cuzk/proving/post.h"
#include "cuzk/proving/update.h"
#include "json_file.h"

namespace cuzk::app {
namespace {

/// Several times the largest vanilla proof of one sector or partition.
constexpr std::size_t kMaxVanillaBytes = std::size_t{4} << 20;

Error missing(const std::string& name, const char* what) {
  return bad_input(name + ": missing or not " + what);
}

/// A value as an error shows it: never a nested one, however deep the file goes.
std::string shown(const Json& value) {
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  if (value.is_string() && value.get_ref<const std::string&>().size() > 64) return "a long string";
  return value.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
}

Result<std::uint64_t> number(const Json& object, const char* member) {
  const auto it = object.find(member);
  if (it == object.end() || !it->is_number_unsigned()) return missing(member, "a non-negative number");
  return it->get<std::uint64_t>();
}

Result<std::string> text(const Json& object, const std::string& where, const char* member) {
  const auto it = object.find(member);
  if (it == object.end() || !it->is_string()) return missing(where + member, "a string");
  return it->get<std::string>();
}

Result<std::vector<std::uint8_t>> bytes(const Json& object, const char* member) {
  CUZK_TRY_ASSIGN(const std::string hex, text(object, "", member));
  Result<std::vector<std::uint8_t>> decoded = from_hex(hex);
  if (!decoded) return decoded.error().within(member);
  return decoded;
}

Result<Bytes32> bytes32(const Json& object, const char* member) {
  CUZK_TRY_ASSIGN(const std::string hex, text(object, "", member));
  const Result<Bytes32> decoded = bytes32_from_hex(hex);
  if (!decoded) return decoded.error().within(member);
  return *decoded;
}

/// A registered number that may be null or missing, for sizes that have none.
Result<std::optional<std::uint64_t>> registered_number(const Json& object, const char* member) {
  const auto it = object.find(member);
  if (it == object.end() || it->is_null()) return std::optional<std::uint64_t>();
  CUZK_TRY_ASSIGN(const std::uint64_t n, number(object, member));
  return std::optional(n);
}

/// When the file says a size as well, it is the type's; 0 means "as the type says".
Result<void> check_size(const Json& request, std::uint64_t bytes, std::string_view type) {
  if (!request.contains("sector_size")) return {};
  CUZK_TRY_ASSIGN(const std::uint64_t size, number(request, "sector_size"));
  if (size == bytes || size == 0) return {};
  return bad_input(fmt::format("sector_size: {}, but the type is {}", size, type));
}

/// The bytes that an entry {file, len, sha256} of a list names. The file lies beside the request; a name with
/// or without ".gz" finds the other form as well.
Result<std::vector<std::uint8_t>> vanilla_bytes(const std::filesystem::path& folder, const Json& entry,
                                                const std::string& where) {
  if (!entry.is_object()) return bad_input(where + ": not an object");
  CUZK_TRY_ASSIGN(const std::string name, text(entry, where + '.', "file"));
  std::filesystem::path path = folder / name;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    const std::filesystem::path other = path.extension() == ".gz"
                                            ? folder / std::filesystem::path(name).replace_extension()
                                            : folder / (name + ".gz");
    if (std::filesystem::exists(other, ignored)) path = other;
  }
  const Result<InputFile> file = InputFile::open(path.string(), kMaxVanillaBytes);
  if (!file) return file.error().within(where + ".file");
  const ByteSpan content = file->bytes();
  if (content.size() > kMaxVanillaBytes)
    return bad_input(fmt::format("{}.file: '{}' has {} bytes, more than any vanilla proof", where,
                                 path.string(), content.size()));
  if (entry.contains("len") && entry["len"] != content.size())
    return bad_input(fmt::format("{}.len: {}, but '{}' has {} bytes", where, shown(entry["len"]),
                                 path.string(), content.size()));
  if (entry.contains("sha256") && entry["sha256"] != to_hex(sha256(content)))
    return bad_input(fmt::format("{}.sha256: '{}' has {}", where, path.string(), to_hex(sha256(content))));
  return std::vector<std::uint8_t>(content.begin(), content.end());
}

/// The bytes of all entries of a list. `expected`: how many there must be, looked at before any is read.
Result<std::vector<std::vector<std::uint8_t>>> vanilla_list(const std::string& path, const Json& request,
                                                            const std::string& member,
                                                            std::optional<std::size_t> expected) {
  const auto list = request.find(member);
  if (list == request.end() || !list->is_array()) return missing(member, "a list");
  if (expected && list->size() != *expected)
    return bad_input(
        fmt::format("vanilla_proofs: {} given in '{}', expected {}", list->size(), member, *expected));
  std::vector<std::vector<std::uint8_t>> out;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (std::size_t i = 0; i < list->size(); ++i) {
    CUZK_TRY_ASSIGN(std::vector<std::uint8_t> proof,
                    vanilla_bytes(folder, (*list)[i], fmt::format("{}[{}]", member, i)));
    out.push_back(std::move(proof));
  }
  return out;
}

// ---- PoSt

Result<post::PostConfig> post_config_of(const Json& request, post::Kind kind) {
  CUZK_TRY_ASSIGN(const std::optional<std::uint64_t> registered,
                  registered_number(request, "registered_post_proof"));
  std::optional<ApiVersion> version;
  if (request.contains("api_version")) {
    CUZK_TRY_ASSIGN(const std::string name, text(request, "", "api_version"));
    const Result<ApiVersion> parsed = api_version_from_string(name);
    if (!parsed) return parsed.error().within("api_version");
    version = *parsed;
  }
  if (registered) {
    const post::RegisteredPostProof* type = post::find_post_proof(*registered);
    if (type == nullptr || type->params->kind != kind)
      return bad_input(
          fmt::format("registered_post_proof: {} is no {}PoSt type", *registered, post::to_string(kind)));
    CUZK_TRY(check_size(request, type->params->size->bytes, type->name));
    if (version && *version != type->version)
      return bad_input(fmt::format("api_version: {}, but the type is {}", to_string(*version), type->name));
    return post::post_config(*type);
  }
  CUZK_TRY_ASSIGN(const std::uint64_t size, number(request, "sector_size"));
  if (!version) return missing("api_version", "a string");
  Result<post::PostConfig> config = post::post_config(kind, size, *version);
  if (!config) return bad_input(config.error().message);
  return config;
}

/// What the file says of a sector beside its vanilla proof is what the proof says.
Result<void> check_sector(const post::PostParams& params, const Json& entry, ByteSpan proof,
                          const std::string& where) {
  if (!entry.contains("sector") && !entry.contains("comm_r")) return {};
  const Result<post::SectorProof> sector = post::read_sector_proof(proof, params);
  if (!sector) return sector.error().within(where);
  if (entry.contains("sector") && entry["sector"] != sector->sector_id)
    return bad_input(fmt::format("{}.sector: {}, but its vanilla proof is of sector {}", where,
                                 shown(entry["sector"]), sector->sector_id));
  if (entry.contains("comm_r") && entry["comm_r"] != to_hex(sector->comm_r))
    return bad_input(
        fmt::format("{}.comm_r: its vanilla proof is of comm_r {}", where, to_hex(sector->comm_r)));
  return {};
}

Result<std::shared_ptr<const Statement>> read_post(const std::string& path, const Json& request,
                                                   post::Kind kind) {
  CUZK_TRY_ASSIGN(const post::PostConfig config, post_config_of(request, kind));
  CUZK_TRY_ASSIGN(const std::vector<std::uint8_t> randomness, bytes(request, "randomness"));
  std::uint64_t partition_index = 0;
  if (request.contains("partition_index")) {
    CUZK_TRY_ASSIGN(partition_index, number(request, "partition_index"));
    if (partition_index > UINT32_MAX) return bad_input("partition_index: larger than 2^32 - 1");
  }
  using Proofs = std::vector<std::vector<std::uint8_t>>;
  CUZK_TRY_ASSIGN(const Proofs proofs,
                  vanilla_list(path, request, "vanilla",
                               kind == post::Kind::winning ? std::optional<std::size_t>(1) : std::nullopt));
  for (std::size_t i = 0; i < proofs.size(); ++i)
    CUZK_TRY(check_sector(*config.params, request["vanilla"][i], proofs[i], fmt::format("vanilla[{}]", i)));
  if (kind == post::Kind::winning || partition_index != 0)
    return post_statement(config, randomness, static_cast<std::uint32_t>(partition_index), proofs);
  return window_post_statement(config, randomness, proofs);
}

// ---- SnapDeals

Result<const update::SectorParams*> update_sector_of(const Json& request) {
  CUZK_TRY_ASSIGN(const std::optional<std::uint64_t> registered,
                  registered_number(request, "registered_update_proof"));
  if (registered) {
    const update::RegisteredUpdateProof* type = update::find_update_proof(*registered);
    if (type == nullptr)
      return bad_input(fmt::format("registered_update_proof: {} is no update type", *registered));
    CUZK_TRY(check_size(request, type->sector->bytes, type->name));
    return type->sector;
  }
  CUZK_TRY_ASSIGN(const std::uint64_t size, number(request, "sector_size"));
  const update::SectorParams* sector = update::find_sector(size);
  if (sector == nullptr) return bad_input(fmt::format("sector_size: no update has {} bytes", size));
  return sector;
}

Result<std::shared_ptr<const Statement>> read_update(const std::string& path, const Json& request) {
  CUZK_TRY_ASSIGN(const update::SectorParams* const sector, update_sector_of(request));
  update::Statement commitments;
  CUZK_TRY_ASSIGN(commitments.comm_r_old, bytes32(request, "comm_r_old"));
  CUZK_TRY_ASSIGN(commitments.comm_r_new, bytes32(request, "comm_r_new"));
  CUZK_TRY_ASSIGN(commitments.comm_d_new, bytes32(request, "comm_d_new"));
  using Proofs = std::vector<std::vector<std::uint8_t>>;
  CUZK_TRY_ASSIGN(const Proofs proofs, vanilla_list(path, request, "partitions", sector->partitions()));
  return update_statement(*sector, commitments, proofs);
}

/// The kind that the file's members say.
Result<ProofKind> kind_of(const Json& request) {
  if (!request.contains("kind")) {
    if (request.contains("comm_r_new")) return ProofKind::snap_deals_update;
    return bad_input("kind: missing (\"Winning\" or \"Window\"; a SnapDeals request has comm_r_new instead)");
  }
  if (request["kind"] == "Winning") return ProofKind::winning_post;
  if (request["kind"] == "Window") return ProofKind::window_post_partition;
  return bad_input("kind: " + shown(request["kind"]) + " is neither \"Winning\" nor \"Window\"");
}

Result<std::shared_ptr<const Statement>> read_object(const std::string& path, const Json& request,
                                                     std::optional<ProofKind> wanted) {
  if (!request.is_object()) return bad_input("not a JSON object");
  CUZK_TRY_ASSIGN(const ProofKind kind, kind_of(request));
  if (wanted && *wanted != kind)
    return bad_input(
        fmt::format("a request for {}, where {} was asked for", to_string(kind), to_string(*wanted)));
  if (kind == ProofKind::snap_deals_update) return read_update(path, request);
  return read_post(path, request, kind == ProofKind::winning_post ? post::Kind::winning : post::Kind::window);
}

}  // namespace

Result<std::shared_ptr<const Statement>> read_request_file(const std::string& path,
                                                           std::optional<ProofKind> kind) {
  CUZK_TRY_ASSIGN(const Json request, read_json(path));
  Result<std::shared_ptr<const Statement>> statement = read_object(path, request, kind);
  if (!statement) return statement.error().within("'" + path + "'");
  return statement;
}

}  // namespace cuzk::app
