#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "operators/expression/text_arena.hpp"
#include "operators/expression/vector.hpp"
#include "runtime/base/error.hpp"
#include "runtime/data/column_builder.hpp"

namespace sluice::expression {

// What a function makes of its constant arguments when the expression is compiled: a regular expression, a
// time format. Immutable; shared by all tasks unless it says otherwise.
struct Prepared {
  virtual ~Prepared() = default;
  // A copy for one task's own use, where sharing would let tasks wait for one another; nullptr: share it.
  virtual std::shared_ptr<const Prepared> for_one_task() const { return nullptr; }
};
using PreparedPtr = std::shared_ptr<const Prepared>;

// Buffers that hold one node's result from its step to its last use. Reused from batch to batch.
struct Register {
  AlignedBuffer values;
  AlignedBuffer validity;
  Type type = Type::int64;
  bool has_nulls = false;  // `validity` counts

  // The validity bytes of `rows` rows, all set if there were none before.
  std::uint8_t* start_validity(std::uint32_t rows);
};

// Where rows that fail are reported. The first error of a row counts; what is computed for the row afterwards
// is of no interest.
class FaultSink {
 public:
  virtual void fail(std::uint32_t row, ErrorCode code, std::string message) = 0;

 protected:
  ~FaultSink() = default;
};

// One call of a kernel: fills the rows `rows` of its target from its arguments. A kernel never throws, and
// reads only what `rows` names: other rows may hold anything. Before a strict kernel runs, a row with a null
// argument is already null in the target.
class KernelCall {
 public:
  KernelCall(std::span<const Vector> arguments, Rows which, Register& target, FaultSink& faults,
             TextArena& memory, const Prepared* constants)
      : args(arguments), rows(which), arena(memory), prepared(constants), target_(target), faults_(faults) {}

  std::span<const Vector> args;
  Rows rows;
  TextArena& arena;
  const Prepared* prepared;

  template <typename T>
  T* out() {
    return reinterpret_cast<T*>(target_.values.data());
  }
  const std::uint8_t* valid() const {
    return target_.has_nulls ? reinterpret_cast<const std::uint8_t*>(target_.validity.data()) : nullptr;
  }
  std::uint8_t* start_validity() { return target_.start_validity(rows.total); }
  void set_null(std::uint32_t row) { start_validity()[row] = 0; }
  void fail(std::uint32_t row, ErrorCode code, std::string message) {
    set_null(row);
    faults_.fail(row, code, std::move(message));
  }

  // f(row) for each row whose target is not null so far.
  template <typename F>
  void each_valid(F&& f) {
    if (const std::uint8_t* known = valid(); known == nullptr) {
      rows.each(f);
    } else {
      // f may start a null of its own row only, so the bytes read ahead stay right.
      rows.each([&](std::uint32_t row) {
        if (known[row] != 0) f(row);
      });
    }
  }

 private:
  Register& target_;
  FaultSink& faults_;
};

using Kernel = void (*)(KernelCall&);

// One argument as its kernel reads it.
template <typename T>
struct Argument {
  const T* data;
  std::size_t mask;

  explicit Argument(const Vector& vector) : data(vector.values<T>()), mask(vector.mask()) {}
  const T& operator[](std::size_t row) const { return data[row & mask]; }
};

// A text made by a kernel must stay under this, whatever its arguments are.
inline constexpr std::size_t kMaxMadeTextBytes = 16 * 1024 * 1024;

// A value as error messages show it: quoted, cut, without control characters.
std::string quoted_value(std::string_view text);

}  // namespace sluice::expression
