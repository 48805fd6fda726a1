#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/proving/internal/stoppable.h"
#include "cuzk/r1cs/shape_join.h"
#include "cuzk/r1cs/shape_recorder.h"
#include "cuzk/r1cs/witness_builder.h"

// Circuits that are a head and then `count` parts, of which none reads a variable of another: head(cs) runs
// the head and returns what the parts read of it, part(cs, that, i) runs part i, on several threads. Nothing
// comes back when a stop was asked for before all was done.

namespace cuzk::detail {

/// The witness, all parts side by side. `shape` is the circuit's: it says how much room is needed.
template <class Head, class Part>
std::optional<Witness> build_in_parts(ThreadPool& pool, const std::stop_token& stop, const Shape& shape,
                                      std::size_t count, const Head& head, const Part& part) {
  using System = Stoppable<WitnessBuilder>;
  try {
    System first(stop, shape.num_bits(), shape.num_wide());
    const auto shared = head(first);
    std::vector<Witness> parts(count);
    std::vector<std::size_t> num_bits(count);
    pool.parallel_for(count, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        System cs(stop, shape.num_bits() / count, shape.num_wide() / count);
        part(cs, shared, i);
        num_bits[i] = cs.num_bits();
        parts[i] = std::move(cs).finish();
      }
    });
    const std::size_t bits_of_head = first.num_bits();
    Witness out = std::move(first).finish();
    Bitmap bits(std::move(out.bits), bits_of_head);
    for (std::size_t i = 0; i < count; ++i) {
      const Witness made = std::move(parts[i]);
      bits.append(made.bits, 0, num_bits[i]);
      out.inputs.insert(out.inputs.end(), made.inputs.begin() + 1, made.inputs.end());
      out.wide.insert(out.wide.end(), made.wide.begin(), made.wide.end());
    }
    out.bits = bits.take();
    return out;
  } catch (const typename System::Stopped&) {
    return std::nullopt;
  }
}

/// The shape. Parts that are `alike`, all with the same rows on variables of their own and on the same ones
/// of the head, are recorded once and copied; others by as many threads as there are, each with a head of its
/// own, so that head, too, is called from several threads.
template <class Head, class Part>
std::optional<Shape> record_in_parts(ThreadPool& pool, const std::stop_token& stop, std::size_t count,
                                     bool alike, const Head& head, const Part& part) {
  using System = Stoppable<ShapeRecorder>;
  try {
    const std::size_t recorders = alike ? 1 : std::min<std::size_t>(count, pool.size());
    const std::size_t distinct = alike ? 1 : count;
    CircuitCounts counts_of_head;
    std::vector<std::optional<Shape>> recorded(recorders);
    pool.parallel_for(recorders, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) {
        System cs(stop);
        const auto shared = head(cs);
        if (r == 0) counts_of_head = cs.counts();
        for (std::size_t i = r * distinct / recorders; i < (r + 1) * distinct / recorders; ++i)
          part(cs, shared, i);
        recorded[r] = std::move(cs).finish();
      }
    });
    if (recorders == 1 && distinct == count) return std::move(recorded[0]);
    std::vector<const Shape*> pieces;
    for (std::size_t i = 0; i < (alike ? count : recorders); ++i) pieces.push_back(&*recorded[alike ? 0 : i]);
    return join_shapes(pool, pieces, counts_of_head, stop);
  } catch (const typename System::Stopped&) {
    return std::nullopt;
  }
}

}  // namespace cuzk::detail
