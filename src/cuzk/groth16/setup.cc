#include "cuzk/groth16/setup.h"

#include <algorithm>
#include <limits>

#include "cuzk/base/file_sink.h"
#include "cuzk/groth16/internal/digest_pair.h"
#include "cuzk/groth16/point_codec.h"
#include "cuzk/groth16/qap.h"
#include "cuzk/msm/fixed_base.h"

namespace cuzk::groth16 {
namespace {

/// Points made, encoded and written at a time.
constexpr std::size_t kChunk = std::size_t{1} << 16;
constexpr std::size_t kGrain = std::size_t{1} << 10;

/// The file being written and its digests so far.
class HashedSink {
 public:
  HashedSink(ThreadPool& pool, FileSink sink) : pool_(pool), sink_(std::move(sink)) {}

  Result<void> write(ByteSpan bytes) {
    digests_.update(pool_, bytes);
    written_ += bytes.size();
    return sink_.write(bytes);
  }
  Result<void> write_count(std::uint64_t count) {
    CUZK_CHECK(count <= std::numeric_limits<std::uint32_t>::max());
    std::array<std::uint8_t, 4> bytes;
    store_be32(bytes.data(), static_cast<std::uint32_t>(count));
    return write(bytes);
  }
  Result<FileDigests> commit() {
    CUZK_TRY(sink_.commit());
    return digests_.finish();
  }
  [[nodiscard]] std::uint64_t written() const { return written_; }

 private:
  ThreadPool& pool_;
  FileSink sink_;
  DigestPair digests_;
  std::uint64_t written_ = 0;
};

Result<void> check_secrets(const ToxicWaste& t, unsigned domain_log_size) {
  const std::pair<const char*, const Fr*> secrets[] = {
      {"alpha", &t.alpha}, {"beta", &t.beta}, {"gamma", &t.gamma}, {"delta", &t.delta}, {"tau", &t.tau}};
  for (const auto& [name, value] : secrets)
    if (value->is_zero()) return usage_error(std::string("the secret ") + name + " is zero");
  if (t.tau.pow(std::uint64_t{1} << domain_log_size).is_one())
    return usage_error("the secret tau lies in the evaluation domain of the circuit");
  return {};
}

/// beta a + alpha b + c.
Fr combine(const ToxicWaste& t, const Fr& a, const Fr& b, const Fr& c) {
  return t.beta * a + t.alpha * b + c;
}

/// The non-zero values of one filtered query, inputs first; their number must be what the density says.
Result<std::vector<Fr>> filter(const char* query, const std::vector<Fr>& inputs, const std::vector<Fr>& aux,
                               std::size_t expected) {
  std::vector<Fr> kept;
  kept.reserve(expected);
  for (const std::vector<Fr>* part : {&inputs, &aux})
    for (const Fr& v : *part)
      if (!v.is_zero()) kept.push_back(v);
  if (kept.size() != expected)
    return bad_params(std::string("a column of ") + query +
                      " vanishes at tau though its coefficients do not: choose other secrets");
  return kept;
}

/// Multiplies a base by scalars that `scalar_range(begin, out)` makes, and streams the points.
template <class F>
class PointWriter {
 public:
  PointWriter(ThreadPool& pool, HashedSink& sink, const FixedBase<Affine<F>>& base,
              std::function<void(std::uint64_t)> advance)
      : pool_(pool), sink_(sink), base_(base), advance_(std::move(advance)) {}

  template <class Scalars>
  Result<void> write(std::size_t count, Scalars&& scalar_range) {
    CUZK_TRY(sink_.write_count(count));
    const std::size_t most = std::min(count, kChunk);
    std::vector<Fr> scalars(most);
    std::vector<Affine<F>> points(most);
    std::vector<std::uint8_t> bytes(most * kPointBytes<F>);
    for (std::size_t begin = 0; begin < count; begin += kChunk) {
      const std::size_t n = std::min(kChunk, count - begin);
      pool_.parallel_for(n, kGrain, [&](std::size_t b, std::size_t e) {
        scalar_range(begin + b, std::span(scalars).subspan(b, e - b));
      });
      base_.multiply(pool_, std::span<const Fr>(scalars).first(n), std::span(points).first(n));
      pool_.parallel_for(n, kGrain, [&](std::size_t b, std::size_t e) {
        encode_points(std::span<const Affine<F>>(points).subspan(b, e - b),
                      std::span(bytes).subspan(b * kPointBytes<F>, (e - b) * kPointBytes<F>));
      });
      CUZK_TRY(sink_.write(std::span(bytes).first(n * kPointBytes<F>)));
      advance_(n);
    }
    return {};
  }
  Result<void> write(const std::vector<Fr>& values) {
    return write(values.size(), [&](std::size_t begin, std::span<Fr> out) {
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(begin), out.size(), out.begin());
    });
  }

 private:
  ThreadPool& pool_;
  HashedSink& sink_;
  const FixedBase<Affine<F>>& base_;
  std::function<void(std::uint64_t)> advance_;
};

}  // namespace

Result<ToxicWaste> random_toxic_waste() {
  ToxicWaste t{};
  for (Fr* secret : {&t.alpha, &t.beta, &t.gamma, &t.delta, &t.tau}) {
    CUZK_TRY_ASSIGN(*secret, random_fr());
  }
  return t;
}

Result<SetupResult> generate_parameters(ThreadPool& pool, const Shape& shape, const ToxicWaste& toxic,
                                        const std::string& path, const SetupOptions& options) {
  const unsigned log_size = shape.domain_log_size();
  if (log_size > 31) return bad_params("the circuit has too many constraints for a domain of 2^31 points");
  CUZK_TRY(check_secrets(toxic, log_size));
  if (options.g1.is_infinity() || options.g2.is_infinity())
    return usage_error("a generator is the point at infinity");
  // Before the hours of work, not after them: a folder that cannot be written to.
  CUZK_TRY_ASSIGN(FileSink file, FileSink::create(path));

  const std::size_t n_in = shape.num_inputs();
  const std::size_t n_aux = shape.num_aux();
  const std::size_t n_h = (std::size_t{1} << log_size) - 1;
  QapColumns columns;
  {
    const std::vector<Fr> basis = lagrange_basis_at(pool, log_size, toxic.tau);
    columns = qap_columns(pool, shape, basis);
  }
  const auto column_values = [&](const QapColumns::Values& v, std::size_t i) {
    return combine(toxic, v.a[i], v.b[i], v.c[i]);
  };
  const Fr gamma_inverse = toxic.gamma.inverse();
  const Fr delta_inverse = toxic.delta.inverse();
  std::vector<Fr> ic(n_in);
  for (std::size_t i = 0; i < n_in; ++i) {
    ic[i] = column_values(columns.inputs, i) * gamma_inverse;
    if (ic[i].is_zero())
      return bad_params("the column of input " + std::to_string(i) +
                        " vanishes at tau: choose other secrets");
  }
  // l replaces c, which is not needed otherwise.
  std::vector<Fr>& l = columns.aux.c;
  pool.parallel_for(n_aux, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) l[i] = column_values(columns.aux, i) * delta_inverse;
  });
  for (std::size_t i = 0; i < n_aux; ++i)
    if (l[i].is_zero())
      return bad_params("unconstrained variable: aux variable " + std::to_string(i) +
                        " occurs in no constraint");
  CUZK_TRY_ASSIGN(std::vector<Fr> a,
                  filter("a", columns.inputs.a, columns.aux.a, n_in + shape.a_aux_count()));
  columns.aux.a = {};
  CUZK_TRY_ASSIGN(std::vector<Fr> b,
                  filter("b", columns.inputs.b, columns.aux.b, shape.b_input_count() + shape.b_aux_count()));
  columns.aux.b = {};

  SetupResult result;
  result.layout = ParamsLayout::with_counts(n_in, n_h, n_aux, a.size(), b.size(), b.size());
  const std::uint64_t total = n_in + n_h + n_aux + a.size() + 2 * b.size();
  std::uint64_t done = 0;
  const auto advance = [&](std::uint64_t n) {
    done += n;
    if (options.progress) options.progress(done, total);
  };

  const FixedBase<G1Affine> g1(pool, options.g1, total - b.size());
  VerifyingKey& vk = result.vk;
  const auto times_g1 = [&](const Fr& k) { return mul(options.g1, k).to_affine(); };
  const auto times_g2 = [&](const Fr& k) { return mul(options.g2, k).to_affine(); };
  vk.alpha_g1 = times_g1(toxic.alpha);
  vk.beta_g1 = times_g1(toxic.beta);
  vk.beta_g2 = times_g2(toxic.beta);
  vk.gamma_g2 = times_g2(toxic.gamma);
  vk.delta_g1 = times_g1(toxic.delta);
  vk.delta_g2 = times_g2(toxic.delta);
  vk.ic.resize(n_in);
  g1.multiply(pool, std::span<const Fr>(ic), std::span(vk.ic));

  HashedSink sink(pool, std::move(file));
  CUZK_TRY(sink.write(encode_verifying_key(vk)));
  advance(n_in);
  PointWriter<Fp> in_g1(pool, sink, g1, advance);
  const Fr z_over_delta = (toxic.tau.pow(n_h + 1) - Fr::one()) * delta_inverse;
  CUZK_TRY(in_g1.write(n_h, [&](std::size_t begin, std::span<Fr> out) {
    Fr value = toxic.tau.pow(begin) * z_over_delta;
    for (Fr& o : out) {
      o = value;
      value *= toxic.tau;
    }
  }));
  CUZK_TRY(in_g1.write(l));
  CUZK_TRY(in_g1.write(a));
  CUZK_TRY(in_g1.write(b));
  const FixedBase<G2Affine> g2(pool, options.g2, b.size());
  CUZK_TRY(PointWriter<Fp2>(pool, sink, g2, advance).write(b));
  CUZK_CHECK(sink.written() == result.layout.file_bytes());
  CUZK_TRY_ASSIGN(result.digests, sink.commit());
  return result;
}

}  // namespace cuzk::groth16
