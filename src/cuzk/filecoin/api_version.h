#pragma once

#include <string_view>

#include "cuzk/base/result.h"

namespace cuzk {

/// Selects the rules of PoRep's graph and of PoSt's challenges.
enum class ApiVersion { v1_0_0, v1_1_0, v1_2_0 };
std::string_view to_string(ApiVersion version);
Result<ApiVersion> api_version_from_string(std::string_view text);

}  // namespace cuzk
