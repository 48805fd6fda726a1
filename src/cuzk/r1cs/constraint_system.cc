#include "cuzk/r1cs/constraint_system.h"

namespace cuzk {

std::string path_text(std::span<const Name> steps) {
  std::string out;
  for (const Name& step : steps) {
    if (!out.empty()) out.push_back('/');
    out.append(step.prefix);
    if (step.index != Name::kNoIndex) out.append(std::to_string(step.index));
    out.append(step.suffix);
  }
  return out;
}

}  // namespace cuzk
