#pragma once

#include <cstddef>
#include <stop_token>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/filecoin/post/partition.h"
#include "cuzk/r1cs/witness.h"

namespace cuzk::post {

/// How many threads build_witness has work for: groups of slots that are made side by side.
std::size_t witness_parts(const Partition& partition);

/// The witness of a partition's circuit: the same as synthesize() into a WitnessBuilder. Slots have no
/// variable in common and are of constant size, so they are made side by side, each straight into its place;
/// slots behind the last sector are copied. Memory: the witness and some 100 KB a thread.
///
/// kBadInput when a value is no canonical scalar. A stop that is asked for is answered within a second with
/// kStopped. `partition` is one that read_partition returned (or made the same way).
Result<Witness> build_witness(ThreadPool& pool, const Partition& partition, std::stop_token stop = {});

}  // namespace cuzk::post
