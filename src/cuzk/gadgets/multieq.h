#pragma once

#include "cuzk/gadgets/bit_sum.h"

namespace cuzk {

/// Batches equalities L = R of bounded bit length into constraints of at most 253 bits each, by shifting
/// (constraint-system-and-gadgets 4.3). The sums are built in place: begin(n), then left/right with shifts
/// relative to this equality.
template <class CS>
class MultiEq {
 public:
  explicit MultiEq(CS& cs) : cs_(cs) {}
  /// Checked: nothing is pending. A batch that was never written out would be a missing constraint.
  ~MultiEq() { CUZK_CHECK(bits_used_ == 0); }
  MultiEq(const MultiEq&) = delete;
  MultiEq& operator=(const MultiEq&) = delete;

  /// Opens an equality of n bits; writes out the batch first when it would not fit.
  void begin(std::size_t n) {
    constexpr std::size_t kCapacity = 254;
    if (kCapacity <= bits_used_ + n) flush();
    CUZK_CHECK(bits_used_ + n < kCapacity);
    base_ = bits_used_;
    bits_used_ += n;
  }
  void left(const Boolean& b, std::size_t shift) { left_.add(b, base_ + shift); }
  void right(const Boolean& b, std::size_t shift) { right_.add(b, base_ + shift); }
  /// Writes out what is pending; to be called at the end.
  void close() {
    if (bits_used_ > 0) flush();
  }
  CS& cs() { return cs_; }

 private:
  void flush() {
    cs_.enforce([&](auto& lc) { left_.write(lc); }, [](auto& lc) { lc.add(Variable::one()); },
                [&](auto& lc) { right_.write(lc); });
    left_.clear();
    right_.clear();
    bits_used_ = 0;
  }

  CS& cs_;
  std::size_t bits_used_ = 0;
  std::size_t base_ = 0;
  BitSum left_;
  BitSum right_;
};

}  // namespace cuzk
