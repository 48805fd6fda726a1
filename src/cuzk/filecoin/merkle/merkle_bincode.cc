#include "cuzk/filecoin/merkle/merkle_bincode.h"

#include <string>

namespace cuzk {
namespace {

/// 0 "single", 1 "sub", 2 "top".
std::uint32_t variant_of(const TreeShape& shape) {
  return shape.sub_arity == 0 ? 0 : shape.top_arity == 0 ? 1 : 2;
}

bool read_path(BincodeReader& reader, std::string_view name, const MutableMerkleProof& proof, unsigned first,
               unsigned count) {
  return reader.read_list(name, count, [&](std::uint64_t i) {
    const unsigned level = first + static_cast<unsigned>(i);
    if (!reader.read_nodes("hashes", proof.siblings_at(level))) return false;
    return reader.read_field("index", [&] {
      std::uint64_t& index = proof.indices[level];
      const unsigned arity = proof.shape.arity(level);
      if (!reader.read_u64(index)) return false;
      return index < arity ||
             reader.fail("index " + std::to_string(index) + " in a level of arity " + std::to_string(arity),
                         sizeof index);
    });
  });
}

bool read_ends(BincodeReader& reader, const MutableMerkleProof& proof) {
  return reader.read_field("root", [&] { return reader.read_node(proof.root); }) &&
         reader.read_field("leaf", [&] { return reader.read_node(proof.leaf); });
}

void write_path(BincodeWriter& writer, const MerkleProof& proof, unsigned first, unsigned count) {
  writer.write_u64(count);
  for (unsigned level = first; level < first + count; ++level) {
    writer.write_nodes(proof.siblings_at(level));
    writer.write_u64(proof.indices[level]);
  }
}

void write_ends(BincodeWriter& writer, const MerkleProof& proof) {
  writer.write_bytes32(proof.root);
  writer.write_bytes32(proof.leaf);
}

}  // namespace

std::size_t merkle_proof_bytes(const TreeShape& shape) {
  // Variant; a count for each path; a count and a position for each level; root, leaf and siblings.
  return 4 + 8 * (std::size_t{1} + variant_of(shape)) + 16 * std::size_t{shape.levels()} +
         32 * (2 + std::size_t{shape.siblings()});
}

bool read_merkle_proof(BincodeReader& reader, const MutableMerkleProof& proof) {
  const unsigned base = proof.shape.base_levels;
  const std::uint32_t expected = variant_of(proof.shape);
  std::uint32_t variant = 0;
  if (!reader.read_u32(variant)) return false;
  if (variant != expected)
    return reader.fail(
        "variant " + std::to_string(variant) + " of a Merkle proof, expected " + std::to_string(expected),
        sizeof variant);
  if (variant == 0) return read_ends(reader, proof) && read_path(reader, "path", proof, 0, base);
  return read_path(reader, "base_proof", proof, 0, base) && read_path(reader, "sub_proof", proof, base, 1) &&
         (variant == 1 || read_path(reader, "top_proof", proof, base + 1, 1)) && read_ends(reader, proof);
}

void write_merkle_proof(BincodeWriter& writer, const MerkleProof& proof) {
  const unsigned base = proof.shape.base_levels;
  const std::uint32_t variant = variant_of(proof.shape);
  writer.write_u32(variant);
  if (variant == 0) write_ends(writer, proof);
  write_path(writer, proof, 0, base);
  if (variant >= 1) write_path(writer, proof, base, 1);
  if (variant == 2) write_path(writer, proof, base + 1, 1);
  if (variant != 0) write_ends(writer, proof);
}

}  // namespace cuzk
