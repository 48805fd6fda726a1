#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

#include "cuzk/cuda/internal/device_key.h"
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
      CUZK_TRY_ASSIGN(memory, context_.allocate_pinned(count * sizeof(Point), kStage));
    }
    return memory.as<Point>();
  }
  Context& context_;
  ThreadPool& pool_;
  PinnedMemory buffers_[2];
  unsigned next_ = 0;
};

/// What the parts of a key are loaded with.
struct Loader {
  Context& context;
  ThreadPool& pool;
  HostBudget& budget;
  PointCopier copier;
};

/// Decodes `count` points to host memory, from point `first` on.
template <class Point, class Decode>
Result<void> keep_on_host(Loader& loader, std::uint64_t first, std::uint64_t count, Decode&& decode,
                          HostMemory& out) {
  if (count == 0) return {};
  CUZK_TRY_ASSIGN(out, HostMemory::take(loader.context, loader.budget, count * sizeof(Point), kStage));
  return decode_points(loader.pool, std::span<Point>(out.as<Point>(), count), first, decode);
}

template <class F>
Result<void> load_query(Loader& loader, const QueryBases<F>& bases, const ProverPlan::Bases& resident,
                        DeviceQuery<F>& out) {
  Context& context = loader.context;
  out.bit_count = bases.bit_count();
  out.wide_count = bases.wide().size();
  out.resident_bits = resident.bits;
  out.wide_resident = resident.wide;
  const std::uint64_t wide = resident.wide ? out.wide_count : 0;
  CUZK_TRY_ASSIGN(out.bit_bases, context.allocate(out.resident_bits * sizeof(Affine<F>), kStage));
  CUZK_TRY_ASSIGN(out.wide_bases, context.allocate(wide * sizeof(Affine<F>), kStage));
  auto* const bit_bases = out.bit_bases.template as<Affine<F>>();
  const auto decode = [&](std::uint64_t begin, std::span<Affine<F>> to) {
    return bases.decode_bit_bases(loader.pool.isa(), begin, to);
  };
  CUZK_TRY((loader.copier.template run<Affine<F>>(
      out.resident_bits, decode, [&](const Affine<F>* piece, std::uint64_t begin, std::uint64_t count) {
        return context.upload(bit_bases + begin, piece, count * sizeof(Affine<F>), kStage);
      })));
  CUZK_TRY(keep_on_host<Affine<F>>(loader, out.resident_bits, out.bit_count - out.resident_bits, decode,
                                   out.streamed_bits));
  if (out.wide_count == 0) return {};
  const std::uint64_t bytes = out.wide_count * sizeof(Affine<F>);
  if (!resident.wide) {
    CUZK_TRY_ASSIGN(out.streamed_wide, HostMemory::take(context, loader.budget, bytes, kStage));
    std::memcpy(out.streamed_wide.template as<void>(), bases.wide().data(), bytes);
    return {};
  }
  CUZK_TRY(context.upload(out.wide_bases.template as<void>(), bases.wide().data(), bytes, kStage));
  return context.synchronize(kStage);
}

Result<void> load_quotient(Loader& loader, const groth16::QuotientBases& bases, unsigned log_size,
                           DeviceKey& key) {
  Context& context = loader.context;
  key.h_count = bases.size();
  const auto decode = [&](std::uint64_t begin, std::span<G1Affine> to) {
    return bases.decode(loader.pool.isa(), begin, to);
  };
  CUZK_TRY_ASSIGN(key.h, context.allocate(key.plan.h ? key.h_count * sizeof(G1Affine) : 0, kStage));
  if (!key.plan.h) return keep_on_host<G1Affine>(loader, 0, key.h_count, decode, key.streamed_h);
  CUZK_TRY_ASSIGN(const DeviceMemory staging,
                  context.allocate(std::min(kLoadedPoints, key.h_count) * sizeof(G1Affine), kStage));
  // In order of the stream: a piece is in its place before the next one overwrites the staging memory.
  return loader.copier.run<G1Affine>(
      key.h_count, decode,
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

Result<std::unique_ptr<DeviceKey>> DeviceKey::load(Context& context, ThreadPool& pool,
                                                   const groth16::ProvingKey& key, const ProverPlan& plan,
                                                   HostBudget& budget) {
  const std::uint64_t before = context.bytes_in_use();
  const std::uint64_t free = context.vram_limit() - std::min(context.vram_limit(), before);
  if (plan.needed_bytes() > free)
    return io_error("device " + std::to_string(context.device()) + ", proving key " + key.path() +
                    ": out of memory: " + std::to_string(plan.needed_bytes()) + " bytes needed, " +
                    std::to_string(free) + " of " + std::to_string(context.vram_limit()) + " free");
  const Shape& shape = *key.shape();
  const auto& bases = groth16::ProvingKeyBases::of(key);
  auto self = std::make_unique<DeviceKey>();
  self->plan = plan;
  HostBudget left = budget;
  Loader loader{context, pool, left, PointCopier(context, pool)};
  CUZK_TRY(load_quotient(loader, bases.h, shape.domain_log_size(), *self));
  CUZK_TRY(load_query(loader, bases.l, plan.l, self->l));
  CUZK_TRY(load_query(loader, bases.a, plan.a, self->a));
  CUZK_TRY(load_query(loader, bases.b_g1, plan.b_g1, self->b_g1));
  CUZK_TRY(load_query(loader, bases.b_g2, plan.b_g2, self->b_g2));
  CUZK_TRY(load_places(context, bases.l_selection, shape.num_inputs(), self->l_places));
  CUZK_TRY(load_places(context, bases.a_selection, shape.num_inputs(), self->a_places));
  CUZK_TRY(load_places(context, bases.b_selection, shape.num_inputs(), self->b_places));
  if (plan.rows)
    CUZK_TRY(self->rows.load(context, shape));
  else
    CUZK_TRY(self->rows.load_streamed(context, shape, left));
  // Kernels read and copies write them, so they are page-locked whatever the budget.
  for (unsigned i = 0; i + plan.arrays < 3; ++i) {
    CUZK_TRY_ASSIGN(self->arrays[i],
                    context.allocate_pinned(sizeof(Fr) << shape.domain_log_size(), "arrays of the quotient"));
  }
  CUZK_TRY_ASSIGN(self->ntt, Ntt::create(context, shape.domain_log_size()));
  CUZK_TRY(context.synchronize(kStage));
  const std::uint64_t took = context.bytes_in_use() - before;
  if (took != plan.resident_bytes())
    return Error{ErrorCode::kInternal,
                 "device " + std::to_string(context.device()) + ", proving key: the plan says " +
                     std::to_string(plan.resident_bytes()) + " bytes, it took " + std::to_string(took)};
  self->pinned_bytes = budget.bytes - left.bytes;
  budget = left;
  return Result<std::unique_ptr<DeviceKey>>(std::move(self));
}

}  // namespace cuzk::cuda
