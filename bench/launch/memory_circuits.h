#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "cuzk/engine/circuit_key.h"
#include "cuzk/groth16/proving_key.h"

namespace cuzk::bench {

/// Circuits whose shapes and keys were made in this process.
class MemoryCircuits : public engine::CircuitSource {
 public:
  void add(const std::string& id, std::shared_ptr<const groth16::ProvingKey> key, std::uint64_t bytes) {
    circuits_[id] = std::make_shared<Entry>(std::move(key), bytes);
  }
  void remove(const std::string& id) { circuits_.erase(id); }

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
    return engine::LoadedShape{entry->key()->proving_key()->shape(), false};
  }
  Result<std::shared_ptr<const engine::OpenParams>> open_params(ThreadPool&, const std::string& id) override {
    CUZK_TRY_ASSIGN(auto entry, find(id));
    return std::shared_ptr<const engine::OpenParams>(std::move(entry));
  }
  Result<std::shared_ptr<const engine::CircuitKey>> load_key(ThreadPool&,
                                                             std::shared_ptr<const engine::OpenParams> params,
                                                             std::shared_ptr<const Shape>,
                                                             const std::stop_token&) override {
    const auto entry = std::dynamic_pointer_cast<const Entry>(std::move(params));
    CUZK_CHECK(entry != nullptr);
    return entry->key();
  }

 private:
  class Entry : public engine::OpenParams {
   public:
    Entry(std::shared_ptr<const groth16::ProvingKey> key, std::uint64_t bytes)
        : key_(engine::circuit_key(std::move(key))), bytes_(bytes) {}
    [[nodiscard]] std::uint64_t size_bytes() const override { return bytes_; }
    [[nodiscard]] const std::shared_ptr<const engine::CircuitKey>& key() const { return key_; }

   private:
    std::shared_ptr<const engine::CircuitKey> key_;
    std::uint64_t bytes_;
  };
  [[nodiscard]] Result<std::shared_ptr<const Entry>> find(const std::string& id) const {
    const auto found = circuits_.find(id);
    if (found == circuits_.end()) return usage_error("no circuit " + id);
    return found->second;
  }

  std::map<std::string, std::shared_ptr<const Entry>> circuits_;
};

}  // namespace cuzk::bench
