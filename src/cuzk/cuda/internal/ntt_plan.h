#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuzk/cuda/internal/ntt_pass.h"

namespace cuzk::cuda {

/// How a transform of size 2^log_size is taken apart into passes, which tables they read, and in which order
/// they run: everything about transforms but the memory and the launches. Host code, shared by the device and
/// by tests.

/// The digits of the index, most significant first. log_size >= 3.
struct NttDigits {
  static constexpr unsigned kMaxBits = 9;
  static constexpr unsigned kMaxCount = 4;

  /// Digits of at most `max_bits` bits, which tests make small; at least 3 bits must come out for each.
  explicit NttDigits(unsigned log_size, unsigned max_bits = kMaxBits)
      : count((log_size + max_bits - 1) / max_bits) {
    unsigned left = log_size;
    for (unsigned d = 0; d < count; ++d) {
      bits[d] = (left + count - d - 1) / (count - d);
      left -= bits[d];
      stride[d] = left;
    }
  }

  unsigned count;
  std::array<unsigned, kMaxCount> bits{};
  std::array<unsigned, kMaxCount> stride{};  ///< log of the distance of neighbours in the digit
};

/// base^x for x below 2^(2 kPowerBits), from two tables.
inline constexpr unsigned kPowerBits = 14;
struct PowerTable {
  const Fr32* low;   ///< base^i
  const Fr32* high;  ///< base^(i 2^kPowerBits)

  CUZK_HD CUZK_INLINE Fr32 power(std::uint64_t x) const {
    return ntt_detail::load(low + (x & ((1U << kPowerBits) - 1))) *
           ntt_detail::load(high + (x >> kPowerBits));
  }
};

/// base^e, e below 2^64.
CUZK_HD inline Fr32 power_of(Fr32 base, std::uint64_t e) {
  Fr32 r = Fr32::one();
  for (; e != 0; e >>= 1) {
    if ((e & 1) != 0) r = r * base;
    base = base * base;
  }
  return r;
}

CUZK_HD inline std::uint64_t reverse_low_bits(std::uint64_t v, unsigned bits) {
  std::uint64_t r = 0;
  for (unsigned i = 0; i < bits; ++i) r |= (v >> i & 1) << (bits - 1 - i);
  return r;
}

/// One table: entry i is scale * base^x with x = column * row mod 2^log_order, where column is the low
/// `column_bits` bits of i moved up by column_shift, and row the others, reversed and moved up by row_shift;
/// a part of no bits counts as 1 (a table of one entry holds base^0).
struct TableRecipe {
  Fr32 base;
  Fr32 scale;
  unsigned column_bits = 0;
  unsigned column_shift = 0;
  unsigned row_bits = 0;
  unsigned row_shift = 0;
  unsigned log_order = 2 * kPowerBits;

  [[nodiscard]] std::uint64_t size() const { return std::uint64_t{1} << (column_bits + row_bits); }
  CUZK_HD [[nodiscard]] Fr32 entry(std::uint64_t i, const PowerTable& powers) const {
    const std::uint64_t column =
        column_bits == 0 ? 1 : (i & ((std::uint64_t{1} << column_bits) - 1)) << column_shift;
    const std::uint64_t row = row_bits == 0 ? 1 : reverse_low_bits(i >> column_bits, row_bits) << row_shift;
    const std::uint64_t x = column_bits + row_bits == 0 ? 0 : column * row;
    return powers.power(x & ((std::uint64_t{1} << log_order) - 1)) * scale;
  }
};

/// The tables of one size, by name; an index into a list of arrays.
struct NttTableList {
  struct Direction {
    std::size_t powers = 0;
    std::array<std::size_t, NttDigits::kMaxCount> between{};
    std::array<std::size_t, NttDigits::kMaxCount> between_high{};  ///< 0 where the exponent is not split
    std::array<unsigned, NttDigits::kMaxCount> between_shift{};
  };

  /// 2^18 elements: tables of 8 MiB, which stay in the second level cache.
  static constexpr unsigned kCachedSpan = 2 * NttDigits::kMaxBits;

  /// The factors between passes are kept whole (32 bytes for each element of the span, in each direction) for
  /// spans up to 2^whole_span elements, and split in two above that, which costs a product an element.
  NttTableList(const NttDigits& digits_of_index, unsigned whole_span);

  NttDigits digits;

  std::vector<TableRecipe> recipes;  ///< recipe 0 is not used
  Direction inverse, forward;
  std::size_t over_n = 0;               ///< 1 / n for every element
  std::size_t minus_half_over_n = 0;    ///< -1 / (2 n) for every element
  std::size_t coset_element = 0;        ///< powers of the shift w2 of order 2 n, by element ...
  std::size_t coset_column = 0;         ///< ... and by column
  std::size_t coset_column_over_n = 0;  ///< the same over n
  std::size_t back_element = 0;         ///< powers of 1 / w2
  std::size_t back_column_over_n = 0;
  std::size_t back_column_quotient = 0;  ///< over -2 n

 private:
  std::size_t add(const TableRecipe& recipe) {
    recipes.push_back(recipe);
    return recipes.size() - 1;
  }
};

inline NttTableList::NttTableList(const NttDigits& digits_of_index, unsigned whole_span)
    : digits(digits_of_index) {
  const unsigned log_size = digits.stride[0] + digits.bits[0];
  const Fr n_inverse = Fr::from_u64(std::uint64_t{1} << log_size).inverse();
  const Fr minus_half = -Fr::from_u64(2).inverse();
  const Fr shift = fr_root_of_unity(log_size + 1);
  const Fr small_root = fr_root_of_unity(NttDigits::kMaxBits);
  const auto fr32 = [](const Fr& v) { return Fr32::from(v); };
  const Fr32 one = Fr32::one();
  recipes.emplace_back();
  for (Direction* d : {&inverse, &forward}) {
    const bool back = d == &inverse;
    TableRecipe powers{fr32(back ? small_root.inverse() : small_root), one};
    powers.column_bits = powers.log_order = NttDigits::kMaxBits;
    d->powers = add(powers);
    for (unsigned i = 0; i + 1 < digits.count; ++i) {
      const unsigned span = digits.stride[i] + digits.bits[i];
      const Fr root = fr_root_of_unity(span);
      TableRecipe table{fr32(back ? root.inverse() : root), one};
      table.log_order = span;
      table.row_bits = digits.bits[i];
      table.column_bits = digits.stride[i];
      if (span <= whole_span) {
        d->between[i] = add(table);
        continue;
      }
      d->between_shift[i] = digits.stride[i] / 2;
      table.column_bits = d->between_shift[i];
      d->between[i] = add(table);
      table.column_shift = d->between_shift[i];
      table.column_bits = digits.stride[i] - d->between_shift[i];
      d->between_high[i] = add(table);
    }
  }
  const unsigned last = digits.bits[digits.count - 1];
  TableRecipe element{one, one};
  element.row_bits = last;
  element.row_shift = log_size - last;
  TableRecipe column{one, one};
  column.row_bits = log_size - last;
  const auto scaled = [&](TableRecipe recipe, const Fr& base, const Fr& scale) {
    recipe.base = fr32(base);
    recipe.scale = fr32(scale);
    return add(recipe);
  };
  over_n = scaled(element, Fr::one(), n_inverse);
  minus_half_over_n = scaled(element, Fr::one(), n_inverse * minus_half);
  coset_element = scaled(element, shift, Fr::one());
  coset_column = scaled(column, shift, Fr::one());
  coset_column_over_n = scaled(column, shift, n_inverse);
  back_element = scaled(element, shift.inverse(), Fr::one());
  back_column_over_n = scaled(column, shift.inverse(), n_inverse);
  back_column_quotient = scaled(column, shift.inverse(), n_inverse * minus_half);
}

/// A pass and its parts.
struct NttLaunch {
  bool dif;
  bool dit;
  NttPass pass;
};

/// Writes down the passes of transforms, given where the tables are.
class NttSchedule {
 public:
  /// Threads of a block, 2^kLogThreads; tiles are eight elements a thread.
  static constexpr unsigned kLogThreads = 8;

  /// `tables[i]` is the table of recipe i of `list`. Both are borrowed.
  NttSchedule(const NttTableList& list, const std::vector<const Fr32*>& tables,
              unsigned log_threads = kLogThreads)
      : log_size_(list.digits.stride[0] + list.digits.bits[0]),
        digits_(list.digits),
        list_(&list),
        tables_(&tables),
        log_threads_(log_threads) {}

  /// Values to coefficients over n: natural to reversed. Coset: values on w2 * domain.
  [[nodiscard]] std::vector<NttLaunch> inverse(Fr32* data, bool coset) const {
    std::vector<NttLaunch> out;
    dif(out, data, data);
    NttPass& last = out.back().pass;
    last.element_scale = table(coset ? list_->back_element : list_->over_n);
    if (coset) last.column_scale = table(list_->back_column_over_n);
    last.reduce = true;
    return out;
  }
  /// Coefficients to values: reversed to natural.
  [[nodiscard]] std::vector<NttLaunch> forward(Fr32* data, bool coset) const {
    std::vector<NttLaunch> out;
    out.push_back({false, true, pass(digits_.count - 1, data, data)});
    if (coset) {
      out.back().pass.element_scale = table(list_->coset_element);
      out.back().pass.column_scale = table(list_->coset_column);
    }
    dit_rest(out, data);
    out.back().pass.reduce = true;
    return out;
  }
  /// The quotient (ntt/quotient.h): in a and b the values, fully reduced; out in a the coefficients of h,
  /// reduced, in reversed order. b and c are overwritten. It is the four steps below, one after the other.
  [[nodiscard]] std::vector<NttLaunch> quotient(Fr32* a, Fr32* b, Fr32* c) const {
    std::vector<NttLaunch> out = product(a, b, c);
    for (const auto& step : {to_coset(a), to_coset_times(b, a, a), quotient_end(a, c)})
      out.insert(out.end(), step.begin(), step.end());
    return out;
  }
  /// c: -1/2 times the coefficients of the polynomial with the values a o b, loose. c may be a.
  [[nodiscard]] std::vector<NttLaunch> product(const Fr32* a, const Fr32* b, Fr32* c) const {
    std::vector<NttLaunch> out;
    dif(out, a, c);
    out.front().pass.load_factor = b;
    out.back().pass.element_scale = table(list_->minus_half_over_n);
    return out;
  }
  /// Values on the domain to values on w2 * domain, reduced.
  [[nodiscard]] std::vector<NttLaunch> to_coset(Fr32* data) const {
    std::vector<NttLaunch> out = over_to_coset(data);
    out.back().pass.reduce = true;
    return out;
  }
  /// product = factor o to_coset(data), loose. `product` may be `data` or `factor`; data is overwritten.
  [[nodiscard]] std::vector<NttLaunch> to_coset_times(Fr32* data, const Fr32* factor, Fr32* product) const {
    std::vector<NttLaunch> out = over_to_coset(data);
    out.back().pass.store_factor = factor;
    out.back().pass.out = product;
    return out;
  }
  /// From a o b on w2 * domain and what product() left, to the coefficients of h in `data`.
  [[nodiscard]] std::vector<NttLaunch> quotient_end(Fr32* data, const Fr32* c) const {
    std::vector<NttLaunch> out;
    dif(out, data, data);
    NttPass& last = out.back().pass;
    last.element_scale = table(list_->back_element);
    last.column_scale = table(list_->back_column_quotient);
    last.subtract = c;
    last.reduce = true;
    return out;
  }

 private:
  [[nodiscard]] const Fr32* table(std::size_t i) const { return i == 0 ? nullptr : (*tables_)[i]; }

  /// The pass over digit d, without factors.
  [[nodiscard]] NttPass pass(unsigned d, const Fr32* in, Fr32* out) const {
    NttPass p{};
    p.log_points = digits_.bits[d];
    p.log_stride = digits_.stride[d];
    p.columns = 1U << (log_size_ - digits_.bits[d]);
    p.log_columns = log_threads_ + 3 - digits_.bits[d];
    p.in = in;
    p.out = out;
    p.dif_powers = table(list_->inverse.powers);
    p.dit_powers = table(list_->forward.powers);
    return p;
  }
  static void set_between(NttPass& p, const NttTableList::Direction& direction, unsigned d,
                          const NttSchedule& self) {
    p.between = self.table(direction.between[d]);
    p.between_high = self.table(direction.between_high[d]);
    p.between_shift = direction.between_shift[d];
  }
  void dif(std::vector<NttLaunch>& out, const Fr32* from, Fr32* data) const {
    for (unsigned d = 0; d < digits_.count; ++d) {
      out.push_back({true, false, pass(d, d == 0 ? from : data, data)});
      if (d + 1 < digits_.count) set_between(out.back().pass, list_->inverse, d, *this);
    }
  }
  [[nodiscard]] std::vector<NttLaunch> over_to_coset(Fr32* data) const {
    std::vector<NttLaunch> out;
    dif(out, data, data);
    out.back().dit = true;
    out.back().pass.element_scale = table(list_->coset_element);
    out.back().pass.column_scale = table(list_->coset_column_over_n);
    dit_rest(out, data);
    return out;
  }
  void dit_rest(std::vector<NttLaunch>& out, Fr32* data) const {
    for (unsigned d = digits_.count - 1; d-- > 0;) {
      out.push_back({false, true, pass(d, data, data)});
      set_between(out.back().pass, list_->forward, d, *this);
    }
  }

  unsigned log_size_;
  NttDigits digits_;
  const NttTableList* list_;
  const std::vector<const Fr32*>* tables_;
  unsigned log_threads_;
};

}  // namespace cuzk::cuda
