#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "cuzk/curve/subgroup.h"
#include "cuzk/groth16/internal/first_failure.h"
#include "cuzk/groth16/params_file.h"

namespace cuzk::groth16 {

/// Points a task reads and decodes.
inline constexpr std::size_t kCheckGrain = std::size_t{1} << 12;

/// Reads and decodes a whole vector of a parameter file once, with every check, a block at a time, and hands
/// each block to `keep(first, points)`, from any thread. Blocks begin at multiples of 64. `progress` (may be
/// empty) gets the bytes of each block. kStopped soon after a stop that is asked for.
template <class F, class Keep>
Result<void> check_section(ThreadPool& pool, const ParamsFile& file, const ParamsSection& section,
                           const char* field, bool subgroup,
                           const std::function<void(std::uint64_t)>& progress, const std::stop_token& stop,
                           Keep&& keep) {
  FirstFailure failure;
  // A subgroup check costs a hundred times the decoding.
  const std::size_t grain = subgroup ? 256 : kCheckGrain;
  static_assert(kCheckGrain % 64 == 0);
  pool.parallel_for(section.count, grain, [&](std::size_t begin, std::size_t end) {
    if (failure.before(begin) || stop.stop_requested()) return;
    const auto bad_point = [&](std::size_t i, const char* reason) {
      failure.note(begin + i,
                   bad_params(file.path() + ": " + field + "[" + std::to_string(begin + i) + "] at offset " +
                              std::to_string(section.offset + (begin + i) * kPointBytes<F>) + ": " + reason));
    };
    const std::size_t size = (end - begin) * kPointBytes<F>;
    const auto buffer = std::make_unique_for_overwrite<std::uint8_t[]>(size);
    const std::span<std::uint8_t> bytes(buffer.get(), size);
    if (auto read = file.read(section.offset + begin * kPointBytes<F>, bytes); !read)
      return failure.note(begin, read.error());
    std::vector<Affine<F>> points(end - begin);
    if (const auto fault = decode_points(bytes, std::span(points), pool.isa())) {
      bad_point(fault->index, fault->reason);
      points.resize(fault->index);
    }
    if (subgroup)
      for (std::size_t i = 0; i < points.size(); ++i)
        if (!in_subgroup(points[i])) {
          bad_point(i, "the point is not in the subgroup of order r");
          break;
        }
    keep(begin, std::span<const Affine<F>>(points));
    if (progress) progress(points.size() * kPointBytes<F>);
  });
  if (stop.stop_requested()) return Error{ErrorCode::kStopped, file.path() + ": stopped on request"};
  return failure.result();
}

}  // namespace cuzk::groth16
