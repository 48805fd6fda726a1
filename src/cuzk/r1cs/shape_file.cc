#include "cuzk/r1cs/shape_file.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <functional>
#include <optional>
#include <unordered_set>

#include "cuzk/base/file_sink.h"
#include "cuzk/base/positioned_file.h"
#include "cuzk/cpu/atomic_min.h"
#include "cuzk/hash/sha256.h"
#include "cuzk/r1cs/row_store.h"

namespace cuzk {

namespace {

constexpr std::size_t kHeaderBytes = 128;
constexpr std::size_t kDigestAt = 96;
constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::string_view kMagic = "cuzkshap";
constexpr std::uint32_t kVersion = 1;
/// Of terms and lengths; far beyond any circuit, and products with it do not overflow.
constexpr std::uint64_t kMostTerms = std::uint64_t{1} << 40;

std::uint64_t padded(std::uint64_t bytes) {
  return (bytes + 7) / 8 * 8;
}

/// What the header says.
struct Header {
  std::uint32_t wide_ids = 0;
  Bytes32 fingerprint{};
  std::uint64_t inputs = 0;
  std::uint64_t aux = 0;
  std::uint64_t rows = 0;
  std::uint64_t terms = 0;
  std::uint64_t coefficients = 0;
  std::uint64_t length_bytes = 0;
  Bytes32 digest{};

  /// Sizes of the sections in their order, without padding.
  [[nodiscard]] std::array<std::uint64_t, 6> sections() const {
    return {(aux + 63) / 64 * 8, coefficients * 32, terms * 4, terms * 2, wide_ids * terms * 2, length_bytes};
  }
  [[nodiscard]] std::uint64_t file_bytes() const {
    std::uint64_t sum = kHeaderBytes;
    for (const std::uint64_t s : sections()) sum += padded(s);
    return sum;
  }
  [[nodiscard]] std::array<std::uint8_t, kHeaderBytes> encode() const {
    std::array<std::uint8_t, kHeaderBytes> out{};
    std::copy(kMagic.begin(), kMagic.end(), out.begin());
    store_le(out.data() + 8, kVersion);
    store_le(out.data() + 12, wide_ids);
    std::copy(fingerprint.begin(), fingerprint.end(), out.begin() + 16);
    const std::uint64_t counts[] = {inputs, aux, rows, terms, coefficients, length_bytes};
    for (std::size_t i = 0; i < 6; ++i) store_le(out.data() + 48 + 8 * i, counts[i]);
    std::copy(digest.begin(), digest.end(), out.begin() + kDigestAt);
    return out;
  }
};

Error bad_shape(const std::string& what) {
  return bad_input("saved shape: " + what);
}

/// Of the header's bytes, at the start of a file of `size` bytes.
Result<Header> decode_header(ByteSpan file, std::uint64_t size, const Bytes32& fingerprint) {
  if (!std::equal(kMagic.begin(), kMagic.end(), file.begin())) return bad_shape("not the file of a shape");
  const auto version = load_le<std::uint32_t>(file.data() + 8);
  if (version != kVersion)
    return bad_shape("version " + std::to_string(version) + " of the format, expected " +
                     std::to_string(kVersion));
  Header h;
  h.wide_ids = load_le<std::uint32_t>(file.data() + 12);
  std::copy_n(file.data() + 16, 32, h.fingerprint.begin());
  if (h.fingerprint != fingerprint) return bad_shape("of another circuit or recorded by another program");
  std::uint64_t* const counts[] = {&h.inputs, &h.aux, &h.rows, &h.terms, &h.coefficients, &h.length_bytes};
  for (std::size_t i = 0; i < 6; ++i) *counts[i] = load_le<std::uint64_t>(file.data() + 48 + 8 * i);
  std::copy_n(file.data() + kDigestAt, 32, h.digest.begin());
  // Three lengths of a byte or more in each row; no input but ONE without a row of its own.
  if (h.wide_ids > 1 || h.inputs == 0 || h.inputs > h.rows + 1 || h.aux > Variable::kAuxFlag ||
      h.terms > kMostTerms || h.length_bytes > kMostTerms || h.rows > h.length_bytes / 3 ||
      h.coefficients < 2 || h.coefficients > UINT32_MAX || (h.wide_ids != 0) != (h.coefficients > 0x10000))
    return bad_shape("counts that no circuit has");
  if (h.file_bytes() != size)
    return bad_shape(std::to_string(size) + " bytes, but its counts ask for " +
                     std::to_string(h.file_bytes()));
  return h;
}

/// Fills a span with the bytes of a file from an offset on.
using ReadAt = std::function<Result<void>(std::uint64_t offset, std::span<std::uint8_t> out)>;

template <class T>
std::span<std::uint8_t> writable_bytes(std::vector<T>& elements) {
  return {reinterpret_cast<std::uint8_t*>(elements.data()), elements.size() * sizeof(T)};
}

/// A LEB128 number of the fewest bytes, below 2^41; null when there is none before `end`.
const std::uint8_t* read_length(const std::uint8_t* p, const std::uint8_t* end, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 41 && p != end; shift += 7) {
    const std::uint8_t byte = *p++;
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if ((byte & 0x80U) == 0) return byte == 0 && shift != 0 ? nullptr : p;
  }
  return nullptr;
}

/// Bytes one after the other that lie in several places.
class Stream {
 public:
  void add(ByteSpan bytes) {
    constexpr static std::uint8_t kZeros[8] = {};
    spans_.push_back(bytes);
    spans_.push_back(ByteSpan(kZeros).first(padded(bytes.size()) - bytes.size()));
  }
  [[nodiscard]] const std::vector<ByteSpan>& spans() const { return spans_; }

  /// SHA-256 over `head` and the SHA-256 of every piece.
  [[nodiscard]] Bytes32 digest(ThreadPool& pool, ByteSpan head) const {
    std::size_t size = 0;
    for (const ByteSpan& s : spans_) size += s.size();
    std::vector<Bytes32> pieces((size + kPiece - 1) / kPiece);
    pool.parallel_for(pieces.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        pieces[i] = sha256_of(i * kPiece, std::min(size, (i + 1) * kPiece));
    });
    Sha256 hash;
    hash.update(head);
    for (const Bytes32& piece : pieces) hash.update(piece);
    return hash.finish();
  }

 private:
  [[nodiscard]] Bytes32 sha256_of(std::size_t begin, std::size_t end) const {
    Sha256 hash;
    std::size_t at = 0;
    for (const ByteSpan& s : spans_) {
      const std::size_t from = std::max(begin, at);
      const std::size_t to = std::min(end, at + s.size());
      if (from < to) hash.update(s.subspan(from - at, to - from));
      at += s.size();
    }
    return hash.finish();
  }

  std::vector<ByteSpan> spans_;
};

void set_bit(std::span<std::uint64_t> words, std::size_t i) {
  const std::uint64_t bit = std::uint64_t{1} << (i % 64);
  const std::atomic_ref<std::uint64_t> word(words[i / 64]);
  if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
}

}  // namespace

/// Takes shapes apart and puts them together again.
class ShapeCodec {
 public:
  struct Parts {
    Header header;
    Stream sections;
  };

  static Parts parts(ThreadPool& pool, const Shape& shape, const Bytes32& fingerprint) {
    const RowStore& rows = *shape.rows_;
    const auto bytes = [](const auto& elements) {
      return ByteSpan(reinterpret_cast<const std::uint8_t*>(elements.data()),
                      elements.size() * sizeof elements.data()[0]);
    };
    Parts p;
    p.header.wide_ids = rows.id_high_.empty() ? 0 : 1;
    p.header.fingerprint = fingerprint;
    p.header.inputs = shape.num_inputs();
    p.header.aux = shape.num_aux();
    p.header.rows = shape.num_constraints();
    p.header.terms = rows.terms();
    p.header.coefficients = rows.coefficients().size();
    p.header.length_bytes = rows.lengths_.size();
    for (const ByteSpan& section :
         {bytes(shape.aux_is_bit()), bytes(rows.coefficients()), bytes(rows.columns_), bytes(rows.id_low_),
          bytes(rows.id_high_), bytes(rows.lengths_)})
      p.sections.add(section);
    p.header.digest = p.sections.digest(pool, ByteSpan(p.header.encode()).first(kDigestAt));
    return p;
  }

  /// From a file of `size` bytes, each read once, straight into its place.
  static Result<Shape> read(ThreadPool& pool, std::uint64_t size, const ReadAt& read_at,
                            const Bytes32& fingerprint) {
    if (size < kHeaderBytes) return bad_shape("no whole header");
    std::array<std::uint8_t, kHeaderBytes> head;
    CUZK_TRY(read_at(0, head));
    CUZK_TRY_ASSIGN(const Header h, decode_header(head, size, fingerprint));

    Shape shape;
    shape.num_inputs_ = h.inputs;
    RowStore& rows = *shape.rows_;
    std::vector<std::uint64_t> bit_words;
    std::vector<Fr> coefficients;
    const std::array<std::uint64_t, 6> sizes = h.sections();
    std::uint64_t at = kHeaderBytes;
    std::size_t next = 0;
    Stream content;
    const auto section = [&]<class T>(std::vector<T>& out) -> Result<void> {
      const std::uint64_t bytes = sizes[next++];
      out.resize(bytes / sizeof(T));
      CUZK_TRY(read_at(at, writable_bytes(out)));
      std::array<std::uint8_t, 8> padding{};
      CUZK_TRY(read_at(at + bytes, std::span(padding).first(padded(bytes) - bytes)));
      if (padding != std::array<std::uint8_t, 8>{}) return bad_shape("something between two sections");
      at += padded(bytes);
      content.add(writable_bytes(out));
      return {};
    };
    CUZK_TRY(section(bit_words));
    CUZK_TRY(section(coefficients));
    CUZK_TRY(section(rows.columns_));
    CUZK_TRY(section(rows.id_low_));
    CUZK_TRY(section(rows.id_high_));
    CUZK_TRY(section(rows.lengths_));
    if (content.digest(pool, std::span(head).first(kDigestAt)) != h.digest)
      return bad_shape("its content does not have its digest");

    CUZK_TRY(read_variables(shape, h, std::move(bit_words)));
    CUZK_TRY(read_coefficients(rows, std::move(coefficients)));
    rows.rows_ = h.rows;
    CUZK_TRY(read_lengths(rows, h));
    CUZK_TRY(check_terms(pool, shape));
    return shape;
  }

 private:
  static Result<void> read_variables(Shape& shape, const Header& h, std::vector<std::uint64_t> words) {
    if (h.aux % 64 != 0 && words.back() >> (h.aux % 64) != 0)
      return bad_shape("a boolean variable behind the last variable");
    shape.aux_is_bit_ = Bitmap(std::move(words), h.aux);
    shape.rank_bits();
    return {};
  }

  static Result<void> read_coefficients(RowStore& rows, std::vector<Fr> values) {
    struct Hash {
      std::size_t operator()(const Fr& x) const { return static_cast<std::size_t>(x.limb[0] ^ x.limb[3]); }
    };
    std::unordered_set<Fr, Hash> seen;
    for (const Fr& x : values) {
      FrInt limbs;
      std::copy_n(std::begin(x.limb), 4, std::begin(limbs.limb));
      if (!Fr::canonical(limbs) || x.is_zero() || !seen.insert(x).second)
        return bad_shape("a coefficient that is zero, no scalar or there twice");
    }
    if (!values[0].is_one() || values[1] != -Fr::one())
      return bad_shape("coefficients that do not begin with 1, -1");
    rows.table_.values_ = std::move(values);
    rows.table_.freeze();
    return {};
  }

  /// The index of groups; the lengths must be whole and add up to the terms.
  static Result<void> read_lengths(RowStore& rows, const Header& h) {
    const std::uint8_t* const begin = rows.lengths_.data();
    const std::uint8_t* const end = begin + rows.lengths_.size();
    const std::uint8_t* p = begin;
    std::uint64_t term = 0;
    rows.groups_.reserve((h.rows + RowStore::kGroup - 1) / RowStore::kGroup);
    for (std::uint64_t row = 0; row < h.rows; ++row) {
      if (row % RowStore::kGroup == 0) rows.groups_.push_back({term, static_cast<std::uint64_t>(p - begin)});
      for (int part = 0; part < 3; ++part) {
        std::uint64_t length = 0;
        p = read_length(p, end, length);
        if (p == nullptr || length > h.terms - term)
          return bad_shape("row " + std::to_string(row) + ": lengths that are none or exceed the terms");
        term += length;
      }
    }
    if (p != end || term != h.terms) return bad_shape("lengths or terms behind the last row");
    return {};
  }

  /// Columns and coefficients of every row, and the densities that follow from them.
  static Result<void> check_terms(ThreadPool& pool, Shape& shape) {
    const RowStore& rows = *shape.rows_;
    const std::size_t coefficients = rows.coefficients().size();
    const auto words = [](std::size_t bits) { return std::vector<std::uint64_t>((bits + 63) / 64); };
    std::vector<std::uint64_t> a_aux = words(shape.num_aux());
    std::vector<std::uint64_t> b_aux = words(shape.num_aux());
    std::vector<std::uint64_t> b_input = words(shape.num_inputs());
    const auto sound = [&](RowStore::Run run) {
      for (std::size_t t = run.begin; t < run.begin + run.size; ++t) {
        const Variable v = Variable::from_code(rows.columns_[t]);
        if (v.index() >= (v.is_aux() ? shape.num_aux() : shape.num_inputs())) return false;
        if (t != run.begin && !(Variable::from_code(rows.columns_[t - 1]) < v)) return false;
        if (rows.id(t) >= coefficients) return false;
      }
      return true;
    };
    std::atomic<std::size_t> first_bad{rows.size()};
    pool.parallel_for(rows.size(), 64 * RowStore::kGroup, [&](std::size_t begin, std::size_t end) {
      rows.for_each(begin, end, [&](std::size_t row, RowStore::Run a, RowStore::Run b, RowStore::Run c) {
        if (!sound(a) || !sound(b) || !sound(c)) return atomic_min(first_bad, row);
        for (std::size_t t = a.begin; t < a.begin + a.size; ++t)
          if (const Variable v = Variable::from_code(rows.columns_[t]); v.is_aux()) set_bit(a_aux, v.index());
        for (std::size_t t = b.begin; t < b.begin + b.size; ++t) {
          const Variable v = Variable::from_code(rows.columns_[t]);
          set_bit(v.is_aux() ? b_aux : b_input, v.index());
        }
      });
    });
    if (first_bad.load() != rows.size())
      return bad_shape("row " + std::to_string(first_bad.load()) +
                       ": terms out of order, or a variable or coefficient that does not exist");
    shape.a_aux_ = Bitmap(std::move(a_aux), shape.num_aux());
    shape.b_aux_ = Bitmap(std::move(b_aux), shape.num_aux());
    shape.b_input_ = Bitmap(std::move(b_input), shape.num_inputs());
    return {};
  }
};

Result<void> write_shape_file(ThreadPool& pool, const Shape& shape, const Bytes32& fingerprint,
                              const std::string& path) {
  CUZK_TRY_ASSIGN(FileSink sink, FileSink::create(path));
  const ShapeCodec::Parts parts = ShapeCodec::parts(pool, shape, fingerprint);
  CUZK_TRY(sink.write(parts.header.encode()));
  for (const ByteSpan& bytes : parts.sections.spans()) CUZK_TRY(sink.write(bytes));
  return sink.commit();
}

std::vector<std::uint8_t> serialize_shape(ThreadPool& pool, const Shape& shape, const Bytes32& fingerprint) {
  const ShapeCodec::Parts parts = ShapeCodec::parts(pool, shape, fingerprint);
  const auto header = parts.header.encode();
  std::vector<std::uint8_t> out(header.begin(), header.end());
  out.reserve(parts.header.file_bytes());
  for (const ByteSpan& bytes : parts.sections.spans()) out.insert(out.end(), bytes.begin(), bytes.end());
  return out;
}

Result<Shape> parse_shape(ThreadPool& pool, ByteSpan file, const Bytes32& fingerprint) {
  const auto read_at = [&](std::uint64_t offset, std::span<std::uint8_t> out) -> Result<void> {
    std::copy_n(file.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
    return {};
  };
  return ShapeCodec::read(pool, file.size(), read_at, fingerprint);
}

Result<Shape> read_shape_file(ThreadPool& pool, const std::string& path, const Bytes32& fingerprint) {
  CUZK_TRY_ASSIGN(const PositionedFile file, PositionedFile::open(path));
  const auto read_at = [&](std::uint64_t offset, std::span<std::uint8_t> out) {
    return file.read(offset, out);
  };
  Result<Shape> shape = ShapeCodec::read(pool, file.size(), read_at, fingerprint);
  if (!shape) return shape.error().within(path);
  return shape;
}

Bytes32 shape_file_digest(ThreadPool& pool, ByteSpan file) {
  CUZK_CHECK(file.size() >= kHeaderBytes);
  Stream rest;
  rest.add(file.subspan(kHeaderBytes));
  return rest.digest(pool, file.first(kDigestAt));
}

}  // namespace cuzk
