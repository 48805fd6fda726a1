#include "cuzk/cuda/internal/resident_run.h"

#include "cuzk/cuda/internal/circuit_stages.h"

namespace cuzk::cuda {
namespace {

class ResidentRun : CircuitStages {
 public:
  ResidentRun(Context& context, const DeviceKey& key, const CudaPrepared& circuit, StageClock& clock,
              Progress& progress)
      : CircuitStages(context, key, clock, progress), circuit_(circuit) {}

  Result<CircuitParts> run() {
    CircuitParts parts;
    CUZK_TRY(clock_.begin("witness"));
    CUZK_TRY_ASSIGN(witness_, upload_witness(circuit_));
    CUZK_TRY(clock_.end());
    {
      CUZK_TRY_ASSIGN(const DeviceMemory a, context_.allocate(domain() * sizeof(Fr), kQuotient));
      CUZK_TRY(quotient(a.as<Fr>()));
      CUZK_TRY(clock_.begin("h"));
      // The highest coefficient is zero; it lies last in this order as well.
      CUZK_TRY_ASSIGN(auto part, sum(key_.h.as<G1Affine>(), a.as<Fr>(), key_.h_count, key_.plan.h_windows));
      parts.h.wide.push_back(std::move(part));
      CUZK_TRY(clock_.end());
      progress_.add(domain(), Progress::kFull);
    }
    CUZK_TRY(query({"l_bits", "l_wide"}, key_.l, key_.l_bits, key_.l_places, parts.l));
    CUZK_TRY(query({"a_bits", "a_wide"}, key_.a, key_.a_bits, key_.a_places, parts.a));
    CUZK_TRY(query({"b_g1_bits", "b_g1_wide"}, key_.b_g1, key_.b_bits, key_.b_places, parts.b_g1));
    CUZK_TRY(query({"b_g2_bits", "b_g2_wide"}, key_.b_g2, key_.b_bits, key_.b_places, parts.b_g2));
    return parts;
  }

 private:
  /// In windows that fit, as the plan keeps room for narrow ones only, where it has not chosen them.
  template <class Point>
  Result<WindowSums<typename Point::Field>> sum(const Point* bases, const Fr* scalars, std::uint64_t count,
                                                const MsmWindows& windows) {
    MsmOptions options{.windows = windows};
    if (windows.count == 0 && count != 0)
      options.windows = sliced_windows(count, sizeof(Point), context_.free_bytes());
    return msm(context_, bases, scalars, count, options);
  }

  /// The coefficients of h to `a`.
  Result<void> quotient(Fr* a) {
    CUZK_TRY_ASSIGN(const DeviceMemory b, context_.allocate(domain() * sizeof(Fr), kQuotient));
    CUZK_TRY_ASSIGN(const DeviceMemory c, context_.allocate(domain() * sizeof(Fr), kQuotient));
    CUZK_TRY(quotient_of_rows(witness_, a, b.as<Fr>(), c.as<Fr>()));
    return check_quotient(a);
  }

  template <class F>
  Result<void> query(const QueryStages& stages, const DeviceQuery<F>& bases, const BitSelection& selection,
                     const DeviceMemory& places, QueryParts<F>& out) {
    CUZK_TRY(clock_.begin(stages.bits));
    {
      CUZK_TRY_ASSIGN(const QueryBits bits, selection.select(context_, witness_.bits.as<std::uint64_t>()));
      CUZK_TRY(sum_bits(bases.bit_bases.template as<Affine<F>>(), 0, bases.bit_count, bits, out));
    }
    CUZK_TRY(clock_.end());
    CUZK_TRY(clock_.begin(stages.wide));
    const auto multiply = [&](const Affine<F>* points, const Fr* scalars, std::uint64_t count) {
      return sum(points, scalars, count, {});
    };
    CUZK_TRY(sum_wide(bases.wide_bases.template as<Affine<F>>(), places.as<std::uint32_t>(), bases.wide_count,
                      witness_.values, multiply, out));
    return clock_.end();
  }

  const CudaPrepared& circuit_;
  DeviceWitness witness_;
};

}  // namespace

Result<CircuitParts> run_resident(Context& context, const DeviceKey& key, const CudaPrepared& circuit,
                                  StageClock& clock, Progress& progress) {
  return ResidentRun(context, key, circuit, clock, progress).run();
}

}  // namespace cuzk::cuda
