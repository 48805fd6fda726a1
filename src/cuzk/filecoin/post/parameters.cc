#include "cuzk/filecoin/post/parameters.h"

#include "cuzk/filecoin/parameter_name.h"

namespace cuzk::post {

std::string parameter_identifier(const PostParams& params) {
  return "FallbackPoSt::PublicParams{sector_size: " + std::to_string(params.size->bytes) +
         ", challenge_count: " + std::to_string(params.challenge_count) +
         ", sector_count: " + std::to_string(params.sector_count) + "}";
}

std::string parameter_stem(const PostParams& params) {
  return cuzk::parameter_stem("proof-of-spacetime-fallback-" + tree_display_name(params.size->tree),
                              parameter_identifier(params));
}

}  // namespace cuzk::post
