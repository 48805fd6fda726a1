#pragma once

#include <span>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/r1cs/shape.h"

namespace cuzk {

/// The circuit that is these circuits one after the other: each with aux variables of its own, all on the
/// same public inputs (input i of every piece is one variable; there are as many as the piece with the most
/// has). Equal, number by number, to recording the pieces into one recorder with their inputs first.
///
/// A piece may come any number of times, so that a circuit of millions of rows can be made from a few
/// recorded ones: a copy costs the copying of its terms, on all threads of the pool. At most 2^31 aux
/// variables in all. The result holds every row; it is as large as any other shape of its size.
Shape join_shapes(ThreadPool& pool, std::span<const Shape* const> pieces);

}  // namespace cuzk
