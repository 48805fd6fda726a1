#pragma once

// Test support.

#include <map>
#include <string>
#include <vector>

#include "cuzk/hash/sha256.h"
#include "cuzk/r1cs/constraint_system.h"

namespace cuzk {

/// The constraint system that checks what constraint_system.h promises of blocks: rows inside refer only to
/// variables of the block, its ports and ONE; no nesting; no inputs; and two blocks of one name whose ports
/// have the same kinds and the same aliasing have the same allocations and rows up to the numbers of their
/// variables.
class BlockAuditor {
 public:
  static constexpr bool kRecords = true;

  Variable alloc(const Fr&) { return push_aux('w'); }
  Variable alloc_bit(bool) { return push_aux('b'); }
  Variable alloc_input(const Fr&) {
    if (inside_) fault("allocates an input");
    return Variable::input(++inputs_);
  }
  template <class A, class B, class C>
  void enforce(A&& a, B&& b, C&& c) {
    if (!inside_) return;
    note('r', 0);
    add(a);
    add(b);
    add(c);
  }
  void begin_namespace(const Name&) {}
  void end_namespace() {}
  template <class Ports>
  void begin_block(const Name& name, Ports&& ports) {
    if (inside_) fault("holds another block");
    inside_ = true;
    name_ = path_text(std::span(&name, 1));
    key_ = name_ + ": ";
    first_aux_ = aux_;
    port_of_ = {{Variable::one(), 0}};
    content_ = Sha256();
    ports([&](const Port& p) {
      switch (p.kind) {
        case Port::Kind::kFalse:
          key_ += '0';
          break;
        case Port::Kind::kTrue:
          key_ += '1';
          break;
        case Port::Kind::kVariable:
        case Port::Kind::kNegated: {
          // Its number is that of the first port with the same variable, so the key spells out aliasing.
          const auto number = static_cast<std::uint32_t>(port_of_.size());
          key_ += p.kind == Port::Kind::kNegated ? '-' : '+';
          key_ += std::to_string(port_of_.emplace(p.variable, number).first->second);
        }
      }
    });
    ++blocks_;
  }
  void end_block() {
    inside_ = false;
    const Bytes32 digest = content_.finish();
    const auto [place, fresh] = templates_.emplace(key_, digest);
    if (!fresh && place->second != digest) fault("has other rows than a block of the same name and ports");
  }

  [[nodiscard]] std::size_t blocks() const { return blocks_; }
  /// What was found wrong, each with the block's name.
  [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }
  /// Digest of allocations and rows by name and ports.
  [[nodiscard]] const std::map<std::string, Bytes32>& templates() const { return templates_; }

 private:
  static constexpr std::uint32_t kLocal = std::uint32_t{1} << 31;

  Variable push_aux(char kind) {
    if (inside_) note(kind, 0);
    return Variable::aux(aux_++);
  }
  template <class F>
  void add(F&& f) {
    lc_.clear();
    f(lc_);
    // Renamed before merging, since the canonical order is not that of the new names.
    renamed_.clear();
    for (const Term& t : lc_.terms()) renamed_.add(rename(t.variable), t.coefficient);
    renamed_.canonicalize();
    note('t', static_cast<std::uint32_t>(renamed_.terms().size()));
    for (const Term& t : renamed_.terms()) {
      note('v', t.variable.code());
      content_.update(t.coefficient.to_bytes_le());
    }
  }
  /// ONE is 0, ports count from 1, variables of the block from 2^31.
  Variable rename(Variable v) {
    if (const auto port = port_of_.find(v); port != port_of_.end()) return Variable::from_code(port->second);
    if (v.is_aux() && v.index() >= first_aux_) return Variable::from_code(kLocal | (v.index() - first_aux_));
    fault("reads a variable that is neither its own nor a port");
    return v;
  }
  void note(char tag, std::uint32_t number) {
    std::array<std::uint8_t, 5> bytes{static_cast<std::uint8_t>(tag)};
    store_le(bytes.data() + 1, number);
    content_.update(bytes);
  }
  void fault(const char* what) {
    constexpr std::size_t kEnough = 10;
    if (faults_.size() < kEnough) faults_.push_back("block '" + name_ + "' " + what);
  }

  std::uint32_t aux_ = 0;
  std::uint32_t inputs_ = 0;
  std::size_t blocks_ = 0;
  bool inside_ = false;
  std::string name_;
  std::string key_;
  std::uint32_t first_aux_ = 0;
  std::map<Variable, std::uint32_t> port_of_;
  Sha256 content_;
  LinearCombination lc_;
  LinearCombination renamed_;
  std::map<std::string, Bytes32> templates_;
  std::vector<std::string> faults_;
};
static_assert(ConstraintSystem<BlockAuditor>);

}  // namespace cuzk
