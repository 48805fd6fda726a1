#include "cuzk/filecoin/post/vanilla_proof.h"

#include "cuzk/filecoin/merkle/merkle_bincode.h"

namespace cuzk::post {

std::size_t sector_proof_bytes(const PostParams& params) {
  // Id; three commitments; the count of sector proofs (always 1) and that of inclusion proofs.
  return 8 + std::size_t{3} * 32 + 16 + params.proofs_per_sector() * merkle_proof_bytes(params.size->tree);
}

Result<SectorProof> read_sector_proof(ByteSpan bytes, const PostParams& params) {
  SectorProof out(params);
  BincodeReader in(bytes);
  const auto read_commitment = [&](std::string_view name, Bytes32& value) {
    return in.read_field(name, [&] { return in.read_node(value); });
  };
  // Nothing is allocated for proofs that the data cannot hold: append() follows the reading.
  const auto read_sector = [&] {
    return in.read_list("inclusion_proofs", params.proofs_per_sector(),
                        [&](std::uint64_t) { return read_merkle_proof(in, out.inclusion.append()); }) &&
           read_commitment("comm_c", out.comm_c) && read_commitment("comm_r_last", out.comm_r_last);
  };
  if (in.read_field("sector_id", [&] { return in.read_u64(out.sector_id); }) &&
      read_commitment("comm_r", out.comm_r) &&
      in.read_list("sectors", 1, [&](std::uint64_t) { return read_sector(); }) &&
      in.read_end("vanilla proof of a sector"))
    return out;
  return in.error();
}

std::vector<std::uint8_t> write_sector_proof(const SectorProof& proof) {
  std::vector<std::uint8_t> out;
  BincodeWriter writer(out);
  writer.write_u64(proof.sector_id);
  writer.write_bytes32(proof.comm_r);
  writer.write_u64(1);
  writer.write_u64(proof.inclusion.size());
  for (std::size_t i = 0; i < proof.inclusion.size(); ++i) write_merkle_proof(writer, proof.inclusion[i]);
  writer.write_bytes32(proof.comm_c);
  writer.write_bytes32(proof.comm_r_last);
  return out;
}

}  // namespace cuzk::post
