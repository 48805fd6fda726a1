#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cuzk/cuda/internal/affine_launch.cuh"
#include "cuzk/cuda/internal/bucket_tree.h"
#include "cuzk/cuda/internal/digits32.h"
#include "cuzk/cuda/internal/item_grid.cuh"
#include "cuzk/cuda/internal/sort.h"
#include "cuzk/cuda/internal/weighted_sum.cuh"
#include "cuzk/cuda/msm.h"

namespace cuzk::cuda {
namespace msm_kernels {

/// The digits of the windows of sets first <= set < last of the bases from `begin` on, in the order of sets:
/// of each, the bucket among those of the sets' group of `group` (BucketGroup), and the sign.
static __global__ void digit_codes(const Fr32* scalars, std::uint64_t begin, std::uint64_t count,
                                   DigitWindows windows, SumBorders borders, unsigned first, unsigned last,
                                   unsigned group, std::uint32_t* codes) {
  CUZK_FOR_ITEMS(i, count) {
    const BiasedScalar k = biased(windows, add_detail::load_words(scalars + begin + i));
    const unsigned sum = borders.sum_of(begin + i);
    std::uint64_t to = i;
    for (unsigned set = first; set < last; ++set) {
      const unsigned group_first = set - set % group;
      const BucketGroup buckets{group_first, min(group_first + group, windows.sets)};
      for (unsigned w = set, multiple = 0; w < windows.count; w += windows.sets, ++multiple, to += count)
        codes[to] = buckets.code(windows, borders.sums, sum, set, digit_code(windows, k, set, multiple));
    }
  }
}

/// The base that each entry of a group of sets, from `first` on, is about: entries of `period` bases for
/// every window, whose bases lie in array after array of `stride`.
static __global__ void list_bases(std::uint32_t* index, std::uint64_t period, DigitWindows windows,
                                  unsigned first, unsigned last, std::uint64_t stride) {
  CUZK_FOR_ITEMS(i, period) {
    std::uint64_t to = i;
    for (unsigned set = first; set < last; ++set)
      for (unsigned w = set, multiple = 0; w < windows.count; w += windows.sets, ++multiple, to += period)
        index[to] = static_cast<std::uint32_t>(multiple * stride + i);
  }
}

/// A block searches for the first entries of kStartsOfBlock neighbouring buckets at a time, the first and the
/// last one among all.
inline constexpr std::uint32_t kStartsOfBlock = 8 * kItemThreads;
static __global__ void bucket_starts(const std::uint32_t* codes, std::uint32_t entries, std::uint32_t first,
                                     BucketLevel level) {
  __shared__ std::uint32_t place[2];
  const std::uint32_t step = gridDim.x * kStartsOfBlock;
  for (std::uint32_t begin = blockIdx.x * kStartsOfBlock; begin <= level.count; begin += step) {
    const std::uint32_t end = begin + min(kStartsOfBlock, level.count + 1 - begin);
    if (threadIdx.x < 2)
      place[threadIdx.x] = first_of_key(codes, 0, entries, first + (threadIdx.x == 0 ? begin : end - 1));
    __syncthreads();
    for (std::uint32_t b = begin + threadIdx.x; b < end; b += kItemThreads)
      level.start[b] = first_of_key(codes, place[0], place[1], first + b);
    __syncthreads();
  }
}
static __global__ void bucket_sizes(BucketLevel level, std::uint32_t* largest) {
  std::uint32_t mine = 0;
  CUZK_FOR_ITEMS(b, level.count) {
    const std::uint32_t size = level.start[b + 1] - level.start[b];
    level.size[b] = size;
    mine = mine < size ? size : mine;
  }
  mine = __reduce_max_sync(~0U, mine);  // the threads of a warp would queue for the one place
  if (threadIdx.x % 32 == 0) atomicMax(largest, mine);
}

static __global__ void pack_sizes(BucketLevel level, std::uint64_t* packed) {
  CUZK_FOR_ITEMS(b, level.count + 1) packed[b] = b < level.count ? packed_size(level.size[b]) : 0;
}
/// A block lists kPairsOfBlock neighbours at a time: only the buckets of the first and the last one are
/// searched for among all.
inline constexpr std::uint32_t kPairsOfBlock = 8 * kItemThreads;
static __global__ void list_pairs(BucketLevel level, const std::uint64_t* sums, std::uint32_t distance,
                                  ListedPair* list) {
  __shared__ std::uint32_t bucket[2];
  const auto pairs = static_cast<std::uint32_t>(sums[level.count]);
  const std::uint32_t step = gridDim.x * kPairsOfBlock;
  for (std::uint32_t begin = blockIdx.x * kPairsOfBlock; begin < pairs; begin += step) {
    const std::uint32_t end = begin + min(kPairsOfBlock, pairs - begin);
    if (threadIdx.x < 2)
      bucket[threadIdx.x] = bucket_of_pair(sums, threadIdx.x == 0 ? begin : end - 1, 0, level.count);
    __syncthreads();
    const std::uint32_t low = bucket[0];
    const std::uint32_t high = bucket[1] + 1;
    for (std::uint32_t i = begin + threadIdx.x; i < end; i += kItemThreads)
      list[i] = pair_in(level, sums, i, bucket_of_pair(sums, i, low, high), distance);
    __syncthreads();
  }
}
/// Once the pairs of a level are listed and added: the sizes of the next one, and, after the first, its
/// places.
static __global__ void advance(BucketLevel level, const std::uint64_t* sums, bool moves) {
  CUZK_FOR_ITEMS(b, level.count) {
    if (moves) level.start[b] = static_cast<std::uint32_t>(sums[b] >> 32);
    level.size[b] = (level.size[b] + 1) / 2;
  }
}

/// Where the points of a level are: an array, or bases picked by the sorted entries.
template <class F>
struct LevelPoints {
  const Affine<F>* points;
  const std::uint32_t* codes;  // null: an array
  const std::uint32_t* index;

  __device__ Affine<F> at(std::uint32_t i) const {
    if (codes == nullptr) return {add_detail::load_words(&points[i].x), add_detail::load_words(&points[i].y)};
    const Affine<F>* const p = points + index[i];
    return {add_detail::load_words(&p->x), add_detail::load_y(p, (codes[i] & 1) != 0)};
  }
};

/// The odd ones out of the first level.
template <class F>
__global__ void copy_odd(BucketLevel level, const std::uint64_t* sums, LevelPoints<F> from, Affine<F>* to) {
  CUZK_FOR_ITEMS(b, level.count) {
    const std::uint32_t size = level.size[b];
    if (size % 2 == 0) continue;
    const Affine<F> p = from.at(level.start[b] + size - 1);
    Affine<F>* const out = to + static_cast<std::uint32_t>(sums[b] >> 32) + size / 2;
    add_detail::store_words(&out->x, p.x);
    add_detail::store_words(&out->y, p.y);
  }
}

/// Buckets of one point at most to their places, the first one to `border` where that is not null.
template <class F>
__global__ void place_buckets(BucketLevel level, LevelPoints<F> from, Affine<F>* out, Affine<F>* border) {
  CUZK_FOR_ITEMS(b, level.count) {
    const Affine<F> p = level.size[b] != 0 ? from.at(level.start[b]) : Affine<F>::infinity();
    Affine<F>* const to = b == 0 && border != nullptr ? border : out + b;
    add_detail::store_words(&to->x, p.x);
    add_detail::store_words(&to->y, p.y);
  }
}

}  // namespace msm_kernels

template <class F>
class MsmRun {
 public:
  using Host = typename HostField<F>::type;
  using Point = Affine<F>;

  /// Over counts[0], counts[1], ... bases and scalars, which lie side by side.
  MsmRun(Context& context, const Point* bases, const Fr32* scalars, std::span<const std::uint64_t> counts,
         const MsmOptions& options)
      : context_(context),
        bases_(bases),
        scalars_(scalars),
        borders_(counts),
        count_(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0})),
        windows_(options.windows.count != 0 ? options.windows : msm_windows(count_, 1, borders_.sums)),
        slice_(options.slice == 0 ? count_ : std::min(options.slice, count_)),
        most_at_a_time_(options.entries != 0     ? options.entries
                        : windows_.multiples > 1 ? kDigitsAtATime
                                                 : UINT32_MAX) {}

  Result<std::vector<WindowSums<Host>>> run() {
    CUZK_TRY(plan());
    CUZK_TRY(reserve());
    for (std::uint64_t begin = 0; begin < count_; begin += slice_) {
      const std::uint64_t size = std::min(slice_, count_ - begin);
      if (all_codes_) digits(begin, size, 0, windows_.sets);
      for (unsigned set = 0; set < windows_.sets; set += group_)
        CUZK_TRY(add_sets(begin, size, set, std::min(group_, windows_.sets - set), begin == 0));
    }
    return combine();
  }

 private:
  /// Of the sets from `first` on.
  [[nodiscard]] std::uint64_t buckets_of(unsigned first, unsigned group) const {
    return borders_.sums * (windows_.buckets_before(first + group) - windows_.buckets_before(first));
  }
  /// Of any group.
  [[nodiscard]] std::uint64_t most_buckets() const { return borders_.sums * windows_.most_buckets(group_); }
  /// Entries of a group: a digit of a base each.
  [[nodiscard]] std::uint64_t entries() const { return windows_.windows_before(group_) * slice_; }
  /// Those of them, sorted, whose buckets are summed at a time.
  [[nodiscard]] std::uint64_t stretch() const { return std::min(entries(), most_at_a_time_); }
  /// Points of the level above the entries.
  [[nodiscard]] std::uint64_t level_size() const {
    return std::min(stretch(), (stretch() + most_buckets()) / 2 + 1);
  }
  /// Digits kept at a time: of all windows where there is room, so that scalars are read once.
  [[nodiscard]] std::uint64_t codes() const {
    return all_codes_ ? std::uint64_t{windows_.count} * slice_ : entries();
  }
  [[nodiscard]] bool accumulates() const { return slice_ < count_; }
  [[nodiscard]] std::uint64_t all_buckets() const { return borders_.sums * windows_.all_buckets(); }

  /// Device memory of a plan, as reserve() takes it.
  [[nodiscard]] std::uint64_t needed() const {
    const auto r = [](std::uint64_t bytes) { return Context::rounded(bytes); };
    const std::uint64_t buckets = most_buckets();
    const std::uint64_t all = all_buckets();
    std::uint64_t sum = r(4 * codes()) + 3 * r(4 * entries()) + r(sort_scratch_bytes(entries()));
    sum += 2 * r(4 * (buckets + 1)) + 2 * r(8 * (buckets + 1)) + r(sum_scratch_bytes(buckets + 1));
    sum += r(sizeof(ListedPair) * (stretch() / 2 + 1));
    sum += r(sizeof(Point) * level_size());
    sum += r(sizeof(Point) * all) + (accumulates() ? r(sizeof(Point) * buckets) : 0);
    sum += r(AffineAdder<F>::scratch_bytes(context_, most_additions()));
    return sum + r(sizeof(Point) * (all / 2 + 1)) + (1 << 20);
  }
  [[nodiscard]] std::uint64_t most_additions() const {
    return std::max<std::uint64_t>(stretch() / 2 + 1, all_buckets());
  }

  /// As many sets at a time as give every round enough to do, in slices that fit the memory.
  Result<void> plan() {
    const std::uint64_t free = context_.free_bytes();
    while (true) {
      all_codes_ = true;
      group_ = windows_.sets_at_a_time(slice_);
      while (group_ > 1 && needed() > free) group_ = (group_ + 1) / 2;
      all_codes_ = needed() <= free;
      if (needed() <= free && entries() <= UINT32_MAX) return {};
      if (slice_ <= (1 << 16))
        return io_error("device " + std::to_string(context_.device()) +
                        ", multi-scalar multiplication: out of memory: " + std::to_string(needed()) +
                        " bytes needed, " + std::to_string(free) + " free");
      slice_ = (slice_ + 1) / 2;
    }
  }

  Result<void> reserve() {
    const std::uint64_t buckets = most_buckets();
    const std::uint64_t all = all_buckets();
    const auto take = [&](DeviceMemory& memory, std::uint64_t bytes) -> Result<void> {
      CUZK_TRY_ASSIGN(memory, context_.allocate(bytes, "multi-scalar multiplication"));
      return {};
    };
    CUZK_TRY(take(codes_, 4 * codes()));
    CUZK_TRY(take(sorted_codes_, 4 * entries()));
    CUZK_TRY(take(index_, 4 * entries()));
    CUZK_TRY(take(sorted_index_, 4 * entries()));
    CUZK_TRY(take(sort_scratch_, sort_scratch_bytes(entries())));
    CUZK_TRY(take(starts_, 4 * (buckets + 1)));
    CUZK_TRY(take(sizes_, 4 * (buckets + 1)));
    CUZK_TRY(take(packed_, 8 * (buckets + 1)));
    CUZK_TRY(take(sums_, 8 * (buckets + 1)));
    CUZK_TRY(take(sum_scratch_, sum_scratch_bytes(buckets + 1)));
    CUZK_TRY(take(list_, sizeof(ListedPair) * (stretch() / 2 + 1)));
    CUZK_TRY(take(level_, sizeof(Point) * level_size()));
    CUZK_TRY(take(buckets_, sizeof(Point) * all));
    if (accumulates()) CUZK_TRY(take(fresh_, sizeof(Point) * buckets));
    CUZK_TRY(take(rows_, sizeof(Point) * (all / 2 + 1)));
    CUZK_TRY(take(border_, sizeof(Point)));
    CUZK_TRY(take(largest_, 4));
    CUZK_TRY(take(results_, 3 * windows_.sets * borders_.sums * sizeof(Xyzz<F>)));
    return adder_.reserve(context_, most_additions());
  }

  void digits(std::uint64_t begin, std::uint64_t size, unsigned first, unsigned last) {
    msm_kernels::digit_codes<<<item_grid(size), kItemThreads, 0, context_.stream()>>>(
        scalars_, begin, size, windows_, borders_, first, last, group_, codes_.as<std::uint32_t>());
  }

  Result<void> add_sets(std::uint64_t begin, std::uint64_t size, unsigned first, unsigned group,
                        bool first_slice) {
    using namespace msm_kernels;
    const cudaStream_t stream = context_.stream();
    const unsigned before = windows_.windows_before(first);
    const auto entries = static_cast<std::uint32_t>((windows_.windows_before(first + group) - before) * size);
    const auto buckets = static_cast<std::uint32_t>(buckets_of(first, group));
    // The first of two groups of as many entries has no fewer whole sets.
    if (entries != indexed_ || size != period_) {
      list_bases<<<item_grid(size), kItemThreads, 0, stream>>>(index_.as<std::uint32_t>(), size, windows_,
                                                               first, first + group, count_);
      indexed_ = entries;
      period_ = size;
    }
    if (!all_codes_) digits(begin, size, first, first + group);
    const std::uint32_t* const codes = codes_.as<std::uint32_t>() + (all_codes_ ? before * size : 0);
    CUZK_TRY(context_.check_launch("digits"));
    CUZK_TRY(sort_by_code(context_, codes, sorted_codes_.as<std::uint32_t>(), index_.as<std::uint32_t>(),
                          sorted_index_.as<std::uint32_t>(), entries,
                          static_cast<unsigned>(std::bit_width(buckets)), sort_scratch_));
    Point* const place = buckets_.as<Point>() + buckets_of(0, first);
    Point* const out = first_slice ? place : fresh_.as<Point>();
    if (entries <= most_at_a_time_) {
      CUZK_TRY(add_stretch(begin, 0, entries, 0, buckets, out, nullptr));
    } else {
      CUZK_TRY(add_stretches(begin, entries, buckets, out));
    }
    if (!first_slice) CUZK_TRY(adder_(PointPairs<F>::parallel(place, fresh_.as<Point>()), buckets));
    return {};
  }

  /// The buckets of more entries than are summed at a time. One that lies on a border is added up.
  Result<void> add_stretches(std::uint64_t begin, std::uint32_t entries, std::uint32_t buckets, Point* out) {
    std::uint32_t next = 0;  // bucket
    for (std::uint32_t from = 0; from < entries;) {
      const auto size = static_cast<std::uint32_t>(std::min<std::uint64_t>(most_at_a_time_, entries - from));
      const std::uint32_t to = from + size;
      std::uint32_t codes[2];  // of the first and the last entry
      CUZK_TRY(context_.download(&codes[0], sorted_codes_.as<std::uint32_t>() + from, 4, "buckets"));
      CUZK_TRY(context_.download(&codes[1], sorted_codes_.as<std::uint32_t>() + to - 1, 4, "buckets"));
      const StretchBuckets of = stretch_buckets(next, codes[0] >> 1, codes[1] >> 1, buckets, to == entries);
      if (of.first == of.last) break;  // nothing but digits of zero is left
      CUZK_TRY(add_stretch(begin, from, size, of.first, of.last, out + of.first,
                           of.shared ? border_.as<Point>() : nullptr));
      if (of.shared) CUZK_TRY(adder_(PointPairs<F>::parallel(out + of.first, border_.as<Point>()), 1));
      next = of.last;
      from = to;
    }
    return {};
  }

  /// The buckets first <= b < last, to `out` and `border` (see place_buckets), from `size` sorted entries,
  /// which have no others but digits of zero.
  Result<void> add_stretch(std::uint64_t begin, std::uint32_t from, std::uint32_t size, std::uint32_t first,
                           std::uint32_t last, Point* out, Point* border) {
    using namespace msm_kernels;
    const cudaStream_t stream = context_.stream();
    const BucketLevel level{starts_.as<std::uint32_t>(), sizes_.as<std::uint32_t>(), last - first};
    LevelPoints<F> points{bases_ + begin, sorted_codes_.as<std::uint32_t>() + from,
                          sorted_index_.as<std::uint32_t>() + from};
    bucket_starts<<<item_grid(level.count / 8 + 1), kItemThreads, 0, stream>>>(points.codes, size, first,
                                                                               level);
    CUZK_TRY(context_.check(cudaMemsetAsync(largest_.as<void>(), 0, 4, stream), "buckets"));
    bucket_sizes<<<item_grid(level.count), kItemThreads, 0, stream>>>(level, largest_.as<std::uint32_t>());
    CUZK_TRY(context_.check_launch("buckets"));
    std::uint32_t largest = 0;
    CUZK_TRY(context_.check(cudaMemcpyAsync(&largest, largest_.as<void>(), 4, cudaMemcpyDeviceToHost, stream),
                            "buckets"));
    CUZK_TRY(context_.synchronize("buckets"));

    std::uint64_t most = size;  // points of the level
    auto* const sums = sums_.as<std::uint64_t>();
    auto* const list = list_.as<ListedPair>();
    auto* const next = level_.as<Point>();
    const std::uint64_t* const pairs = sums + level.count;  // its low half
    // 0 in the first round, then between the points of a bucket.
    for (std::uint32_t distance = 0; largest > 1;
         distance = distance == 0 ? 1 : 2 * distance, largest = (largest + 1) / 2) {
      pack_sizes<<<item_grid(level.count + 1), kItemThreads, 0, stream>>>(level, packed_.as<std::uint64_t>());
      CUZK_TRY(context_.check_launch("bucket tree"));
      CUZK_TRY(exclusive_sums(context_, packed_.as<std::uint64_t>(), sums, level.count + 1, sum_scratch_));
      list_pairs<<<item_grid(most / 16), kItemThreads, 0, stream>>>(level, sums, distance, list);
      if (distance == 0)
        copy_odd<F><<<item_grid(level.count), kItemThreads, 0, stream>>>(level, sums, points, next);
      CUZK_TRY(context_.check_launch("bucket tree"));
      if (distance == 0)
        CUZK_TRY(adder_(PointPairs<F>::listed_bases(list, points.codes, points.index, points.points, next),
                        most / 2, pairs));
      else
        CUZK_TRY(adder_(PointPairs<F>::listed(list, next, distance), most / 2, pairs));
      advance<<<item_grid(level.count), kItemThreads, 0, stream>>>(level, sums, distance == 0);
      points = {next, nullptr, nullptr};
      most = std::min<std::uint64_t>(most, (most + level.count) / 2 + 1);
    }
    place_buckets<F><<<item_grid(level.count), kItemThreads, 0, stream>>>(level, points, out, border);
    return context_.check_launch("buckets");
  }

  /// 1 B_1 + 2 B_2 + ... of every set of every sum. The weight of bucket b, from 0, is high 2^low_bits + (low
  /// + 1): column sums over high weighted low + 1, and row sums over low weighted high. Rows are equally long
  /// everywhere; columns of a wide set are summed up in two halves, which are as high as a narrow set.
  Result<std::vector<WindowSums<Host>>> combine() {
    using namespace msm_kernels;
    const unsigned sums = borders_.sums;
    const unsigned narrow = windows_.narrow * sums;
    const unsigned wide = windows_.sets * sums - narrow;
    const unsigned halves = narrow + 2 * wide;
    const unsigned bits = windows_.narrow_bits - 1;
    const unsigned low_bits = (windows_.widest() - 1) / 2;
    const unsigned high_bits = bits - low_bits;
    auto* const buckets = buckets_.as<Point>();
    auto* const rows = rows_.as<Point>();
    const std::uint32_t row_stride = 1U << (low_bits - 1);
    for (unsigned w = low_bits; w-- > 0;) {
      const bool first = w == low_bits - 1;  // leaves the buckets as they are, for the columns
      CUZK_TRY(adder_(PointPairs<F>::halves(first ? buckets : rows, rows, w,
                                            first ? 2 * row_stride : row_stride, row_stride),
                      (all_buckets() >> low_bits) << w));
    }
    for (unsigned w = bits; w-- > low_bits;)
      CUZK_TRY(adder_(PointPairs<F>::halves(buckets, buckets, w, 1U << bits, 1U << bits),
                      std::uint64_t{halves} << w));
    auto* const results = results_.as<Xyzz<F>>();
    constexpr std::size_t kShared = kSumThreads * sizeof(Xyzz<F>);
    // Row 0 has weight 0: the others move down by one and get weights 1, 2, ...
    const auto rows_of = [&](std::uint64_t first, unsigned set_bits, unsigned count) {
      return WeightedPoints<F>{rows + (first + 1) * row_stride, std::uint64_t{row_stride} << set_bits,
                               row_stride, (1U << set_bits) - 1, count};
    };
    const WeightedSums<F> weighted{{{buckets, std::uint64_t{1} << bits, 1, 1U << low_bits, halves},
                                    rows_of(0, high_bits, narrow),
                                    rows_of(std::uint64_t{narrow} << high_bits, high_bits + 1, wide)}};
    const unsigned count = halves + narrow + wide;
    weighted_sums<F><<<count, kSumThreads, kShared, context_.stream()>>>(weighted, results);
    CUZK_TRY(context_.check_launch("window sums"));
    static_assert(sizeof(Xyzz<F>) == sizeof(Xyzz<Host>));
    std::vector<Xyzz<Host>> parts(count);
    CUZK_TRY(context_.check(cudaMemcpyAsync(parts.data(), results, count * sizeof(Xyzz<F>),
                                            cudaMemcpyDeviceToHost, context_.stream()),
                            "window sums"));
    CUZK_TRY(context_.synchronize("window sums"));
    // The sums of a set are those of its first window.
    WindowSums<Host> empty;
    empty.windows = windows_.count;
    empty.narrow = windows_.narrow;
    empty.narrow_bits = windows_.narrow_bits;
    empty.low_bits = low_bits;
    std::vector<WindowSums<Host>> out(sums, empty);
    for (WindowSums<Host>& to : out) {
      to.columns.reserve(windows_.sets);  // and no more: see ProverPlan::launch_host
      to.rows.reserve(windows_.sets);
    }
    for (unsigned i = 0; i < narrow + wide; ++i) {  // set after set, of each sum after sum
      WindowSums<Host>& to = out[i % sums];
      const unsigned half = i < narrow ? i : 2 * i - narrow;
      to.columns.push_back(i < narrow ? parts[half] : parts[half] + parts[half + 1]);
      to.rows.push_back(parts[halves + i]);
    }
    return out;
  }

  Context& context_;
  const Point* bases_;
  const Fr32* scalars_;
  SumBorders borders_;
  std::uint64_t count_;
  DigitWindows windows_;
  std::uint64_t slice_;
  std::uint64_t most_at_a_time_;  ///< entries
  unsigned group_ = 1;
  bool all_codes_ = false;
  std::uint32_t indexed_ = 0;  ///< entries that index_ is filled for, with this period
  std::uint64_t period_ = 0;

  AffineAdder<F> adder_;
  DeviceMemory codes_, sorted_codes_, index_, sorted_index_, sort_scratch_;
  DeviceMemory starts_, sizes_, packed_, sums_, sum_scratch_, list_;
  DeviceMemory level_, buckets_, fresh_, border_, rows_, largest_, results_;
};

template <class F>
Result<std::vector<WindowSums<typename HostField<F>::type>>> run_msms(Context& context,
                                                                      const Affine<F>* bases,
                                                                      const Fr* scalars,
                                                                      std::span<const std::uint64_t> counts,
                                                                      const MsmOptions& options) {
  const char* const what = "multi-scalar multiplication: ";
  const std::uint64_t count = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  const MsmWindows& windows = options.windows;
  if (counts.empty() || counts.size() > kMostSums || count >= std::uint64_t{1} << 31 ||
      (windows.count != 0 && (windows.count < kLeastWindows || windows.count > kMostWindows)))
    return usage_error(what + ("fewer than 2^31 bases, " + std::to_string(kLeastWindows) + " to ") +
                       std::to_string(kMostWindows) + " windows, 1 to " + std::to_string(kMostSums) +
                       " sums");
  if (windows.multiples != 1) {
    // Which multiples the bases are followed by depends on the windows.
    if (windows.multiples == 0 || windows.count == 0 || counts.size() != 1)
      return usage_error(what + std::string("multiples of bases are for certain windows of one sum"));
    const DigitWindows digits(windows);
    if (digits.count != windows.count || digits.multiples != windows.multiples ||
        digits.widest() > kMostWindowBits || digits.narrow_bits < kLeastWindowBits ||
        windows.multiples * count >= std::uint64_t{1} << 32)
      return usage_error(what + std::string("no sets of ") + std::to_string(windows.multiples) + " of " +
                         std::to_string(windows.count) + " windows");
  }
  if (count == 0) return std::vector<WindowSums<typename HostField<F>::type>>(counts.size());
  return MsmRun<F>(context, bases, reinterpret_cast<const Fr32*>(scalars), counts, options).run();
}

template <class F>
Result<WindowSums<typename HostField<F>::type>> run_msm(Context& context, const Affine<F>* bases,
                                                        const Fr* scalars, std::uint64_t count,
                                                        const MsmOptions& options) {
  CUZK_TRY_ASSIGN(auto sums, run_msms(context, bases, scalars, {&count, 1}, options));
  return std::move(sums.front());
}

}  // namespace cuzk::cuda
