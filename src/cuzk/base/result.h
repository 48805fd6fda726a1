#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace cuzk {

/// Classes of failure that a caller can act on.
enum class ErrorCode {
  kBadInput,     ///< a file, message or proof is malformed, inconsistent or does not verify
  kUnsatisfied,  ///< a witness does not satisfy its circuit
  kParams,       ///< proving parameters or a verifying key are malformed or of another circuit
  kUsage,        ///< the caller asked for something that does not exist or cannot be
  kUnsupported,  ///< understood, but not offered (non-interactive types)
  kIo,           ///< the operating system refused: no file, no space, no memory
  kStopped,      ///< the caller asked to stop
  kInternal,     ///< a defect of this program
};

/// What went wrong. `message` is one sentence that names the field, file or offset.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;

  /// The same error seen from one level up: "while reading X: message".
  [[nodiscard]] Error within(std::string_view context) const {
    return Error{code, std::string(context) + ": " + message};
  }
};

[[nodiscard]] inline Error bad_input(std::string message) {
  return {ErrorCode::kBadInput, std::move(message)};
}
[[nodiscard]] inline Error bad_params(std::string message) {
  return {ErrorCode::kParams, std::move(message)};
}
[[nodiscard]] inline Error usage_error(std::string message) {
  return {ErrorCode::kUsage, std::move(message)};
}
[[nodiscard]] inline Error io_error(std::string message) {
  return {ErrorCode::kIo, std::move(message)};
}

namespace detail {
[[noreturn]] inline void fail_check(const char* what, const char* file, int line) {
  std::fprintf(stderr, "cuzk: %s:%d: check failed: %s\n", file, line, what);
  std::abort();
}
}  // namespace detail

/// Always on; for errors of the programmer only. No input may ever reach a failing check.
#define CUZK_CHECK(condition) \
  (static_cast<bool>(condition) ? void(0) : ::cuzk::detail::fail_check(#condition, __FILE__, __LINE__))

/// A value or an Error. Own class instead of a library because the same header must build on machines that
/// have a C++20 compiler and CUDA and nothing else. Same vocabulary as std::expected (C++23).
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit by design
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  [[nodiscard]] bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & {
    CUZK_CHECK(has_value());
    return std::get<0>(state_);
  }
  const T& value() const& {
    CUZK_CHECK(has_value());
    return std::get<0>(state_);
  }
  T&& value() && {
    CUZK_CHECK(has_value());
    return std::get<0>(std::move(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const {
    CUZK_CHECK(!has_value());
    return std::get<1>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), ok_(false) {}  // NOLINT

  [[nodiscard]] bool has_value() const { return ok_; }
  explicit operator bool() const { return ok_; }
  const Error& error() const {
    CUZK_CHECK(!ok_);
    return error_;
  }

 private:
  Error error_;
  bool ok_ = true;
};

/// CUZK_TRY(expr): return expr's error from the enclosing function, or go on (for Result<void>).
#define CUZK_TRY(expr)                                                                   \
  do {                                                                                   \
    if (auto cuzk_try_result = (expr); !cuzk_try_result) return cuzk_try_result.error(); \
  } while (false)

#define CUZK_CONCAT_INNER(a, b) a##b
#define CUZK_CONCAT(a, b) CUZK_CONCAT_INNER(a, b)
/// CUZK_TRY_ASSIGN(auto x, expr): x becomes expr's value, or the enclosing function returns its error.
// NOLINTBEGIN(bugprone-macro-parentheses): `decl` is a declaration.
#define CUZK_TRY_ASSIGN(decl, expr)                                                       \
  auto CUZK_CONCAT(cuzk_try_, __LINE__) = (expr);                                         \
  if (!CUZK_CONCAT(cuzk_try_, __LINE__)) return CUZK_CONCAT(cuzk_try_, __LINE__).error(); \
  decl = std::move(CUZK_CONCAT(cuzk_try_, __LINE__)).value()
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace cuzk
