#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "runtime/base/check.hpp"
#include "runtime/base/error.hpp"

namespace sluice {

// A value or an Error, for what input and environment can do to us (our own bugs are CHECKs). Must be looked
// at.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return require(), std::get<0>(state_); }
  const T& value() const& { return require(), std::get<0>(state_); }
  T&& value() && { return require(), std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  void require() const {
    if (!ok()) check_failed(__FILE__, __LINE__, "Result::ok()", std::get<1>(state_).message());
  }

  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  const Error& error() const& { return *error_; }
  Error&& error() && { return *std::move(error_); }

 private:
  std::optional<Error> error_;
};

// Evaluates an expression of type Result<…>; returns its error from the enclosing function if it has one.
#define SLUICE_TRY(expression)                                \
  do {                                                        \
    if (auto try_result_ = (expression); !try_result_.ok()) { \
      return std::move(try_result_).error();                  \
    }                                                         \
  } while (false)

#define SLUICE_CONCAT_INNER(a, b) a##b
#define SLUICE_CONCAT(a, b) SLUICE_CONCAT_INNER(a, b)
// SLUICE_ASSIGN(auto file, open(path)); assigns the value or returns the error.
#define SLUICE_ASSIGN(target, expression) \
  SLUICE_ASSIGN_INNER(SLUICE_CONCAT(assign_result_, __LINE__), target, expression)
#define SLUICE_ASSIGN_INNER(temporary, target, expression)  \
  auto temporary = (expression);                            \
  if (!temporary.ok()) return std::move(temporary).error(); \
  target = std::move(temporary).value()

}  // namespace sluice
