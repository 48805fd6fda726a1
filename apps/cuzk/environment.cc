#include "environment.h"

#include <cstdlib>
#include <string>

namespace cuzk::app {

Result<Isa> isa_from_environment() {
  const char* const name = std::getenv("CUZK_ISA");
  if (name == nullptr || *name == '\0') return best_isa();
  const std::optional<Isa> isa = isa_from_name(name);
  if (!isa)
    return usage_error("CUZK_ISA: no instruction set \"" + std::string(name) +
                       "\"; there are portable, adx and ifma");
  if (!isa_supported(*isa))
    return usage_error("CUZK_ISA: this processor or this build does not have " + std::string(name));
  return *isa;
}

}  // namespace cuzk::app
