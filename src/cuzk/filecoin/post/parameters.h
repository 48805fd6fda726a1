#pragma once

#include <string>

#include "cuzk/filecoin/post/config.h"

namespace cuzk::post {

/// Identifier string of the circuit; its hash names the parameter file. All API versions share one file.
std::string parameter_identifier(const PostParams& params);

/// "v28-proof-of-spacetime-fallback-...": append ".params" or ".vk".
std::string parameter_stem(const PostParams& params);

}  // namespace cuzk::post
