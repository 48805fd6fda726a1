#pragma once

#include <memory>

#include "cuzk/engine/circuit_source.h"

namespace cuzk::engine {

/// Of a key that is loaded: it, with the pairing constants of its verifying key.
std::shared_ptr<const CircuitKey> circuit_key(std::shared_ptr<const groth16::ProvingKey> key);

}  // namespace cuzk::engine
