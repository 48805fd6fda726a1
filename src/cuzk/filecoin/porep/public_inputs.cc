#include "cuzk/filecoin/porep/public_inputs.h"

#include <string>

namespace cuzk::porep {

Result<std::vector<Fr>> public_inputs(const PorepConfig& config, const Graph& graph,
                                      const Statement& statement, unsigned partition) {
  std::vector<Fr> out;
  out.reserve(3 + std::size_t{18} * config.sector->challenges);
  const std::pair<const Bytes32*, const char*> values[] = {
      {&statement.replica_id, "replica_id"}, {&statement.comm_d, "comm_d"}, {&statement.comm_r, "comm_r"}};
  for (const auto& [bytes, name] : values) {
    const auto scalar = Fr::from_bytes_le(*bytes);
    if (!scalar) return bad_input(std::string(name) + " is not a canonical scalar");
    out.push_back(*scalar);
  }
  for (const Node challenge : derive_challenges(config, statement.challenge_inputs(), partition)) {
    const Fr node = Fr::from_u64(challenge);
    out.push_back(node);  // index of the tree D path
    for (const Node parent : graph.parents(challenge)) out.push_back(Fr::from_u64(parent));
    out.insert(out.end(), 3, node);  // challenge number, tree R index, own column's index
  }
  return out;
}

}  // namespace cuzk::porep
