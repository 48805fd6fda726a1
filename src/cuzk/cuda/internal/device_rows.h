#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "cuzk/cuda/context.h"
#include "cuzk/cuda/internal/host_memory.h"
#include "cuzk/cuda/internal/row_layout.h"
#include "cuzk/cuda/internal/row_values.h"
#include "cuzk/curve/point.h"
#include "cuzk/r1cs/shape.h"

namespace cuzk::cuda {

/// The A and B of a shape's rows: in device memory, or in host memory, from where they flow through two
/// buffers whenever they are evaluated.
class DeviceRows {
 public:
  /// Takes the memory that prover_plan.h lists as "rows" and copies; waits for the copies. Under the
  /// device lock.
  Result<void> load(Context& context, const Shape& shape);
  /// Instead of load: puts all but the coefficients to host memory, which touches no device memory.
  Result<void> keep_on_host(Context& context, const Shape& shape,
                            const std::shared_ptr<PinnedBudget>& budget);
  /// Behind keep_on_host: takes the memory listed as "coefficients of rows" and copies.
  Result<void> load_coefficients(Context& context, const Shape& shape);
  /// The host's part of streamed rows.
  [[nodiscard]] const HostMemory& image() const { return image_; }
  /// The same for whoever frees it; nothing is evaluated any more.
  [[nodiscard]] HostMemory take_image() { return std::move(image_); }
  /// a = A w and b = B w, zero from the last row to `domain`; one of them may be null. Asynchronous on the
  /// stream; streamed rows take two buffers meanwhile. `values`: inputs and wide values; `bits` as
  /// Witness::bits; all in device memory.
  Result<void> evaluate(Context& context, const Fr* values, const std::uint64_t* bits, Fr* a, Fr* b,
                        std::uint64_t domain) const;

 private:
  struct Terms {
    DeviceMemory places, low, high;
    [[nodiscard]] RowTerms view() const {
      return {places.as<std::uint32_t>(), low.as<std::uint16_t>(), high.as<std::uint16_t>()};
    }
  };
  /// One of the host's pieces.
  struct Piece {
    RowPieceLayout layout;
    const unsigned char* data;
    std::uint64_t row;  ///< its first
  };
  Result<void> evaluate_streamed(Context& context, const WitnessView& witness, Fr32* a, Fr32* b,
                                 std::uint64_t domain) const;

  Terms terms_, long_terms_;
  DeviceMemory group_terms_, ends_, long_runs_, coefficients_;
  std::uint64_t long_count_ = 0;
  std::uint64_t constraints_ = 0;
  std::uint64_t rows_ = 0;
  bool wide_ids_ = false;
  bool streamed_ = false;
  HostMemory image_;
  std::vector<Piece> pieces_;
};

/// out[i] = values[places[i]], i < count. Asynchronous.
Result<void> gather_scalars(Context& context, const Fr* values, const std::uint32_t* places,
                            std::uint64_t count, Fr* out);
/// out[i] = in[reverse_bits(begin + i, log_size)], i < count. Asynchronous.
Result<void> gather_reversed(Context& context, const Fr* in, std::uint64_t begin, std::uint64_t count,
                             unsigned log_size, Fr* out);
/// out[reverse_bits(begin + i, log_size)] = in[i], i < count. Asynchronous.
Result<void> scatter_reversed(Context& context, const G1Affine* in, std::uint64_t begin, std::uint64_t count,
                              unsigned log_size, G1Affine* out);

}  // namespace cuzk::cuda
