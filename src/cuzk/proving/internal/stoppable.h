#pragma once

#include <stop_token>

#include "cuzk/r1cs/constraint_system.h"

namespace cuzk::detail {

/// A constraint system that looks for a stop at every namespace and block, which no circuit stays in for more
/// than some milliseconds. Circuits have no way to return early, so the stop leaves them as an exception;
/// only head_and_parts.h, which catches it, may use this.
template <class System>
class Stoppable : public System {
 public:
  struct Stopped {};

  template <class... Arguments>
  explicit Stoppable(const std::stop_token& stop, const Arguments&... arguments)
      : System(arguments...), stop_(stop) {}

  void begin_namespace(const Name&) { look(); }
  template <class Ports>
  void begin_block(const Name&, Ports&&) {
    look();
  }

 private:
  void look() const {
    if (stop_.stop_requested()) throw Stopped{};
  }

  const std::stop_token& stop_;
};

}  // namespace cuzk::detail
