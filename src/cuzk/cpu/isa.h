#pragma once

#include <optional>
#include <string_view>

namespace cuzk {

/// Instruction sets that the batch kernels exist for: plain C++; mulx, adcx and adox; AVX-512 IFMA, eight
/// elements at a time. Results do not depend on it, not by a bit.
///
/// The program chooses one when it makes a ThreadPool, which carries it to everything that is computed on the
/// pool. (Products of single elements use mulx where the processor has it, whatever is chosen.)
enum class Isa { portable, adx, ifma };

/// Whether this build holds the kernels and this processor can run them. `portable` always is.
bool isa_supported(Isa isa);
/// The supported one that does the most products a second.
Isa best_isa();
/// "portable", "adx", "ifma".
const char* isa_name(Isa isa);
/// The instruction set of that name, supported or not.
std::optional<Isa> isa_from_name(std::string_view name);

}  // namespace cuzk
