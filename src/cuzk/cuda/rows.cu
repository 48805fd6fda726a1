#include "cuzk/cuda/internal/device_rows.h"

#include <cuda_runtime.h>

#include "cuzk/cuda/internal/affine_add.h"
#include "cuzk/cuda/internal/device_stream.h"
#include "cuzk/cuda/internal/row_layout.h"

namespace cuzk::cuda {
namespace {

constexpr unsigned kThreads = 128;
constexpr unsigned kLongThreads = 64;

template <bool kWideIds>
__global__ void __launch_bounds__(kThreads)
    row_values(const __grid_constant__ RowArrays arrays, WitnessView witness, Fr32* a, Fr32* b,
               std::uint64_t domain) {
  const std::uint64_t row = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (row < domain) evaluate_row<kWideIds>(arrays, witness, row, a, b);
}

template <bool kWideIds>
__global__ void __launch_bounds__(kLongThreads)
    long_row_values(const __grid_constant__ RowArrays arrays, WitnessView witness, Fr32* a, Fr32* b) {
  __shared__ alignas(16) unsigned char shared[kLongThreads * sizeof(Fr32)];
  DeviceBlock<LongRowState> block;
  run_long_row<kWideIds>(arrays, witness, a, b, block, reinterpret_cast<Fr32*>(shared));
}

__global__ void gather(const Fr32* values, const std::uint32_t* places, std::uint64_t count, Fr32* out) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i < count) out[i] = values[places[i]];
}

__global__ void scatter(const Affine<Fp32>* in, std::uint64_t begin, std::uint64_t count, unsigned log_size,
                        Affine<Fp32>* out) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i < count && log_size > 0) out[__brevll(begin + i) >> (64 - log_size)] = in[i];
}

__global__ void gather_reversed_values(const Fr32* in, std::uint64_t begin, std::uint64_t count,
                                       unsigned log_size, Fr32* out) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i < count) out[i] = in[log_size > 0 ? __brevll(begin + i) >> (64 - log_size) : 0];
}

unsigned blocks_for(std::uint64_t items) {
  return static_cast<unsigned>((items + kThreads - 1) / kThreads);
}

template <bool kWideIds>
Result<void> launch(Context& context, const RowArrays& arrays, const WitnessView& witness, Fr32* a, Fr32* b,
                    std::uint64_t domain, std::uint64_t long_count) {
  const cudaStream_t stream = context.stream();
  if (domain == 0) return {};
  row_values<kWideIds><<<blocks_for(domain), kThreads, 0, stream>>>(arrays, witness, a, b, domain);
  CUZK_TRY(context.check_launch("rows"));
  // A grid has fewer than 2^31 blocks, and a shape fewer rows than that.
  if (long_count != 0)
    long_row_values<kWideIds>
        <<<static_cast<unsigned>(long_count), kLongThreads, 0, stream>>>(arrays, witness, a, b);
  return context.check_launch("rows");
}

/// Fills an array of the device from front to back.
class Filler {
 public:
  Filler(Context& context, DeviceMemory& memory) : context_(context), memory_(memory) {}
  Result<void> take(std::uint64_t bytes) {
    size_ = bytes;
    CUZK_TRY_ASSIGN(memory_, context_.allocate(bytes, "rows"));
    return {};
  }
  template <class T>
  Result<void> add(const std::vector<T>& values) {
    const std::uint64_t bytes = values.size() * sizeof(T);
    if (bytes == 0) return {};
    CUZK_CHECK(filled_ + bytes <= size_);
    CUZK_TRY(context_.upload(memory_.as<unsigned char>() + filled_, values.data(), bytes, "rows"));
    filled_ += bytes;
    return {};
  }
  [[nodiscard]] bool full() const { return filled_ == size_; }

 private:
  Context& context_;
  DeviceMemory& memory_;
  std::uint64_t size_ = 0;
  std::uint64_t filled_ = 0;
};

}  // namespace

Result<void> DeviceRows::load_coefficients(Context& context, const Shape& shape) {
  Filler coefficients(context, coefficients_);
  const std::span<const Fr> table = ShapeRows(shape).coefficients();
  CUZK_TRY(coefficients.take(sizeof(Fr) * table.size()));
  const std::vector<Fr> values(table.begin(), table.end());
  CUZK_TRY(coefficients.add(values));
  return context.synchronize("rows");
}

Result<void> DeviceRows::load(Context& context, const Shape& shape) {
  const RowCounts counts = count_rows(shape);
  long_count_ = counts.long_runs;
  constraints_ = counts.constraints;
  rows_ = counts.rows;
  wide_ids_ = counts.wide_ids;

  struct TermFillers {
    Filler places, low, high;
    bool wide_ids;
    Result<void> take(std::uint64_t count) {
      CUZK_TRY(places.take(4 * count));
      CUZK_TRY(low.take(2 * count));
      if (wide_ids) CUZK_TRY(high.take(2 * count));
      return {};
    }
    Result<void> add(const RowPiece::Terms& piece) {
      CUZK_TRY(places.add(piece.places));
      CUZK_TRY(low.add(piece.low));
      return high.add(piece.high);
    }
    [[nodiscard]] bool full() const { return places.full() && low.full() && high.full(); }
  };
  const auto term_fillers = [&](Terms& t) {
    return TermFillers{{context, t.places}, {context, t.low}, {context, t.high}, counts.wide_ids};
  };
  TermFillers terms = term_fillers(terms_);
  TermFillers long_terms = term_fillers(long_terms_);
  Filler group_terms(context, group_terms_);
  Filler ends(context, ends_);
  Filler long_runs(context, long_runs_);
  CUZK_TRY(terms.take(counts.short_terms));
  CUZK_TRY(long_terms.take(counts.long_terms));
  CUZK_TRY(group_terms.take(8 * counts.groups));
  CUZK_TRY(ends.take(4 * counts.constraints));
  CUZK_TRY(long_runs.take(sizeof(LongRun) * counts.long_runs));
  CUZK_TRY(load_coefficients(context, shape));

  constexpr std::uint64_t kGroups = 1 << 14;  // about a million rows, some tens of MB, at a time
  RowWriter writer(shape);
  RowPiece piece;
  while (writer.next(kGroups, piece)) {
    CUZK_TRY(terms.add(piece.terms));
    CUZK_TRY(long_terms.add(piece.long_terms));
    CUZK_TRY(group_terms.add(piece.group_terms));
    CUZK_TRY(ends.add(piece.ends));
    CUZK_TRY(long_runs.add(piece.long_runs));
    // Small copies from pageable memory may still be under way.
    CUZK_TRY(context.synchronize("rows"));
  }
  CUZK_TRY(context.synchronize("rows"));
  CUZK_CHECK(terms.full() && long_terms.full() && group_terms.full() && ends.full() && long_runs.full());
  return {};
}

Result<void> DeviceRows::keep_on_host(Context& context, const Shape& shape,
                                      const std::shared_ptr<PinnedBudget>& budget) {
  const RowCounts counts = count_rows(shape);
  constraints_ = counts.constraints;
  rows_ = counts.rows;
  wide_ids_ = counts.wide_ids;
  streamed_ = true;
  std::uint64_t bytes = 0;
  for (const RowCounts::Piece& piece : counts.pieces) bytes += RowPieceLayout(piece, wide_ids_).bytes;
  CUZK_TRY_ASSIGN(image_, HostMemory::take(context, budget, bytes, "rows in host memory"));
  auto* at = image_.as<unsigned char>();
  return for_each_piece(
      shape, counts, [&](const RowPieceLayout& layout, std::uint64_t row, const auto& write) -> Result<void> {
        write(at);
        pieces_.push_back({layout, at, row});
        at += layout.bytes;
        return {};
      });
}

Result<void> DeviceRows::evaluate_streamed(Context& context, const WitnessView& witness, Fr32* a, Fr32* b,
                                           std::uint64_t domain) const {
  const auto moved = [](Fr32* values, std::uint64_t rows) {
    return values == nullptr ? nullptr : values + rows;
  };
  const auto run = [&](const RowArrays& arrays, std::uint64_t row, std::uint64_t count, std::uint64_t runs) {
    return wide_ids_ ? launch<true>(context, arrays, witness, moved(a, row), moved(b, row), count, runs)
                     : launch<false>(context, arrays, witness, moved(a, row), moved(b, row), count, runs);
  };
  std::vector<HostPiece> host;
  for (const Piece& piece : pieces_) host.push_back({piece.data, piece.layout.bytes});
  CUZK_TRY_ASSIGN(PieceStream stream, PieceStream::open(context, std::move(host), "rows"));
  for (const Piece& piece : pieces_) {
    CUZK_TRY_ASSIGN(const void* const data, stream.next());
    CUZK_TRY(run(piece.layout.arrays(static_cast<const unsigned char*>(data), coefficients_.as<Fr32>()),
                 piece.row, piece.layout.counts.constraints, piece.layout.counts.long_runs));
    CUZK_TRY(stream.release());
  }
  // The rows of the inputs, and zeros.
  RowArrays rest{};
  rest.rows = rows_ - constraints_;
  return run(rest, constraints_, domain - constraints_, 0);
}

Result<void> DeviceRows::evaluate(Context& context, const Fr* values, const std::uint64_t* bits, Fr* a, Fr* b,
                                  std::uint64_t domain) const {
  const RowArrays arrays{terms_.view(),
                         group_terms_.as<std::uint64_t>(),
                         ends_.as<std::uint16_t>(),
                         long_runs_.as<LongRun>(),
                         long_terms_.view(),
                         coefficients_.as<Fr32>(),
                         constraints_,
                         rows_};
  const WitnessView witness{reinterpret_cast<const Fr32*>(values),
                            reinterpret_cast<const std::uint32_t*>(bits)};
  auto* const a32 = reinterpret_cast<Fr32*>(a);
  auto* const b32 = reinterpret_cast<Fr32*>(b);
  if (streamed_) return evaluate_streamed(context, witness, a32, b32, domain);
  return wide_ids_ ? launch<true>(context, arrays, witness, a32, b32, domain, long_count_)
                   : launch<false>(context, arrays, witness, a32, b32, domain, long_count_);
}

Result<void> gather_scalars(Context& context, const Fr* values, const std::uint32_t* places,
                            std::uint64_t count, Fr* out) {
  if (count == 0) return {};
  gather<<<blocks_for(count), kThreads, 0, context.stream()>>>(reinterpret_cast<const Fr32*>(values), places,
                                                               count, reinterpret_cast<Fr32*>(out));
  return context.check_launch("wide scalars");
}

Result<void> gather_reversed(Context& context, const Fr* in, std::uint64_t begin, std::uint64_t count,
                             unsigned log_size, Fr* out) {
  if (count == 0) return {};
  gather_reversed_values<<<blocks_for(count), kThreads, 0, context.stream()>>>(
      reinterpret_cast<const Fr32*>(in), begin, count, log_size, reinterpret_cast<Fr32*>(out));
  return context.check_launch("order of h");
}

Result<void> scatter_reversed(Context& context, const G1Affine* in, std::uint64_t begin, std::uint64_t count,
                              unsigned log_size, G1Affine* out) {
  if (count == 0) return {};
  scatter<<<blocks_for(count), kThreads, 0, context.stream()>>>(reinterpret_cast<const Affine<Fp32>*>(in),
                                                                begin, count, log_size,
                                                                reinterpret_cast<Affine<Fp32>*>(out));
  return context.check_launch("order of h");
}

}  // namespace cuzk::cuda
