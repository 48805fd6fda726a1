#include "cuzk/r1cs/checker.h"

#include <algorithm>

#include "cuzk/base/hex.h"

namespace cuzk {
namespace {

std::string hex_of(const Fr& x) {
  auto bytes = x.to_bytes_le();
  std::reverse(bytes.begin(), bytes.end());
  return "0x" + to_hex(bytes);
}

}  // namespace

void Checker::fail(const Fr& a, const Fr& b, const Fr& c) {
  failure_ = Failure{constraints_, path_text(path_), a, b, c};
}

Result<void> Checker::result() const {
  if (given_ != nullptr) {
    const auto differs = [](const char* what, std::size_t have, std::size_t want) {
      return bad_input("witness has " + std::to_string(have) + " " + what + ", the circuit " +
                       std::to_string(want));
    };
    if (given_->inputs.size() != inputs_.size())
      return differs("inputs", given_->inputs.size(), inputs_.size());
    if (given_->wide.size() != next_wide_) return differs("wide values", given_->wide.size(), next_wide_);
    if (given_->bits.size() != (next_bit_ + 63) / 64)
      return differs("words of bits", given_->bits.size(), (next_bit_ + 63) / 64);
    if (!inputs_[0].is_one()) return bad_input("witness input 0 is not one");
  }
  if (!failure_) return {};
  return Error{ErrorCode::kUnsatisfied,
               "constraint " + std::to_string(failure_->constraint) + " in " +
                   (failure_->path.empty() ? std::string("the circuit's top level") : failure_->path) +
                   " does not hold: A = " + hex_of(failure_->a) + ", B = " + hex_of(failure_->b) +
                   ", C = " + hex_of(failure_->c)};
}

}  // namespace cuzk
