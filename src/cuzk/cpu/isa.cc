#include "cuzk/cpu/isa.h"

#include "cuzk/cpu/features.h"

namespace cuzk {

bool isa_supported(Isa isa) {
  if (isa == Isa::portable) return true;
#if defined(CUZK_HAVE_X86_KERNELS)
  return isa == Isa::adx ? cpu_features().adx : cpu_features().adx && cpu_features().avx512_ifma;
#else
  return false;
#endif
}

Isa best_isa() {
  if (isa_supported(Isa::ifma)) return Isa::ifma;
  return isa_supported(Isa::adx) ? Isa::adx : Isa::portable;
}

const char* isa_name(Isa isa) {
  switch (isa) {
    case Isa::adx:
      return "adx";
    case Isa::ifma:
      return "ifma";
    case Isa::portable:
      break;
  }
  return "portable";
}

std::optional<Isa> isa_from_name(std::string_view name) {
  for (const Isa isa : {Isa::portable, Isa::adx, Isa::ifma})
    if (name == isa_name(isa)) return isa;
  return std::nullopt;
}

}  // namespace cuzk
