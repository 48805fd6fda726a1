#pragma once

#include <string>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/proving/request.h"

namespace cuzk::bench {

/// What a client sends to have a sector proved that does not exist, but whose vanilla proofs are valid: the
/// circuit of `circuit_id`, of a size that has registered types. A window has as many sectors as its circuit
/// holds. kUsage when there is none.
Result<ProofRequest> fabricated_request(ThreadPool& pool, const std::string& circuit_id);

}  // namespace cuzk::bench
