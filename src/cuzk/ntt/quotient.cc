#include "cuzk/ntt/quotient.h"

#include <algorithm>
#include <array>

#include "cuzk/base/result.h"

namespace cuzk::ntt {
namespace {

Fr minus_half() {
  return -Fr::from_u64(2).inverse();
}

}  // namespace

Quotient::Quotient(Isa isa, unsigned log_size)
    : kernels_(&fr_kernels(isa)),
      to_coefficients_(isa, log_size, Direction::inverse, Order::natural_to_reversed),
      to_scaled_(isa, log_size, Direction::inverse, Order::natural_to_reversed, Fr::one(), minus_half()),
      to_coset_(isa, log_size, Direction::forward, Order::reversed_to_natural,
                fr_root_of_unity(log_size + 1)),
      from_coset_scaled_(isa, log_size, Direction::inverse, Order::natural_to_reversed,
                         fr_root_of_unity(log_size + 1), minus_half()) {}

void Quotient::multiply(ThreadPool& pool, std::span<Fr> dst, std::span<const Fr> a,
                        std::span<const Fr> b) const {
  pool.parallel_for(dst.size(), std::size_t{1} << 14, [&](std::size_t begin, std::size_t end) {
    const std::size_t n = end - begin;
    kernels_->mul(dst.subspan(begin, n), a.subspan(begin, n), b.subspan(begin, n));
  });
}

bool Quotient::run(ThreadPool& pool, std::span<Fr> a, std::span<Fr> b, std::span<Fr> scratch) const {
  const std::size_t n = std::size_t{1} << to_coset_.log_size();
  CUZK_CHECK(a.size() == n && b.size() == n && scratch.size() == n);
  multiply(pool, scratch, a, b);
  to_scaled_.run(pool, scratch);
  for (const std::span<Fr> values : {a, b}) {
    to_coefficients_.run(pool, values);
    to_coset_.run(pool, values);
  }
  multiply(pool, a, a, b);
  from_coset_scaled_.run(pool, a);
  subtract_reversed(pool, a, scratch, to_coset_.log_size());
  return a[n - 1].is_zero();
}

// An index is x m y with x and y of kTileBits bits. The tile of m holds the elements of all x and y: runs of
// neighbours, so that whole cache lines move; it trades places with the tile of reverse(m), transposed.
void subtract_reversed(ThreadPool& pool, std::span<Fr> dst, std::span<const Fr> b, unsigned log_size) {
  CUZK_CHECK(dst.size() == std::size_t{1} << log_size && b.size() == dst.size());
  constexpr unsigned kTileBits = 4;
  constexpr std::size_t kSide = std::size_t{1} << kTileBits;
  if (log_size < 2 * kTileBits) {
    std::vector<Fr> difference(dst.size());
    for (std::size_t i = 0; i < dst.size(); ++i) difference[reverse_bits(i, log_size)] = dst[i] - b[i];
    std::copy(difference.begin(), difference.end(), dst.begin());
    return;
  }
  std::array<std::size_t, kSide> reversed{};
  for (std::size_t i = 0; i < kSide; ++i) reversed[i] = reverse_bits(i, kTileBits);
  const unsigned middle_bits = log_size - 2 * kTileBits;
  const std::size_t row = std::size_t{1} << (log_size - kTileBits);  // distance of neighbours in x
  using Tile = std::array<Fr, kSide * kSide>;
  const auto read = [&](std::size_t m, Tile& tile) {  // transposed and reversed on the way
    for (std::size_t x = 0; x < kSide; ++x) {
      const std::size_t base = x * row + m * kSide;
      for (std::size_t y = 0; y < kSide; ++y)
        tile[reversed[y] * kSide + reversed[x]] = dst[base + y] - b[base + y];
    }
  };
  const auto write = [&](std::size_t m, const Tile& tile) {
    for (std::size_t x = 0; x < kSide; ++x)
      std::copy_n(tile.begin() + static_cast<std::ptrdiff_t>(x * kSide), kSide,
                  dst.begin() + static_cast<std::ptrdiff_t>(x * row + m * kSide));
  };
  pool.parallel_for(std::size_t{1} << middle_bits, [&](std::size_t begin, std::size_t end) {
    Tile mine;
    Tile other;
    for (std::size_t m = begin; m < end; ++m) {
      const std::size_t partner = reverse_bits(m, middle_bits);
      if (partner < m) continue;
      read(m, mine);
      if (partner != m) {
        read(partner, other);
        write(m, other);
      }
      write(partner, mine);
    }
  });
}

}  // namespace cuzk::ntt
