#include "cuzk/filecoin/porep/fabricate.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "cuzk/filecoin/merkle/node_hash.h"
#include "cuzk/filecoin/merkle/sparse_tree.h"
#include "cuzk/filecoin/porep/labels.h"
#include "cuzk/filecoin/porep/replica_id.h"
#include "cuzk/hash/poseidon.h"
#include "cuzk/hash/sha256.h"

namespace cuzk::porep {
namespace {

constexpr std::uint64_t kDataPeriod = 8;
constexpr std::uint64_t kMaxSealedNodes = std::uint64_t{1} << 18;

Bytes32 filler(std::string_view tag, std::uint64_t a, std::uint64_t b) {
  const std::array<std::uint64_t, 2> numbers{a, b};
  return porep::filler(tag, numbers);
}

/// Tree D over data of period 8: level h has max(1, 8 >> h) different nodes.
class PeriodicTreeD {
 public:
  explicit PeriodicTreeD(unsigned levels) {
    nodes_.resize(levels + 1);
    for (std::uint64_t v = 0; v < kDataPeriod; ++v) {
      const std::array<std::uint64_t, 1> number{v};
      nodes_[0].push_back(porep::filler("data", number));
    }
    for (unsigned level = 1; level <= levels; ++level) {
      const std::vector<Bytes32>& below = nodes_[level - 1];
      const std::size_t count = std::max<std::size_t>(1, below.size() / 2);
      for (std::size_t i = 0; i < count; ++i)
        nodes_[level].push_back(tree_d_node(below[2 * i % below.size()], below[(2 * i + 1) % below.size()]));
    }
  }
  [[nodiscard]] const Bytes32& node(unsigned level, std::uint64_t index) const {
    return nodes_[level][index % nodes_[level].size()];
  }
  [[nodiscard]] const Bytes32& root() const { return nodes_.back()[0]; }

 private:
  std::vector<std::vector<Bytes32>> nodes_;
};

using Column = std::array<Bytes32, kMaxLayers>;

/// Columns of the nodes that matter; a column is a function of its node.
using Columns = std::unordered_map<Node, Column>;

/// Everything of a sector that its proofs are cut from.
struct SectorParts {
  const PeriodicTreeD& tree_d;
  const Columns& columns;
  const SparseTree& tree_c;
  const SparseTree& tree_r;
};

/// The nodes of tree C or R that no challenge determines.
SparseTree::Filler tree_filler(std::string_view tag) {
  return [tag](unsigned height, std::uint64_t position) { return filler(tag, height, position); };
}

/// Leaves of tree C for all columns, in ascending order of nodes.
std::vector<SparseTree::Leaf> column_leaves(ThreadPool& pool, const SectorParams& sector,
                                            const Columns& columns) {
  std::vector<SparseTree::Leaf> leaves;
  for (const auto& [node, column] : columns) leaves.push_back({node, {}});
  std::sort(leaves.begin(), leaves.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
  pool.parallel_for(leaves.size(), 8, [&](std::size_t begin, std::size_t end) {
    std::vector<Fr> rows;
    for (std::size_t i = begin; i < end; ++i) {
      const Column& column = columns.at(static_cast<Node>(leaves[i].index));
      for (const Bytes32& row : std::span(column).first(sector.layers)) rows.push_back(node_scalar(row));
    }
    std::vector<Fr> hashes(end - begin);
    poseidon_hash_batch(poseidon_constants(sector.layers), rows, hashes, pool.isa());
    for (std::size_t i = begin; i < end; ++i) leaves[i].value = hashes[i - begin].to_bytes_le();
  });
  return leaves;
}

void fill_labeling(const MutableLabelingProof& proof, std::span<const Bytes32> parents, unsigned layer,
                   Node node) {
  for (std::size_t slot = 0; slot < kLabelSlots; ++slot) proof.parents[slot] = parents[slot % parents.size()];
  proof.layer_index = layer;
  proof.node = node;
}

void fill_column(const MutableColumnProof& proof, const SectorParts& parts, Node node) {
  const Column& column = parts.columns.at(node);
  std::copy_n(column.begin(), proof.rows.size(), proof.rows.begin());
  proof.index = node;
  parts.tree_c.fill_proof(node, proof.inclusion);
}

void fill_challenge(const MutableChallengeProof& proof, const SectorParams& sector, const Graph& graph,
                    const SectorParts& parts, Node node) {
  const MutableMerkleProof data = proof.tree_d();
  data.root = parts.tree_d.root();
  data.leaf = parts.tree_d.node(0, node);
  for (unsigned level = 0; level < sector.tree_d_levels(); ++level) {
    const std::uint64_t index = std::uint64_t{node} >> level;
    data.siblings[level] = parts.tree_d.node(level, index ^ 1);
    data.indices[level] = index & 1;
  }
  parts.tree_r.fill_proof(node, proof.tree_r());
  fill_column(proof.own_column(), parts, node);
  const auto graph_parents = graph.parents(node);
  for (std::size_t i = 0; i < kParents; ++i) fill_column(proof.column(1 + i), parts, graph_parents[i]);

  std::array<Bytes32, kParents> labels;
  for (unsigned layer = 1; layer <= sector.layers; ++layer) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < kDrgParents; ++i)
      labels[count++] = parts.columns.at(graph_parents[i])[layer - 1];
    if (layer > 1)
      for (std::size_t i = kDrgParents; i < kParents; ++i)
        labels[count++] = parts.columns.at(graph_parents[i])[layer - 2];
    fill_labeling(proof.labeling(layer - 1), std::span(labels).first(count), layer, node);
  }
  fill_labeling(proof.encoding(), labels, sector.layers, node);
}

C1Output begin_output(const PorepConfig& config, const SectorIdentity& identity, const Bytes32& comm_d) {
  C1Output c1(config);
  c1.comm_d = comm_d;
  c1.ticket = identity.ticket;
  c1.seed = identity.seed;
  c1.replica_id =
      replica_id(prover_id(identity.miner), identity.sector_number, identity.ticket, comm_d, config.porep_id);
  return c1;
}

/// Builds both trees from the columns and writes the proofs of all challenges, once comm_r (which it sets) is
/// known.
void finish_output(ThreadPool& pool, C1Output& c1, const Graph& graph, const PeriodicTreeD& tree_d,
                   const Columns& columns, const std::vector<Node>& replica_nodes) {
  const SectorParams& sector = *c1.config.sector;
  const SparseTree tree_c(pool, sector.tree, tree_filler("C"), column_leaves(pool, sector, columns));
  std::vector<SparseTree::Leaf> replica;
  for (const Node node : replica_nodes)
    replica.push_back({node, encode(columns.at(node)[sector.layers - 1], tree_d.node(0, node))});
  const SparseTree tree_r(pool, sector.tree, tree_filler("R"), std::move(replica));
  c1.comm_r = replica_commitment(node_scalar(tree_c.root()), node_scalar(tree_r.root())).to_bytes_le();

  const unsigned partitions = c1.config.partitions();
  c1.vanilla.reserve(std::size_t{partitions} * sector.challenges);
  const SectorParts parts{tree_d, columns, tree_c, tree_r};
  for (unsigned k = 0; k < partitions; ++k)
    for (const Node node : derive_challenges(c1.config, c1.statement().challenge_inputs(), k))
      fill_challenge(c1.vanilla.append(), sector, graph, parts, node);
}

}  // namespace

SectorIdentity SectorIdentity::reference() {
  SectorIdentity identity;
  identity.ticket.fill(1);
  identity.seed.fill(2);
  return identity;
}

Bytes32 filler(std::string_view tag, std::span<const std::uint64_t> numbers) {
  Sha256 hash;
  hash.update(byte_span(tag));
  for (const std::uint64_t number : numbers) {
    std::array<std::uint8_t, 8> bytes;
    store_le(bytes.data(), number);
    hash.update(bytes);
  }
  return truncate_to_254_bits(hash.finish());
}

Result<C1Output> fabricate_sector(ThreadPool& pool, const PorepConfig& config,
                                  const SectorIdentity& identity) {
  if (config.feature != Feature::none)
    return usage_error(
        "a sector of a synthetic or non-interactive type cannot be fabricated: its "
        "challenges depend on comm_r");
  if (identity.seed == Bytes32{}) return usage_error("the seed must not be all zero");
  const SectorParams& sector = *config.sector;
  const Graph graph(config);
  const PeriodicTreeD tree_d(sector.tree_d_levels());
  C1Output c1 = begin_output(config, identity, tree_d.root());

  std::vector<Node> challenged;
  for (unsigned k = 0; k < config.partitions(); ++k)
    for (const Node node : derive_challenges(config, c1.statement().challenge_inputs(), k))
      challenged.push_back(node);
  std::sort(challenged.begin(), challenged.end());
  challenged.erase(std::unique(challenged.begin(), challenged.end()), challenged.end());

  // Free nodes first, then the challenged ones layer by layer in ascending order: a DRG parent is smaller, an
  // expander parent is of the layer before, so whatever is read is there already.
  Columns columns;
  for (const Node node : challenged)
    for (const Node parent : graph.parents(node)) {
      const auto [place, fresh] = columns.try_emplace(parent);
      if (fresh)
        for (unsigned l = 0; l < sector.layers; ++l) place->second[l] = filler("row", parent, l);
    }
  for (const Node node : challenged) columns[node] = Column{};
  for (unsigned layer = 1; layer <= sector.layers; ++layer)
    for (const Node node : challenged) {
      std::array<Bytes32, kParents> parents;
      std::size_t count = 0;
      for (const Node p : graph.drg_parents(node)) parents[count++] = columns.at(p)[layer - 1];
      if (layer > 1)
        for (const Node p : graph.expander_parents(node)) parents[count++] = columns.at(p)[layer - 2];
      columns.at(node)[layer - 1] = create_label(c1.replica_id, layer, node, std::span(parents).first(count));
    }
  finish_output(pool, c1, graph, tree_d, columns, challenged);
  return c1;
}

Result<C1Output> seal_small_sector(ThreadPool& pool, const PorepConfig& config,
                                   const SectorIdentity& identity) {
  const SectorParams& sector = *config.sector;
  if (sector.nodes() > kMaxSealedNodes)
    return usage_error("only sectors of up to 8 MiB can be sealed here, not " + std::string(sector.name));
  if (identity.seed == Bytes32{}) return usage_error("the seed must not be all zero");
  const Graph graph(config);
  const PeriodicTreeD tree_d(sector.tree_d_levels());
  C1Output c1 = begin_output(config, identity, tree_d.root());
  const auto labels = label_all_nodes(graph, c1.replica_id, sector.layers);
  Columns columns;
  std::vector<Node> all;
  for (Node node = 0; node < sector.nodes(); ++node) {
    Column& column = columns[node];
    for (unsigned l = 0; l < sector.layers; ++l) column[l] = labels[l][node];
    all.push_back(node);
  }
  finish_output(pool, c1, graph, tree_d, columns, all);
  return c1;
}

Result<PorepConfig> unregistered_config(std::uint64_t sector_size, std::uint64_t number) {
  PorepConfig config;
  config.sector = find_sector(sector_size);
  if (config.sector == nullptr) return usage_error("no sector has " + std::to_string(sector_size) + " bytes");
  if (find_seal_proof(number) != nullptr)
    return usage_error("number " + std::to_string(number) + " is a registered type");
  config.porep_id = porep_id_of(number);
  config.version = ApiVersion::v1_1_0;
  return config;
}

}  // namespace cuzk::porep
