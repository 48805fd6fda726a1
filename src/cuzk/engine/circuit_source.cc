#include "cuzk/engine/circuit_source.h"

#include <filesystem>

#include "cuzk/engine/circuit_key.h"
#include "cuzk/engine/saved_shapes.h"
#include "cuzk/groth16/prover.h"
#include "cuzk/proving/circuit.h"

namespace cuzk::engine {
namespace {

class OpenFileParams : public OpenParams {
 public:
  explicit OpenFileParams(std::shared_ptr<const groth16::ParamsFile> file) : file_(std::move(file)) {}
  [[nodiscard]] std::uint64_t size_bytes() const override { return file_->layout().file_bytes(); }
  [[nodiscard]] const std::shared_ptr<const groth16::ParamsFile>& file() const { return file_; }

 private:
  std::shared_ptr<const groth16::ParamsFile> file_;
};

class LoadedKey : public CircuitKey {
 public:
  explicit LoadedKey(std::shared_ptr<const groth16::ProvingKey> key)
      : key_(std::move(key)), vk_(key_->vk()) {}

  [[nodiscard]] const std::shared_ptr<const groth16::ProvingKey>& proving_key() const override {
    return key_;
  }
  Result<void> verify(ThreadPool& pool, const groth16::ProofInstance& instance) const override {
    CUZK_TRY_ASSIGN(const groth16::Proof proof, groth16::reread(instance.proof));
    return vk_.verify(pool, {instance.inputs, proof});
  }

 private:
  std::shared_ptr<const groth16::ProvingKey> key_;
  groth16::PreparedVerifyingKey vk_;
};

}  // namespace

std::shared_ptr<const CircuitKey> circuit_key(std::shared_ptr<const groth16::ProvingKey> key) {
  return std::make_shared<LoadedKey>(std::move(key));
}

std::vector<CircuitSource::Known> FileCircuitSource::known() const {
  std::vector<Known> out;
  for (const Circuit& circuit : known_circuits()) {
    std::error_code error;
    const std::uint64_t size =
        std::filesystem::file_size(folder_ + "/" + circuit.params_stem + ".params", error);
    if (!error) out.push_back({circuit.id, size});
  }
  return out;
}

Result<std::string> FileCircuitSource::params_path(const std::string& circuit_id) const {
  CUZK_TRY_ASSIGN(const Circuit circuit, find_circuit(circuit_id));
  return folder_ + "/" + circuit.params_stem + ".params";
}

Result<std::uint64_t> FileCircuitSource::params_bytes(const std::string& circuit_id) const {
  CUZK_TRY_ASSIGN(const std::string path, params_path(circuit_id));
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path, error);
  if (error)
    return bad_params("circuit " + circuit_id + ": '" + path + "': " + error.message() +
                      " (the folder is srs.param_cache, of cuzk bench --local it is --params)");
  return size;
}

Result<LoadedShape> FileCircuitSource::load_shape(ThreadPool& pool, const std::string& circuit_id,
                                                  const std::stop_token& stop) {
  CUZK_TRY_ASSIGN(const Circuit circuit, find_circuit(circuit_id));
  if (shapes_ != nullptr) return shapes_->load(pool, circuit, stop);
  LoadedShape recorded;
  CUZK_TRY_ASSIGN(recorded.shape, record_shape(pool, circuit, stop));
  return recorded;
}

Result<std::shared_ptr<const OpenParams>> FileCircuitSource::open_params(ThreadPool& pool,
                                                                         const std::string& circuit_id) {
  CUZK_TRY_ASSIGN(const std::string path, params_path(circuit_id));
  CUZK_TRY_ASSIGN(groth16::ParamsFile file, groth16::ParamsFile::open(pool, path));
  return std::shared_ptr<const OpenParams>(
      std::make_shared<OpenFileParams>(std::make_shared<const groth16::ParamsFile>(std::move(file))));
}

Result<std::shared_ptr<const CircuitKey>> FileCircuitSource::load_key(
    ThreadPool& pool, std::shared_ptr<const OpenParams> params, std::shared_ptr<const Shape> shape,
    const std::stop_token& stop) {
  const auto open = std::dynamic_pointer_cast<const OpenFileParams>(std::move(params));
  CUZK_CHECK(open != nullptr);
  CUZK_TRY_ASSIGN(std::shared_ptr<const groth16::ProvingKey> key,
                  groth16::ProvingKey::load(pool, open->file(), std::move(shape), {}, stop));
  return circuit_key(std::move(key));
}

}  // namespace cuzk::engine
