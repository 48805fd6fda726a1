#include "cuzk/filecoin/update/partition_proof.h"

#include "cuzk/filecoin/bincode.h"
#include "cuzk/filecoin/merkle/merkle_bincode.h"

namespace cuzk::update {
namespace {

MerkleProofs blank_proofs(const TreeShape& shape, std::size_t count) {
  MerkleProofs out(shape);
  out.reserve(count);
  for (std::size_t i = 0; i < count; ++i) out.append();
  return out;
}

bool read(BincodeReader& reader, PartitionProof& proof) {
  const auto merkle = [&](std::string_view name, const MutableMerkleProof& place) {
    return reader.read_field(name, [&] { return read_merkle_proof(reader, place); });
  };
  return reader.read_field("comm_c", [&] { return reader.read_node(proof.comm_c); }) &&
         reader.read_nodes("apex_leafs", proof.apex_leaves) &&
         reader.read_list("challenge_proofs", proof.sector->challenges(),
                          [&](std::uint64_t i) {
                            return merkle("proof_r_old", proof.r_old[i]) &&
                                   merkle("proof_d_new", proof.d_new[i]) &&
                                   merkle("proof_r_new", proof.r_new[i]);
                          }) &&
         reader.read_end("partition proof");
}

}  // namespace

PartitionProof::PartitionProof(const SectorParams& of)
    : sector(&of),
      apex_leaves(of.apex_leaves()),
      r_old(blank_proofs(of.tree, of.challenges())),
      d_new(blank_proofs(TreeShape::binary(of.tree_d_levels()), of.challenges())),
      r_new(blank_proofs(of.tree, of.challenges())) {}

std::size_t partition_proof_bytes(const SectorParams& sector) {
  const std::size_t challenge =
      2 * merkle_proof_bytes(sector.tree) + merkle_proof_bytes(TreeShape::binary(sector.tree_d_levels()));
  return 32 + 8 + 32 * std::size_t{sector.apex_leaves()} + 8 + sector.challenges() * challenge;
}

Result<PartitionProof> read_partition_proof(ByteSpan bytes, const SectorParams& sector) {
  PartitionProof proof(sector);
  BincodeReader reader(bytes);
  if (!read(reader, proof)) return reader.error();
  return proof;
}

std::vector<std::uint8_t> write_partition_proof(const PartitionProof& proof) {
  std::vector<std::uint8_t> out;
  out.reserve(partition_proof_bytes(*proof.sector));
  BincodeWriter writer(out);
  writer.write_bytes32(proof.comm_c);
  writer.write_nodes(proof.apex_leaves);
  writer.write_u64(proof.sector->challenges());
  for (std::size_t i = 0; i < proof.sector->challenges(); ++i) {
    write_merkle_proof(writer, proof.r_old[i]);
    write_merkle_proof(writer, proof.d_new[i]);
    write_merkle_proof(writer, proof.r_new[i]);
  }
  return out;
}

}  // namespace cuzk::update
