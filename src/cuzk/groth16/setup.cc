#include "cuzk/groth16/setup.h"

#include <algorithm>
#include <limits>

#include "cuzk/base/file_sink.h"
#include "cuzk/groth16/cpu_point_maker.h"
#include "cuzk/groth16/internal/digest_pair.h"
#include "cuzk/groth16/internal/setup_scalars.h"
#include "cuzk/groth16/point_codec.h"

namespace cuzk::groth16 {
namespace {

constexpr std::size_t kGrain = std::size_t{1} << 10;

/// Where the bytes of a parameter file go.
class ParamsSink {
 public:
  ParamsSink() = default;
  ParamsSink(const ParamsSink&) = delete;
  ParamsSink& operator=(const ParamsSink&) = delete;
  virtual ~ParamsSink() = default;
  /// Room for the next `bytes`, valid until written().
  virtual std::span<std::uint8_t> room(std::size_t bytes) = 0;
  /// The room has been filled.
  virtual Result<void> written() = 0;

  Result<void> write(ByteSpan bytes) {
    const std::span<std::uint8_t> to = room(bytes.size());
    std::copy(bytes.begin(), bytes.end(), to.begin());
    return written();
  }
  Result<void> write_count(std::uint64_t count) {
    CUZK_CHECK(count <= std::numeric_limits<std::uint32_t>::max());
    std::array<std::uint8_t, 4> bytes;
    store_be32(bytes.data(), static_cast<std::uint32_t>(count));
    return write(bytes);
  }
};

/// A file being written, and its digests so far.
class HashedSink : public ParamsSink {
 public:
  HashedSink(ThreadPool& pool, FileSink sink) : pool_(pool), sink_(std::move(sink)) {}

  std::span<std::uint8_t> room(std::size_t bytes) override {
    buffer_.resize(bytes);
    return buffer_;
  }
  Result<void> written() override {
    digests_.update(pool_, buffer_);
    return sink_.write(buffer_);
  }
  Result<FileDigests> commit() {
    CUZK_TRY(sink_.commit());
    return digests_.finish();
  }

 private:
  ThreadPool& pool_;
  FileSink sink_;
  DigestPair digests_;
  std::vector<std::uint8_t> buffer_;
};

/// Memory for a file of known size.
class MemorySink : public ParamsSink {
 public:
  explicit MemorySink(std::uint64_t bytes)
      : image_{std::make_unique_for_overwrite<std::uint8_t[]>(bytes), bytes} {}

  std::span<std::uint8_t> room(std::size_t bytes) override {
    CUZK_CHECK(bytes <= image_.size - filled_);
    filled_ += bytes;
    return {image_.bytes.get() + filled_ - bytes, bytes};
  }
  Result<void> written() override { return {}; }
  ParamsImage take() {
    CUZK_CHECK(filled_ == image_.size);
    return std::move(image_);
  }

 private:
  ParamsImage image_;
  std::uint64_t filled_ = 0;
};

/// Everything up to the points.
struct Plan {
  SetupScalars scalars;
  SetupResult result;  // without digests
};

Result<void> check_circuit(const Shape& shape, const SetupOptions& options) {
  if (shape.domain_log_size() > 31)
    return bad_params("the circuit has too many constraints for a domain of 2^31 points");
  if (options.g1.is_infinity() || options.g2.is_infinity())
    return usage_error("a generator is the point at infinity");
  return {};
}

Result<Plan> make_plan(ThreadPool& pool, const Shape& shape, const ToxicWaste& toxic,
                       const SetupOptions& options) {
  Plan plan;
  CUZK_TRY_ASSIGN(plan.scalars, SetupScalars::of(pool, shape, toxic));
  const SetupScalars& s = plan.scalars;
  const std::size_t n_h = (std::size_t{1} << shape.domain_log_size()) - 1;
  plan.result.layout =
      ParamsLayout::with_counts(s.ic.size(), n_h, s.l.size(), s.a.size(), s.b.size(), s.b.size());
  VerifyingKey& vk = plan.result.vk;
  const auto times_g1 = [&](const Fr& k) { return mul(options.g1, k).to_affine(); };
  const auto times_g2 = [&](const Fr& k) { return mul(options.g2, k).to_affine(); };
  vk.alpha_g1 = times_g1(toxic.alpha);
  vk.beta_g1 = times_g1(toxic.beta);
  vk.beta_g2 = times_g2(toxic.beta);
  vk.gamma_g2 = times_g2(toxic.gamma);
  vk.delta_g1 = times_g1(toxic.delta);
  vk.delta_g2 = times_g2(toxic.delta);
  return plan;
}

/// Makes the points of a plan and streams them to a sink.
class PointWriter {
 public:
  PointWriter(ThreadPool& pool, PointMaker& maker, ParamsSink& sink, const SetupOptions& options,
              std::uint64_t total)
      : pool_(pool), maker_(maker), sink_(sink), options_(options), total_(total) {}

  Result<void> write(Plan& plan, const ToxicWaste& toxic) {
    SetupScalars& s = plan.scalars;
    std::vector<G1Affine>& ic = plan.result.vk.ic;
    CUZK_TRY(maker_.make_g1(s.ic.size(), from(s.ic), [&](std::span<const G1Affine> points) -> Result<void> {
      ic.insert(ic.end(), points.begin(), points.end());
      return {};
    }));
    CUZK_TRY(sink_.write(encode_verifying_key(plan.result.vk)));
    advance(s.ic.size());
    const std::uint64_t n_h = plan.result.layout.h.count;
    const Fr z_over_delta = (toxic.tau.pow(n_h + 1) - Fr::one()) * toxic.delta.inverse();
    CUZK_TRY(write_g1(n_h, [&](std::size_t begin, std::span<Fr> out) {
      Fr value = toxic.tau.pow(begin) * z_over_delta;
      for (Fr& o : out) {
        o = value;
        value *= toxic.tau;
      }
    }));
    for (std::vector<Fr>* query : {&s.l, &s.a}) {
      CUZK_TRY(write_g1(query->size(), from(*query)));
      *query = {};
    }
    CUZK_TRY(write_g1(s.b.size(), from(s.b)));
    CUZK_TRY(sink_.write_count(s.b.size()));
    return maker_.make_g2(s.b.size(), from(s.b),
                          [&](std::span<const G2Affine> points) { return encode<Fp2>(points); });
  }

 private:
  static PointMaker::Scalars from(const std::vector<Fr>& values) {
    return [&values](std::size_t begin, std::span<Fr> out) {
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(begin), out.size(), out.begin());
    };
  }
  Result<void> write_g1(std::size_t count, const PointMaker::Scalars& scalars) {
    CUZK_TRY(sink_.write_count(count));
    return maker_.make_g1(count, scalars,
                          [&](std::span<const G1Affine> points) { return encode<Fp>(points); });
  }
  template <class F>
  Result<void> encode(std::span<const Affine<F>> points) {
    const std::span<std::uint8_t> bytes = sink_.room(points.size() * kPointBytes<F>);
    pool_.parallel_for(points.size(), kGrain, [&](std::size_t b, std::size_t e) {
      encode_points(points.subspan(b, e - b), bytes.subspan(b * kPointBytes<F>, (e - b) * kPointBytes<F>),
                    pool_.isa());
    });
    CUZK_TRY(sink_.written());
    advance(points.size());
    return {};
  }
  void advance(std::uint64_t n) {
    done_ += n;
    if (options_.progress) options_.progress(done_, total_);
  }

  ThreadPool& pool_;
  PointMaker& maker_;
  ParamsSink& sink_;
  const SetupOptions& options_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
};

Result<void> write_params(ThreadPool& pool, Plan& plan, const ToxicWaste& toxic, ParamsSink& sink,
                          const SetupOptions& options) {
  const ParamsLayout& layout = plan.result.layout;
  const std::uint64_t g1_points =
      layout.n_ic + layout.h.count + layout.l.count + layout.a.count + layout.b_g1.count;
  CpuPointMaker cpu(pool, options.g1, g1_points, options.g2, layout.b_g2.count);
  PointMaker& maker = options.points != nullptr ? *options.points : cpu;
  return PointWriter(pool, maker, sink, options, g1_points + layout.b_g2.count).write(plan, toxic);
}

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
  CUZK_TRY(check_circuit(shape, options));
  // Before the hours of work, not after them: a folder that cannot be written to.
  CUZK_TRY_ASSIGN(FileSink file, FileSink::create(path));
  CUZK_TRY_ASSIGN(Plan plan, make_plan(pool, shape, toxic, options));
  HashedSink sink(pool, std::move(file));
  CUZK_TRY(write_params(pool, plan, toxic, sink, options));
  CUZK_TRY_ASSIGN(plan.result.digests, sink.commit());
  return std::move(plan.result);
}

Result<std::shared_ptr<const ParamsFile>> generate_parameters_in_memory(ThreadPool& pool, const Shape& shape,
                                                                        const ToxicWaste& toxic,
                                                                        const std::string& name,
                                                                        const SetupOptions& options) {
  CUZK_TRY(check_circuit(shape, options));
  CUZK_TRY_ASSIGN(Plan plan, make_plan(pool, shape, toxic, options));
  MemorySink sink(plan.result.layout.file_bytes());
  CUZK_TRY(write_params(pool, plan, toxic, sink, options));
  CUZK_TRY_ASSIGN(ParamsFile file, ParamsFile::from_memory(pool, sink.take(), name));
  return std::make_shared<const ParamsFile>(std::move(file));
}

}  // namespace cuzk::groth16
