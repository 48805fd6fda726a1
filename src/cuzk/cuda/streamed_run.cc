#include "cuzk/cuda/internal/streamed_run.h"

#include <algorithm>
#include <string>

#include "cuzk/cuda/internal/circuit_stages.h"
#include "cuzk/cuda/internal/device_stream.h"

namespace cuzk::cuda {
namespace {

/// Neighbouring bases of a query; `begin` is the first one's number among its bit bases, or its wide ones.
struct QueryPiece {
  bool wide;
  std::uint64_t begin;
  std::uint64_t count;
  HostPiece host;  ///< without data: resident
};

/// In the order in which they are used.
template <class F>
std::vector<QueryPiece> pieces_of(const DeviceQuery<F>& query, std::uint64_t piece) {
  constexpr std::uint64_t kPoint = sizeof(Affine<F>);
  const std::uint64_t most = piece / (kPoint / sizeof(G1Affine));
  std::vector<QueryPiece> out;
  if (query.resident_bits != 0) out.push_back({false, 0, query.resident_bits, {}});
  for (std::uint64_t begin = query.resident_bits; begin < query.bit_count; begin += most) {
    const std::uint64_t count = std::min(most, query.bit_count - begin);
    const auto* const data = query.streamed_bits.template as<Affine<F>>() + (begin - query.resident_bits);
    out.push_back({false, begin, count, {data, count * kPoint}});
  }
  for (std::uint64_t begin = 0; begin < query.wide_count; begin += most) {
    const std::uint64_t count = std::min(most, query.wide_count - begin);
    HostPiece host;
    if (!query.wide_resident) host = {query.streamed_wide.template as<Affine<F>>() + begin, count * kPoint};
    out.push_back({true, begin, count, host});
  }
  return out;
}

/// One circuit on the device, while the queries are summed.
struct DeviceCircuit {
  CircuitParts* parts;
  DeviceWitness witness;
  BitsInHand in_hand;
};

class StreamedRun : CircuitStages {
 public:
  StreamedRun(Context& context, const DeviceKey& key, StageClock& clock, Progress& progress)
      : CircuitStages(context, key, clock, progress) {}

  /// The quotient of one circuit, and its sum over h.
  Result<void> quotient_sum(const CudaPrepared& circuit, CircuitParts& parts) {
    const std::uint64_t before = context_.bytes_in_use();
    CUZK_TRY_ASSIGN(const DeviceMemory a, context_.allocate(domain() * sizeof(Fr), kQuotient));
    CUZK_TRY(quotient(circuit, a.as<Fr>(), before));
    CUZK_TRY(check_quotient(a.as<Fr>()));
    CUZK_TRY(clock_.begin("h"));
    CUZK_TRY(sum_h(a.as<Fr>(), parts.h, before));
    return clock_.end();
  }

  /// The other queries of as many circuits as there is memory for, from the front; how many that were.
  Result<std::size_t> query_sums(std::span<const CudaPrepared* const> circuits,
                                 std::span<CircuitParts> parts) {
    const auto l = pieces_of(key_.l, key_.plan.piece);
    const auto a = pieces_of(key_.a, key_.plan.piece);
    const auto b_g1 = pieces_of(key_.b_g1, key_.plan.piece);
    const auto b_g2 = pieces_of(key_.b_g2, key_.plan.piece);
    const std::uint64_t before = context_.bytes_in_use();
    std::vector<HostPiece> host;
    for (const auto* pieces : {&l, &a, &b_g1, &b_g2})
      for (const QueryPiece& piece : *pieces)
        if (piece.host.data != nullptr) host.push_back(piece.host);

    const std::size_t count = std::min(circuits.size(), circuits_at_a_time(*circuits.front()));
    std::vector<DeviceCircuit> at_a_time(count);
    CUZK_TRY(clock_.begin("witness"));
    for (std::size_t i = 0; i < count; ++i) {
      at_a_time[i].parts = &parts[i];
      CUZK_TRY_ASSIGN(at_a_time[i].witness, upload_witness(*circuits[i]));
    }
    CUZK_TRY(clock_.end());
    CUZK_TRY_ASSIGN(PieceStream stream, PieceStream::open(context_, std::move(host), "bases"));
    std::uint64_t planned = key_.plan.sum_buffers;
    for (const DeviceCircuit& c : at_a_time) planned += c.witness.values.bytes() + c.witness.bits.bytes();
    CUZK_TRY(expect_taken(before, planned, "bases"));
    CUZK_TRY(query({"l_bits", "l_wide"}, key_.l, l, key_.l_bits, key_.l_places, &CircuitParts::l, at_a_time,
                   stream));
    CUZK_TRY(query({"a_bits", "a_wide"}, key_.a, a, key_.a_bits, key_.a_places, &CircuitParts::a, at_a_time,
                   stream));
    CUZK_TRY(query({"b_g1_bits", "b_g1_wide"}, key_.b_g1, b_g1, key_.b_bits, key_.b_places,
                   &CircuitParts::b_g1, at_a_time, stream));
    CUZK_TRY(query({"b_g2_bits", "b_g2_wide"}, key_.b_g2, b_g2, key_.b_bits, key_.b_places,
                   &CircuitParts::b_g2, at_a_time, stream));
    return count;
  }

 private:
  /// The coefficients of h to `a`.
  Result<void> quotient(const CudaPrepared& circuit, Fr* a, std::uint64_t before) {
    CUZK_TRY(clock_.begin("witness"));
    CUZK_TRY_ASSIGN(const DeviceWitness witness, upload_witness(circuit));
    CUZK_TRY(clock_.end());
    const auto rows = [&](Fr* to_a, Fr* to_b) { return this->rows(witness, to_a, to_b); };
    const std::uint64_t planned = key_.plan.quotient_bytes() - key_.plan.row_buffers;
    const std::uint64_t bytes = domain() * sizeof(Fr);
    if (key_.plan.arrays == 1) {
      CUZK_TRY(expect_taken(before, planned, kQuotient));
      return one_array(rows, a, bytes);
    }
    CUZK_TRY_ASSIGN(const DeviceMemory b, context_.allocate(bytes, kQuotient));
    if (key_.plan.arrays == 2) {
      CUZK_TRY(expect_taken(before, planned, kQuotient));
      return two_arrays(rows, a, b.as<Fr>(), bytes);
    }
    CUZK_TRY_ASSIGN(const DeviceMemory c, context_.allocate(bytes, kQuotient));
    CUZK_TRY(expect_taken(before, planned, kQuotient));
    return quotient_of_rows(witness, a, b.as<Fr>(), c.as<Fr>());
  }

  /// The coefficients of a o b leave while b is transformed, and come back to b's place during the last
  /// transform. a is evaluated twice.
  template <class Rows>
  Result<void> two_arrays(Rows& rows, Fr* a, Fr* b, std::uint64_t bytes) {
    const auto stream = context_.stream();
    const auto copies = context_.copies();
    Fr* const away = key_.arrays[0].as<Fr>();
    CUZK_TRY_ASSIGN(Fence done, Fence::create(context_));
    CUZK_TRY_ASSIGN(Fence copied, Fence::create(context_));
    CUZK_TRY(clock_.begin("rows"));
    CUZK_TRY(rows(a, b));
    CUZK_TRY(clock_.end());
    CUZK_TRY(clock_.begin(kQuotient));
    CUZK_TRY(key_.ntt->product(a, b, a));
    CUZK_TRY(done.record(stream, kQuotient));
    CUZK_TRY(done.wait(copies, kQuotient));
    CUZK_TRY(copy_async(context_, copies, away, a, bytes, kQuotient));
    CUZK_TRY(copied.record(copies, kQuotient));
    CUZK_TRY(key_.ntt->to_coset(b));
    CUZK_TRY(copied.wait(stream, kQuotient));
    CUZK_TRY(rows(a, nullptr));
    CUZK_TRY(key_.ntt->to_coset_times(a, b));
    CUZK_TRY(done.record(stream, kQuotient));
    CUZK_TRY(done.wait(copies, kQuotient));
    CUZK_TRY(copy_async(context_, copies, b, away, bytes, kQuotient));
    CUZK_TRY(copied.record(copies, kQuotient));
    CUZK_TRY(key_.ntt->quotient_end(a, b, [&] { return copied.wait(stream, kQuotient); }));
    return clock_.end();
  }

  /// b and the coefficients of a o b are in host memory, from where the passes that need them read. a is
  /// evaluated twice.
  template <class Rows>
  Result<void> one_array(Rows& rows, Fr* a, std::uint64_t bytes) {
    const auto stream = context_.stream();
    Fr* const c = key_.arrays[0].as<Fr>();
    Fr* const b = key_.arrays[1].as<Fr>();
    CUZK_TRY(clock_.begin("rows"));
    CUZK_TRY(rows(nullptr, a));
    CUZK_TRY(copy_async(context_, stream, b, a, bytes, kQuotient));
    CUZK_TRY(rows(a, nullptr));
    CUZK_TRY(clock_.end());
    CUZK_TRY(clock_.begin(kQuotient));
    CUZK_TRY(key_.ntt->product(a, b, a));
    CUZK_TRY(copy_async(context_, stream, c, a, bytes, kQuotient));
    CUZK_TRY(copy_async(context_, stream, a, b, bytes, kQuotient));
    CUZK_TRY(key_.ntt->to_coset(a));
    CUZK_TRY(copy_async(context_, stream, b, a, bytes, kQuotient));
    CUZK_TRY(rows(a, nullptr));
    CUZK_TRY(key_.ntt->to_coset_times(a, b));
    CUZK_TRY(key_.ntt->quotient_end(a, c));
    return clock_.end();
  }

  template <class Point>
  Result<WindowSums<typename Point::Field>> sum(const Point* bases, const Fr* scalars, std::uint64_t count) {
    MsmOptions options;
    if (count != 0) options.windows = fitting_windows(count, sizeof(Point), context_.free_bytes());
    return msm(context_, bases, scalars, count, options);
  }

  Result<void> sum_h(const Fr* scalars, QueryParts<Fp>& out, std::uint64_t before) {
    const std::uint64_t count = key_.h_count;
    const std::uint64_t planned = key_.plan.h_bytes() - key_.plan.h_scratch;
    if (key_.plan.h) {
      CUZK_TRY(expect_taken(before, planned, "h"));
      // One coefficient fewer than the domain, see DeviceKey::h_count.
      CUZK_TRY_ASSIGN(auto part, sum(key_.h.as<G1Affine>(), scalars, count));
      out.wide.push_back(std::move(part));
      progress_.add(count, Progress::kFull);
      return {};
    }
    const std::uint64_t most = std::min(key_.plan.piece, count);
    std::vector<HostPiece> pieces;
    for (std::uint64_t begin = 0; begin < count; begin += most)
      pieces.push_back(
          {key_.streamed_h.as<G1Affine>() + begin, std::min(most, count - begin) * sizeof(G1Affine)});
    if (pieces.empty()) return {};
    CUZK_TRY_ASSIGN(PieceStream stream, PieceStream::open(context_, std::move(pieces), "bases"));
    CUZK_TRY_ASSIGN(const DeviceMemory picked, context_.allocate(most * sizeof(Fr), "scalars"));
    CUZK_TRY(expect_taken(before, planned, "h"));
    for (std::uint64_t begin = 0; begin < count; begin += most) {
      const std::uint64_t size = std::min(most, count - begin);
      CUZK_TRY(gather_reversed(context_, scalars, begin, size, key_.ntt->log_size(), picked.as<Fr>()));
      CUZK_TRY_ASSIGN(const void* const bases, stream.next());
      CUZK_TRY_ASSIGN(auto part, sum(static_cast<const G1Affine*>(bases), picked.as<Fr>(), size));
      out.wide.push_back(std::move(part));
      CUZK_TRY(stream.release());
      progress_.add(size, Progress::kFull);
    }
    return {};
  }

  /// Witnesses take up to half of what the plan for one circuit leaves; the rest makes its sums quicker.
  [[nodiscard]] std::size_t circuits_at_a_time(const CudaPrepared& circuit) const {
    const std::uint64_t selected =
        std::max({key_.l_bits.selected_bytes(), key_.a_bits.selected_bytes(), key_.b_bits.selected_bytes()});
    const std::uint64_t one = Context::rounded(circuit.values * sizeof(Fr)) +
                              Context::rounded(8 * circuit.bit_words) + Context::rounded(selected);
    const std::uint64_t free = context_.free_bytes();
    const std::uint64_t planned = key_.plan.sums_bytes();
    return 1 + (free > planned ? (free - planned) / 2 / one : 0);
  }

  template <class F>
  Result<void> query(const QueryStages& stages, const DeviceQuery<F>& bases,
                     const std::vector<QueryPiece>& pieces, const BitSelection& selection,
                     const DeviceMemory& places, QueryParts<F> CircuitParts::*parts,
                     std::vector<DeviceCircuit>& circuits, PieceStream& stream) {
    CUZK_TRY(clock_.begin(stages.bits));
    for (DeviceCircuit& c : circuits)
      CUZK_TRY(c.in_hand.take(context_, selection, c.witness.bits.as<std::uint64_t>()));
    const auto multiply = [&](const Affine<F>* points, const Fr* scalars, std::uint64_t count) {
      return sum(points, scalars, count);
    };
    bool wide = false;
    for (const QueryPiece& piece : pieces) {
      if (piece.wide && !wide) {
        CUZK_TRY(clock_.end());
        CUZK_TRY(clock_.begin(stages.wide));
        wide = true;
      }
      const bool streamed = piece.host.data != nullptr;
      const Affine<F>* points = nullptr;
      if (streamed) {
        CUZK_TRY_ASSIGN(const void* const data, stream.next());
        points = static_cast<const Affine<F>*>(data);
      } else {
        points = (piece.wide ? bases.wide_bases : bases.bit_bases).template as<Affine<F>>() + piece.begin;
      }
      for (DeviceCircuit& c : circuits) {
        QueryParts<F>& out = c.parts->*parts;
        if (piece.wide)
          CUZK_TRY(sum_wide(points, places.as<std::uint32_t>() + piece.begin, piece.count, c.witness.values,
                            multiply, out));
        else
          CUZK_TRY(sum_bits(points, piece.begin, piece.count, c.in_hand.bits, out));
      }
      if (streamed) CUZK_TRY(stream.release());
    }
    return clock_.end();
  }
};

}  // namespace

Result<std::vector<CircuitParts>> run_streamed(Context& context, const DeviceKey& key,
                                               std::span<const CudaPrepared* const> circuits,
                                               StageClock& clock, Progress& progress) {
  std::vector<CircuitParts> parts(circuits.size());
  StreamedRun run(context, key, clock, progress);
  for (std::size_t i = 0; i < circuits.size(); ++i) CUZK_TRY(run.quotient_sum(*circuits[i], parts[i]));
  for (std::size_t begin = 0; begin < circuits.size();) {
    CUZK_TRY_ASSIGN(const std::size_t done,
                    run.query_sums(circuits.subspan(begin), std::span(parts).subspan(begin)));
    begin += done;
  }
  return parts;
}

}  // namespace cuzk::cuda
