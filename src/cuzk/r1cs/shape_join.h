#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/r1cs/counting_system.h"
#include "cuzk/r1cs/shape.h"

namespace cuzk {

/// No rows and no aux variables in common, but all public inputs: input i of every piece is one variable.
inline constexpr CircuitCounts kInputsInCommon{SIZE_MAX, 0, 0};

/// The circuit that is these circuits one after the other, but for the `head` with which each begins: its
/// rows, aux variables and public inputs are in the result once, as the first piece has them; what follows it
/// in a piece has variables of its own there. The result is, number by number, what one recorder gives that
/// runs the head once and then what follows it in each piece. With kInputsInCommon nothing but inputs is
/// shared: as many as the piece with the most has.
///
/// A piece may come any number of times, so that a circuit of millions of rows can be made from a few
/// recorded ones: a copy costs the copying of its terms, on all threads of the pool. At most 2^31 aux
/// variables in all. The result holds every row; it is as large as any other shape of its size.
///
/// A stop that is asked for is answered within a second, with nothing.
std::optional<Shape> join_shapes(ThreadPool& pool, std::span<const Shape* const> pieces,
                                 const CircuitCounts& head = kInputsInCommon,
                                 const std::stop_token& stop = {});

}  // namespace cuzk
