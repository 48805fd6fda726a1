#include "cuzk/groth16/proving_key.h"

#include <atomic>
#include <utility>

#include "cuzk/base/bits.h"
#include "cuzk/groth16/internal/key_splitter.h"

namespace cuzk::groth16 {
namespace {

Result<void> expect_count(const ParamsFile& file, const char* field, std::uint64_t actual,
                          std::uint64_t expected) {
  if (actual == expected) return {};
  return bad_params(file.path() + ": " + field + " has " + std::to_string(actual) +
                    " points, the circuit needs " + std::to_string(expected) +
                    ": parameters of another circuit");
}

Result<void> check_counts(const ParamsFile& file, const Shape& shape) {
  const ParamsLayout& layout = file.layout();
  const std::uint64_t n_in = shape.num_inputs();
  CUZK_TRY(expect_count(file, "ic", layout.n_ic, n_in));
  CUZK_TRY(expect_count(file, "h", layout.h.count, (std::uint64_t{1} << shape.domain_log_size()) - 1));
  CUZK_TRY(expect_count(file, "l", layout.l.count, shape.num_aux()));
  CUZK_TRY(expect_count(file, "a", layout.a.count, n_in + count_bits(shape.a_aux_density())));
  const std::uint64_t n_b = count_bits(shape.b_input_density()) + count_bits(shape.b_aux_density());
  CUZK_TRY(expect_count(file, "b_g1", layout.b_g1.count, n_b));
  return expect_count(file, "b_g2", layout.b_g2.count, n_b);
}

}  // namespace

ProvingKey::ProvingKey(std::unique_ptr<const ProvingKeyBases> bases, std::shared_ptr<const Shape> shape)
    : bases_(std::move(bases)), shape_(std::move(shape)) {}

ProvingKey::~ProvingKey() = default;

const VerifyingKey& ProvingKey::vk() const {
  return bases_->file->vk();
}

const std::string& ProvingKey::path() const {
  return bases_->file->path();
}

Result<std::shared_ptr<const ProvingKey>> ProvingKey::load(ThreadPool& pool, const std::string& path,
                                                           std::shared_ptr<const Shape> shape,
                                                           const std::function<void(double)>& progress,
                                                           const std::stop_token& stop) {
  CUZK_TRY_ASSIGN(ParamsFile file, ParamsFile::open(pool, path));
  return load(pool, std::make_shared<const ParamsFile>(std::move(file)), std::move(shape), progress, stop);
}

Result<std::shared_ptr<const ProvingKey>> ProvingKey::load(ThreadPool& pool,
                                                           std::shared_ptr<const ParamsFile> file,
                                                           std::shared_ptr<const Shape> shape,
                                                           const std::function<void(double)>& progress,
                                                           const std::stop_token& stop) {
  CUZK_TRY(check_counts(*file, *shape));
  auto bases = std::make_unique<ProvingKeyBases>();
  bases->file = std::move(file);
  KeySplitter splitter(*bases->file, *shape, *bases);
  splitter.split();
  const auto total = static_cast<double>(bases->file->layout().vector_bytes());
  std::atomic<std::uint64_t> done{0};
  CUZK_TRY(splitter.check(
      pool,
      [&](std::uint64_t bytes) {
        const std::uint64_t now = done.fetch_add(bytes) + bytes;
        if (progress) progress(static_cast<double>(now) / total);
      },
      stop));
  return std::shared_ptr<const ProvingKey>(new ProvingKey(std::move(bases), std::move(shape)));
}

}  // namespace cuzk::groth16
