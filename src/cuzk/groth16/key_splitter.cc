#include "cuzk/groth16/internal/key_splitter.h"

#include <bit>

#include "cuzk/groth16/internal/section_check.h"

namespace cuzk::groth16 {
namespace {

void set_bit(std::span<std::uint64_t> words, std::size_t i) {
  words[i / 64] |= std::uint64_t{1} << (i % 64);
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

template <class F>
void KeySplitter::split_query(bool with_inputs, std::span<const std::uint64_t> input_density,
                              std::span<const std::uint64_t> aux_density, const ParamsSection& section,
                              QuerySelection& selection, QueryBases<F>& query) const {
  selection.input_mask_.assign(words_for(shape_.num_inputs()), 0);
  selection.bit_mask_.assign(words_for(shape_.num_bits()), 0);
  selection.wide_mask_.assign(words_for(shape_.num_wide()), 0);
  query.file_ = &file_;
  query.section_ = section;
  query.wide_places_.assign(words_for(section.count), 0);
  const auto keep_wide = [&](std::size_t place) {
    if (selection.wide_count_ % kBaseSample == 0)
      query.wide_samples_.push_back(static_cast<std::uint32_t>(place));
    set_bit(query.wide_places_, place);
    ++selection.wide_count_;
  };
  std::size_t bits_before = 0;  // boolean aux variables below `next_aux`
  std::size_t next_aux = 0;
  const std::span<const std::uint64_t> is_bit = shape_.aux_is_bit();
  walk_query(shape_, with_inputs, input_density, aux_density,
             [&](std::size_t place, std::size_t index, bool is_aux, bool bit) {
               if (!is_aux) {
                 set_bit(selection.input_mask_, index);
                 keep_wide(place);
                 ++selection.input_count_;
                 return;
               }
               for (; next_aux < index; ++next_aux) bits_before += bit_of(is_bit, next_aux) ? 1 : 0;
               if (bit) {
                 if (selection.bit_count_ % kBaseSample == 0)
                   query.bit_samples_.push_back(static_cast<std::uint32_t>(place));
                 set_bit(selection.bit_mask_, bits_before);
                 ++selection.bit_count_;
               } else {
                 set_bit(selection.wide_mask_, index - bits_before);
                 keep_wide(place);
               }
             });
  query.bit_count_ = selection.bit_count_;
}

void KeySplitter::split() {
  const ParamsLayout& layout = file_.layout();
  bases_.h.file_ = &file_;
  bases_.h.section_ = layout.h;
  split_query(false, {}, {}, layout.l, bases_.l_selection, bases_.l);
  split_query(true, {}, shape_.a_aux_density(), layout.a, bases_.a_selection, bases_.a);
  split_query(true, shape_.b_input_density(), shape_.b_aux_density(), layout.b_g1, bases_.b_selection,
              bases_.b_g1);
  bases_.b_g2.file_ = &file_;
  bases_.b_g2.section_ = layout.b_g2;
  bases_.b_g2.wide_places_ = bases_.b_g1.wide_places_;
  bases_.b_g2.bit_samples_ = bases_.b_g1.bit_samples_;
  bases_.b_g2.wide_samples_ = bases_.b_g1.wide_samples_;
  bases_.b_g2.bit_count_ = bases_.b_g1.bit_count_;
}

Result<void> KeySplitter::check(ThreadPool& pool, const std::function<void(std::uint64_t)>& progress,
                                const std::stop_token& stop) const {
  const auto check_points = [&]<class F>(const char* field, const ParamsSection& section, F) {
    return check_section<F>(pool, file_, section, field, false, progress, stop,
                            [](std::size_t, std::span<const Affine<F>>) {});
  };
  const ParamsLayout& layout = file_.layout();
  CUZK_TRY(check_points("h", layout.h, Fp{}));
  CUZK_TRY(check_points("l", layout.l, Fp{}));
  CUZK_TRY(check_points("a", layout.a, Fp{}));
  CUZK_TRY(check_points("b_g1", layout.b_g1, Fp{}));
  return check_points("b_g2", layout.b_g2, Fp2{});
}

}  // namespace cuzk::groth16
