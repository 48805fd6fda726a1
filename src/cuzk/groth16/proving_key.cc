#include "cuzk/groth16/proving_key.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>
#include <limits>

#include "cuzk/base/bits.h"
#include "cuzk/cpu/atomic_min.h"
#include "cuzk/curve/subgroup.h"

namespace cuzk::groth16 {
namespace {

/// Places are kept for every kSample-th bit base; between two of them the bitmap is walked.
constexpr std::size_t kSample = 4096;
/// Points a task decodes at load.
constexpr std::size_t kLoadGrain = std::size_t{1} << 13;
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

constexpr const char* kNotInSubgroup = "the point is not in the subgroup of order r";

bool bit_of(std::span<const std::uint64_t> words, std::size_t i) {
  return (words[i / 64] >> (i % 64) & 1) != 0;
}
void set_bit(std::span<std::uint64_t> words, std::size_t i) {
  words[i / 64] |= std::uint64_t{1} << (i % 64);
}
std::size_t words_for(std::size_t bits) {
  return (bits + 63) / 64;
}

/// The bits of `value` at the set positions of `mask`, packed to the bottom.
std::uint64_t extract(std::uint64_t value, std::uint64_t mask) {
  if (mask == ~std::uint64_t{0}) return value;
  std::uint64_t out = 0;
  for (unsigned k = 0; mask != 0; mask &= mask - 1, ++k) out |= (value >> std::countr_zero(mask) & 1) << k;
  return out;
}

/// Decodes a whole vector once with every check, a block at a time, and hands each block to `keep(first,
/// points)`. `progress` gets the bytes of each block, from any thread.
template <class F, class Keep>
Result<void> check_section(ThreadPool& pool, const ParamsFile& file, const ParamsSection& section,
                           const char* field, bool subgroup,
                           const std::function<void(std::uint64_t)>& progress, Keep&& keep) {
  const ByteSpan bytes = file.section(section);
  std::atomic<std::size_t> first_bad{kNone};
  const std::size_t grain = subgroup ? 256 : kLoadGrain;
  pool.parallel_for(section.count, grain, [&](std::size_t begin, std::size_t end) {
    if (begin > first_bad.load(std::memory_order_relaxed)) return;
    std::vector<Affine<F>> points(end - begin);
    if (const auto fault = decode_points(
            bytes.subspan(begin * kPointBytes<F>, points.size() * kPointBytes<F>), std::span(points))) {
      atomic_min(first_bad, begin + fault->index);
      points.resize(fault->index);
    }
    if (subgroup)
      for (std::size_t i = 0; i < points.size(); ++i)
        if (!in_subgroup(points[i])) {
          atomic_min(first_bad, begin + i);
          break;
        }
    keep(begin, std::span<const Affine<F>>(points));
    if (progress) progress(points.size() * kPointBytes<F>);
  });
  const std::size_t i = first_bad;
  if (i == kNone) return {};
  Affine<F> again;
  const auto fault = decode_points(bytes.subspan(i * kPointBytes<F>, kPointBytes<F>), std::span(&again, 1));
  return bad_params(file.path() + ": " + field + "[" + std::to_string(i) + "] at offset " +
                    std::to_string(section.offset + i * section.point_bytes) + ": " +
                    (fault ? fault->reason : kNotInSubgroup));
}

Result<void> expect_count(const ParamsFile& file, const char* field, std::uint64_t actual,
                          std::uint64_t expected) {
  if (actual == expected) return {};
  return bad_params(file.path() + ": " + field + " has " + std::to_string(actual) +
                    " points, the circuit needs " + std::to_string(expected) +
                    ": parameters of another circuit");
}

Result<void> check_counts(const ParamsFile& file, const Shape& shape) {
  const ParamsLayout& layout = file.layout();
  const std::uint64_t n_in = shape.num_inputs();
  CUZK_TRY(expect_count(file, "ic", layout.n_ic, n_in));
  CUZK_TRY(expect_count(file, "h", layout.h.count, (std::uint64_t{1} << shape.domain_log_size()) - 1));
  CUZK_TRY(expect_count(file, "l", layout.l.count, shape.num_aux()));
  CUZK_TRY(expect_count(file, "a", layout.a.count, n_in + count_bits(shape.a_aux_density())));
  const std::uint64_t n_b = count_bits(shape.b_input_density()) + count_bits(shape.b_aux_density());
  CUZK_TRY(expect_count(file, "b_g1", layout.b_g1.count, n_b));
  return expect_count(file, "b_g2", layout.b_g2.count, n_b);
}

/// Calls visit(place in the query, aux or input index, is_aux, is_bit) for every point of a query, in file
/// order. An empty density means all ones.
template <class Visit>
void walk_query(const Shape& shape, bool with_inputs, std::span<const std::uint64_t> input_density,
                std::span<const std::uint64_t> aux_density, Visit&& visit) {
  std::size_t place = 0;
  if (with_inputs)
    for (std::size_t i = 0; i < shape.num_inputs(); ++i)
      if (input_density.empty() || bit_of(input_density, i)) visit(place++, i, false, false);
  const std::span<const std::uint64_t> is_bit = shape.aux_is_bit();
  for (std::size_t i = 0; i < shape.num_aux(); ++i)
    if (aux_density.empty() || bit_of(aux_density, i)) visit(place++, i, true, bit_of(is_bit, i));
}

}  // namespace

std::vector<std::uint64_t> QuerySelection::select_bits(const Witness& witness) const {
  CUZK_CHECK(witness.bits.size() == bit_mask_.size());
  std::vector<std::uint64_t> out(words_for(bit_count_) + 1);
  std::size_t filled = 0;
  for (std::size_t i = 0; i < bit_mask_.size(); ++i) {
    const std::uint64_t packed = extract(witness.bits[i] & bit_mask_[i], bit_mask_[i]);
    const unsigned shift = filled % 64;
    out[filled / 64] |= packed << shift;
    if (shift != 0) out[filled / 64 + 1] |= packed >> (64 - shift);
    filled += static_cast<std::size_t>(std::popcount(bit_mask_[i]));
  }
  out.resize(words_for(bit_count_));
  return out;
}

std::vector<Fr> QuerySelection::select_wide(const Witness& witness) const {
  CUZK_CHECK(words_for(witness.inputs.size()) == input_mask_.size());
  CUZK_CHECK(words_for(witness.wide.size()) == wide_mask_.size());
  std::vector<Fr> out;
  out.reserve(wide_count_);
  for (std::size_t i = 0; i < witness.inputs.size(); ++i)
    if (bit_of(input_mask_, i)) out.push_back(witness.inputs[i]);
  for (std::size_t i = 0; i < witness.wide.size(); ++i)
    if (bit_of(wide_mask_, i)) out.push_back(witness.wide[i]);
  CUZK_CHECK(out.size() == wide_count_);
  return out;
}

template <class F>
template <class Visit>
void QueryBases<F>::walk_bit_bases(std::size_t begin, Visit&& visit) const {
  if (begin >= bit_count_) return;
  std::size_t index = begin / kSample * kSample;
  for (std::size_t place = samples_[begin / kSample]; index < bit_count_; ++place) {
    if (bit_of(wide_places_, place)) continue;
    if (index >= begin && !visit(place * kPointBytes<F>)) return;
    ++index;
  }
}

template <class F>
void QueryBases<F>::decode_bit_bases(std::size_t begin, std::span<Affine<F>> out) const {
  CUZK_CHECK(begin + out.size() <= bit_count_);
  if (out.empty()) return;
  std::vector<std::uint64_t> offsets;
  offsets.reserve(out.size());
  walk_bit_bases(begin, [&](std::uint64_t offset) {
    offsets.push_back(offset);
    return offsets.size() < out.size();
  });
  gather_checked_points(encoded_, offsets, out);
}

template <class F>
std::size_t QueryBases<F>::gather_bit_bases(std::span<const std::uint64_t> bits, std::size_t begin,
                                            std::size_t end, std::span<Affine<F>> out) const {
  CUZK_CHECK(begin % 64 == 0 && begin <= end && end <= bit_count_);
  std::vector<std::uint64_t> offsets;
  offsets.reserve(end - begin);
  std::size_t index = begin;
  if (begin < end)
    walk_bit_bases(begin, [&](std::uint64_t offset) {
      if (bit_of(bits, index)) offsets.push_back(offset);
      return ++index < end;
    });
  CUZK_CHECK(offsets.size() <= out.size());
  gather_checked_points(encoded_, offsets, out.first(offsets.size()));
  return offsets.size();
}

template class QueryBases<Fp>;
template class QueryBases<Fp2>;

Result<std::shared_ptr<const ProvingKey>> ProvingKey::load(ThreadPool& pool, const std::string& path,
                                                           std::shared_ptr<const Shape> shape) {
  CUZK_TRY_ASSIGN(ParamsFile file, ParamsFile::open(pool, path));
  return load(pool, std::make_shared<const ParamsFile>(std::move(file)), std::move(shape));
}

Result<std::shared_ptr<const ProvingKey>> ProvingKey::load(ThreadPool& pool,
                                                           std::shared_ptr<const ParamsFile> file,
                                                           std::shared_ptr<const Shape> shape) {
  CUZK_TRY(check_counts(*file, *shape));
  const std::shared_ptr<ProvingKey> key(new ProvingKey);
  const ParamsLayout& layout = file->layout();

  const std::size_t n_bits = count_bits(shape->aux_is_bit());
  const auto make_selection = [&](QuerySelection& selection) {
    selection.input_mask_.assign(words_for(shape->num_inputs()), 0);
    selection.bit_mask_.assign(words_for(n_bits), 0);
    selection.wide_mask_.assign(words_for(shape->num_aux() - n_bits), 0);
  };
  // One walk makes both the masks over the witness and the places in the file.
  const auto split = [&](bool with_inputs, std::span<const std::uint64_t> input_density,
                         std::span<const std::uint64_t> aux_density, QuerySelection& selection, auto& bases,
                         const ParamsSection& section) {
    make_selection(selection);
    bases.encoded_ = file->section(section);
    bases.wide_places_.assign(words_for(section.count), 0);
    std::size_t bits_before = 0;  // boolean aux variables below `next_aux`
    std::size_t next_aux = 0;
    const std::span<const std::uint64_t> is_bit = shape->aux_is_bit();
    walk_query(*shape, with_inputs, input_density, aux_density,
               [&](std::size_t place, std::size_t index, bool is_aux, bool bit) {
                 if (!is_aux) {
                   set_bit(selection.input_mask_, index);
                   set_bit(bases.wide_places_, place);
                   ++selection.wide_count_;
                   return;
                 }
                 for (; next_aux < index; ++next_aux) bits_before += bit_of(is_bit, next_aux) ? 1 : 0;
                 if (bit) {
                   if (selection.bit_count_ % kSample == 0)
                     bases.samples_.push_back(static_cast<std::uint32_t>(place));
                   set_bit(selection.bit_mask_, bits_before);
                   ++selection.bit_count_;
                 } else {
                   set_bit(selection.wide_mask_, index - bits_before);
                   set_bit(bases.wide_places_, place);
                   ++selection.wide_count_;
                 }
               });
    bases.bit_count_ = selection.bit_count_;
  };
  split(false, {}, {}, key->l_selection_, key->l_, layout.l);
  split(true, {}, shape->a_aux_density(), key->a_selection_, key->a_, layout.a);
  split(true, shape->b_input_density(), shape->b_aux_density(), key->b_selection_, key->b_g1_, layout.b_g1);
  key->b_g2_.encoded_ = file->section(layout.b_g2);
  key->b_g2_.wide_places_ = key->b_g1_.wide_places_;
  key->b_g2_.samples_ = key->b_g1_.samples_;
  key->b_g2_.bit_count_ = key->b_g1_.bit_count_;

  key->h_.encoded_ = file->section(layout.h);
  CUZK_TRY(check_section<Fp>(pool, *file, layout.h, "h", false, {}, [](std::size_t, auto) {}));
  const auto load_query = [&]<class F>(QueryBases<F>& bases, const ParamsSection& section,
                                       const char* field) {
    // rank[w]: wide bases in front of word w, so that blocks can store theirs independently.
    std::vector<std::uint32_t> rank(bases.wide_places_.size() + 1);
    for (std::size_t w = 0; w < bases.wide_places_.size(); ++w)
      rank[w + 1] = rank[w] + static_cast<std::uint32_t>(std::popcount(bases.wide_places_[w]));
    bases.wide_.resize(rank.back());
    static_assert(kLoadGrain % 64 == 0);
    return check_section<F>(pool, *file, section, field, false, {},
                            [&](std::size_t first, std::span<const Affine<F>> points) {
                              std::size_t next = rank[first / 64];
                              for (std::size_t i = 0; i < points.size(); ++i)
                                if (bit_of(bases.wide_places_, first + i)) bases.wide_[next++] = points[i];
                            });
  };
  CUZK_TRY(load_query(key->l_, layout.l, "l"));
  CUZK_TRY(load_query(key->a_, layout.a, "a"));
  CUZK_TRY(load_query(key->b_g1_, layout.b_g1, "b_g1"));
  CUZK_TRY(load_query(key->b_g2_, layout.b_g2, "b_g2"));
  key->file_ = std::move(file);
  key->shape_ = std::move(shape);
  return std::shared_ptr<const ProvingKey>(key);
}

Result<void> check_points(ThreadPool& pool, const ParamsFile& file,
                          const std::function<void(std::uint64_t)>& progress) {
  const ParamsLayout& layout = file.layout();
  std::atomic<std::uint64_t> total{0};
  const auto advance = [&](std::uint64_t bytes) {
    const std::uint64_t done = total.fetch_add(bytes) + bytes;
    if (progress) progress(done);
  };
  const auto ignore = [](std::size_t, auto) {};
  CUZK_TRY(check_section<Fp>(pool, file, layout.h, "h", true, advance, ignore));
  CUZK_TRY(check_section<Fp>(pool, file, layout.l, "l", true, advance, ignore));
  CUZK_TRY(check_section<Fp>(pool, file, layout.a, "a", true, advance, ignore));
  CUZK_TRY(check_section<Fp>(pool, file, layout.b_g1, "b_g1", true, advance, ignore));
  return check_section<Fp2>(pool, file, layout.b_g2, "b_g2", true, advance, ignore);
}

}  // namespace cuzk::groth16
