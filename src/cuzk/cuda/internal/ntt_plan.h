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
inline constexpr unsigned kPowerBits = 15;
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
/// `column_bits` bits of i moved up by column_shift, plus column_add, and row the others, reversed and moved
/// up by row_shift; a part of no bits counts as 1 (a table of one entry holds base^0).
struct TableRecipe {
  Fr32 base;
  Fr32 scale;
  unsigned column_bits = 0;
  unsigned column_shift = 0;
  unsigned column_add = 0;
  unsigned row_bits = 0;
  unsigned row_shift = 0;
  unsigned log_order = 2 * kPowerBits;
  bool quotients = true;  ///< see FactorTable

  [[nodiscard]] std::uint64_t size() const { return std::uint64_t{1} << (column_bits + row_bits); }
  /// Values, then quotients.
  [[nodiscard]] std::uint64_t bytes() const { return (quotients ? 2 : 1) * sizeof(Fr32) * size(); }
  /// In Montgomery form.
  CUZK_HD [[nodiscard]] Fr32 entry(std::uint64_t i, const PowerTable& powers) const {
    const std::uint64_t column =
        column_bits == 0 ? 1 : ((i & ((std::uint64_t{1} << column_bits) - 1)) << column_shift) + column_add;
    const std::uint64_t row = row_bits == 0 ? 1 : reverse_low_bits(i >> column_bits, row_bits) << row_shift;
    const std::uint64_t x = column_bits + row_bits == 0 ? 0 : column * row;
    return powers.power(x & ((std::uint64_t{1} << log_order) - 1)) * scale;
  }
  /// Writes entry i where it belongs.
  CUZK_HD void write(Fr32* table, std::uint64_t i, const PowerTable& powers,
                     const Fr32& quotient_constant) const {
    const Fr32 e = entry(i, powers);
    if (!quotients) {
      table[i] = e;
      return;
    }
    const Factor32 factor = factor_of(e, quotient_constant);
    table[i] = factor.value;
    table[(std::uint64_t{1} << (column_bits + row_bits)) + i] = factor.quotient;
  }
  bool operator==(const TableRecipe&) const = default;
};

/// The tables of one size, as an index into a list of recipes; 0 is none.
struct NttTableList {
  /// The factors of one kind of transform.
  struct Kind {
    std::size_t powers = 0;
    EightPointFactors eight{};
    std::array<std::size_t, NttDigits::kMaxCount> between{};
    std::array<std::size_t, NttDigits::kMaxCount> between_high{};  ///< 0 where the exponent is not split
    std::array<unsigned, NttDigits::kMaxCount> between_shift{};
    std::size_t element = 0;
  };

  /// 2^18 elements: tables of 16 MiB, which stay in the second level cache.
  static constexpr unsigned kCachedSpan = 2 * NttDigits::kMaxBits;

  /// What is transformed.
  enum class Use {
    quotient,  ///< the quotient and its steps: all that a prover does
    all,       ///< single transforms, too
  };

  /// The factors between passes are split in two for spans of more than 2^cached_span elements, which costs a
  /// product an element, or, up to 2^whole_span elements, kept whole without quotients (32 bytes for each
  /// element of the span, for each kind).
  NttTableList(const NttDigits& digits_of_index, Use use, unsigned whole_span = 0,
               unsigned cached_span = kCachedSpan);

  NttDigits digits;

  std::vector<TableRecipe> recipes;  ///< recipe 0 is not used
  // Values to coefficients, on the domain and on w2 * domain (coset), w2 of order 2 n:
  Kind inverse_unscaled;
  Kind inverse;                 ///< with 1/n; Use::all
  Kind inverse_product;         ///< with -1 / 2n
  Kind coset_inverse;           ///< with 1/n; Use::all
  Kind coset_inverse_quotient;  ///< with -1 / 2n
  // Coefficients to values:
  Kind forward, coset_forward;  ///< Use::all
  Kind coset_forward_over_n;    ///< with 1/n, for after inverse_unscaled

 private:
  enum class Direction { to_coefficients, to_values };
  struct Spans {
    unsigned whole, cached;
  };
  Kind make(Direction direction, bool coset, const Fr& scale, const Spans& spans);
  /// Kinds share what they have in common.
  std::size_t add(const TableRecipe& recipe) {
    for (std::size_t i = 1; i < recipes.size(); ++i)
      if (recipes[i] == recipe) return i;
    recipes.push_back(recipe);
    return recipes.size() - 1;
  }
};

inline NttTableList::NttTableList(const NttDigits& digits_of_index, Use use, unsigned whole_span,
                                  unsigned cached_span)
    : digits(digits_of_index) {
  const Spans spans{whole_span, cached_span};
  const Fr over_n = Fr::from_u64(std::uint64_t{1} << (digits.stride[0] + digits.bits[0])).inverse();
  const Fr minus_half_over_n = -over_n * Fr::from_u64(2).inverse();
  recipes.emplace_back();
  const auto inverse_kind = [&](bool coset, const Fr& scale) {
    return make(Direction::to_coefficients, coset, scale, spans);
  };
  const auto forward_kind = [&](bool coset, const Fr& scale) {
    return make(Direction::to_values, coset, scale, spans);
  };
  inverse_unscaled = inverse_kind(false, Fr::one());
  inverse_product = inverse_kind(false, minus_half_over_n);
  coset_inverse_quotient = inverse_kind(true, minus_half_over_n);
  coset_forward_over_n = forward_kind(true, over_n);
  if (use == Use::quotient) return;
  inverse = inverse_kind(false, over_n);
  coset_inverse = inverse_kind(true, over_n);
  forward = forward_kind(false, Fr::one());
  coset_forward = forward_kind(true, Fr::one());
}

/// w is of order 8.
inline EightPointFactors eight_point_factors(const Fr32& w) {
  const Fr32 half = Fr32::from(Fr::from_u64(2).inverse());
  const Fr32 quotient_constant = factor_quotient_constant();
  const Fr32 w2 = w * w;
  const Fr32 w3 = w2 * w;
  return {factor_of(w2, quotient_constant), factor_of((w + w3) * half, quotient_constant),
          factor_of((w - w3) * half, quotient_constant)};
}

/// Where a coset and a scaling go. Coefficient i, at reverse(i), is multiplied by w2^i before a transform to
/// values (by w2^-i after one to coefficients). With the digits v_d of its place, i is the sum of
/// reverse(v_d) 2^before_d, before_d the bits of the digits before d, so the factor is a product over digits:
/// that of the last is the factor by element, that of another belongs to a row of its pass, hence to the
/// factors between passes. There w2^(2^before_d) =: t has order 2^(span + 1), and the root of the span is
/// t^2: root^(column row') becomes t^((2 column + 1) row').
inline NttTableList::Kind NttTableList::make(Direction direction, bool coset, const Fr& scale,
                                             const Spans& spans) {
  const auto base = [&](unsigned log_order) {
    const Fr root = fr_root_of_unity(log_order);
    return Fr32::from(direction == Direction::to_coefficients ? root.inverse() : root);
  };
  const unsigned log_size = digits.stride[0] + digits.bits[0];
  const unsigned last = digits.count - 1;
  const bool scale_by_element = coset || last == 0;
  Kind kind;
  TableRecipe powers{base(NttDigits::kMaxBits), Fr32::one()};
  powers.column_bits = powers.log_order = NttDigits::kMaxBits;
  kind.powers = add(powers);
  kind.eight = eight_point_factors(base(3));
  for (unsigned d = 0; d < last; ++d) {
    const unsigned span = digits.stride[d] + digits.bits[d];
    TableRecipe plain{base(span), Fr32::one()};
    plain.log_order = span;
    plain.row_bits = digits.bits[d];
    plain.column_bits = digits.stride[d];
    TableRecipe table = plain;
    if (coset) {
      table.base = base(span + 1);
      table.log_order = span + 1;
      table.column_shift = 1;
      table.column_add = 1;
    }
    if (d + 1 == last && !scale_by_element) table.scale = Fr32::from(scale);
    kind.between_shift[d] = digits.stride[d];
    if (span > spans.cached && span <= spans.whole) {
      table.quotients = false;
    } else if (span > spans.cached) {
      const unsigned shift = digits.stride[d] / 2;
      kind.between_shift[d] = shift;
      table.column_bits = shift;
      plain.column_shift = shift;
      plain.column_bits = digits.stride[d] - shift;
      kind.between_high[d] = add(plain);
    }
    kind.between[d] = add(table);
  }
  if (scale_by_element && (coset || !(scale == Fr::one()))) {
    TableRecipe element{coset ? base(log_size + 1) : Fr32::one(), Fr32::from(scale)};
    element.row_bits = digits.bits[last];
    element.row_shift = log_size - digits.bits[last];
    kind.element = add(element);
  }
  return kind;
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
    std::vector<NttLaunch> out = dif(data, data, coset ? list_->coset_inverse : list_->inverse);
    out.back().pass.reduce = true;
    return out;
  }
  /// Coefficients to values: reversed to natural.
  [[nodiscard]] std::vector<NttLaunch> forward(Fr32* data, bool coset) const {
    const NttTableList::Kind& kind = coset ? list_->coset_forward : list_->forward;
    std::vector<NttLaunch> out;
    out.push_back({false, true, pass(digits_.count - 1, data, data)});
    out.back().pass.dit = inside(kind);
    out.back().pass.element_scale = table(kind.element);
    dit_rest(out, data, kind);
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
    std::vector<NttLaunch> out = dif(a, c, list_->inverse_product);
    out.front().pass.load_factor = b;
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
    std::vector<NttLaunch> out = dif(data, data, list_->coset_inverse_quotient);
    NttPass& last = out.back().pass;
    last.subtract = c;
    last.reduce = true;
    return out;
  }

 private:
  [[nodiscard]] FactorTable table(std::size_t i) const {
    if (i == 0) return {};
    const TableRecipe& recipe = list_->recipes[i];
    const Fr32* const values = (*tables_)[i];
    return {values, recipe.quotients ? values + recipe.size() : nullptr};
  }

  [[nodiscard]] InsideFactors inside(const NttTableList::Kind& kind) const {
    return {table(kind.powers), kind.eight};
  }

  /// The pass over digit d, without factors.
  [[nodiscard]] NttPass pass(unsigned d, const Fr32* in, Fr32* out) const {
    NttPass p{};
    p.log_points = digits_.bits[d];
    p.least_levels = (digits_.bits[d] - 1) % 3 + 1;
    p.log_stride = digits_.stride[d];
    p.columns = 1U << (log_size_ - digits_.bits[d]);
    p.log_columns = log_threads_ + 3 - digits_.bits[d];
    p.in = in;
    p.out = out;
    return p;
  }
  void set_between(NttPass& p, const NttTableList::Kind& kind, unsigned d) const {
    p.between = table(kind.between[d]);
    p.between_high = table(kind.between_high[d]);
    p.between_shift = kind.between_shift[d];
  }
  [[nodiscard]] std::vector<NttLaunch> dif(const Fr32* from, Fr32* data,
                                           const NttTableList::Kind& kind) const {
    std::vector<NttLaunch> out;
    for (unsigned d = 0; d < digits_.count; ++d) {
      out.push_back({true, false, pass(d, d == 0 ? from : data, data)});
      NttPass& p = out.back().pass;
      p.dif = inside(kind);
      if (d + 1 < digits_.count)
        set_between(p, kind, d);
      else
        p.element_scale = table(kind.element);
    }
    return out;
  }
  [[nodiscard]] std::vector<NttLaunch> over_to_coset(Fr32* data) const {
    const NttTableList::Kind& kind = list_->coset_forward_over_n;
    std::vector<NttLaunch> out = dif(data, data, list_->inverse_unscaled);
    out.back().dit = true;
    out.back().pass.dit = inside(kind);
    out.back().pass.element_scale = table(kind.element);
    dit_rest(out, data, kind);
    return out;
  }
  void dit_rest(std::vector<NttLaunch>& out, Fr32* data, const NttTableList::Kind& kind) const {
    for (unsigned d = digits_.count - 1; d-- > 0;) {
      out.push_back({false, true, pass(d, data, data)});
      out.back().pass.dit = inside(kind);
      set_between(out.back().pass, kind, d);
    }
  }

  unsigned log_size_;
  NttDigits digits_;
  const NttTableList* list_;
  const std::vector<const Fr32*>* tables_;
  unsigned log_threads_;
};

}  // namespace cuzk::cuda
