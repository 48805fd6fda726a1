#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cuzk/field/fr.h"
#include "cuzk/r1cs/linear_combination.h"

namespace cuzk {

/// One step of a gadget path, formed without allocating: prefix, optional number, suffix. The texts must
/// outlive the namespace or block (string literals do).
struct Name {
  static constexpr std::uint32_t kNoIndex = UINT32_MAX;

  std::string_view prefix;
  std::uint32_t index = kNoIndex;
  std::string_view suffix;

  Name(const char* text) : prefix(text) {}  // NOLINT: implicit, namespaces read better with a plain literal
  Name(const char* before, std::size_t number, const char* after = "")
      : prefix(before), index(static_cast<std::uint32_t>(number)), suffix(after) {}
};

/// The steps joined by '/'.
std::string path_text(std::span<const Name> steps);

/// What a block reads from outside: a constant, a variable or the negation of a boolean variable.
struct Port {
  enum class Kind : std::uint8_t { kFalse, kTrue, kVariable, kNegated };
  Kind kind = Kind::kFalse;
  Variable variable;
};

/// What circuits are written against. Constraints are numbered in call order, variables of each kind
/// likewise, so the order of calls is part of a circuit's definition. Values are passed in at allocation;
/// circuits compute them from whatever input they got, a blank one gives meaningless but defined values.
/// Structure must never depend on a value.
template <class CS>
concept ConstraintSystem = requires(CS& cs, Fr v, void (*lc)(LinearCombination&), Name name) {
  // Whether linear combinations are looked at. Where false, enforce drops its closures and gadgets skip
  // bookkeeping that serves constraints only.
  { CS::kRecords } -> std::convertible_to<bool>;

  // A new aux variable.
  { cs.alloc(v) } -> std::same_as<Variable>;

  // A new aux variable that is boolean by the circuit's constraints: allocated bits, results of xor, and,
  // nor, ch, maj, sum and carry bits. Adds no constraint itself.
  { cs.alloc_bit(true) } -> std::same_as<Variable>;

  // A new public input.
  { cs.alloc_input(v) } -> std::same_as<Variable>;

  // One constraint A * B = C. Each argument is called as f(LinearCombination&) with an empty one, in this
  // order, and may not allocate.
  cs.enforce(lc, lc, lc);

  // A step of the gadget path, for messages and checkpoints. Circuits use Namespace.
  cs.begin_namespace(name);
  cs.end_namespace();

  // Around a repeated sub-circuit whose rows refer only to variables allocated inside it, to its ports and
  // to ONE. ports(sink) calls sink(Port) for every port in a fixed order and may be dropped. Blocks do not
  // nest and allocate no inputs. Circuits use Block.
  //
  // Ports may alias: the same variable may come in at several of them, plain or negated (a label's message
  // repeats its parents). Terms of one variable merge in a row, so aliasing changes rows, and with them what
  // is in common between two blocks. What determines a block's rows, up to the numbers of its variables, is
  // the name together with the kinds of all ports and which of them are the same variable; a template of a
  // block must be kept under all of that.
  cs.begin_block(name, [](auto&&) {});
  cs.end_block();
};

/// Opens a namespace for the life of this object.
template <class CS>
class Namespace {
 public:
  Namespace(CS& cs, Name name) : cs_(cs) { cs_.begin_namespace(name); }
  ~Namespace() { cs_.end_namespace(); }
  Namespace(const Namespace&) = delete;
  Namespace& operator=(const Namespace&) = delete;

 private:
  CS& cs_;
};

/// Opens a block for the life of this object.
template <class CS>
class Block {
 public:
  template <class Ports>
  Block(CS& cs, Name name, Ports&& ports) : cs_(cs) {
    cs_.begin_block(name, ports);
  }
  ~Block() { cs_.end_block(); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

 private:
  CS& cs_;
};

}  // namespace cuzk
