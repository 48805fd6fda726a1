#include "cuzk/filecoin/api_version.h"

#include <string>

namespace cuzk {

std::string_view to_string(ApiVersion version) {
  switch (version) {
    case ApiVersion::v1_0_0:
      return "1.0.0";
    case ApiVersion::v1_1_0:
      return "1.1.0";
    case ApiVersion::v1_2_0:
      return "1.2.0";
  }
  return "";
}

Result<ApiVersion> api_version_from_string(std::string_view text) {
  for (const ApiVersion v : {ApiVersion::v1_0_0, ApiVersion::v1_1_0, ApiVersion::v1_2_0})
    if (text == to_string(v)) return v;
  return bad_input("unknown API version '" + std::string(text.substr(0, 40)) + "' (1.0.0, 1.1.0 or 1.2.0)");
}

}  // namespace cuzk
