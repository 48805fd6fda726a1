#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cuzk/base/bits.h"

namespace cuzk {

/// A growing vector of bits in the one bit order of the program: bit i is bit i % 64 of word i / 64, bits
/// past the end are zero.
class Bitmap {
 public:
  Bitmap() = default;
  /// Of `size` bits given as words.
  Bitmap(std::vector<std::uint64_t> words, std::size_t size) : words_(std::move(words)), size_(size) {}

  void push_back(bool bit) {
    if (size_ % 64 == 0) words_.push_back(0);
    words_.back() |= std::uint64_t{bit} << (size_ % 64);
    ++size_;
  }
  /// Appends bits [begin, end) of `words`, 64 at a time.
  void append(std::span<const std::uint64_t> words, std::size_t begin, std::size_t end) {
    words_.resize((size_ + end - begin + 63) / 64, 0);
    while (begin < end) {
      const std::size_t n =
          std::min<std::size_t>(64 - size_ % 64, std::min<std::size_t>(64 - begin % 64, end - begin));
      const std::uint64_t mask = n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
      words_[size_ / 64] |= (words[begin / 64] >> (begin % 64) & mask) << (size_ % 64);
      size_ += n;
      begin += n;
    }
  }
  void set(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  [[nodiscard]] bool operator[](std::size_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<const std::uint64_t> words() const { return words_; }
  [[nodiscard]] std::size_t count() const { return count_bits(words_); }
  void reserve(std::size_t bits) { words_.reserve((bits + 63) / 64); }
  void shrink_to_fit() { words_.shrink_to_fit(); }
  /// The words; the bitmap is empty afterwards.
  std::vector<std::uint64_t> take() {
    size_ = 0;
    return std::move(words_);
  }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t size_ = 0;
};

}  // namespace cuzk
