#include "cuzk/cuda/ntt.h"

#include <cuda_runtime.h>

#include "cuzk/cuda/internal/ntt_plan.h"

namespace cuzk::cuda {
namespace {

constexpr unsigned kMaxThreads = 1U << NttSchedule::kLogThreads;

template <bool kDif, bool kDit, bool kNeighbours>
__global__ void __launch_bounds__(kMaxThreads, 2) ntt_pass(const __grid_constant__ NttPass pass) {
  extern __shared__ ntt_detail::Quad shared[];
  DeviceBlock<NttState> block;
  run_ntt_tile<kDif, kDit, kNeighbours>(pass, block, shared);
}

__global__ void fill_powers(Fr32* low, Fr32* high, Fr32 base) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 1U << kPowerBits) return;
  low[i] = power_of(base, i);
  high[i] = power_of(base, std::uint64_t{i} << kPowerBits);
}

__global__ void fill_table(Fr32* out, const __grid_constant__ TableRecipe recipe, PowerTable powers,
                           Fr32 quotient_constant) {
  const std::uint64_t size = std::uint64_t{1} << (recipe.column_bits + recipe.row_bits);
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size; i += step)
    recipe.write(out, i, powers, quotient_constant);
}

/// Below eight elements: by the definition, one thread. root^n = 1; out of place.
struct SmallTransform {
  unsigned log_size;
  Fr32 root;
  Fr32 shift;  ///< its i-th power multiplies coefficient i, before a forward or after an inverse transform
  Fr32 scale;
  bool inverse;
};
__device__ void small_transform(const SmallTransform& t, Fr32* data) {
  const unsigned n = 1U << t.log_size;
  Fr32 in[4];
  for (unsigned i = 0; i < n; ++i) in[i] = data[i];
  for (unsigned k = 0; k < n; ++k) {
    Fr32 sum = Fr32::zero();
    for (unsigned i = 0; i < n; ++i) {
      // The coefficients' side is in reversed order.
      const auto place = static_cast<unsigned>(t.inverse ? i : reverse_low_bits(i, t.log_size));
      Fr32 term = in[place] * power_of(t.root, std::uint64_t{i} * k);
      if (!t.inverse) term = term * power_of(t.shift, i);
      sum = sum + term;
    }
    if (t.inverse) sum = sum * power_of(t.shift, k);
    data[t.inverse ? reverse_low_bits(k, t.log_size) : k] = sum * t.scale;
  }
}
__global__ void run_small(const __grid_constant__ SmallTransform t, Fr32* data) {
  small_transform(t, data);
}
struct SmallQuotient {
  SmallTransform to_scaled, to_coefficients, to_coset, from_coset;
};
__global__ void run_small_quotient(const __grid_constant__ SmallQuotient q, Fr32* a, Fr32* b, Fr32* c) {
  const unsigned n = 1U << q.to_coset.log_size;
  for (unsigned i = 0; i < n; ++i) c[i] = a[i] * b[i];
  small_transform(q.to_scaled, c);
  for (Fr32* data : {a, b}) {
    small_transform(q.to_coefficients, data);
    small_transform(q.to_coset, data);
  }
  for (unsigned i = 0; i < n; ++i) a[i] = a[i] * b[i];
  small_transform(q.from_coset, a);
  for (unsigned i = 0; i < n; ++i) a[i] = a[i] - c[i];
}

template <bool kDif, bool kDit, bool kNeighbours>
cudaError_t launch(const NttPass& pass, cudaStream_t stream) {
  ntt_pass<kDif, kDit, kNeighbours>
      <<<ntt_blocks(pass), ntt_threads(pass), ntt_shared_bytes(pass), stream>>>(pass);
  return cudaGetLastError();
}

/// What a block of the most threads takes.
std::size_t most_shared_bytes() {
  NttPass pass{};
  pass.log_points = NttSchedule::kLogThreads + 3;
  return ntt_shared_bytes(pass);
}

/// Lets all passes have as much shared memory as the largest block takes. Contexts of one device share this
/// setting, so it must never be less, not even for a while.
Result<void> allow_shared_memory(Context& context) {
  const auto most = static_cast<int>(most_shared_bytes());
  for (const auto pass :
       {ntt_pass<true, true, true>, ntt_pass<true, false, true>, ntt_pass<true, false, false>,
        ntt_pass<false, true, true>, ntt_pass<false, true, false>})
    CUZK_TRY(context.check(cudaFuncSetAttribute(pass, cudaFuncAttributeMaxDynamicSharedMemorySize, most),
                           "transform tables"));
  return {};
}

}  // namespace

struct Ntt::Impl {
  Context* context;
  unsigned log_size;
  NttTableList list{NttDigits(3), NttTableList::Use::all};
  std::vector<DeviceMemory> memory;
  std::vector<const Fr32*> tables;
  unsigned log_threads = NttSchedule::kLogThreads;
  bool quotient_only = false;

  Impl(Context& c, unsigned log) : context(&c), log_size(log) {}

  Result<void> fill(const NttOptions& options) {
    list = NttTableList(NttDigits(log_size),
                        options.quotient_only ? NttTableList::Use::quotient : NttTableList::Use::all,
                        options.whole_tables ? kMaxLogSize : 0);
    CUZK_TRY_ASSIGN(DeviceMemory powers,
                    context->allocate(sizeof(Fr32) << (kPowerBits + 1), "transform tables"));
    auto* low = powers.as<Fr32>();
    auto* high = low + (std::size_t{1} << kPowerBits);
    const Fr32 quotient_constant = factor_quotient_constant();
    memory.resize(list.recipes.size());
    tables.assign(list.recipes.size(), nullptr);
    for (std::size_t i = 1; i < list.recipes.size(); ++i) {
      const TableRecipe& recipe = list.recipes[i];
      CUZK_TRY_ASSIGN(memory[i], context->allocate(recipe.bytes(), "transform tables"));
      tables[i] = memory[i].as<Fr32>();
      fill_powers<<<(1U << kPowerBits) / 128, 128, 0, context->stream()>>>(low, high, recipe.base);
      const auto blocks =
          static_cast<unsigned>(std::min<std::uint64_t>((recipe.size() + 127) / 128, 1U << 16));
      fill_table<<<blocks, 128, 0, context->stream()>>>(memory[i].as<Fr32>(), recipe, {low, high},
                                                        quotient_constant);
      CUZK_TRY(context->check_launch("transform tables"));
    }
    return {};
  }

  Result<void> run(const std::vector<NttLaunch>& launches, const char* stage) {
    for (const NttLaunch& l : launches) {
      const cudaStream_t stream = context->stream();
      const bool neighbours = l.pass.log_stride == 0;
      const auto run = l.dif && l.dit        ? launch<true, true, true>
                       : l.dif && neighbours ? launch<true, false, true>
                       : l.dif               ? launch<true, false, false>
                       : neighbours          ? launch<false, true, true>
                                             : launch<false, true, false>;
      const cudaError_t status = run(l.pass, stream);
      CUZK_TRY(context->check(status, stage));
    }
    return {};
  }

  [[nodiscard]] SmallTransform small(bool inverse, bool coset, const Fr& scale) const {
    const Fr root = fr_root_of_unity(log_size);
    const Fr shift = coset ? fr_root_of_unity(log_size + 1) : Fr::one();
    const Fr over_n = Fr::from_u64(std::uint64_t{1} << log_size).inverse();
    return {log_size, Fr32::from(inverse ? root.inverse() : root),
            Fr32::from(inverse ? shift.inverse() : shift), Fr32::from(inverse ? scale * over_n : scale),
            inverse};
  }
  [[nodiscard]] bool is_small() const { return log_size < kLeastSteps; }
  [[nodiscard]] NttSchedule schedule() const { return {list, tables, log_threads}; }
};

Ntt::Ntt(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Ntt::~Ntt() = default;

Result<std::unique_ptr<Ntt>> Ntt::create(Context& context, unsigned log_size, const NttOptions& options) {
  if (options.log_threads != 0 && options.log_threads != 7 && options.log_threads != 8)
    return usage_error("transform: blocks of 2^7 or 2^8 threads");
  if (log_size > kMaxLogSize)
    return usage_error("transform of 2^" + std::to_string(log_size) + " elements: at most 2^28");
  auto impl = std::make_unique<Impl>(context, log_size);
  impl->quotient_only = options.quotient_only;
  // Small blocks overlap their phases better; large ones read longer runs, which counts where data leaves the
  // caches (measured at 2^24 and 2^27).
  // A large block alone on a multiprocessor would overlap nothing.
  constexpr unsigned kLargeSize = 26;
  const bool large = log_size >= kLargeSize && context.blocks_by_shared_memory(most_shared_bytes()) > 1;
  impl->log_threads = options.log_threads != 0 ? options.log_threads
                      : large                  ? NttSchedule::kLogThreads
                                               : NttSchedule::kLogThreads - 1;
  if (!impl->is_small()) {
    CUZK_TRY(allow_shared_memory(context));
    CUZK_TRY(impl->fill(options));
  }
  return std::unique_ptr<Ntt>(new Ntt(std::move(impl)));
}

Result<void> Ntt::inverse(Fr* data, bool coset) {
  CUZK_CHECK(!impl_->quotient_only);
  auto* d = reinterpret_cast<Fr32*>(data);
  if (impl_->is_small()) {
    run_small<<<1, 1, 0, impl_->context->stream()>>>(impl_->small(true, coset, Fr::one()), d);
    return impl_->context->check_launch("inverse transform");
  }
  return impl_->run(impl_->schedule().inverse(d, coset), "inverse transform");
}

Result<void> Ntt::forward(Fr* data, bool coset) {
  CUZK_CHECK(!impl_->quotient_only);
  auto* d = reinterpret_cast<Fr32*>(data);
  if (impl_->is_small()) {
    run_small<<<1, 1, 0, impl_->context->stream()>>>(impl_->small(false, coset, Fr::one()), d);
    return impl_->context->check_launch("forward transform");
  }
  return impl_->run(impl_->schedule().forward(d, coset), "forward transform");
}

Result<void> Ntt::quotient(Fr* a, Fr* b, Fr* c) {
  auto* a32 = reinterpret_cast<Fr32*>(a);
  auto* b32 = reinterpret_cast<Fr32*>(b);
  auto* c32 = reinterpret_cast<Fr32*>(c);
  if (impl_->is_small()) {
    const Fr minus_half = -Fr::from_u64(2).inverse();
    const SmallQuotient q{impl_->small(true, false, minus_half), impl_->small(true, false, Fr::one()),
                          impl_->small(false, true, Fr::one()), impl_->small(true, true, minus_half)};
    run_small_quotient<<<1, 1, 0, impl_->context->stream()>>>(q, a32, b32, c32);
    return impl_->context->check_launch("quotient");
  }
  return impl_->run(impl_->schedule().quotient(a32, b32, c32), "quotient");
}

Result<void> Ntt::product(const Fr* a, const Fr* b, Fr* c) {
  CUZK_CHECK(!impl_->is_small());
  return impl_->run(impl_->schedule().product(reinterpret_cast<const Fr32*>(a),
                                              reinterpret_cast<const Fr32*>(b), reinterpret_cast<Fr32*>(c)),
                    "quotient");
}
Result<void> Ntt::to_coset(Fr* data) {
  CUZK_CHECK(!impl_->is_small());
  return impl_->run(impl_->schedule().to_coset(reinterpret_cast<Fr32*>(data)), "quotient");
}
Result<void> Ntt::to_coset_times(Fr* data, const Fr* factor) {
  CUZK_CHECK(!impl_->is_small());
  auto* const d = reinterpret_cast<Fr32*>(data);
  return impl_->run(impl_->schedule().to_coset_times(d, reinterpret_cast<const Fr32*>(factor), d),
                    "quotient");
}
Result<void> Ntt::quotient_end(Fr* data, const Fr* c, const std::function<Result<void>()>& before_c) {
  CUZK_CHECK(!impl_->is_small());
  std::vector<NttLaunch> passes =
      impl_->schedule().quotient_end(reinterpret_cast<Fr32*>(data), reinterpret_cast<const Fr32*>(c));
  const NttLaunch last = passes.back();
  passes.pop_back();
  CUZK_TRY(impl_->run(passes, "quotient"));
  if (before_c) CUZK_TRY(before_c());
  return impl_->run({last}, "quotient");
}

unsigned Ntt::log_size() const {
  return impl_->log_size;
}

}  // namespace cuzk::cuda
