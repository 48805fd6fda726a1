#pragma once

#include <optional>
#include <stop_token>
#include <utility>

#include "cuzk/r1cs/constraint_system.h"

namespace cuzk::detail {

/// A constraint system that looks for a stop at every namespace and block, which no circuit stays in for more
/// than some milliseconds. Circuits have no way to return early, so the stop leaves them as an exception; see
/// run_stoppable, which alone may use this.
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

/// Runs `circuit(cs)` with a `System(arguments...)` and returns what its finish() gives; nothing when a stop
/// was asked for.
template <class System, class CircuitCall, class... Arguments>
auto run_stoppable(const std::stop_token& stop, CircuitCall&& circuit, const Arguments&... arguments)
    -> std::optional<decltype(std::declval<System>().finish())> {
  Stoppable<System> system(stop, arguments...);
  try {
    circuit(system);
  } catch (const typename Stoppable<System>::Stopped&) {
    return std::nullopt;
  }
  return std::move(system).finish();
}

}  // namespace cuzk::detail
