#include "cuzk/groth16/cpu_prover.h"

#include <algorithm>
#include <string>

#include "cuzk/base/bits.h"
#include "cuzk/cpu/scratch_array.h"
#include "cuzk/groth16/internal/first_failure.h"
#include "cuzk/groth16/proof_sums.h"
#include "cuzk/groth16/proving_key_bases.h"
#include "cuzk/msm/bit_sum.h"
#include "cuzk/msm/msm.h"
#include "cuzk/ntt/quotient.h"
#include "cuzk/r1cs/shape_rows.h"

namespace cuzk::groth16 {
namespace {

/// The values that one query's sum needs.
struct QueryScalars {
  std::vector<std::uint64_t> bits;
  std::vector<Fr> wide;
};

struct CpuPrepared : Prepared::State {
  std::shared_ptr<const ProvingKey> key;
  std::shared_ptr<const Witness> witness;
  QueryScalars l, a, b;
  Fr r, s;
};

struct CpuPending : Pending::State {
  struct Circuit {
    std::shared_ptr<const ProvingKey> key;
    ProofSums sums;
    Fr r, s;
  };
  std::vector<Circuit> circuits;
};

/// Bit bases looked at in one piece: bounds the memory of decoded points (25 MB in G1).
constexpr std::size_t kBitPiece = std::size_t{1} << 18;
/// Bit bases one task decodes.
constexpr std::size_t kDecodeGrain = std::size_t{1} << 12;
static_assert(kDecodeGrain % 64 == 0 && kBitPiece % kDecodeGrain == 0);

/// Tells how far a launch is. The parts are weighed by what one element costs, in nanoseconds of two cores;
/// only their proportions matter.
class Progress {
 public:
  Progress(const std::function<void(double)>& tell, std::size_t circuits, const Shape& shape,
           const ProvingKeyBases& bases)
      : tell_(tell) {
    const auto domain = static_cast<double>(std::size_t{1} << shape.domain_log_size());
    const double circuit = domain * (kRow + kQuotient + kWide<Fp>)+cost(bases.l) + cost(bases.a) +
                           cost(bases.b_g1) + cost(bases.b_g2);
    total_ = static_cast<double>(circuits) * circuit;
  }

  static constexpr double kRow = 30;
  static constexpr double kQuotient = 200;
  template <class F>
  static constexpr double kBit = sizeof(F) == sizeof(Fp) ? 60 : 170;
  template <class F>
  static constexpr double kWide = sizeof(F) == sizeof(Fp) ? 1100 : 3000;

  void add(std::size_t elements, double cost_of_one) {
    done_ += static_cast<double>(elements) * cost_of_one;
    // Rounding may pass the end by a little; the end itself is told by finish().
    if (tell_ && done_ < total_) tell_(done_ / total_);
  }
  void finish() const {
    if (tell_) tell_(1);
  }

 private:
  template <class F>
  static double cost(const QueryBases<F>& bases) {
    return static_cast<double>(bases.bit_count()) * kBit<F> +
           static_cast<double>(bases.wide_count()) * kWide<F>;
  }

  const std::function<void(double)>& tell_;
  double total_ = 0;
  double done_ = 0;
};

/// msm, telling its progress.
template <class F>
Jacobian<F> msm_with_progress(ThreadPool& pool, std::span<const Affine<F>> bases, std::span<const Fr> scalars,
                              Progress& progress) {
  std::size_t told = 0;
  MsmOptions options;
  options.progress = [&](std::size_t done) {
    progress.add(done - told, Progress::kWide<F>);
    told = done;
  };
  const Jacobian<F> sum = msm(pool, bases, scalars, options);
  options.progress(bases.size());  // a handful of bases has no slices
  return sum;
}

/// decode(begin, out) for all of `points`, on all threads.
template <class F, class Decode>
Result<void> decode_all(ThreadPool& pool, std::span<Affine<F>> points, const Decode& decode) {
  FirstFailure failure;
  pool.parallel_for(points.size(), kDecodeGrain, [&](std::size_t begin, std::size_t end) {
    const Result<void> decoded = decode(begin, points.subspan(begin, end - begin));
    if (!decoded) failure.note(begin, decoded.error());
  });
  return failure.result();
}

/// Sum of the bit bases whose bit is one. The selected points of a piece are decoded next to one another, so
/// that the unselected half costs nothing.
template <class F>
Result<Jacobian<F>> sum_bit_bases(ThreadPool& pool, const QueryBases<F>& bases,
                                  std::span<const std::uint64_t> bits, Progress& progress) {
  Jacobian<F> sum = Jacobian<F>::infinity();
  const std::size_t piece = std::min(kBitPiece, bases.bit_count());
  const ScratchArray<Affine<F>> points(piece);
  const std::vector<std::uint64_t> all_ones((piece + 63) / 64, ~std::uint64_t{0});
  std::vector<std::size_t> place;
  for (std::size_t begin = 0; begin < bases.bit_count(); begin += kBitPiece) {
    const std::size_t end = std::min(begin + kBitPiece, bases.bit_count());
    const std::size_t tasks = (end - begin + kDecodeGrain - 1) / kDecodeGrain;
    place.assign(tasks + 1, 0);
    for (std::size_t t = 0; t < tasks; ++t) {
      const std::size_t first = (begin + t * kDecodeGrain) / 64;
      const std::size_t last = (std::min(begin + (t + 1) * kDecodeGrain, end) + 63) / 64;
      place[t + 1] = place[t] + count_bits(bits.subspan(first, last - first));
    }
    FirstFailure failure;
    pool.parallel_for(tasks, 1, [&](std::size_t t, std::size_t) {
      const std::size_t first = begin + t * kDecodeGrain;
      const auto gathered =
          bases.gather_bit_bases(bits, first, std::min(first + kDecodeGrain, end), pool.isa(),
                                 points.span().subspan(place[t], place[t + 1] - place[t]));
      if (!gathered) failure.note(t, gathered.error());
    });
    CUZK_TRY(failure.result());
    const std::size_t selected = place[tasks];
    sum += bit_sum(pool, std::span<const Affine<F>>(points.span()).first(selected),
                   std::span(all_ones).first((selected + 63) / 64));
    progress.add(end - begin, Progress::kBit<F>);
  }
  return sum;
}

template <class F>
Result<Jacobian<F>> sum_query(ThreadPool& pool, const QueryBases<F>& bases, const QueryScalars& scalars,
                              Progress& progress) {
  CUZK_TRY_ASSIGN(const Jacobian<F> bit_part, sum_bit_bases(pool, bases, scalars.bits, progress));
  const ScratchArray<Affine<F>> points(bases.wide_count());
  CUZK_TRY(decode_all<F>(pool, points.span(), [&](std::size_t begin, std::span<Affine<F>> out) {
    return bases.decode_wide_bases(pool.isa(), begin, out);
  }));
  return bit_part + msm_with_progress(pool, std::span<const Affine<F>>(points.span()),
                                      std::span<const Fr>(scalars.wide), progress);
}

/// Sum of all points of h, decoded for this sum and given back.
Result<G1Jacobian> sum_quotient(ThreadPool& pool, const QuotientBases& bases, std::span<const Fr> scalars,
                                Progress& progress) {
  const std::size_t n = bases.size();
  CUZK_CHECK(scalars.size() == n);
  const ScratchArray<G1Affine> points(n);
  CUZK_TRY(decode_all<Fp>(pool, points.span(), [&](std::size_t begin, std::span<G1Affine> out) {
    return bases.decode(pool.isa(), begin, out);
  }));
  return msm_with_progress(pool, std::span<const G1Affine>(points.span()), scalars, progress);
}

/// Runs one stage and notes its time; a stage returns a Result.
template <class Work>
auto timed(LaunchReport& report, const char* name, Work&& work) {
  const ProverClock::time_point begin = ProverClock::now();
  auto result = work();
  report.stages.push_back({name, begin, ProverClock::now()});
  return result;
}

Result<ProofSums> compute_sums(ThreadPool& pool, const CpuPrepared& circuit, const ntt::Quotient& quotient,
                               LaunchReport& report, Progress& progress) {
  const Shape& shape = *circuit.key->shape();
  const ProvingKeyBases& bases = ProvingKeyBases::of(*circuit.key);
  ProofSums sums;
  {
    const std::size_t m = std::size_t{1} << shape.domain_log_size();
    ScratchArray<Fr> a(m);
    {
      const ScratchArray<Fr> b(m);
      CUZK_TRY(timed(report, "rows", [&]() -> Result<void> {
        ShapeRows(shape).evaluate_ab(pool, *circuit.witness, a.span(), b.span());
        progress.add(m, Progress::kRow);
        return {};
      }));
      const ScratchArray<Fr> scratch(m);
      CUZK_TRY(timed(report, "quotient", [&]() -> Result<void> {
        if (!quotient.run(pool, a.span(), b.span(), scratch.span()))
          return Error{ErrorCode::kInternal,
                       "the quotient has a term of degree n - 1: a transform went wrong"};
        progress.add(m, Progress::kQuotient);
        return {};
      }));
    }
    CUZK_TRY_ASSIGN(sums.h, timed(report, "h", [&] {
                      return sum_quotient(pool, bases.h, std::span<const Fr>(a.span()).first(m - 1),
                                          progress);
                    }));
  }
  CUZK_TRY_ASSIGN(sums.l, timed(report, "l", [&] { return sum_query(pool, bases.l, circuit.l, progress); }));
  CUZK_TRY_ASSIGN(sums.a, timed(report, "a", [&] { return sum_query(pool, bases.a, circuit.a, progress); }));
  CUZK_TRY_ASSIGN(sums.b_g1,
                  timed(report, "b_g1", [&] { return sum_query(pool, bases.b_g1, circuit.b, progress); }));
  CUZK_TRY_ASSIGN(sums.b_g2,
                  timed(report, "b_g2", [&] { return sum_query(pool, bases.b_g2, circuit.b, progress); }));
  return sums;
}

}  // namespace

Result<Prepared> CpuProver::prepare(std::shared_ptr<const ProvingKey> key, std::shared_ptr<const Shape> shape,
                                    std::shared_ptr<const Witness> witness, const Fr& r, const Fr& s) {
  if (key->shape() != shape) return usage_error("the proving key was loaded for another shape");
  CUZK_TRY(shape->validate(*witness));
  if (shape->domain_log_size() > ntt::Transform::kMaxLogSize)
    return usage_error("the circuit's domain of 2^" + std::to_string(shape->domain_log_size()) +
                       " points is larger than this backend's transforms");
  auto state = std::make_unique<CpuPrepared>();
  const auto select = [&](const QuerySelection& selection) {
    return QueryScalars{selection.select_bits(*witness), selection.select_wide(*witness)};
  };
  const ProvingKeyBases& bases = ProvingKeyBases::of(*key);
  state->l = select(bases.l_selection);
  state->a = select(bases.a_selection);
  state->b = select(bases.b_selection);
  state->key = std::move(key);
  state->witness = std::move(witness);
  state->r = r;
  state->s = s;
  return Prepared(std::move(state));
}

Result<Pending> CpuProver::launch(std::span<Prepared> batch, const LaunchOptions& options) {
  if (batch.empty()) return usage_error("a launch of no circuit");
  std::vector<CpuPrepared*> circuits;
  for (const Prepared& prepared : batch) {
    auto* circuit = dynamic_cast<CpuPrepared*>(prepared.state());
    if (circuit == nullptr)
      return usage_error("a prepared circuit of another backend, or one launched before");
    if (!circuits.empty() && circuit->key != circuits.front()->key)
      return usage_error("the circuits of a launch have different proving keys");
    circuits.push_back(circuit);
  }
  // Tables of some 100 bytes times sqrt(n): made afresh rather than kept.
  const ntt::Quotient quotient(pool_.isa(), circuits.front()->key->shape()->domain_log_size());
  const ProvingKey& key = *circuits.front()->key;
  Progress progress(options.progress, circuits.size(), *key.shape(), ProvingKeyBases::of(key));
  LaunchReport report;
  auto pending = std::make_unique<CpuPending>();
  report.lock_wait = ProverClock::now();
  {
    const DeviceLock::Hold hold = options.lock.value_or(lock_).acquire(options.urgency);
    report.lock_acquired = ProverClock::now();
    for (const CpuPrepared* circuit : circuits) {
      CUZK_TRY_ASSIGN(const ProofSums sums, compute_sums(pool_, *circuit, quotient, report, progress));
      pending->circuits.push_back({circuit->key, sums, circuit->r, circuit->s});
    }
    progress.finish();
    report.lock_released = ProverClock::now();
  }
  for (Prepared& prepared : batch) prepared = Prepared(nullptr);
  return Pending(std::move(pending), std::move(report));
}

Result<std::vector<Proof>> CpuProver::finish(Pending pending) {
  const auto* state = dynamic_cast<const CpuPending*>(pending.state());
  if (state == nullptr) return usage_error("a pending launch of another backend, or one finished before");
  std::vector<Proof> proofs;
  for (const CpuPending::Circuit& circuit : state->circuits)
    proofs.push_back(assemble_proof(circuit.key->vk(), circuit.sums, circuit.r, circuit.s));
  return proofs;
}

}  // namespace cuzk::groth16
