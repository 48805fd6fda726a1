#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>

#include "cuzk/base/result.h"
#include "cuzk/cpu/thread_pool.h"
#include "cuzk/curve/point.h"
#include "cuzk/field/fr.h"
#include "cuzk/groth16/params_file.h"
#include "cuzk/groth16/point_maker.h"
#include "cuzk/groth16/verifying_key.h"
#include "cuzk/r1cs/shape.h"

namespace cuzk::groth16 {

/// The secrets of a setup. Whoever knows them can prove anything under the key: parameters made here are for
/// tests and benchmarks, never for use.
struct ToxicWaste {
  Fr alpha;
  Fr beta;
  Fr gamma;
  Fr delta;
  Fr tau;
};

/// Uniform secrets from the operating system's generator.
Result<ToxicWaste> random_toxic_waste();

struct SetupOptions {
  G1Affine g1 = g1_generator();  ///< any point of G1 but infinity
  G2Affine g2 = g2_generator();
  /// Called with the group multiplications done and in total; from the calling thread only.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
  /// Makes the points; it multiplies g1 and g2. Null: the pool does (CpuPointMaker).
  PointMaker* points = nullptr;
};

struct SetupResult {
  VerifyingKey vk;
  ParamsLayout layout;
  FileDigests digests{};  ///< of the .params file, computed while writing
};

/// Makes the parameters of a circuit from given secrets (groth16-and-formats 2.3) and writes them to `path`:
/// through a FileSink, opened before the work begins. Byte for byte what the reference generator writes.
/// Memory: about 5 x 32 bytes a variable and 32 a row; the points are streamed.
///
/// kUsage: gamma or delta zero, tau in the evaluation domain, a generator at infinity. kParams: a variable
/// that no constraint constrains ("unconstrained"), secrets for which a filtered column vanishes by accident.
/// kIo: the file cannot be written.
Result<SetupResult> generate_parameters(ThreadPool& pool, const Shape& shape, const ToxicWaste& toxic,
                                        const std::string& path, const SetupOptions& options = {});

/// The same, kept in memory as the file would be (ParamsFile::from_memory), without digests: keys of tens of
/// gigabytes for benchmarks on machines without a disk for them. `name` stands in errors as a path would.
Result<std::shared_ptr<const ParamsFile>> generate_parameters_in_memory(ThreadPool& pool, const Shape& shape,
                                                                        const ToxicWaste& toxic,
                                                                        const std::string& name,
                                                                        const SetupOptions& options = {});

}  // namespace cuzk::groth16
