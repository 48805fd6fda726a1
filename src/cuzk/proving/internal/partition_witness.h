#pragma once

#include <algorithm>
#include <stop_token>
#include <string>
#include <utility>

#include "cuzk/proving/internal/head_and_parts.h"
#include "cuzk/proving/statement.h"

namespace cuzk::detail {

inline Error no_partition(unsigned k) {
  return bad_input("partition " + std::to_string(k) + ": there is no such partition");
}

/// A witness with the public inputs that the statement has for it. The two are computed in different ways; a
/// difference would only show as a proof that does not verify, so it is named here, by `contradiction`.
inline Result<PartitionWitness> checked_partition(Witness witness, unsigned k, std::vector<Fr> inputs,
                                                  const char* contradiction) {
  if (!std::equal(inputs.begin(), inputs.end(), witness.inputs.begin() + 1, witness.inputs.end()))
    return bad_input("partition " + std::to_string(k) + ": " + contradiction);
  return PartitionWitness{std::make_shared<const Witness>(std::move(witness)), std::move(inputs)};
}

/// checked_partition of what a circuit in `count` parts (head_and_parts.h) makes, or kStopped.
template <class Head, class Part>
Result<PartitionWitness> run_circuit(ThreadPool& pool, const Shape& shape, const std::stop_token& stop,
                                     unsigned k, std::vector<Fr> inputs, const char* contradiction,
                                     std::size_t count, const Head& head, const Part& part) {
  std::optional<Witness> witness = build_in_parts(pool, stop, shape, count, head, part);
  if (!witness) return Error{ErrorCode::kStopped, "partition " + std::to_string(k) + ": stopped on request"};
  return checked_partition(*std::move(witness), k, std::move(inputs), contradiction);
}

}  // namespace cuzk::detail
