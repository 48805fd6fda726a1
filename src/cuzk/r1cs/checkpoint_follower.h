#pragma once

// Comparison with the reference's checkpoint files, whatever the namespaces here are called. Test support.

#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "cuzk/base/hex.h"
#include "cuzk/base/input_file.h"
#include "cuzk/r1cs/constraint_system.h"
#include "cuzk/r1cs/internal/canonical_stream.h"

namespace cuzk {

/// One line of a checkpoint file: where the reference's circuit is at the end of a namespace.
struct ReferenceCheckpoint {
  std::string path;
  std::size_t constraints = 0;
  std::size_t inputs = 0;
  std::size_t aux = 0;
  std::string rows;        ///< first eight bytes of the SHA-256 of all rows so far, hex
  std::string aux_values;  ///< likewise of all aux values so far
};

inline std::vector<ReferenceCheckpoint> read_checkpoints(const std::string& file) {
  const auto data = InputFile::open(file);
  CUZK_CHECK(data.has_value());
  std::istringstream in(std::string(data->bytes().begin(), data->bytes().end()));
  std::vector<ReferenceCheckpoint> out;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    ReferenceCheckpoint c;
    std::istringstream fields(line);
    std::getline(fields, c.path, '\t');
    fields >> c.constraints >> c.inputs >> c.aux >> c.rows >> c.aux_values;
    out.push_back(c);
  }
  return out;
}

/// The constraint system that compares rows and values with the reference's digests whenever its counts reach
/// those of a checkpoint, and remembers the first that differs, which names the gadget.
class CheckpointFollower {
 public:
  static constexpr bool kRecords = true;

  explicit CheckpointFollower(std::vector<ReferenceCheckpoint> checkpoints)
      : checkpoints_(std::move(checkpoints)), rows_(false, true) {
    follow_rows();
    follow_values();
  }

  Variable alloc(const Fr& value) {
    values_.add(value);
    return push_aux();
  }
  Variable alloc_bit(bool value) {
    values_.add(value);
    return push_aux();
  }
  Variable alloc_input(const Fr&) { return Variable::input(inputs_++); }
  template <class A, class B, class C>
  void enforce(A&& a, B&& b, C&& c) {
    add(a);
    add(b);
    add(c);
    ++constraints_;
    follow_rows();
  }
  void begin_namespace(const Name&) {}
  void end_namespace() {}
  template <class Ports>
  void begin_block(const Name&, Ports&&) {}
  void end_block() {}

  /// What is wrong: the first checkpoint that differs, or how many were never reached.
  [[nodiscard]] std::optional<std::string> fault() const {
    if (fault_) return fault_;
    if (next_rows_ == checkpoints_.size() && next_values_ == checkpoints_.size()) return {};
    return "the circuit ends before checkpoint " + checkpoints_[std::min(next_rows_, next_values_)].path;
  }
  [[nodiscard]] std::size_t inputs() const { return inputs_; }

 private:
  Variable push_aux() {
    const Variable v = Variable::aux(static_cast<std::uint32_t>(aux_++));
    follow_values();
    return v;
  }
  template <class F>
  void add(F&& f) {
    lc_.clear();
    f(lc_);
    lc_.canonicalize();
    rows_.add(lc_.terms());
  }
  void follow_rows() {
    for (; next_rows_ < checkpoints_.size() && checkpoints_[next_rows_].constraints == constraints_;
         ++next_rows_)
      compare(checkpoints_[next_rows_].path, "rows", checkpoints_[next_rows_].rows, rows_.rows_so_far());
  }
  void follow_values() {
    for (; next_values_ < checkpoints_.size() && checkpoints_[next_values_].aux == aux_; ++next_values_)
      compare(checkpoints_[next_values_].path, "values", checkpoints_[next_values_].aux_values,
              values_.so_far());
  }
  void compare(const std::string& path, const char* what, const std::string& want,
               const std::array<std::uint8_t, 8>& have) {
    if (!fault_ && to_hex(have) != want)
      fault_ = "the first divergence is in the " + std::string(what) + " of " + path;
  }

  std::vector<ReferenceCheckpoint> checkpoints_;
  r1cs_internal::RowHasher rows_;
  r1cs_internal::ValueHasher values_;
  LinearCombination lc_;
  std::size_t constraints_ = 0;
  std::size_t aux_ = 0;
  std::uint32_t inputs_ = 1;  // ONE
  std::size_t next_rows_ = 0;
  std::size_t next_values_ = 0;
  std::optional<std::string> fault_;
};
static_assert(ConstraintSystem<CheckpointFollower>);

}  // namespace cuzk
