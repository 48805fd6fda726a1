#pragma once

#include <span>
#include <vector>

#include "cuzk/r1cs/linear_combination.h"

namespace cuzk {

class ShapeCodec;

/// The distinct coefficients of a shape. Ids 0 and 1 are always 1 and -1.
class CoefficientTable {
 public:
  static constexpr std::uint32_t kOne = 0;
  static constexpr std::uint32_t kMinusOne = 1;

  CoefficientTable();
  std::uint32_t id_of(const Fr& coefficient) {
    if (coefficient == values_[kOne]) return kOne;
    if (coefficient == values_[kMinusOne]) return kMinusOne;
    return find_or_add(coefficient);
  }
  [[nodiscard]] std::span<const Fr> values() const { return values_; }
  /// Gives up the index; id_of may not be called afterwards.
  void freeze();

 private:
  friend class ShapeCodec;
  std::uint32_t find_or_add(const Fr& coefficient);
  void grow();

  std::vector<Fr> values_;
  std::vector<std::uint32_t> slots_;  // open addressing, id + 1, 0 is free; a power of two
};

/// For backends and for readers of whole circuits; users of a Shape need nothing from here. Immutable once
/// frozen, thread-safe then. Reached through ShapeRows (r1cs/shape_rows.h).
///
/// Rows of three linear combinations each, flat: columns and coefficient ids of a row's A, B and C terms
/// follow one another. A column is a Variable's code. Ids are split into a low and, only once there are more
/// than 2^16 coefficients, a high half, so that a term costs six bytes. The numbers of terms are LEB128,
/// found through an index of every kGroup-th row.
class RowStore {
 public:
  static constexpr std::size_t kGroup = 64;

  struct Run {  ///< the terms of one linear combination: [begin, begin + size) of the term arrays
    std::size_t begin;
    std::size_t size;
  };

  void append(std::span<const Term> a, std::span<const Term> b, std::span<const Term> c);
  void freeze();

  [[nodiscard]] std::size_t size() const { return rows_; }
  [[nodiscard]] std::size_t terms() const { return columns_.size(); }
  /// terms() columns; Variable::from_code reads one.
  [[nodiscard]] const std::uint32_t* columns() const { return columns_.data(); }
  /// The low halves of terms() coefficient ids.
  [[nodiscard]] const std::uint16_t* low_ids() const { return id_low_.data(); }
  /// The high halves; null while all ids fit 16 bits.
  [[nodiscard]] const std::uint16_t* high_ids() const { return id_high_.empty() ? nullptr : id_high_.data(); }
  /// What the ids index.
  [[nodiscard]] std::span<const Fr> coefficients() const { return table_.values(); }
  [[nodiscard]] std::uint32_t id(std::size_t term) const {
    return id_low_[term] | (id_high_.empty() ? 0U : static_cast<std::uint32_t>(id_high_[term]) << 16);
  }
  [[nodiscard]] std::size_t memory_bytes() const;

  /// Calls f(row, Run a, Run b, Run c) for rows begin <= row < end, in order.
  template <class F>
  void for_each(std::size_t begin, std::size_t end, F&& f) const {
    if (begin >= end) return;
    const std::size_t group = begin / kGroup;
    std::size_t term = groups_[group].term;
    const std::uint8_t* length = lengths_.data() + groups_[group].length;
    for (std::size_t row = group * kGroup; row < end; ++row) {
      const std::size_t na = read_length(length);
      const std::size_t nb = read_length(length);
      const std::size_t nc = read_length(length);
      if (row >= begin) f(row, Run{term, na}, Run{term + na, nb}, Run{term + na + nb, nc});
      term += na + nb + nc;
    }
  }

 private:
  friend class ShapeCodec;
  friend class ShapeJoiner;
  struct Group {
    std::uint64_t term;
    std::uint64_t length;
  };

  static std::size_t read_length(const std::uint8_t*& p) {
    std::size_t v = *p & 0x7fU;
    for (unsigned shift = 7; (*p++ & 0x80U) != 0; shift += 7)
      v |= static_cast<std::size_t>(*p & 0x7fU) << shift;
    return v;
  }
  void append_terms(std::span<const Term> terms);

  CoefficientTable table_;
  std::vector<std::uint32_t> columns_;
  std::vector<std::uint16_t> id_low_;
  std::vector<std::uint16_t> id_high_;
  std::vector<std::uint8_t> lengths_;
  std::vector<Group> groups_;
  std::size_t rows_ = 0;
};

}  // namespace cuzk
