#include <algorithm>
#include <bitset>

#include "cuzk/base/hex.h"
#include "cuzk/hash/poseidon.h"

namespace cuzk {
namespace {

struct InstanceSize {
  unsigned arity;
  unsigned partial_rounds;
};
constexpr InstanceSize kInstances[] = {{2, 55}, {4, 56}, {8, 57}, {11, 57}, {16, 59}, {24, 59}, {36, 60}};
constexpr unsigned kFullRounds = 8;

/// Grain LFSR in self-shrinking mode: the source of the round constants.
class Grain {
 public:
  Grain(unsigned width, unsigned full_rounds, unsigned partial_rounds) {
    append(1, 2);  // prime field
    append(1, 4);  // S-box: the value upstream passes for x^5
    append(kFrBits, 12);
    append(width, 12);
    append(full_rounds, 10);
    append(partial_rounds, 10);
    append((1U << 30) - 1, 30);
    for (int i = 0; i < 160; ++i) step();
  }

  /// Uniform below r: 255 bits, most significant first, redrawn until small enough.
  Fr next_element() {
    while (true) {
      FrInt v{};
      for (unsigned i = kFrBits; i-- > 0;) v.limb[i / 64] |= std::uint64_t{next_bit()} << (i % 64);
      if (Fr::canonical(v)) return Fr::from_int(v);
    }
  }

 private:
  void append(unsigned value, unsigned bits) {
    for (unsigned i = bits; i-- > 0;) state_[filled_++] = (value >> i & 1) != 0;
  }
  // The register is a ring: position head_ is bit 0 of the definition.
  bool at(unsigned i) const { return state_[(head_ + i) % 80]; }
  bool step() {
    const bool bit = at(62) ^ at(51) ^ at(38) ^ at(23) ^ at(13) ^ at(0);
    state_[head_] = bit;
    head_ = (head_ + 1) % 80;
    return bit;
  }
  bool next_bit() {
    while (true) {
      const bool keep = step();
      const bool bit = step();
      if (keep) return bit;
    }
  }

  std::bitset<80> state_;
  unsigned filled_ = 0;
  unsigned head_ = 0;
};

/// A small square matrix, row by row.
struct Matrix {
  explicit Matrix(std::size_t size) : n(size), cells(size * size) {}
  static Matrix identity(std::size_t size) {
    Matrix m(size);
    for (std::size_t i = 0; i < size; ++i) m(i, i) = Fr::one();
    return m;
  }
  Fr& operator()(std::size_t i, std::size_t j) { return cells[i * n + j]; }
  const Fr& operator()(std::size_t i, std::size_t j) const { return cells[i * n + j]; }

  std::size_t n;
  std::vector<Fr> cells;
};

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix out(a.n);
  for (std::size_t i = 0; i < a.n; ++i)
    for (std::size_t k = 0; k < a.n; ++k)
      for (std::size_t j = 0; j < a.n; ++j) out(i, j) += a(i, k) * b(k, j);
  return out;
}

std::vector<Fr> row_times(std::span<const Fr> row, const Matrix& m) {
  std::vector<Fr> out(m.n);
  for (std::size_t i = 0; i < m.n; ++i)
    for (std::size_t j = 0; j < m.n; ++j) out[j] += row[i] * m(i, j);
  return out;
}

std::vector<Fr> times_column(const Matrix& m, std::span<const Fr> column) {
  std::vector<Fr> out(m.n);
  for (std::size_t i = 0; i < m.n; ++i)
    for (std::size_t j = 0; j < m.n; ++j) out[i] += m(i, j) * column[j];
  return out;
}

/// Gauss-Jordan without pivoting: every leading minor of a Cauchy matrix is invertible.
Matrix inverse(Matrix m) {
  Matrix out = Matrix::identity(m.n);
  for (std::size_t p = 0; p < m.n; ++p) {
    CUZK_CHECK(!m(p, p).is_zero());
    const Fr scale = m(p, p).inverse();
    for (std::size_t j = 0; j < m.n; ++j) {
      m(p, j) *= scale;
      out(p, j) *= scale;
    }
    for (std::size_t i = 0; i < m.n; ++i) {
      const Fr factor = m(i, p);
      if (i == p || factor.is_zero()) continue;
      for (std::size_t j = 0; j < m.n; ++j) {
        m(i, j) -= factor * m(p, j);
        out(i, j) -= factor * out(p, j);
      }
    }
  }
  return out;
}

Matrix power(Matrix base, unsigned exponent) {
  Matrix out = Matrix::identity(base.n);
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) out = out * base;
    if (exponent > 1) base = base * base;
  }
  return out;
}

/// constraint-system-and-gadgets 7.6: constants moved past the linear layers so that a partial round adds
/// one.
std::vector<Fr> compress_constants(const PoseidonConstants& c, const Matrix& mds_inverse) {
  const std::size_t t = c.width;
  const unsigned half = c.full_rounds / 2;
  const auto round = [&](unsigned r) { return std::span(c.raw).subspan(r * t, t); };
  std::vector<Fr> out(round(0).begin(), round(0).end());
  const auto append = [&out](const std::vector<Fr>& row) { out.insert(out.end(), row.begin(), row.end()); };
  for (unsigned r = 1; r < half; ++r) append(row_times(round(r), mds_inverse));
  std::vector<Fr> carried(round(half + c.partial_rounds).begin(), round(half + c.partial_rounds).end());
  std::vector<Fr> partial;
  for (unsigned i = 0; i < c.partial_rounds; ++i) {
    std::vector<Fr> q = row_times(carried, mds_inverse);
    partial.push_back(q[0]);
    q[0] = Fr::zero();
    const auto k = round(half + c.partial_rounds - 1 - i);
    for (std::size_t j = 0; j < t; ++j) carried[j] = k[j] + q[j];
  }
  append(row_times(carried, mds_inverse));
  out.insert(out.end(), partial.rbegin(), partial.rend());
  for (unsigned r = half + c.partial_rounds + 1; r < c.full_rounds + c.partial_rounds; ++r)
    append(row_times(round(r), mds_inverse));
  return out;
}

/// constraint-system-and-gadgets 7.7: the closed form of the sparse factors and of the pre-sparse matrix.
void factor_partial_rounds(PoseidonConstants& c, const Matrix& mds) {
  const std::size_t t = c.width;
  Matrix minor(t - 1);
  std::vector<Fr> v(t - 1);
  for (std::size_t i = 1; i < t; ++i) {
    v[i - 1] = mds(0, i);
    for (std::size_t j = 1; j < t; ++j) minor(i - 1, j - 1) = mds(i, j);
  }
  const Matrix minor_inverse = inverse(minor);
  std::vector<Fr> w_hat = v;  // the matrix is symmetric: the rest of column 0 equals the rest of row 0
  std::vector<Fr> v_rest = v;
  c.sparse.resize(std::size_t{c.partial_rounds} * (2 * t - 1));
  for (unsigned k = 0; k < c.partial_rounds; ++k) {
    w_hat = times_column(minor_inverse, w_hat);
    Fr* out = c.sparse.data() + std::size_t{c.partial_rounds - 1 - k} * (2 * t - 1);
    out[0] = mds(0, 0);
    std::copy(w_hat.begin(), w_hat.end(), out + 1);
    std::copy(v_rest.begin(), v_rest.end(), out + t);
    v_rest = row_times(v_rest, minor);
  }
  const Matrix last = power(minor, c.partial_rounds + 1);
  c.pre_sparse.resize(t * t);
  c.pre_sparse[0] = mds(0, 0);
  std::copy(v_rest.begin(), v_rest.end(), c.pre_sparse.begin() + 1);
  for (std::size_t i = 1; i < t; ++i) {
    c.pre_sparse[i * t] = v[i - 1];
    for (std::size_t j = 1; j < t; ++j) c.pre_sparse[i * t + j] = last(i - 1, j - 1);
  }
}

/// Five 52-bit digits of 2^shift times the memory form, shift at most 4.
void append_digits(std::vector<std::uint64_t>& out, std::span<const Fr> values, unsigned shift) {
  for (const Fr& v : values)
    for (unsigned i = 0; i < 5; ++i) {
      // Bits 52 i - shift .. of the value; the first digit begins below bit 0.
      std::uint64_t digit = 0;
      for (unsigned b = 0; b < 52; ++b) {
        const unsigned position = 52 * i + b - shift;  // wraps to a large number below bit 0
        if (position < 256) digit |= (v.limb[position / 64] >> (position % 64) & 1) << b;
      }
      out.push_back(digit);
    }
}

void append_lane_digits(PoseidonConstants& c) {
  c.lane_digits.clear();
  append_digits(c.lane_digits, std::span(&c.domain_tag, 1), 0);
  append_digits(c.lane_digits, c.compressed, 0);
  append_digits(c.lane_digits, c.mds, 4);
  append_digits(c.lane_digits, c.pre_sparse, 4);
  append_digits(c.lane_digits, c.sparse, 4);
}

void set_tag(PoseidonConstants& c, const Fr& tag) {
  c.domain_tag = tag;
  auto bytes = tag.to_bytes_le();
  std::reverse(bytes.begin(), bytes.end());
  const std::string digits = to_hex(bytes);
  c.name = "poseidon arity " + std::to_string(c.arity) + " tag 0x" +
           digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1));
}

PoseidonConstants build(unsigned arity) {
  const auto* const size = std::find_if(std::begin(kInstances), std::end(kInstances),
                                        [arity](const InstanceSize& s) { return s.arity == arity; });
  CUZK_CHECK(size != std::end(kInstances));
  PoseidonConstants c;
  c.arity = arity;
  c.width = arity + 1;
  c.full_rounds = kFullRounds;
  c.partial_rounds = size->partial_rounds;
  set_tag(c, Fr::from_u64((std::uint64_t{1} << arity) - 1));

  Grain grain(c.width, c.full_rounds, c.partial_rounds);
  c.raw.resize(std::size_t{c.full_rounds + c.partial_rounds} * c.width);
  for (Fr& k : c.raw) k = grain.next_element();

  // Cauchy matrix 1 / (x_i + y_j), x_i = i, y_j = t + j: only 2 t - 1 distinct values.
  const std::size_t t = c.width;
  std::vector<Fr> reciprocal(2 * t - 1);
  for (std::size_t s = 0; s < reciprocal.size(); ++s) reciprocal[s] = Fr::from_u64(s + t).inverse();
  Matrix mds(t);
  for (std::size_t i = 0; i < t; ++i)
    for (std::size_t j = 0; j < t; ++j) mds(i, j) = reciprocal[i + j];

  c.compressed = compress_constants(c, inverse(mds));
  factor_partial_rounds(c, mds);
  c.mds = std::move(mds.cells);
  append_lane_digits(c);
  return c;
}

template <unsigned Arity>
const PoseidonConstants& shared_instance() {
  static const PoseidonConstants constants = build(Arity);
  return constants;
}

}  // namespace

const PoseidonConstants& poseidon_constants(unsigned arity) {
  switch (arity) {
    case 2:
      return shared_instance<2>();
    case 4:
      return shared_instance<4>();
    case 8:
      return shared_instance<8>();
    case 11:
      return shared_instance<11>();
    case 16:
      return shared_instance<16>();
    case 24:
      return shared_instance<24>();
    default:
      CUZK_CHECK(arity == 36);
      return shared_instance<36>();
  }
}

PoseidonConstants poseidon_constants_custom(unsigned arity, const Fr& domain_tag) {
  PoseidonConstants c = poseidon_constants(arity);
  set_tag(c, domain_tag);
  append_lane_digits(c);
  return c;
}

}  // namespace cuzk
