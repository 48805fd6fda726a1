#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "cuzk/base/result.h"
#include "cuzk/cpu/thread_pool.h"
#include "cuzk/groth16/verifying_key.h"
#include "cuzk/r1cs/shape.h"

namespace cuzk::groth16 {

class ParamsFile;
struct ProvingKeyBases;

/// The proving key of one circuit: an open parameter file, checked against the circuit's shape and split for
/// it. Immutable and thread-safe; it keeps the file open and the shape alive. What it holds of the bases is
/// for backends only (groth16/proving_key_bases.h).
class ProvingKey {
 public:
  ProvingKey(const ProvingKey&) = delete;
  ProvingKey& operator=(const ProvingKey&) = delete;
  ~ProvingKey();

  /// Checks that the file is the shape's (groth16-and-formats 2.4: every vector has the length that the shape
  /// demands), then decodes every point once, on all threads of the pool: canonical coordinates, curve
  /// equation, not infinity. Not the subgroup: see check_points. kParams names the vector, index, offset and
  /// reason; of several bad points the first in the file.
  ///
  /// The file may be replaced (rename) while the key lives. A file that shrinks meanwhile fails the proofs
  /// that need what is gone, with kParams; one that is written over makes proofs that do not verify.
  ///
  /// `progress` (may be empty) gets the fraction done, in (0, 1], some thousand times at full size, from any
  /// thread of the pool and not always in order; the last value of a good file is 1. kStopped within a second
  /// of a stop that is asked for.
  static Result<std::shared_ptr<const ProvingKey>> load(ThreadPool& pool,
                                                        std::shared_ptr<const ParamsFile> file,
                                                        std::shared_ptr<const Shape> shape,
                                                        const std::function<void(double)>& progress = {},
                                                        const std::stop_token& stop = {});
  static Result<std::shared_ptr<const ProvingKey>> load(ThreadPool& pool, const std::string& path,
                                                        std::shared_ptr<const Shape> shape,
                                                        const std::function<void(double)>& progress = {},
                                                        const std::stop_token& stop = {});

  [[nodiscard]] const VerifyingKey& vk() const;
  [[nodiscard]] const std::shared_ptr<const Shape>& shape() const { return shape_; }
  /// Of the parameter file.
  [[nodiscard]] const std::string& path() const;

 private:
  friend struct ProvingKeyBases;
  ProvingKey(std::unique_ptr<const ProvingKeyBases> bases, std::shared_ptr<const Shape> shape);

  std::unique_ptr<const ProvingKeyBases> bases_;
  std::shared_ptr<const Shape> shape_;
};

}  // namespace cuzk::groth16
