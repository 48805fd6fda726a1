#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "cuzk/engine/circuit_source.h"
#include "cuzk/groth16/proving_key.h"

namespace cuzk::bench {

/// Circuits whose shapes and keys were made in this process.
class MemoryCircuits : public engine::CircuitSource {
 public:
  void add(const std::string& id, std::shared_ptr<const groth16::ProvingKey> key, std::uint64_t bytes) {
    circuits_[id] = std::make_shared<Entry>(std::move(key), bytes);
  }

  [[nodiscard]] std::vector<Known> known() const override {
    std::vector<Known> out;
    for (const auto& [id, entry] : circuits_) out.push_back({id, entry->size_bytes()});
    return out;
  }
  [[nodiscard]] Result<std::uint64_t> params_bytes(const std::string& id) const override {
    CUZK_TRY_ASSIGN(const auto entry, find(id));
    return entry->size_bytes();
  }
  Result<engine::LoadedShape> load_shape(ThreadPool&, const std::string& id,
                                         const std::stop_token&) override {
    CUZK_TRY_ASSIGN(const auto entry, find(id));
    return engine::LoadedShape{entry->proving_key()->shape(), false};
  }
  Result<std::shared_ptr<const engine::OpenParams>> open_params(ThreadPool&, const std::string& id) override {
    CUZK_TRY_ASSIGN(auto entry, find(id));
    return std::shared_ptr<const engine::OpenParams>(std::move(entry));
  }
  Result<std::shared_ptr<const engine::CircuitKey>> load_key(ThreadPool&,
                                                             std::shared_ptr<const engine::OpenParams> params,
                                                             std::shared_ptr<const Shape>,
                                                             const std::stop_token&) override {
    auto key = std::dynamic_pointer_cast<const engine::CircuitKey>(std::move(params));
    CUZK_CHECK(key != nullptr);
    return key;
  }

 private:
  class Entry : public engine::OpenParams, public engine::CircuitKey {
   public:
    Entry(std::shared_ptr<const groth16::ProvingKey> key, std::uint64_t bytes)
        : key_(std::move(key)), bytes_(bytes), vk_(key_->vk()) {}
    [[nodiscard]] std::uint64_t size_bytes() const override { return bytes_; }
    [[nodiscard]] const std::shared_ptr<const groth16::ProvingKey>& proving_key() const override {
      return key_;
    }
    Result<void> verify(ThreadPool& pool, const groth16::ProofInstance& instance) const override {
      return vk_.verify(pool, instance);
    }

   private:
    std::shared_ptr<const groth16::ProvingKey> key_;
    std::uint64_t bytes_;
    groth16::PreparedVerifyingKey vk_;
  };
  [[nodiscard]] Result<std::shared_ptr<const Entry>> find(const std::string& id) const {
    const auto found = circuits_.find(id);
    if (found == circuits_.end()) return usage_error("no circuit " + id);
    return found->second;
  }

  std::map<std::string, std::shared_ptr<const Entry>> circuits_;
};

}  // namespace cuzk::bench
