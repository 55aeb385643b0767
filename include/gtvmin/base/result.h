#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gtvmin {

/// What went wrong, in the words a user reads. `kind` decides the exit code of the command.
struct Error {
  enum class Kind { kUsage, kBadInput, kRuntime, kInterrupted };
  Kind kind = Kind::kBadInput;
  std::vector<std::string> messages;
};

inline Error bad_input(std::string message) { return {Error::Kind::kBadInput, {std::move(message)}}; }
inline Error usage_error(std::string message) { return {Error::Kind::kUsage, {std::move(message)}}; }
inline Error runtime_failure(std::string message) { return {Error::Kind::kRuntime, {std::move(message)}}; }
inline Error interrupted() { return {Error::Kind::kInterrupted, {"interrupted"}}; }

/// A value, or the reason why there is none. For everything that input can cause; our own bugs are asserts.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() & {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] const T& value() const& {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] T&& value() && {
    assert(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  [[nodiscard]] const Error& error() const {
    assert(!ok());
    return *std::get_if<1>(&state_);
  }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Error> state_;
};

struct Unit {};
/// The outcome of an action that has no value.
using Status = Result<Unit>;

}  // namespace gtvmin
