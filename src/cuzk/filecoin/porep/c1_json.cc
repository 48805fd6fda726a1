#include <algorithm>
#include <utility>

#include "cuzk/base/hex.h"
#include "cuzk/field/fr.h"
#include "cuzk/filecoin/json_scanner.h"
#include "cuzk/filecoin/porep/c1.h"

namespace cuzk::porep {
namespace detail {

Result<void> check_c1(const C1Output& c1) {
  const std::size_t partitions = c1.vanilla.partitions();
  if (partitions != c1.config.partitions())
    return bad_input("vanilla_proofs: " + std::to_string(partitions) + " partitions, expected " +
                     std::to_string(c1.config.partitions()) + " for a sector of " +
                     std::string(c1.config.sector->name));
  const std::pair<const Bytes32*, const char*> scalars[] = {
      {&c1.comm_r, "comm_r"}, {&c1.comm_d, "comm_d"}, {&c1.replica_id, "replica_id"}};
  for (const auto& [value, name] : scalars)
    if (!is_canonical_fr(*value))
      return bad_input(std::string(name) + ": not a canonical scalar (r or more)");
  const std::pair<const Bytes32*, const char*> non_zero[] = {
      {&c1.comm_r, "comm_r"}, {&c1.comm_d, "comm_d"}, {&c1.seed, "seed"}};
  for (const auto& [value, name] : non_zero)
    if (*value == Bytes32{}) return bad_input(std::string(name) + ": all zero");
  return {};
}

}  // namespace detail

namespace {

using Names = std::span<const std::string_view>;
constexpr std::uint32_t all_of(std::size_t count) {
  return (std::uint32_t{1} << count) - 1;
}

/// The grammar of porep 9.1, reading into a VanillaProof.
class C1Reader {
 public:
  explicit C1Reader(JsonScanner& json) : json_(json) {}

  /// `vanilla_proofs`. The member's name gives the sector size before its content is read.
  bool read_vanilla_proofs(std::optional<VanillaProof>& out) {
    std::array<std::string_view, 5> keys;
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = registered_seal_proofs()[i].name;
    if (!json_.read_object(keys, 0, [&](std::size_t i) {
          if (out) return json_.fail("a second sector size");
          out.emplace(*registered_seal_proofs()[i].sector);
          return read_partitions(*out);
        }))
      return false;
    return out.has_value() || json_.fail("no member with the V1 name of a sector size");
  }

 private:
  bool read_partitions(VanillaProof& proof) {
    sector_ = &proof.sector();
    return json_.read_array([&](std::size_t k) {
      if (k == sector_->non_interactive_partitions) return json_.fail("more partitions than any type has");
      if (k == 0) proof.reserve(std::size_t{sector_->partitions} * sector_->challenges);
      return json_.read_array(sector_->challenges,
                              [&](std::size_t) { return read_challenge(proof.append()); });
    });
  }

  bool read_challenge(const MutableChallengeProof& proof) {
    static constexpr std::string_view kNames[] = {
        "comm_d_proofs", "comm_r_last_proof", "replica_column_proofs", "labeling_proofs", "encoding_proof"};
    return json_.read_object(kNames, all_of(5), [&](std::size_t i) {
      switch (i) {
        case 0:
          return read_merkle(proof.tree_d());
        case 1:
          return read_merkle(proof.tree_r());
        case 2:
          return read_columns(proof);
        case 3:
          return json_.read_array(sector_->layers,
                                  [&](std::size_t layer) { return read_labeling(proof.labeling(layer)); });
        default:
          return read_labeling(proof.encoding());
      }
    });
  }

  bool read_columns(const MutableChallengeProof& proof) {
    static constexpr std::string_view kNames[] = {"c_x", "drg_parents", "exp_parents"};
    return json_.read_object(kNames, all_of(3), [&](std::size_t i) {
      switch (i) {
        case 0:
          return read_column(proof.own_column());
        case 1:
          return json_.read_array(kDrgParents,
                                  [&](std::size_t p) { return read_column(proof.drg_parent(p)); });
        default:
          return json_.read_array(kExpanderParents,
                                  [&](std::size_t p) { return read_column(proof.expander_parent(p)); });
      }
    });
  }

  bool read_column(const MutableColumnProof& proof) {
    static constexpr std::string_view kNames[] = {"column", "inclusion_proof"};
    static constexpr std::string_view kColumn[] = {"index", "rows", "_h"};
    return json_.read_object(kNames, all_of(2), [&](std::size_t i) {
      if (i == 1) return read_merkle(proof.inclusion);
      return json_.read_object(kColumn, all_of(2), [&](std::size_t j) {
        if (j == 0) return json_.read_unsigned(proof.index, 0xffffffff);
        if (j == 1) return read_nodes(proof.rows);
        return json_.read_null();  // a type marker of the reference; may be missing
      });
    });
  }

  bool read_labeling(const MutableLabelingProof& proof) {
    static constexpr std::string_view kNames[] = {"parents", "layer_index", "node"};
    return json_.read_object(kNames, all_of(3), [&](std::size_t i) {
      if (i == 0) return read_nodes(proof.parents);
      if (i == 1) return json_.read_unsigned(proof.layer_index, 0xffffffff);
      return json_.read_unsigned(proof.node);
    });
  }

  bool read_merkle(const MutableMerkleProof& proof) {
    static constexpr std::string_view kData[] = {"data"};
    static constexpr std::string_view kVariants[] = {"Single", "Sub", "Top"};
    const std::size_t expected = proof.shape.sub_arity == 0 ? 0 : proof.shape.top_arity == 0 ? 1 : 2;
    return json_.read_object(kData, 1, [&](std::size_t) {
      return json_.read_object(kVariants, std::uint32_t{1} << expected, [&](std::size_t variant) {
        if (variant != expected)
          return json_.fail("a sector of " + std::string(sector_->name) + " has '" +
                            std::string(kVariants[expected]) + "' here");
        return variant == 0 ? read_single(proof) : read_joined(proof);
      });
    });
  }

  bool read_single(const MutableMerkleProof& proof) {
    static constexpr std::string_view kNames[] = {"root", "leaf", "path"};
    return json_.read_object(kNames, all_of(3), [&](std::size_t i) {
      if (i == 0) return read_node(proof.root);
      if (i == 1) return read_node(proof.leaf);
      return read_path(proof, 0, proof.shape.base_levels);
    });
  }

  // Sub and Top: base tree, then one level of the sub tree, then (Top) one of the top tree.
  bool read_joined(const MutableMerkleProof& proof) {
    static constexpr std::string_view kNames[] = {"base_proof", "sub_proof", "top_proof", "root", "leaf"};
    const unsigned base = proof.shape.base_levels;
    const bool top = proof.shape.top_arity != 0;
    return json_.read_object(kNames, top ? all_of(5) : all_of(5) & ~4U, [&](std::size_t i) {
      switch (i) {
        case 0:
          return read_path(proof, 0, base);
        case 1:
          return read_path(proof, base, 1);
        case 2:
          return top ? read_path(proof, base + 1, 1) : json_.skip_value();
        case 3:
          return read_node(proof.root);
        default:
          return read_node(proof.leaf);
      }
    });
  }

  bool read_path(const MutableMerkleProof& proof, unsigned first, unsigned count) {
    static constexpr std::string_view kNames[] = {"path"};
    static constexpr std::string_view kElement[] = {"hashes", "index"};
    return json_.read_object(kNames, 1, [&](std::size_t) {
      return json_.read_array(count, [&](std::size_t i) {
        const unsigned level = first + static_cast<unsigned>(i);
        const unsigned arity = proof.shape.arity(level);
        return json_.read_object(kElement, all_of(2), [&](std::size_t j) {
          if (j == 0) return read_nodes(proof.siblings_at(level));
          if (!json_.read_unsigned(proof.indices[level])) return false;
          return proof.indices[level] < arity || json_.fail("index " + std::to_string(proof.indices[level]) +
                                                            " in a level of arity " + std::to_string(arity));
        });
      });
    });
  }

  bool read_nodes(std::span<Bytes32> nodes) {
    return json_.read_array(nodes.size(), [&](std::size_t i) { return read_node(nodes[i]); });
  }

  bool read_node(Bytes32& node) {
    return json_.read_bytes32(node) &&
           (is_canonical_fr(node) || json_.fail("not a canonical scalar (r or more)"));
  }

  JsonScanner& json_;
  const SectorParams* sector_ = nullptr;
};

/// The members of a phase-1 output as they are found, in any order.
struct Members {
  static constexpr std::string_view kNames[] = {"registered_proof", "vanilla_proofs", "comm_r", "comm_d",
                                                "replica_id",       "seed",           "ticket"};
  static constexpr std::size_t kCount = std::size(kNames);

  const RegisteredSealProof* registered = nullptr;
  std::optional<VanillaProof> vanilla;
  Bytes32 comm_r{};
  Bytes32 comm_d{};
  Bytes32 replica_id{};
  Bytes32 seed{};
  Bytes32 ticket{};

  bool read(JsonScanner& json, std::size_t i) {
    switch (i) {
      case 0: {
        std::string name;
        if (!json.read_string(name)) return false;
        registered = find_seal_proof(name);
        return registered != nullptr || json.fail("unknown type '" + name.substr(0, 80) + "'");
      }
      case 1:
        return C1Reader(json).read_vanilla_proofs(vanilla);
      case 2:
        return json.read_bytes32(comm_r);
      case 3:
        return json.read_bytes32(comm_d);
      case 4:
        return json.read_bytes32(replica_id);
      case 5:
        return json.read_bytes32(seed);
      default:
        return json.read_bytes32(ticket);
    }
  }

  Result<C1Output> finish() && {
    if (registered->sector != &vanilla->sector())
      return bad_input("vanilla_proofs: a proof of a sector of " + std::string(vanilla->sector().name) +
                       ", but registered_proof is " + std::string(registered->name));
    C1Output c1(porep_config(*registered));
    c1.vanilla = std::move(*vanilla);
    c1.comm_r = comm_r;
    c1.comm_d = comm_d;
    c1.replica_id = replica_id;
    c1.seed = seed;
    c1.ticket = ticket;
    CUZK_TRY(detail::check_c1(c1));
    return c1;
  }
};

Result<C1Output> parse_inside_wrapper(std::string_view base64) {
  JsonScanner json{Base64Reader(base64)};
  Members members;
  if (!json.read_object(Members::kNames, all_of(Members::kCount),
                        [&](std::size_t i) { return members.read(json, i); }) ||
      !json.read_end())
    return json.error().within("Phase1Out");
  auto c1 = std::move(members).finish();
  if (!c1) return c1.error().within("Phase1Out");
  return c1;
}

}  // namespace

Result<C1Document> parse_c1_json(ByteSpan text) {
  // The names of both forms; which one it is shows by what is there.
  static constexpr std::size_t kWrapper = Members::kCount;
  static constexpr auto kNames = [] {
    std::array<std::string_view, kWrapper + 3> names{};
    std::copy(std::begin(Members::kNames), std::end(Members::kNames), names.begin());
    names[kWrapper] = "SectorNum";
    names[kWrapper + 1] = "Phase1Out";
    names[kWrapper + 2] = "SectorSize";
    return names;
  }();
  JsonScanner json(text);
  Members members;
  C1Wrapper wrapper;
  std::optional<C1Output> wrapped;
  std::optional<Error> wrapped_error;
  std::uint32_t seen = 0;
  const bool read = json.read_object(kNames, 0, [&](std::size_t i) {
    seen |= std::uint32_t{1} << i;
    if (i < kWrapper) return members.read(json, i);
    if (i == kWrapper) return json.read_unsigned(wrapper.sector_number);
    if (i == kWrapper + 2) return json.read_unsigned(wrapper.sector_size);
    std::string_view base64;
    std::string unescaped;
    if (!json.read_base64_string(base64, unescaped)) return false;
    auto c1 = parse_inside_wrapper(base64);
    if (!c1) {
      wrapped_error = c1.error();
      return false;
    }
    wrapped = std::move(c1).value();
    return true;
  });
  if (wrapped_error) return *wrapped_error;
  if (!read || !json.read_end()) return json.error();

  const std::uint32_t plain = seen & all_of(kWrapper);
  const std::uint32_t outer = seen >> kWrapper;
  if (plain != 0 && outer != 0)
    return bad_input(
        "members of a phase-1 output and of the wrapper {SectorNum, Phase1Out, SectorSize} are mixed");
  const std::uint32_t missing = outer != 0 ? (all_of(3) & ~outer) << kWrapper : all_of(kWrapper) & ~plain;
  if (missing != 0)
    return bad_input(std::string(kNames[static_cast<std::size_t>(std::countr_zero(missing))]) +
                     ": the member is missing");
  if (outer == 0) {
    CUZK_TRY_ASSIGN(C1Output c1, std::move(members).finish());
    return C1Document{std::move(c1), std::nullopt};
  }
  if (wrapper.sector_size != wrapped->config.sector->bytes)
    return bad_input("SectorSize: " + std::to_string(wrapper.sector_size) +
                     ", but Phase1Out is of a sector of " + std::to_string(wrapped->config.sector->bytes) +
                     " bytes");
  return C1Document{std::move(*wrapped), wrapper};
}

Result<PorepConfig> parse_porep_side_json(ByteSpan text) {
  static constexpr std::string_view kNames[] = {"sector_size", "porep_id", "api_version"};
  JsonScanner json(text);
  PorepConfig config;
  if (!json.read_object(kNames, all_of(3),
                        [&](std::size_t i) {
                          std::uint64_t size = 0;
                          std::string value;
                          if (i == 0) {
                            if (!json.read_unsigned(size)) return false;
                            config.sector = find_sector(size);
                            return config.sector != nullptr ||
                                   json.fail("no sector has " + std::to_string(size) + " bytes");
                          }
                          if (!json.read_string(value)) return false;
                          if (i == 1) {
                            const auto id = bytes32_from_hex(value);
                            if (!id) return json.fail(id.error().message);
                            config.porep_id = *id;
                            return true;
                          }
                          const auto version = api_version_from_string(value);
                          if (!version) return json.fail(version.error().message);
                          config.version = *version;
                          return true;
                        }) ||
      !json.read_end())
    return json.error();
  // A registered number makes it that type; its size and version must then agree.
  const RegisteredSealProof* registered = find_seal_proof(load_le<std::uint64_t>(config.porep_id.data()));
  if (registered != nullptr && porep_id_of(registered->number) == config.porep_id) {
    if (registered->sector != config.sector)
      return bad_input("sector_size: porep_id is that of " + std::string(registered->name));
    if (registered->version != config.version)
      return bad_input("api_version: porep_id is that of " + std::string(registered->name));
    config = porep_config(*registered);
  }
  return config;
}

}  // namespace cuzk::porep
