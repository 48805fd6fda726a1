#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cuzk/cuda/internal/affine_launch.cuh"
#include "cuzk/cuda/internal/bucket_tree.h"
#include "cuzk/cuda/internal/device_stream.h"
#include "cuzk/cuda/internal/digits32.h"
#include "cuzk/cuda/internal/item_grid.cuh"
#include "cuzk/cuda/internal/msm_kernels.cuh"
#include "cuzk/cuda/internal/msm_memory.h"
#include "cuzk/cuda/internal/pending_sums.h"
#include "cuzk/cuda/internal/sort.h"
#include "cuzk/cuda/internal/weighted_sum.cuh"
#include "cuzk/cuda/msm.h"

namespace cuzk::cuda {

/// Sums on `stream`, those over columns of buckets on `columns`, which may be another one.
///
/// Bases are taken in *slices*. Of a slice the digits of a *group* of sets (windows that share buckets) are
/// made, each an *entry*: its *code* is bucket and sign, its *index* the base. Entries are sorted by code,
/// and buckets summed up by trees, those of a *stretch* of entries at a time; a slice behind the first goes
/// into `fresh_`, which is added to `buckets_`. In combine() buckets lie in *rows* and *columns*, both
/// *lines*. All memory is taken by begin(), which, where one sort and one tree do (at_once), also sorts, so
/// that add() waits once only.
template <class F>
class MsmRun final : public PendingSums<typename HostField<F>::type> {
 public:
  using Host = typename HostField<F>::type;
  using Point = Affine<F>;

  /// Over counts[0], counts[1], ... bases and scalars, which lie side by side.
  MsmRun(Context& context, const Point* bases, const Fr32* scalars, std::span<const std::uint64_t> counts,
         const MsmOptions& options, cudaStream_t stream, cudaStream_t columns)
      : context_(context),
        bases_(bases),
        scalars_(scalars),
        borders_(counts),
        count_(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0})),
        windows_(options.windows.count != 0 ? options.windows : msm_windows(count_, 1, borders_.sums)),
        slice_(options.slice == 0 ? count_ : std::min(options.slice, count_)),
        most_at_a_time_(options.entries != 0     ? options.entries
                        : windows_.multiples > 1 ? kDigitsAtATime
                                                 : UINT32_MAX),
        stream_(stream),
        columns_(columns) {}
  ~MsmRun() override {
    // Memory goes back in the order of the context's stream, which knows nothing of the others.
    if (!under_way_ || context_.fault() != Fault::none) return;
    for (const cudaStream_t stream : {stream_, columns_})
      (void)context_.check(cudaStreamSynchronize(stream), kStage);
  }

  Result<void> begin() {
    CUZK_TRY(plan());
    CUZK_TRY(reserve());
    under_way_ = true;
    CUZK_TRY(order_.record(context_.stream(), kStage));
    CUZK_TRY(order_.wait(stream_, kStage));
    if (!at_once()) return {};
    CUZK_TRY(sort(0, count_, 0, group_));
    return find_buckets(0, 0, static_cast<std::uint32_t>(entries()), 0,
                        static_cast<std::uint32_t>(all_buckets()));
  }
  Result<void> add() override {
    if (at_once()) {
      CUZK_TRY(sum_buckets(buckets_.as<Point>(), nullptr));
    } else {
      for (std::uint64_t begin = 0; begin < count_; begin += slice_) {
        const std::uint64_t size = std::min(slice_, count_ - begin);
        if (keeps_codes_) digits(begin, size, 0, windows_.sets);
        for (unsigned set = 0; set < windows_.sets; set += group_)
          CUZK_TRY(add_sets(begin, size, set, std::min(group_, windows_.sets - set), begin == 0));
      }
    }
    return combine();
  }

 private:
  static constexpr const char* kStage = "multi-scalar multiplication";

  /// Of the sets from `first` on.
  [[nodiscard]] std::uint64_t buckets_of(unsigned first, unsigned group) const {
    return borders_.sums * (windows_.buckets_before(first + group) - windows_.buckets_before(first));
  }
  /// Entries of a group: a digit of a base each.
  [[nodiscard]] std::uint64_t entries() const { return windows_.windows_before(group_) * slice_; }
  [[nodiscard]] std::uint64_t all_buckets() const { return borders_.sums * windows_.all_buckets(); }
  /// One sort, and one tree: begin() need not wait for anything.
  [[nodiscard]] bool at_once() const {
    return slice_ == count_ && group_ == windows_.sets && entries() <= most_at_a_time_;
  }

  [[nodiscard]] MsmMemory memory() const {
    MsmSizes s{};
    s.point = sizeof(Point);
    s.entries = entries();
    s.stretch = std::min(entries(), most_at_a_time_);
    s.buckets = borders_.sums * windows_.most_buckets(group_);
    s.all = all_buckets();
    s.lines = borders_.sums * (windows_.rows() + windows_.columns());
    s.kept_codes = keeps_codes_ ? std::uint64_t{windows_.count} * slice_ : 0;
    s.accumulates = slice_ < count_;
    return {s,
            {.sort = sort_scratch_bytes(s.entries),
             .prefix_sums = level_scratch_bytes(s.buckets),
             .tree_additions = AffineAdder<F>::scratch_bytes(context_, s.tree_additions()),
             .half_additions = AffineAdder<F>::scratch_bytes(context_, s.half_additions())}};
  }

  /// As many sets at a time as give every round enough to do, in slices that fit the memory; where there is
  /// more, the digits of all of them in one sweep.
  Result<void> plan() {
    const std::uint64_t free = context_.free_bytes();
    while (true) {
      keeps_codes_ = false;
      group_ = windows_.sets_at_a_time(slice_);
      while (group_ > 1 && memory().total() > free) group_ = (group_ + 1) / 2;
      const std::uint64_t needed = memory().total();
      if (needed <= free && entries() <= UINT32_MAX) {
        keeps_codes_ = group_ < windows_.sets;
        if (memory().total() > free) keeps_codes_ = false;
        return {};
      }
      if (slice_ <= (1 << 16))
        return io_error("device " + std::to_string(context_.device()) + ", " + kStage + ": out of memory: " +
                        std::to_string(needed) + " bytes needed, " + std::to_string(free) + " free");
      slice_ = (slice_ + 1) / 2;
    }
  }

  Result<void> reserve() {
    const auto take = [&](DeviceMemory& place, std::uint64_t bytes) -> Result<void> {
      if (bytes == 0) return {};
      CUZK_TRY_ASSIGN(place, context_.allocate(bytes, kStage));
      return {};
    };
    const MsmMemory m = memory();
    CUZK_TRY(take(kept_codes_, m.kept_codes));
    CUZK_TRY(take(kept_index_, m.kept_index));
    CUZK_TRY(take(sorted_codes_, m.sorted));
    CUZK_TRY(take(sorted_index_, m.sorted));
    CUZK_TRY(take(buckets_, m.buckets));
    CUZK_TRY(take(fresh_, m.fresh));
    CUZK_TRY(take(shared_, m.shared));
    CUZK_TRY(take(shared_bucket_, sizeof(Point)));
    CUZK_TRY(take(largest_, 4));
    CUZK_TRY(take(results_, 3 * windows_.sets * borders_.sums * sizeof(Xyzz<F>)));
    CUZK_TRY_ASSIGN(order_, Fence::create(context_));
    const auto at = [&](const MsmMemory::Part& part) {
      return static_cast<void*>(shared_.as<unsigned char>() + part.at);
    };
    codes_ = keeps_codes_ ? kept_codes_.as<std::uint32_t>() : static_cast<std::uint32_t*>(at(m.codes));
    index_ = keeps_codes_ ? kept_index_.as<std::uint32_t>() : static_cast<std::uint32_t*>(at(m.index));
    sort_scratch_ = at(m.sort_scratch);
    sort_scratch_bytes_ = m.sort_scratch.bytes;
    level_found_.start = static_cast<std::uint32_t*>(at(m.starts));
    level_found_.size = static_cast<std::uint32_t*>(at(m.sizes));
    sums_ = static_cast<std::uint64_t*>(at(m.sums));
    sum_scratch_ = at(m.sum_scratch);
    sum_scratch_bytes_ = m.sum_scratch.bytes;
    list_ = static_cast<ListedPair*>(at(m.list));
    level_ = static_cast<Point*>(at(m.level));
    rows_ = static_cast<Point*>(at(m.rows));
    line_sums_ = static_cast<Xyzz<F>*>(at(m.line_sums));
    CUZK_TRY(tree_adder_.use(context_, stream_, at(m.tree_adder), m.tree_adder.bytes));
    CUZK_TRY(row_adder_.use(context_, stream_, at(m.row_adder), m.row_adder.bytes));
    return column_adder_.use(context_, columns_, at(m.column_adder), m.column_adder.bytes);
  }

  void digits(std::uint64_t begin, std::uint64_t size, unsigned first, unsigned last) {
    msm_kernels::digit_codes<<<item_grid(size), kItemThreads, 0, stream_>>>(
        scalars_, begin, size, windows_, borders_, first, last, group_, codes_);
  }

  /// The digits of `group` sets, sorted.
  Result<void> sort(std::uint64_t begin, std::uint64_t size, unsigned first, unsigned group) {
    const unsigned before = windows_.windows_before(first);
    const auto entries = static_cast<std::uint32_t>((windows_.windows_before(first + group) - before) * size);
    // The first of two groups of as many entries has no fewer whole sets.
    if (!keeps_codes_ || entries != indexed_ || size != period_) {
      msm_kernels::list_bases<<<item_grid(size), kItemThreads, 0, stream_>>>(index_, size, windows_, first,
                                                                             first + group, count_);
      indexed_ = entries;
      period_ = size;
    }
    if (!keeps_codes_) digits(begin, size, first, first + group);
    CUZK_TRY(context_.check_launch("digits"));
    return sort_by_code(context_, stream_, codes_ + (keeps_codes_ ? before * size : 0),
                        sorted_codes_.as<std::uint32_t>(), index_, sorted_index_.as<std::uint32_t>(), entries,
                        static_cast<unsigned>(std::bit_width(buckets_of(first, group))), sort_scratch_,
                        sort_scratch_bytes_);
  }

  Result<void> add_sets(std::uint64_t begin, std::uint64_t size, unsigned first, unsigned group,
                        bool first_slice) {
    CUZK_TRY(sort(begin, size, first, group));
    const auto entries = static_cast<std::uint32_t>(
        (windows_.windows_before(first + group) - windows_.windows_before(first)) * size);
    const auto buckets = static_cast<std::uint32_t>(buckets_of(first, group));
    Point* const place = buckets_.as<Point>() + buckets_of(0, first);
    Point* const out = first_slice ? place : fresh_.as<Point>();
    if (entries <= most_at_a_time_) {
      CUZK_TRY(find_buckets(begin, 0, entries, 0, buckets));
      CUZK_TRY(sum_buckets(out, nullptr));
    } else {
      CUZK_TRY(add_stretches(begin, entries, buckets, out));
    }
    if (!first_slice) CUZK_TRY(tree_adder_(PointPairs<F>::parallel(place, fresh_.as<Point>()), buckets));
    return {};
  }

  /// The buckets of more entries than are summed at a time. One that lies on a border is added up.
  Result<void> add_stretches(std::uint64_t begin, std::uint32_t entries, std::uint32_t buckets, Point* out) {
    std::uint32_t next = 0;  // bucket
    for (std::uint32_t from = 0; from < entries;) {
      const auto size = static_cast<std::uint32_t>(std::min<std::uint64_t>(most_at_a_time_, entries - from));
      const std::uint32_t to = from + size;
      std::uint32_t codes[2];  // of the first and the last entry
      CUZK_TRY(download(&codes[0], sorted_codes_.as<std::uint32_t>() + from, 4));
      CUZK_TRY(download(&codes[1], sorted_codes_.as<std::uint32_t>() + to - 1, 4));
      const StretchBuckets of = stretch_buckets(next, codes[0] >> 1, codes[1] >> 1, buckets, to == entries);
      if (of.first == of.last) break;  // nothing but digits of zero is left
      CUZK_TRY(find_buckets(begin, from, size, of.first, of.last));
      CUZK_TRY(sum_buckets(out + of.first, of.shared ? shared_bucket_.as<Point>() : nullptr));
      if (of.shared)
        CUZK_TRY(tree_adder_(PointPairs<F>::parallel(out + of.first, shared_bucket_.as<Point>()), 1));
      next = of.last;
      from = to;
    }
    return {};
  }

  Result<void> download(void* to, const void* from, std::uint64_t bytes) {
    CUZK_TRY(context_.check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_), kStage));
    return context_.check(cudaStreamSynchronize(stream_), kStage);
  }

  /// Where the buckets first <= b < last lie among `size` sorted entries, which have no others but digits of
  /// zero, and how many each has.
  Result<void> find_buckets(std::uint64_t begin, std::uint32_t from, std::uint32_t size, std::uint32_t first,
                            std::uint32_t last) {
    using namespace msm_kernels;
    level_found_.count = last - first;
    found_ = size;
    points_ = {bases_ + begin, sorted_codes_.as<std::uint32_t>() + from,
               sorted_index_.as<std::uint32_t>() + from};
    bucket_starts<<<item_grid(level_found_.count / 8 + 1), kItemThreads, 0, stream_>>>(points_.codes, size,
                                                                                       first, level_found_);
    CUZK_TRY(context_.check(cudaMemsetAsync(largest_.as<void>(), 0, 4, stream_), kStage));
    bucket_sizes<<<item_grid(level_found_.count), kItemThreads, 0, stream_>>>(level_found_,
                                                                              largest_.as<std::uint32_t>());
    return context_.check_launch("buckets");
  }

  /// Those buckets to `out` and `border` (see place_buckets).
  Result<void> sum_buckets(Point* out, Point* border) {
    using namespace msm_kernels;
    std::uint32_t largest = 0;
    CUZK_TRY(download(&largest, largest_.as<void>(), 4));
    const BucketLevel& level = level_found_;
    std::uint64_t most = found_;  // points of the level
    LevelPoints<F> points = points_;
    const std::uint64_t* const pairs = sums_ + level.count;  // its low half
    // 0 in the first round, then between the points of a bucket.
    std::uint32_t distance = 0;
    for (unsigned round = 0; largest > 1;
         ++round, distance = distance == 0 ? 1 : 2 * distance, largest = (largest + 1) / 2) {
      CUZK_TRY(level_sums(context_, stream_, level.size, round, sums_, level.count, sum_scratch_,
                          sum_scratch_bytes_));
      list_pairs<<<item_grid(most / 16), kItemThreads, 0, stream_>>>(level, sums_, distance, list_);
      if (round == 0)
        leave_entries<F><<<item_grid(level.count), kItemThreads, 0, stream_>>>(level, sums_, points, level_);
      CUZK_TRY(context_.check_launch("bucket tree"));
      if (round == 0)
        CUZK_TRY(
            tree_adder_(PointPairs<F>::listed_bases(list_, points.codes, points.index, points.points, level_),
                        most / 2, pairs));
      else
        CUZK_TRY(tree_adder_(PointPairs<F>::listed(list_, level_, distance), most / 2, pairs));
      points = {level_, nullptr, nullptr};
      most = std::min<std::uint64_t>(most, (most + level.count) / 2 + 1);
    }
    place_buckets<F><<<item_grid(level.count), kItemThreads, 0, stream_>>>(level, points, out, border);
    return context_.check_launch("buckets");
  }

  [[nodiscard]] unsigned narrow_sums() const { return windows_.narrow * borders_.sums; }
  [[nodiscard]] unsigned wide_sums() const { return windows_.sets * borders_.sums - narrow_sums(); }
  [[nodiscard]] unsigned halves() const { return narrow_sums() + 2 * wide_sums(); }

  /// 1 B_1 + 2 B_2 + ... of every set of every sum. The weight of bucket b, from 0, is high 2^low_bits + (low
  /// + 1): column sums over high weighted low + 1, and row sums over low weighted high. Rows are equally long
  /// everywhere; columns of a wide set are summed up in two halves, which are as high as a narrow set.
  Result<void> combine() {
    using namespace msm_kernels;
    const unsigned bits = windows_.narrow_bits - 1;
    const unsigned low = windows_.low_bits();
    const unsigned high = bits - low;
    auto* const buckets = buckets_.as<Point>();
    const std::uint32_t row_stride = 1U << (low - 1);
    const auto rows = static_cast<std::uint32_t>(borders_.sums * windows_.rows());
    const auto columns = static_cast<std::uint32_t>(borders_.sums * windows_.columns());
    // The first round leaves the buckets as they are, for the columns.
    const unsigned last_row = std::min(low - 1, last_halving(rows));
    for (unsigned w = low; w-- > last_row;) {
      const bool first = w == low - 1;
      CUZK_TRY(row_adder_(PointPairs<F>::halves(first ? buckets : rows_, rows_, w,
                                                first ? 2 * row_stride : row_stride, row_stride),
                          std::uint64_t{rows} << w));
      if (!first || columns_ == stream_) continue;
      CUZK_TRY(order_.record(stream_, kStage));
      CUZK_TRY(order_.wait(columns_, kStage));
    }
    Xyzz<F>* const column_sums = line_sums_ + rows;
    CUZK_TRY(sum_lines({rows_, line_sums_, 0, row_stride, 1, rows, 31, last_row}, stream_));
    const unsigned last_column = std::min(high, last_halving(columns));
    for (unsigned w = bits; w-- > low + last_column;)
      CUZK_TRY(column_adder_(PointPairs<F>::halves(buckets, buckets, w, 1U << bits, 1U << bits),
                             std::uint64_t{halves()} << w));
    CUZK_TRY(sum_lines({buckets, column_sums, std::uint64_t{1} << bits, 1, std::uint64_t{1} << low, columns,
                        low, last_column},
                       columns_));
    if (columns_ != stream_) {
      CUZK_TRY(order_.record(columns_, kStage));
      CUZK_TRY(order_.wait(stream_, kStage));
    }
    constexpr std::size_t kShared = kSumThreads * sizeof(Xyzz<F>);
    // Row 0 has weight 0: the others move down by one and get weights 1, 2, ...
    const auto rows_of = [&](std::uint64_t first, unsigned set_bits, unsigned count) {
      return WeightedPoints<F>{line_sums_ + first + 1, std::uint64_t{1} << set_bits, (1U << set_bits) - 1,
                               count};
    };
    const WeightedSums<F> weighted{{{column_sums, std::uint64_t{1} << low, 1U << low, halves()},
                                    rows_of(0, high, narrow_sums()),
                                    rows_of(std::uint64_t{narrow_sums()} << high, high + 1, wide_sums())}};
    weighted_sums<F><<<halves() + narrow_sums() + wide_sums(), kSumThreads, kShared, stream_>>>(
        weighted, results_.as<Xyzz<F>>());
    return context_.check_launch("window sums");
  }
  /// So many halvings of so many lines are left to line_sums.
  [[nodiscard]] static unsigned last_halving(std::uint32_t lines) {
    constexpr std::uint64_t kFew = std::uint64_t{1} << 17;  // points
    unsigned last = 0;
    while (last < 4 && std::uint64_t{lines} << (last + 1) <= kFew) ++last;
    return last;
  }
  Result<void> sum_lines(const PointLines<F>& lines, cudaStream_t stream) {
    const unsigned blocks = std::clamp((lines.count + kSumThreads - 1) / kSumThreads, 1U, 1U << 14);
    line_sums<F><<<blocks, kSumThreads, 0, stream>>>(lines);
    return context_.check_launch("window sums");
  }

 public:
  Result<std::vector<WindowSums<Host>>> finish() override {
    static_assert(sizeof(Xyzz<F>) == sizeof(Xyzz<Host>));
    const unsigned sums = borders_.sums;
    const unsigned narrow = narrow_sums();
    const unsigned wide = wide_sums();
    std::vector<Xyzz<Host>> parts(halves() + narrow + wide);
    CUZK_TRY(download(parts.data(), results_.as<void>(), parts.size() * sizeof(Xyzz<F>)));
    under_way_ = false;
    // The sums of a set are those of its first window.
    WindowSums<Host> empty;
    empty.windows = windows_.count;
    empty.narrow = windows_.narrow;
    empty.narrow_bits = windows_.narrow_bits;
    empty.low_bits = windows_.low_bits();
    std::vector<WindowSums<Host>> out(sums, empty);
    for (WindowSums<Host>& to : out) {
      to.columns.reserve(windows_.sets);  // and no more: see ProverPlan::launch_host
      to.rows.reserve(windows_.sets);
    }
    for (unsigned i = 0; i < narrow + wide; ++i) {  // set after set, of each sum after sum
      WindowSums<Host>& to = out[i % sums];
      const unsigned half = i < narrow ? i : 2 * i - narrow;
      to.columns.push_back(i < narrow ? parts[half] : parts[half] + parts[half + 1]);
      to.rows.push_back(parts[halves() + i]);
    }
    return out;
  }

 private:
  Context& context_;
  const Point* bases_;
  const Fr32* scalars_;
  SumBorders borders_;
  std::uint64_t count_;
  DigitWindows windows_;
  std::uint64_t slice_;
  std::uint64_t most_at_a_time_;  ///< entries
  cudaStream_t stream_;
  cudaStream_t columns_;
  unsigned group_ = 1;
  bool keeps_codes_ = false;  ///< of all sets, and the index
  bool under_way_ = false;
  std::uint32_t indexed_ = 0;  ///< entries that the index is filled for, with this period
  std::uint64_t period_ = 0;

  DeviceMemory kept_codes_, kept_index_, sorted_codes_, sorted_index_;
  DeviceMemory buckets_, fresh_, shared_, shared_bucket_, largest_, results_;
  Fence order_;
  // In these, see MsmMemory.
  std::uint32_t* codes_ = nullptr;
  std::uint32_t* index_ = nullptr;
  void* sort_scratch_ = nullptr;
  std::uint64_t sort_scratch_bytes_ = 0;
  BucketLevel level_found_{};
  std::uint64_t* sums_ = nullptr;
  void* sum_scratch_ = nullptr;
  std::uint64_t sum_scratch_bytes_ = 0;
  ListedPair* list_ = nullptr;
  Point* level_ = nullptr;
  Point* rows_ = nullptr;
  Xyzz<F>* line_sums_ = nullptr;
  AffineAdder<F> tree_adder_, row_adder_, column_adder_;
  // Of the buckets that find_buckets found.
  msm_kernels::LevelPoints<F> points_{};
  std::uint32_t found_ = 0;  ///< entries
};

inline Result<void> check_options(std::span<const std::uint64_t> counts, const MsmOptions& options) {
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
  return {};
}

template <class F>
Result<std::vector<WindowSums<typename HostField<F>::type>>> run_msms(Context& context,
                                                                      const Affine<F>* bases,
                                                                      const Fr* scalars,
                                                                      std::span<const std::uint64_t> counts,
                                                                      const MsmOptions& options) {
  CUZK_TRY(check_options(counts, options));
  if (std::all_of(counts.begin(), counts.end(), [](std::uint64_t count) { return count == 0; }))
    return std::vector<WindowSums<typename HostField<F>::type>>(counts.size());
  MsmRun<F> run(context, bases, reinterpret_cast<const Fr32*>(scalars), counts, options, context.stream(),
                context.beside(0));
  CUZK_TRY(run.begin());
  CUZK_TRY(run.add());
  return run.finish();
}

template <class F>
Result<std::unique_ptr<PendingSums<typename HostField<F>::type>>> begin_sums(
    Context& context, CUstream_st* stream, CUstream_st* columns, const Affine<F>* bases, const Fr* scalars,
    std::span<const std::uint64_t> counts, const MsmOptions& options) {
  CUZK_TRY(check_options(counts, options));
  auto run = std::make_unique<MsmRun<F>>(context, bases, reinterpret_cast<const Fr32*>(scalars), counts,
                                         options, stream, columns);
  CUZK_TRY(run->begin());
  return std::unique_ptr<PendingSums<typename HostField<F>::type>>(std::move(run));
}

template <class F>
Result<WindowSums<typename HostField<F>::type>> run_msm(Context& context, const Affine<F>* bases,
                                                        const Fr* scalars, std::uint64_t count,
                                                        const MsmOptions& options) {
  CUZK_TRY_ASSIGN(auto sums, run_msms(context, bases, scalars, {&count, 1}, options));
  return std::move(sums.front());
}

}  // namespace cuzk::cuda
