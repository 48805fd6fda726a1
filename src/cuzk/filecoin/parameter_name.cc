#include "cuzk/filecoin/parameter_name.h"

#include "cuzk/base/hex.h"
#include "cuzk/hash/sha256.h"

namespace cuzk {

std::string tree_display_name(const TreeShape& shape) {
  return "merkletree-poseidon_hasher-" + std::to_string(shape.base_arity) + "-" +
         std::to_string(shape.sub_arity) + "-" + std::to_string(shape.top_arity);
}

std::string parameter_stem(std::string_view prefix, std::string_view identifier) {
  return "v28-" + std::string(prefix) + "-" + to_hex(sha256(byte_span(identifier)));
}

}  // namespace cuzk
