#include "cuzk/groth16/proving_key_bases.h"

#include <algorithm>
#include <bit>

#include "cuzk/groth16/internal/key_splitter.h"

namespace cuzk::groth16 {
namespace {

/// Bytes read from the file at a time: they are decoded while they lie in the second-level cache.
constexpr std::size_t kReadBytes = std::size_t{1} << 17;
/// Gaps between points that are read along rather than skipped: what a read of its own costs.
constexpr std::size_t kGapBytes = std::size_t{1} << 12;

/// The bits of `value` at the set positions of `mask`, packed to the bottom.
std::uint64_t extract(std::uint64_t value, std::uint64_t mask) {
  if (mask == ~std::uint64_t{0}) return value;
  std::uint64_t out = 0;
  for (unsigned k = 0; mask != 0; mask &= mask - 1, ++k) out |= (value >> std::countr_zero(mask) & 1) << k;
  return out;
}

/// Decodes points of a section from place `begin` on.
template <class F>
Result<void> decode_range(Isa isa, const ParamsFile& file, const ParamsSection& section, std::size_t begin,
                          std::span<Affine<F>> out) {
  CUZK_CHECK(begin + out.size() <= section.count);
  constexpr std::size_t kPoints = kReadBytes / kPointBytes<F>;
  const auto buffer =
      std::make_unique_for_overwrite<std::uint8_t[]>(std::min(out.size(), kPoints) * kPointBytes<F>);
  for (std::size_t i = 0; i < out.size(); i += kPoints) {
    const std::size_t n = std::min(kPoints, out.size() - i);
    const std::span<std::uint8_t> bytes(buffer.get(), n * kPointBytes<F>);
    CUZK_TRY(file.read(section.offset + (begin + i) * kPointBytes<F>, bytes));
    decode_checked_points(bytes, out.subspan(i, n), isa);
  }
  return {};
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
void QueryBases<F>::walk(bool wide, std::size_t begin, Visit&& visit) const {
  const std::size_t count = wide ? wide_count() : bit_count();
  if (begin >= count) return;
  std::size_t index = begin / kBaseSample * kBaseSample;
  for (std::size_t place = (wide ? wide_samples_ : bit_samples_)[begin / kBaseSample]; index < count;
       ++place) {
    if (bit_of(wide_places_, place) != wide) continue;
    if (index >= begin && !visit(place)) return;
    ++index;
  }
}

template <class F>
Result<void> QueryBases<F>::gather(Isa isa, std::span<const std::uint64_t> places,
                                   std::span<Affine<F>> out) const {
  CUZK_CHECK(places.size() == out.size());
  if (places.empty()) return {};
  constexpr std::size_t kPoints = kReadBytes / kPointBytes<F>;
  constexpr std::size_t kGap = kGapBytes / kPointBytes<F>;
  const std::size_t most = std::min<std::size_t>(kPoints, places.back() + 1 - places.front());
  const auto buffer = std::make_unique_for_overwrite<std::uint8_t[]>(most * kPointBytes<F>);
  std::vector<std::uint64_t> offsets;
  for (std::size_t i = 0; i < places.size();) {
    // Small gaps are read too.
    const std::uint64_t first = places[i];
    offsets.clear();
    std::size_t next = i;
    for (; next < places.size() && places[next] - first < kPoints; ++next) {
      if (next > i && places[next] - places[next - 1] > kGap) break;
      offsets.push_back((places[next] - first) * kPointBytes<F>);
    }
    const std::span<std::uint8_t> bytes(buffer.get(), offsets.back() + kPointBytes<F>);
    CUZK_TRY(file_->read(section_.offset + first * kPointBytes<F>, bytes));
    gather_checked_points(bytes, offsets, out.subspan(i, next - i), isa);
    i = next;
  }
  return {};
}

template <class F>
Result<void> QueryBases<F>::decode(Isa isa, bool wide, std::size_t begin, std::span<Affine<F>> out) const {
  CUZK_CHECK(begin + out.size() <= (wide ? wide_count() : bit_count()));
  std::vector<std::uint64_t> places;
  places.reserve(out.size());
  if (!out.empty())
    walk(wide, begin, [&](std::uint64_t place) {
      places.push_back(place);
      return places.size() < out.size();
    });
  return gather(isa, places, out);
}

template <class F>
Result<void> QueryBases<F>::decode_bit_bases(Isa isa, std::size_t begin, std::span<Affine<F>> out) const {
  return decode(isa, false, begin, out);
}

template <class F>
Result<void> QueryBases<F>::decode_wide_bases(Isa isa, std::size_t begin, std::span<Affine<F>> out) const {
  return decode(isa, true, begin, out);
}

template <class F>
Result<std::size_t> QueryBases<F>::gather_bit_bases(std::span<const std::uint64_t> bits, std::size_t begin,
                                                    std::size_t end, Isa isa,
                                                    std::span<Affine<F>> out) const {
  CUZK_CHECK(begin % 64 == 0 && begin <= end && end <= bit_count_);
  std::vector<std::uint64_t> places;
  places.reserve(end - begin);
  std::size_t index = begin;
  if (begin < end)
    walk(false, begin, [&](std::uint64_t place) {
      if (bit_of(bits, index)) places.push_back(place);
      return ++index < end;
    });
  CUZK_CHECK(places.size() <= out.size());
  CUZK_TRY(gather(isa, places, out.first(places.size())));
  return places.size();
}

template class QueryBases<Fp>;
template class QueryBases<Fp2>;

Result<void> QuotientBases::decode(Isa isa, std::size_t begin, std::span<G1Affine> out) const {
  return decode_range<Fp>(isa, *file_, section_, begin, out);
}

}  // namespace cuzk::groth16
