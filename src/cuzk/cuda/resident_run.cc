#include "cuzk/cuda/internal/resident_run.h"

#include <array>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "cuzk/cuda/internal/circuit_stages.h"
#include "cuzk/cuda/internal/device_stream.h"
#include "cuzk/cuda/internal/pending_sums.h"

namespace cuzk::cuda {
namespace {

/// Up to which most_msm_memory is a bound.
constexpr std::uint64_t kMostBounded = std::uint64_t{1} << 27;

class ResidentRun : CircuitStages {
 public:
  ResidentRun(Context& context, const DeviceKey& key, const CudaPrepared& circuit, StageClock& clock,
              Progress& progress)
      : CircuitStages(context, key, clock, progress), circuit_(circuit) {}

  Result<CircuitParts> run() {
    CircuitParts parts;
    before_ = context_.bytes_in_use();
    CUZK_TRY(clock_.begin("witness"));
    CUZK_TRY_ASSIGN(witness_, upload_witness(circuit_));
    CUZK_TRY(clock_.end());
    {
      CUZK_TRY_ASSIGN(const DeviceMemory a, context_.allocate(domain() * sizeof(Fr), kQuotient));
      CUZK_TRY(quotient(a.as<Fr>()));
      CUZK_TRY(clock_.begin("h"));
      CUZK_TRY(expect_taken(before_, key_.plan.h_bytes() - key_.plan.h_scratch, "h"));
      // One coefficient fewer than the domain, see DeviceKey::h_count.
      CUZK_TRY_ASSIGN(auto part, sum(key_.h.as<G1Affine>(), a.as<Fr>(), key_.h_count, key_.plan.h_windows));
      parts.h.wide.push_back(std::move(part));
      CUZK_TRY(clock_.end());
      progress_.add(domain(), Progress::kFull);
    }
    CUZK_TRY(sum_wide_together(parts));
    CUZK_TRY(query({"l_bits", "l_wide"}, key_.l, key_.l_bits, key_.l_places, parts.l));
    CUZK_TRY(query({"a_bits", "a_wide"}, key_.a, key_.a_bits, key_.a_places, parts.a));
    CUZK_TRY(query({"b_g1_bits", "b_g1_wide"}, key_.b_g1, key_.b_bits, key_.b_places, parts.b_g1));
    CUZK_TRY(query({"b_g2_bits", "b_g2_wide"}, key_.b_g2, key_.b_bits, key_.b_places, parts.b_g2));
    return parts;
  }

 private:
  /// In the windows that the plan chose, or else the best that fit: it keeps room for narrow ones only.
  template <class Point>
  Result<WindowSums<typename Point::Field>> sum(const Point* bases, const Fr* scalars, std::uint64_t count,
                                                const MsmWindows& windows) {
    MsmOptions options{.windows = windows};
    if (windows.count == 0 && count != 0)
      options.windows = sliced_windows(count, sizeof(Point), context_.free_bytes());
    const std::uint64_t before = context_.bytes_in_use();
    // Where the bound does not fit the sum cuts itself to what is there, which the limit watches over.
    const std::uint64_t free = context_.free_bytes();
    context_.watch();
    CUZK_TRY_ASSIGN(auto sum, msm(context_, bases, scalars, count, options));
    if (count != 0 && (count <= kMostBounded || options.windows.multiples > 1))
      CUZK_TRY(expect_at_most(before, std::min(free, most_msm_memory(count, sizeof(Point), options.windows)),
                              "multi-scalar multiplication"));
    return sum;
  }

  /// The stage "all_wide": the sums over the wide bases of l, a and b_g1 side by side, and beside them the
  /// one of b_g2 on a stream of its own, as one after the other they are too small to keep a device busy.
  /// Where there are more than kMost, or no memory for this and copies of the bases, query() does it.
  Result<void> sum_wide_together(CircuitParts& parts) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 23;
    struct Part {
      const DeviceQuery<Fp>& bases;
      const DeviceMemory& places;
      QueryParts<Fp>& out;
    };
    const std::array<Part, 3> queries{Part{key_.l, key_.l_places, parts.l},
                                      Part{key_.a, key_.a_places, parts.a},
                                      Part{key_.b_g1, key_.b_places, parts.b_g1}};
    std::array<std::uint64_t, 3> counts{};
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = queries[i].bases.wide_count;
    const std::uint64_t count = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    const std::uint64_t count_g2 = key_.b_g2.wide_count;
    if (count == 0 || count > kMost || count_g2 != counts.back()) return {};
    const MsmOptions options{.windows = msm_windows(count, 1, counts.size())};
    const MsmOptions options_g2{.windows = msm_windows(count_g2)};
    const std::uint64_t copies =
        Context::rounded(count * sizeof(G1Affine)) + Context::rounded(count * sizeof(Fr));
    const std::uint64_t wanted =
        copies + whole_msm_memory_bound(count, sizeof(G1Affine), options.windows, counts.size()) +
        whole_msm_memory_bound(count_g2, sizeof(G2Affine), options_g2.windows);
    if (wanted > context_.free_bytes()) return {};
    const std::uint64_t most = copies +
                               most_msm_memory(count, sizeof(G1Affine), options.windows, counts.size()) +
                               most_msm_memory(count_g2, sizeof(G2Affine), options_g2.windows);

    const std::uint64_t before = context_.bytes_in_use();
    context_.watch();
    CUZK_TRY(clock_.begin("all_wide"));
    CUZK_TRY_ASSIGN(const DeviceMemory bases, context_.allocate(count * sizeof(G1Affine), "wide bases"));
    CUZK_TRY_ASSIGN(const DeviceMemory scalars, context_.allocate(count * sizeof(Fr), "wide scalars"));
    std::uint64_t begin = 0;
    for (const Part& part : queries) {
      const std::uint64_t size = part.bases.wide_count;
      CUZK_TRY(copy_async(context_, context_.stream(), bases.as<G1Affine>() + begin,
                          part.bases.wide_bases.as<G1Affine>(), size * sizeof(G1Affine), "wide bases"));
      CUZK_TRY(gather_scalars(context_, witness_.values.as<Fr>(), part.places.as<std::uint32_t>(), size,
                              scalars.as<Fr>() + begin));
      begin += size;
    }
    std::unique_ptr<PendingSums<Fp2>> g2;
    if (count_g2 != 0) {
      // Its scalars are those of b_g1, the last ones.
      CUZK_TRY_ASSIGN(g2, begin_msms(context_, context_.beside(0), context_.beside(0),
                                     key_.b_g2.wide_bases.as<G2Affine>(),
                                     scalars.as<Fr>() + (count - count_g2), {&count_g2, 1}, options_g2));
    }
    CUZK_TRY_ASSIGN(const std::unique_ptr<PendingSums<Fp>> g1,
                    begin_msms(context_, context_.stream(), context_.beside(1), bases.as<G1Affine>(),
                               scalars.as<Fr>(), counts, options));
    if (g2 != nullptr) CUZK_TRY(g2->add());
    CUZK_TRY(g1->add());
    CUZK_TRY_ASSIGN(std::vector<G1WindowSums> sums, g1->finish());
    for (std::size_t i = 0; i < sums.size(); ++i) queries[i].out.wide.push_back(std::move(sums[i]));
    if (g2 != nullptr) {
      CUZK_TRY_ASSIGN(parts.b_g2.wide, g2->finish());
    }
    progress_.add(count, Progress::kWide);
    progress_.add(count_g2, Progress::kWide * kScale<Fp2>);
    CUZK_TRY(expect_at_most(before, most, "wide bases"));
    return clock_.end();
  }

  /// The coefficients of h to `a`.
  Result<void> quotient(Fr* a) {
    CUZK_TRY_ASSIGN(const DeviceMemory b, context_.allocate(domain() * sizeof(Fr), kQuotient));
    CUZK_TRY_ASSIGN(const DeviceMemory c, context_.allocate(domain() * sizeof(Fr), kQuotient));
    CUZK_TRY(expect_taken(before_, key_.plan.quotient_bytes(), kQuotient));
    context_.watch();
    CUZK_TRY(quotient_of_rows(witness_, a, b.as<Fr>(), c.as<Fr>()));
    CUZK_TRY(expect_at_most(before_, key_.plan.quotient_bytes(), kQuotient));
    return check_quotient(a);
  }

  template <class F>
  Result<void> query(const QueryStages& stages, const DeviceQuery<F>& bases, const BitSelection& selection,
                     const DeviceMemory& places, QueryParts<F>& out) {
    CUZK_TRY(clock_.begin(stages.bits));
    context_.watch();
    CUZK_TRY(in_hand_.take(context_, selection, witness_.bits.as<std::uint64_t>()));
    CUZK_TRY(expect_at_most(before_, key_.plan.sums_bytes() - key_.plan.sums_scratch, stages.bits));
    CUZK_TRY(sum_bits(bases.bit_bases.template as<Affine<F>>(), 0, bases.bit_count, in_hand_.bits, out,
                      bases.pairs));
    CUZK_TRY(clock_.end());
    if (!out.wide.empty()) return {};  // together
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
  BitsInHand in_hand_;
  std::uint64_t before_ = 0;  ///< bytes in use
};

}  // namespace

Result<CircuitParts> run_resident(Context& context, const DeviceKey& key, const CudaPrepared& circuit,
                                  StageClock& clock, Progress& progress) {
  return ResidentRun(context, key, circuit, clock, progress).run();
}

}  // namespace cuzk::cuda
