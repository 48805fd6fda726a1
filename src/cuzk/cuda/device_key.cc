#include <algorithm>
#include <bit>
#include <mutex>
#include <optional>
#include <vector>

#include "cuzk/cuda/internal/device_key.h"
#include "cuzk/cuda/internal/device_stream.h"
#include "cuzk/cuda/internal/digits32.h"
#include "cuzk/groth16/proving_key_bases.h"

namespace cuzk::cuda {
namespace {

using groth16::QueryBases;
using groth16::QuerySelection;

const char* const kStage = "proving key";

/// Decodes points first, first + 1, ... on all threads.
template <class Point, class Decode>
Result<void> decode_points(ThreadPool& pool, std::span<Point> out, std::uint64_t first, Decode& decode) {
  constexpr std::size_t kGrain = std::size_t{1} << 12;
  std::mutex mutex;
  std::optional<Error> error;
  pool.parallel_for(out.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    const Result<void> decoded = decode(first + begin, out.subspan(begin, end - begin));
    if (decoded) return;
    const std::lock_guard lock(mutex);
    if (!error) error = decoded.error();
  });
  if (error) return *error;
  return {};
}

/// Copies points to the device in pieces: one is decoded on all threads while the one before is under way.
class PointCopier {
 public:
  PointCopier(Context& context, ThreadPool& pool) : context_(context), pool_(pool) {}
  PointCopier(const PointCopier&) = delete;
  PointCopier& operator=(const PointCopier&) = delete;
  /// Where points cannot be decoded, the piece before may still be on its way out of its buffer.
  ~PointCopier() { drain(context_); }

  /// decode(begin, span) fills points begin, begin + 1, ...; sink(piece, begin, count) launches the copy of a
  /// piece of pinned memory.
  template <class Point, class Decode, class Sink>
  Result<void> run(std::uint64_t count, Decode&& decode, Sink&& sink) {
    for (std::uint64_t begin = 0; begin < count; begin += kLoadedPoints) {
      const std::uint64_t size = std::min(kLoadedPoints, count - begin);
      CUZK_TRY_ASSIGN(Point * piece, buffer<Point>(size));
      CUZK_TRY(decode_points(pool_, std::span<Point>(piece, size), begin, decode));
      // The copy of the piece before, whose buffer is filled next.
      CUZK_TRY(context_.synchronize(kStage));
      CUZK_TRY(sink(piece, begin, size));
    }
    return context_.synchronize(kStage);
  }

 private:
  template <class Point>
  Result<Point*> buffer(std::uint64_t count) {
    PinnedMemory& memory = buffers_[next_ ^= 1U];
    if (memory.bytes() < count * sizeof(Point)) {
      memory = PinnedMemory();  // not both at a time
      CUZK_TRY_ASSIGN(memory, context_.allocate_pinned(count * sizeof(Point), kStage));
    }
    return memory.as<Point>();
  }
  Context& context_;
  ThreadPool& pool_;
  PinnedMemory buffers_[2];
  unsigned next_ = 0;
};

/// Decodes `count` points to host memory, from point `first` on.
template <class Point, class Decode>
Result<void> keep_on_host(Context& context, ThreadPool& pool, const std::shared_ptr<PinnedBudget>& budget,
                          std::uint64_t first, std::uint64_t count, Decode&& decode, HostMemory& out) {
  if (count == 0) return {};
  CUZK_TRY_ASSIGN(out, HostMemory::take(context, budget, count * sizeof(Point), kStage));
  return decode_points(pool, std::span<Point>(out.as<Point>(), count), first, decode);
}

template <class F>
auto decoder(const QueryBases<F>& bases, ThreadPool& pool) {
  return [&bases, &pool](std::uint64_t begin, std::span<Affine<F>> to) {
    return bases.decode_bit_bases(pool.isa(), begin, to);
  };
}
template <class F>
auto wide_decoder(const QueryBases<F>& bases, ThreadPool& pool) {
  return [&bases, &pool](std::uint64_t begin, std::span<Affine<F>> to) {
    return bases.decode_wide_bases(pool.isa(), begin, to);
  };
}
auto decoder(const groth16::QuotientBases& bases, ThreadPool& pool) {
  return [&bases, &pool](std::uint64_t begin, std::span<G1Affine> to) {
    return bases.decode(pool.isa(), begin, to);
  };
}

/// The counts of a query, and what of its bases is streamed.
template <class F>
Result<void> prepare_query(Context& context, ThreadPool& pool, const std::shared_ptr<PinnedBudget>& budget,
                           const QueryBases<F>& bases, const Placement::Bases& resident,
                           DeviceQuery<F>& out) {
  out.bit_count = bases.bit_count();
  out.wide_count = bases.wide_count();
  out.resident_bits = resident.bits;
  out.pairs = {resident.paired, resident.bits};
  out.wide_resident = resident.wide;
  CUZK_TRY(keep_on_host<Affine<F>>(context, pool, budget, out.resident_bits,
                                   out.bit_count - out.resident_bits, decoder(bases, pool),
                                   out.streamed_bits));
  if (resident.wide) return {};
  return keep_on_host<Affine<F>>(context, pool, budget, 0, out.wide_count, wide_decoder(bases, pool),
                                 out.streamed_wide);
}

/// What of a query's bases is resident.
template <class F>
Result<void> load_query(Context& context, PointCopier& copier, ThreadPool& pool, const QueryBases<F>& bases,
                        DeviceQuery<F>& out) {
  const std::uint64_t wide = out.wide_resident ? out.wide_count : 0;
  CUZK_TRY_ASSIGN(out.bit_bases,
                  context.allocate((out.resident_bits + out.pairs.paired / 2) * sizeof(Affine<F>), kStage));
  CUZK_TRY_ASSIGN(out.wide_bases, context.allocate(wide * sizeof(Affine<F>), kStage));
  const auto copy = [&](std::uint64_t count, const auto& decode, Affine<F>* to) {
    return copier.template run<Affine<F>>(
        count, decode, [&context, to](const Affine<F>* piece, std::uint64_t begin, std::uint64_t size) {
          return context.upload(to + begin, piece, size * sizeof(Affine<F>), kStage);
        });
  };
  auto* const bit_bases = out.bit_bases.template as<Affine<F>>();
  CUZK_TRY(copy(out.resident_bits, decoder(bases, pool), bit_bases));
  CUZK_TRY(fill_pairs(context, bit_bases, out.pairs.paired, bit_bases + out.pairs.at));
  return copy(wide, wide_decoder(bases, pool), out.wide_bases.template as<Affine<F>>());
}

Result<void> load_quotient(Context& context, PointCopier& copier, ThreadPool& pool,
                           const groth16::QuotientBases& bases, unsigned log_size, DeviceKey& key) {
  CUZK_TRY_ASSIGN(
      key.h, context.allocate(key.plan.h ? key.plan.h_windows.multiples * key.h_count * sizeof(G1Affine) : 0,
                              kStage));
  if (!key.plan.h) return {};
  CUZK_TRY_ASSIGN(const DeviceMemory staging,
                  context.allocate(std::min(kLoadedPoints, key.h_count) * sizeof(G1Affine), kStage));
  // In order of the stream: a piece is in its place before the next one overwrites the staging memory.
  return copier.run<G1Affine>(
      key.h_count, decoder(bases, pool),
      [&](const G1Affine* piece, std::uint64_t begin, std::uint64_t count) -> Result<void> {
        CUZK_TRY(context.upload(staging.as<void>(), piece, count * sizeof(G1Affine), kStage));
        return scatter_reversed(context, staging.as<G1Affine>(), begin, count, log_size,
                                key.h.as<G1Affine>());
      });
}

Result<void> load_places(Context& context, const QuerySelection& selection, std::size_t inputs,
                         DeviceMemory& out) {
  std::vector<std::uint32_t> places;
  places.reserve(selection.wide_count());
  const auto add = [&](std::span<const std::uint64_t> mask, std::size_t first) {
    for (std::size_t i = 0; i < mask.size(); ++i)
      for (std::uint64_t word = mask[i]; word != 0; word &= word - 1)
        places.push_back(
            static_cast<std::uint32_t>(first + 64 * i + static_cast<unsigned>(std::countr_zero(word))));
  };
  add(selection.input_mask(), 0);
  add(selection.wide_mask(), inputs);
  CUZK_CHECK(places.size() == selection.wide_count());
  CUZK_TRY_ASSIGN(out, context.allocate(4 * places.size(), kStage));
  if (places.empty()) return {};
  CUZK_TRY(context.upload(out.as<void>(), places.data(), 4 * places.size(), kStage));
  return context.synchronize(kStage);
}

}  // namespace

Result<std::unique_ptr<DeviceKey>> DeviceKey::prepare(Context& context, ThreadPool& pool,
                                                      const groth16::ProvingKey& key, const ProverPlan& plan,
                                                      const std::shared_ptr<PinnedBudget>& budget) {
  const Shape& shape = *key.shape();
  const auto& bases = groth16::ProvingKeyBases::of(key);
  auto self = std::make_unique<DeviceKey>();
  self->plan = plan;
  self->h_count = bases.h.size();
  if (!plan.h)
    CUZK_TRY(keep_on_host<G1Affine>(context, pool, budget, 0, self->h_count, decoder(bases.h, pool),
                                    self->streamed_h));
  CUZK_TRY(prepare_query(context, pool, budget, bases.l, plan.l, self->l));
  CUZK_TRY(prepare_query(context, pool, budget, bases.a, plan.a, self->a));
  CUZK_TRY(prepare_query(context, pool, budget, bases.b_g1, plan.b_g1, self->b_g1));
  CUZK_TRY(prepare_query(context, pool, budget, bases.b_g2, plan.b_g2, self->b_g2));
  if (!plan.rows) CUZK_TRY(self->rows.keep_on_host(context, shape, budget));
  for (unsigned i = 0; i + plan.arrays < 3; ++i) {
    CUZK_TRY_ASSIGN(self->arrays[i], HostMemory::take(context, budget, sizeof(Fr) << shape.domain_log_size(),
                                                      "arrays of the quotient", HostMemory::Kind::pinned));
  }
  if (const std::uint64_t took = self->host_bytes().all; took != plan.host_bytes())
    return Error{ErrorCode::kInternal, "device " + std::to_string(context.device()) +
                                           ", proving key: the plan says " +
                                           std::to_string(plan.host_bytes()) +
                                           " bytes of host memory, it took " + std::to_string(took)};
  return Result<std::unique_ptr<DeviceKey>>(std::move(self));
}

Result<void> DeviceKey::load(Context& context, ThreadPool& pool, const groth16::ProvingKey& key) {
  const std::uint64_t before = context.bytes_in_use();
  if (const std::uint64_t free = context.free_bytes(); plan.needed_bytes() > free)
    return io_error("device " + std::to_string(context.device()) + ", proving key " + key.path() +
                    ": out of memory: " + std::to_string(plan.needed_bytes()) + " bytes needed, " +
                    std::to_string(free) + " of " + std::to_string(context.vram_limit()) + " free");
  const Shape& shape = *key.shape();
  const auto& bases = groth16::ProvingKeyBases::of(key);
  PointCopier copier(context, pool);
  CUZK_TRY(load_quotient(context, copier, pool, bases.h, shape.domain_log_size(), *this));
  if (plan.h_windows.multiples > 1)
    CUZK_TRY(fill_multiples(context, h.as<G1Affine>(), h_count, plan.h_windows.multiples,
                            DigitWindows(plan.h_windows).shift));
  CUZK_TRY(load_query(context, copier, pool, bases.l, l));
  CUZK_TRY(load_query(context, copier, pool, bases.a, a));
  CUZK_TRY(load_query(context, copier, pool, bases.b_g1, b_g1));
  CUZK_TRY(load_query(context, copier, pool, bases.b_g2, b_g2));
  CUZK_TRY(load_places(context, bases.l_selection, shape.num_inputs(), l_places));
  CUZK_TRY(load_places(context, bases.a_selection, shape.num_inputs(), a_places));
  CUZK_TRY(load_places(context, bases.b_selection, shape.num_inputs(), b_places));
  const std::uint64_t bits = shape.num_bits();
  CUZK_TRY(l_bits.load(context, bases.l_selection.bit_mask(), bits, l.bit_count));
  CUZK_TRY(a_bits.load(context, bases.a_selection.bit_mask(), bits, a.bit_count));
  CUZK_TRY(b_bits.load(context, bases.b_selection.bit_mask(), bits, b_g1.bit_count));
  CUZK_TRY(plan.rows ? rows.load(context, shape) : rows.load_coefficients(context, shape));
  CUZK_TRY_ASSIGN(ntt, Ntt::create(context, shape.domain_log_size(), {.quotient_only = true}));
  CUZK_TRY(context.synchronize(kStage));
  const std::uint64_t took = context.bytes_in_use() - before;
  if (took != plan.resident_bytes())
    return Error{ErrorCode::kInternal,
                 "device " + std::to_string(context.device()) + ", proving key: the plan says " +
                     std::to_string(plan.resident_bytes()) + " bytes, it took " + std::to_string(took)};
  return {};
}

template <class Key, class Visit>
void DeviceKey::visit_host(Key& key, Visit&& visit) {
  visit(key.streamed_h);
  const auto query = [&](auto& of) {
    visit(of.streamed_bits);
    visit(of.streamed_wide);
  };
  query(key.l);
  query(key.a);
  query(key.b_g1);
  query(key.b_g2);
  for (auto& array : key.arrays) visit(array);
}

std::vector<HostMemory> DeviceKey::take_host() {
  std::vector<HostMemory> out;
  visit_host(*this, [&](HostMemory& memory) { out.push_back(std::move(memory)); });
  out.push_back(rows.take_image());
  return out;
}

DeviceKey::HostBytes DeviceKey::host_bytes() const {
  HostBytes sum;
  const auto add = [&](const HostMemory& memory) {
    sum.all += memory.bytes();
    sum.pinned += memory.pinned() ? memory.bytes() : 0;
  };
  visit_host(*this, add);
  add(rows.image());
  return sum;
}

}  // namespace cuzk::cuda
